#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/worker/runners.h"
#include "platform/service_loop.h"
#include "runner/keeper_link.h"
#include "runner/process_pool.h"

namespace holdfast::runner {

/// A pool of runner processes with a loop, and all that they have told. When it is gone, so is every process that was
/// started through it: that is checked.
class PoolBench {
public:
    explicit PoolBench(const PoolLimits& limits = {}, bool uses_cgroups = true,
                       const std::vector<std::string>& withheld = {});
    ~PoolBench();
    PoolBench(const PoolBench&) = delete;
    PoolBench& operator=(const PoolBench&) = delete;

    [[nodiscard]] ProcessPool& pool() { return *pool_; }
    [[nodiscard]] KeeperLink& keeper() { return *keeper_; }

    /// A runner that is ready; waited for.
    engine::RunnerId spawn();
    /// Has it execute a task, and returns at once.
    store::Lease begin(engine::RunnerId runner, const std::string& name, const std::string& args = "null");
    store::Lease begin(engine::RunnerId runner, engine::RunOrder order);
    engine::RunEnded run(engine::RunnerId runner, const std::string& name, const std::string& args = "null");

    /// Waits for the next event of this kind (of this runner), and takes it out of what was told. Fails the test when
    /// none comes for a long time.
    template <typename Event>
    Event expect(engine::RunnerId runner) {
        Event found;
        turn_until([&] { return take(runner, found); });
        return found;
    }
    /// Everything of this kind that was told so far.
    template <typename Event>
    std::vector<Event> told(engine::RunnerId runner) const {
        std::vector<Event> events;
        for (const auto& each : events_)
            if (const auto* event = std::get_if<Event>(&each); event != nullptr && event->runner == runner)
                events.push_back(*event);
        return events;
    }
    /// All that was printed on a stream.
    [[nodiscard]] std::string printed(engine::RunnerId runner, const std::string& stream) const;

    /// Turns the loop until it holds. Fails the test when that takes longer than any machine should need.
    void turn_until(const std::function<bool()>& holds);
    [[nodiscard]] bool has_lost_keeper() const { return has_lost_keeper_; }
    /// Text is acknowledged as it comes, unless this is false.
    bool acknowledges = true;
    [[nodiscard]] pid_t pid_of(engine::RunnerId runner) const { return pids_.at(runner); }
    [[nodiscard]] const store::TaskLease& last_lease() const { return last_lease_; }
    [[nodiscard]] const std::string& worker() const { return worker_; }
    /// Ends keeper and runners now.
    void close();

private:
    void note(engine::RunnerEvent event);
    template <typename Event>
    bool take(engine::RunnerId runner, Event& found) {
        for (auto each = events_.begin(); each != events_.end(); ++each) {
            const auto* event = std::get_if<Event>(&*each);
            if (event == nullptr || event->runner != runner) continue;
            found = *event;
            events_.erase(each);
            return true;
        }
        return false;
    }

    std::string worker_;
    std::unique_ptr<KeeperLink> keeper_;
    platform::ServiceLoop loop_;
    std::unique_ptr<ProcessPool> pool_;
    std::deque<engine::RunnerEvent> events_;
    std::map<engine::RunnerId, pid_t> pids_;
    bool has_lost_keeper_ = false;
    engine::RunnerId last_runner_ = 0;
    store::TaskLease last_lease_;
};

/// How many processes carry the worker's id in their environment, the dead that wait to be reaped not counted.
[[nodiscard]] std::size_t processes_of(const std::string& worker);

}  // namespace holdfast::runner
