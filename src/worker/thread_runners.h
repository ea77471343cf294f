#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/worker/runners.h"
#include "holdfast/function.h"
#include "platform/service_loop.h"
#include "worker/service_threads.h"

namespace holdfast::worker {

class ThreadRun;

/// Runs functions in threads of this process: the fastest, for code that is trusted not to crash. A thread cannot be
/// killed: a run that was asked to stop continues until its function checks Context::cancelled() and returns.
///
/// The same threads perform the worker's calls to the store, one at a time. There is one thread more than runners, so
/// neither a call nor a run ever waits for the other. A thread that has finished something looks itself for what is
/// next: it executes a run, hands in results, or performs the call that the worker decides upon. While functions
/// return at once, one thread does all of this in turn, without waking another one for it.
class ThreadRunners : public engine::Runners, public Caller {
public:
    using Sink = std::function<void(engine::RunnerEvent)>;
    /// Calls its argument inside the service loop, and lets the worker decide after it; false: the worker has left
    /// (Service::enter).
    using Entrance = std::function<bool(const std::function<void()>&)>;

    /// `sink` is called inside the loop. `functions` and the loop must outlive this object.
    ThreadRunners(platform::ServiceLoop& loop, const FunctionTable& functions, Sink sink, Entrance enter);
    /// Waits for the functions and for the call under way.
    ~ThreadRunners() override;

    void spawn(engine::RunnerId runner) override;
    void begin(engine::RunnerId runner, const engine::RunOrder& order) override;
    void ask_to_stop(engine::RunnerId runner, engine::StopCause cause, Duration grace) override;
    void kill(engine::RunnerId) override {}
    void set_fence(Duration) override {}
    void logs_stored(engine::RunnerId, std::size_t) override {}

    void submit(std::function<void()> call) override;

private:
    friend class ThreadRun;
    using Lock = std::unique_lock<std::mutex>;

    void work();
    // With mutex_ held:
    [[nodiscard]] bool wait_for_work(Lock& lock);
    [[nodiscard]] bool has_work();
    [[nodiscard]] bool are_events_due();
    [[nodiscard]] bool is_quick_run_under_way(Duration now) const;
    [[nodiscard]] bool must_wake();
    void perform_call(Lock& lock);
    void hand_in(Lock& lock);
    void run_next(Lock& lock);
    void add_event(engine::RunnerEvent event);
    /// Lets another thread do what is left to do, and releases the lock.
    void leave_rest_to_others(Lock& lock);

    void tell(engine::RunnerEvent event);
    void deliver();

    platform::ServiceLoop& loop_;
    const FunctionTable& functions_;
    const Sink sink_;
    const Entrance enter_;

    std::mutex mutex_;
    std::condition_variable arrived_;
    // Guarded by mutex_, to the end:
    std::function<void()> call_;  // that waits; empty: none
    std::deque<std::shared_ptr<ThreadRun>> queue_;
    std::map<engine::RunnerId, std::shared_ptr<ThreadRun>> under_way_;  // also those in the queue
    std::map<std::uint64_t, Duration> executing_;                       // when each run was taken, in this order
    std::uint64_t taken_ = 0;                                           // runs, so far
    std::vector<engine::RunnerEvent> events_;
    Duration first_event_at_{};
    bool is_posted_ = false;      // the loop's thread will deliver the events
    bool is_handing_in_ = false;  // a thread is delivering them
    bool has_lookout_ = false;    // a thread waits until they are due
    std::size_t sleeping_ = 0;
    bool waking_ = false;
    bool stopping_ = false;
    std::vector<std::thread> threads_;  // one more than runners; any of them executes any run
};

}  // namespace holdfast::worker
