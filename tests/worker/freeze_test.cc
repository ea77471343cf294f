#include <signal.h>

#include "store/sqlite/lock_holders.h"
#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerFreeze : public WorkerTest {};
HOLDFAST_ON_EVERY_STORE(WorkerFreeze);

TEST_P(WorkerFreeze, ALateResultIsRefusedAndTheWorkerBecomesActiveAgainAndTakesWork) {
    WorkerApp& worker = start_worker();
    const Uuid late = submit("hold", gate());
    begun(late);
    freeze(worker);
    const auto judged = Observer(*store, thresholds).judge_once_silent(id_of(worker), 1s + 1ms);
    ASSERT_THAT(judged, SizeIs(1));
    EXPECT_EQ(judged.at(0).action, core::Action::Crash);
    EXPECT_EQ(record_of(worker).status, store::WorkerStatus::Inactive);
    open_gate();
    wait_for_lines(Mark::Done, 1);  // its runner was not stopped

    worker.go_on();
    wait_for_status(worker, store::WorkerStatus::Active);
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
    const auto record = find(late);
    EXPECT_EQ(record.state, TaskState::Failed) << "terminal is final";
    EXPECT_EQ(code_of(record), error_code::worker_crashed);
    EXPECT_EQ(record.result, "");
}

TEST_P(WorkerFreeze, ARunThatIsGivenToAnotherHasFencedItselfBefore) {
    WorkerApp& frozen = start_worker({{"fence_ms", "6000"}});
    const Uuid id = submit(on_crash_requeued(task("leave and hold", gate())));
    const LedgerLine first = begun(id);
    freeze(frozen);
    const auto judged = Observer(*store, thresholds).judge_once_silent(id_of(frozen), 6s + 1ms);
    ASSERT_THAT(judged, SizeIs(1));
    EXPECT_EQ(judged.at(0).state, TaskState::Pending);
    EXPECT_FALSE(is_alive(first.pid)) << "given away while its old run may go on";

    start_worker();
    const LedgerLine second = begun(id, 2);
    frozen.go_on();
    wait_for_status(frozen, store::WorkerStatus::Active);
    EXPECT_TRUE(is_alive(second.pid)) << "the one that came back does nothing to the new run";
    open_gate();
    const auto record = ended(id);
    EXPECT_EQ(record.state, TaskState::Completed);
    EXPECT_EQ(record.lease, second.lease);
}

TEST_P(WorkerFreeze, AFrozenRunnerIsNoReasonToHoldUpTheOthers) {
    WorkerApp& worker = start_worker();
    const Uuid stuck = submit("hold", gate());
    const LedgerLine run = begun(stuck);
    kill(run.pid, SIGSTOP);
    for (const auto& record : ended(submit_notes(50))) EXPECT_EQ(record.state, TaskState::Completed);
    worker.send(SIGTERM);
    wait_for_status(worker, store::WorkerStatus::Draining);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_FALSE(is_alive(run.pid));
    EXPECT_EQ(code_of(find(stuck)), error_code::worker_drained);
}

/// On SQLite a process that is stopped inside its turn blocks all writers.
class FrozenWriter : public WorkerTest {
protected:
    /// Stops the worker in the middle of a write.
    void freeze_while_it_writes(const WorkerApp& worker) {
        submit_notes(500);
        wait_for_lines(Mark::Done, 10);
        for (worker.stop(); !holds_turn(worker); worker.stop()) worker.go_on();
    }
    [[nodiscard]] bool holds_turn(const WorkerApp& worker) const {
        return sqlite::has_locked(worker.pid(), database->address() + "-turn");
    }
};
INSTANTIATE_TEST_SUITE_P(On, FrozenWriter, testing::Values(StoreKind::Sqlite), kind_name);

TEST_P(FrozenWriter, IsNamedByTheOthersAndCostsNothingOnceItGoesOn) {
    WorkerApp& frozen = start_worker();
    WorkerApp& waiting = start_worker({{"fence_ms", "60000"}});
    freeze_while_it_writes(frozen);
    const std::string name = "process " + std::to_string(frozen.pid());
    const auto findings = store->check_up();
    EXPECT_THAT(findings, Contains(testing::Field(&store::Finding::found, HasSubstr(name))));
    waiting.wait_for_log(name);
    frozen.go_on();
    wait_until([&] { return store->count().completed == 500; }, "all tasks to end");
    EXPECT_EQ(ledger->read().count(Mark::Begin), 500);
}

}  // namespace
}  // namespace holdfast::worker_test
