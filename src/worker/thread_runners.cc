#include "worker/thread_runners.h"

#include <atomic>

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/real_clock.h"
#include "runner/call_function.h"

namespace holdfast::worker {

/// The Context of one run.
class ThreadRun : public runner::FunctionContext {
public:
    ThreadRun(ThreadRunners& runners, engine::RunnerId runner, engine::RunOrder order)
        : FunctionContext(std::move(order)), runners_(runners), runner_(runner) {}

    void progress(double fraction, std::string_view text) override {
        if (!(fraction >= 0 && fraction <= 1)) throw BadInput(concat("progress must be 0..1, not ", fraction));
        runners_.tell(engine::RunProgress{runner_, lease(), fraction, std::string(text), std::nullopt});
    }
    void checkpoint(const nlohmann::json& state) override {
        runners_.tell(engine::RunProgress{runner_, lease(), std::nullopt, "", state.dump()});
    }
    void log(std::string_view line) override {
        runners_.tell(
            engine::RunLog{runner_, lease(), "log", std::string(line) + "\n", platform::real_clock().now()});
    }

    engine::RunEnded execute() {
        engine::RunEnded ended = runner::call_function(runners_.functions_, *this);
        ended.runner = runner_;
        ended.lease = lease();
        return ended;
    }
    void ask_to_stop() { asked_to_stop_ = true; }
    [[nodiscard]] engine::RunnerId runner() const { return runner_; }

private:
    [[nodiscard]] bool is_asked_to_stop() const override { return asked_to_stop_.load(std::memory_order_relaxed); }

    ThreadRunners& runners_;
    const engine::RunnerId runner_;
    std::atomic<bool> asked_to_stop_ = false;
};

ThreadRunners::ThreadRunners(platform::ServiceLoop& loop, const FunctionTable& functions, Sink sink)
    : loop_(loop), functions_(functions), sink_(std::move(sink)) {}

ThreadRunners::~ThreadRunners() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadRunners::spawn(engine::RunnerId runner) {
    try {
        threads_.emplace_back([this] { work(); });
        tell(engine::RunnerReady{.runner = runner, .pid = 0});
    } catch (const std::system_error& failure) {  // the limit of threads is reached
        tell(engine::RunnerGone{runner, concat("cannot be started: ", failure.what()), false});
    }
}

void ThreadRunners::begin(engine::RunnerId runner, const engine::RunOrder& order) {
    auto run = std::make_shared<ThreadRun>(*this, runner, order);
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        under_way_[runner] = run;
        queue_.push_back(std::move(run));
        wake = sleeping_ > 0 && !std::exchange(waking_, true);
    }
    if (wake) arrived_.notify_one();
}

void ThreadRunners::ask_to_stop(engine::RunnerId runner, engine::StopCause, Duration) {
    const std::lock_guard lock(mutex_);
    const auto found = under_way_.find(runner);
    if (found != under_way_.end()) found->second->ask_to_stop();
}

/// Threads are woken one at a time; each wakes the next while more runs wait. So a few awake threads execute many
/// short runs, and a long run never delays another.
void ThreadRunners::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        while (queue_.empty()) {
            if (stopping_) return;
            ++sleeping_;
            arrived_.wait(lock);
            --sleeping_;
            waking_ = false;  // whether or not another thread was faster
        }
        const std::shared_ptr<ThreadRun> run = std::move(queue_.front());
        queue_.pop_front();
        const bool wake = !queue_.empty() && sleeping_ > 0 && !std::exchange(waking_, true);
        lock.unlock();
        if (wake) arrived_.notify_one();
        engine::RunEnded ended = run->execute();
        lock.lock();
        under_way_.erase(run->runner());
        add_event(std::move(ended));
    }
}

void ThreadRunners::tell(engine::RunnerEvent event) {
    const std::lock_guard lock(mutex_);
    add_event(std::move(event));
}

void ThreadRunners::add_event(engine::RunnerEvent event) {
    if (events_.empty()) loop_.post([this] { deliver(); });
    events_.push_back(std::move(event));
}

void ThreadRunners::deliver() {
    std::vector<engine::RunnerEvent> events;
    {
        const std::lock_guard lock(mutex_);
        events.swap(events_);
    }
    for (engine::RunnerEvent& event : events) sink_(std::move(event));
}

}  // namespace holdfast::worker
