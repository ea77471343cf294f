#include <signal.h>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerCrash : public WorkerTest {};
HOLDFAST_ON_EVERY_STORE(WorkerCrash);

TEST_P(WorkerCrash, AKilledRunnerFailsItsOwnTaskAndNoOther) {
    start_worker();
    const Uuid victim = submit("hold", gate());
    const Uuid neighbour = submit("hold", gate());
    begun(neighbour);
    kill(begun(victim).pid, SIGKILL);
    const auto record = ended(victim);
    EXPECT_EQ(record.state, TaskState::Failed);
    EXPECT_EQ(code_of(record), error_code::worker_crashed);
    EXPECT_THAT(record.error->message, HasSubstr("SIGKILL"));
    open_gate();
    EXPECT_EQ(ended(neighbour).state, TaskState::Completed);
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
}

TEST_P(WorkerCrash, AKilledRunnersTaskIsRunAgainWhereItsPolicySaysSo) {
    start_worker();
    const Uuid id = submit(on_crash_requeued(task("hold", gate())));
    const LedgerLine first = begun(id);
    kill(first.pid, SIGKILL);
    const LedgerLine second = begun(id, 2);
    EXPECT_GT(second.lease, first.lease);
    EXPECT_EQ(second.attempt, 2);
    open_gate();
    EXPECT_EQ(ended(id).state, TaskState::Completed);
}

TEST_P(WorkerCrash, AKilledWorkerLeavesNothingThatRunsAndItsTasksAreSettledByTheirPolicies) {
    WorkerApp& worker = start_worker();
    const Uuid lost = submit("leave and hold", gate());
    const Uuid repeated = submit(on_crash_requeued(task("hold", gate())));
    begun(repeated);
    kill(begun(lost).pid, SIGSTOP);  // a runner that cannot end itself
    const Uuid id = id_of(worker);
    kill_and_wait_for_keeper(worker);
    EXPECT_EQ(Observer(*store, thresholds).judge_exited(id).size(), 2);

    start_worker();
    open_gate();
    const auto record = ended(lost);
    EXPECT_EQ(record.state, TaskState::Failed);
    EXPECT_EQ(code_of(record), error_code::worker_crashed);
    EXPECT_EQ(ended(repeated).state, TaskState::Completed);
    EXPECT_THAT(ledger->read().of(lost, Mark::Begin), SizeIs(1));
}

TEST_P(WorkerCrash, AWorkerWhoseKeeperIsKilledReportsWhatDiedAndLeaves) {
    WorkerApp& worker = start_worker();
    const Uuid lost = submit("leave and hold", gate());
    const LedgerLine run = begun(lost);
    kill(record_of(worker).registration.host.keeper_pid, SIGKILL);
    EXPECT_EQ(worker.wait(), 1);
    EXPECT_FALSE(is_alive(run.pid));
    EXPECT_EQ(code_of(ended(lost)), error_code::worker_crashed);
    EXPECT_EQ(record_of(worker).status, store::WorkerStatus::Inactive);
}

TEST_P(WorkerCrash, AWorkerAndItsKeeperKilledAtOnceLeaveNothingThatRuns) {
    WorkerApp& worker = start_worker();
    begun(submit("leave and hold", gate()));
    const auto record = record_of(worker);
    freeze(worker);  // so that it does not see its keeper die
    kill(record.registration.host.keeper_pid, SIGKILL);
    EXPECT_EQ(worker.kill(), -SIGKILL);
    wait_for_end_of_processes_with(marker());
    EXPECT_THAT(Observer(*store, thresholds).judge_exited(record.registration.id), SizeIs(1));
}

TEST_P(WorkerCrash, ARunWhoseLeaseWasTakenAwayIsStopped) {
    start_worker({{"stop_grace_ms", "600000"}});
    const Uuid id = submit("leave and hold", gate());
    const LedgerLine run = begun(id);
    EXPECT_EQ(store->force({.tasks = {id}, .state = TaskState::Failed, .who = "test", .reason = "stuck"}).at(0),
              store::ForceStatus::Applied);
    wait_for_end_of(run.pid);
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
    EXPECT_EQ(code_of(find(id)), error_code::forced);
}

}  // namespace
}  // namespace holdfast::worker_test
