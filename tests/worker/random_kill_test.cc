#include <signal.h>

#include <random>
#include <set>
#include <thread>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class RandomKill : public WorkerTest {
protected:
    static constexpr std::size_t rounds = 21;
    static constexpr std::size_t tasks_per_round = 40;

    void pause_at_most(Duration longest) {
        std::this_thread::sleep_for(Duration(random() % static_cast<std::uint64_t>(longest.count())));
    }

    /// Lets the worker run for a random time: until before it is ready, at work, or while it drains.
    void wait_for_some_moment(WorkerApp& worker, std::size_t round, std::size_t lines) {
        if (round % 3 == 0) return pause_at_most(100ms);
        worker.wait_until_ready();
        const std::size_t more = random() % (2 * tasks_per_round - 10);
        ledger->wait_until([&](const auto& now) { return now.lines.size() >= lines + more; }, "more lines");
        pause_at_most(5ms);
        if (round % 3 == 1) return;
        worker.send(SIGTERM);
        pause_at_most(10ms);
    }

    /// Submits more tasks, kills a worker that works on them, and judges it.
    void work_and_be_killed(std::size_t round) {
        for (const Uuid& id : submit_notes(tasks_per_round, static_cast<int>(random() % 3))) ids.push_back(id);
        const std::size_t lines = ledger->read().lines.size();
        WorkerApp& worker = launch_worker();
        wait_for_some_moment(worker, round, lines);
        EXPECT_THAT(worker.kill(), AnyOf(-SIGKILL, 0));  // 0: it had left by then
        wait_for_end_of_processes_with(marker());
        for (const auto& dead : store->look().workers) {
            for (const Judged& judged : Observer(*store, thresholds).judge_exited(dead.id)) {
                (judged.started ? judged_running : judged_claimed).insert(judged.lease.task);
                EXPECT_EQ(judged.state, judged.started ? TaskState::Failed : TaskState::Pending);
            }
        }
    }

    std::mt19937_64 random{20261115};
    std::vector<Uuid> ids;
    std::set<Uuid> judged_running, judged_claimed;
};
HOLDFAST_ON_EVERY_STORE(RandomKill);

TEST_P(RandomKill, FailsNoTaskBeyondThoseWhoseStartWasCommittedAndRunsNoneTwice) {
    for (std::size_t round = 0; round < rounds; ++round) work_and_be_killed(round);
    start_worker();
    const auto records = ended(ids);
    std::set<Uuid> failed;
    for (const auto& record : records) {
        if (record.state != TaskState::Completed) failed.insert(record.task.id);
    }
    EXPECT_EQ(failed, judged_running);
    std::set<Uuid> begun;
    for (const LedgerLine& line : ledger->read().lines) {
        const bool is_second = line.mark == Mark::Begin && !begun.insert(line.task).second;
        EXPECT_FALSE(is_second) << line.task.to_string() << " was run twice";
    }
    std::erase_if(failed, [&](const Uuid& id) { return begun.contains(id); });
    std::cout << "of " << ids.size() << " tasks " << judged_running.size() << " were RUNNING, " << failed.size()
              << " of them without a first line, and " << judged_claimed.size()
              << " CLAIMED when their worker died\n";
}

}  // namespace
}  // namespace holdfast::worker_test
