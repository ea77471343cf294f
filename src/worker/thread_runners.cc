#include "worker/thread_runners.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/real_clock.h"
#include "runner/call_function.h"

namespace holdfast::worker {

namespace {

/// A run that was taken within this time may be about to end: its result is handed in with the others.
constexpr Duration quick = std::chrono::microseconds(100);
/// Results wait for others at most this long, while runs wait for a thread.
constexpr Duration longest_gathering = std::chrono::milliseconds(1);
/// ... and at most until there are so many, or half as many as threads.
constexpr std::size_t small_batch = 16;

/// The runners to whose work the calling thread returns next: it needs not be woken for what it puts there.
thread_local const ThreadRunners* returning_to = nullptr;

}  // namespace

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

ThreadRunners::ThreadRunners(platform::ServiceLoop& loop, const FunctionTable& functions, Sink sink, Entrance enter)
    : loop_(loop), functions_(functions), sink_(std::move(sink)), enter_(std::move(enter)) {
    threads_.emplace_back([this] { work(); });
}

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
        {
            const std::lock_guard lock(mutex_);
            threads_.emplace_back([this] { work(); });
        }
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
        wake = must_wake();
    }
    if (wake) arrived_.notify_one();
}

void ThreadRunners::ask_to_stop(engine::RunnerId runner, engine::StopCause, Duration) {
    const std::lock_guard lock(mutex_);
    const auto found = under_way_.find(runner);
    if (found != under_way_.end()) found->second->ask_to_stop();
}

void ThreadRunners::submit(std::function<void()> call) {
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        call_ = std::move(call);
        wake = must_wake();
    }
    if (wake) arrived_.notify_one();
}

// ---- The threads -------------------------------------------------------------------------------------------------

/// A call comes first: the worker waits for its answer, and it takes the longest.
void ThreadRunners::work() {
    Lock lock(mutex_);
    while (wait_for_work(lock)) {
        if (call_ != nullptr) {
            perform_call(lock);
        } else if (are_events_due()) {
            hand_in(lock);
        } else {
            run_next(lock);
        }
    }
}

/// False: this object ends, and every run was executed. One of the sleeping threads looks whether events that wait
/// for a quick run are due by themselves.
bool ThreadRunners::wait_for_work(Lock& lock) {
    while (stopping_ ? queue_.empty() : !has_work()) {
        if (stopping_) return false;
        ++sleeping_;
        if (events_.empty() || is_handing_in_ || has_lookout_) {
            arrived_.wait(lock);
        } else {
            has_lookout_ = true;
            arrived_.wait_for(lock, quick);
            has_lookout_ = false;
        }
        --sleeping_;
        waking_ = false;  // whether or not another thread was faster
    }
    return true;
}

bool ThreadRunners::has_work() {
    return call_ != nullptr || !queue_.empty() || are_events_due();
}

/// The worker should hear of many ends at once, so that one call reports all of them. But no end waits for a function
/// that does not return at once.
bool ThreadRunners::are_events_due() {
    if (events_.empty() || is_handing_in_ || stopping_) return false;
    if (events_.size() >= std::max(small_batch, threads_.size() / 2)) return true;
    const Duration now = platform::machine_time();
    if (now - first_event_at_ >= longest_gathering) return true;
    return queue_.empty() && !is_quick_run_under_way(now);
}

bool ThreadRunners::is_quick_run_under_way(Duration now) const {
    return !executing_.empty() && now - executing_.rbegin()->second < quick;
}

/// Threads are woken one at a time; each wakes the next while something is left to do. So a few awake threads execute
/// many short runs, and a long run never delays another.
bool ThreadRunners::must_wake() {
    return returning_to != this && sleeping_ > 0 && !std::exchange(waking_, true);
}

void ThreadRunners::leave_rest_to_others(Lock& lock) {
    const bool is_rest = call_ != nullptr || !queue_.empty() || (!events_.empty() && !is_handing_in_);
    const bool wake = is_rest && must_wake();
    lock.unlock();
    if (wake) arrived_.notify_one();
}

void ThreadRunners::perform_call(Lock& lock) {
    const std::function<void()> call = std::exchange(call_, nullptr);
    leave_rest_to_others(lock);
    returning_to = this;
    call();
    returning_to = nullptr;
    lock.lock();
}

void ThreadRunners::hand_in(Lock& lock) {
    is_handing_in_ = true;
    leave_rest_to_others(lock);
    returning_to = this;
    const bool was_let_in = enter_([this] { deliver(); });
    returning_to = nullptr;
    lock.lock();
    is_handing_in_ = false;
    if (!was_let_in) events_.clear();  // nobody waits for them any more
}

void ThreadRunners::run_next(Lock& lock) {
    const std::shared_ptr<ThreadRun> run = std::move(queue_.front());
    queue_.pop_front();
    const std::uint64_t number = ++taken_;
    executing_.emplace_hint(executing_.end(), number, platform::machine_time());
    leave_rest_to_others(lock);
    engine::RunEnded ended = run->execute();
    lock.lock();
    executing_.erase(number);
    under_way_.erase(run->runner());
    add_event(std::move(ended));
}

// ---- Events ------------------------------------------------------------------------------------------------------

/// From a function that goes on: the loop's thread delivers the event.
void ThreadRunners::tell(engine::RunnerEvent event) {
    const std::lock_guard lock(mutex_);
    add_event(std::move(event));
    if (!std::exchange(is_posted_, true)) loop_.post([this] { deliver(); });
}

void ThreadRunners::add_event(engine::RunnerEvent event) {
    if (events_.empty()) first_event_at_ = platform::machine_time();
    events_.push_back(std::move(event));
}

/// Inside the loop, so that two threads that deliver keep the order.
void ThreadRunners::deliver() {
    std::vector<engine::RunnerEvent> events;
    {
        const std::lock_guard lock(mutex_);
        events.swap(events_);
        is_posted_ = false;
    }
    for (engine::RunnerEvent& event : events) sink_(std::move(event));
}

}  // namespace holdfast::worker
