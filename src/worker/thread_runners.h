#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/worker/runners.h"
#include "holdfast/function.h"
#include "platform/service_loop.h"

namespace holdfast::worker {

class ThreadRun;

/// Runs functions in threads of this process: the fastest, for code that is trusted not to crash. A thread cannot be
/// killed: a run that was asked to stop continues until its function checks Context::cancelled() and returns.
class ThreadRunners : public engine::Runners {
public:
    using Sink = std::function<void(engine::RunnerEvent)>;

    /// `sink` is called in the loop's thread. `functions` and the loop must outlive this object.
    ThreadRunners(platform::ServiceLoop& loop, const FunctionTable& functions, Sink sink);
    /// Waits for the functions under way.
    ~ThreadRunners() override;

    void spawn(engine::RunnerId runner) override;
    void begin(engine::RunnerId runner, const engine::RunOrder& order) override;
    void ask_to_stop(engine::RunnerId runner, engine::StopCause cause, Duration grace) override;
    void kill(engine::RunnerId) override {}
    void set_fence(Duration) override {}
    void logs_stored(engine::RunnerId, std::size_t) override {}

private:
    friend class ThreadRun;

    void work();
    void tell(engine::RunnerEvent event);
    void add_event(engine::RunnerEvent event);  // with mutex_ held
    void deliver();

    platform::ServiceLoop& loop_;
    const FunctionTable& functions_;
    const Sink sink_;

    std::mutex mutex_;
    std::condition_variable arrived_;
    // Guarded by mutex_, to the end:
    std::deque<std::shared_ptr<ThreadRun>> queue_;
    std::map<engine::RunnerId, std::shared_ptr<ThreadRun>> under_way_;
    std::vector<engine::RunnerEvent> events_;
    std::size_t sleeping_ = 0;
    bool waking_ = false;
    bool stopping_ = false;
    std::vector<std::thread> threads_;  // as many as runners; any of them executes any run
};

}  // namespace holdfast::worker
