#include <signal.h>

#include "tests/worker/processes.h"
#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerStop : public WorkerTest {
protected:
    void cancel(const Uuid& id) {
        EXPECT_EQ(store->cancel({.tasks = {id}, .who = "test", .reason = "enough"}).at(0),
                  store::CancelStatus::Requested);
    }
    [[nodiscard]] static store::NewTask with_timeout(store::NewTask task, Duration timeout) {
        task.policy.timeout = timeout;
        return task;
    }
};
HOLDFAST_ON_EVERY_STORE(WorkerStop);

TEST_P(WorkerStop, ACancelledRunIsDeadBeforeItsTaskIsCancelled) {
    start_worker();
    const Uuid id = submit("leave and hold", gate());
    const LedgerLine run = begun(id);
    cancel(id);
    EXPECT_EQ(ended(id).state, TaskState::Cancelled);
    EXPECT_FALSE(is_alive(run.pid));
    EXPECT_EQ(count(ledger->lines(), What::End), 0);
}

TEST_P(WorkerStop, ACancelledRunMayTidyUpFirst) {
    start_worker({{"stop_grace_ms", "600000"}});
    const Uuid id = submit("heed");
    begun(id);
    cancel(id);
    EXPECT_EQ(ended(id).state, TaskState::Cancelled);
    EXPECT_EQ(count(ledger->lines(), What::End), 1);
}

TEST_P(WorkerStop, ARunThatIsOutOfTimeIsStoppedWhateverItDoesAgainstIt) {
    start_worker();
    const Uuid deaf = submit(with_timeout(task("deaf"), 200ms));
    const Uuid family = submit(with_timeout(task("leave and hold", gate()), 200ms));
    const Uuid patient = submit("note", {{"ms", 1000}});
    for (const auto& record : ended({deaf, family})) {
        EXPECT_EQ(record.state, TaskState::Failed);
        EXPECT_EQ(code_of(record), error_code::task_timeout);
    }
    EXPECT_EQ(ended(patient).state, TaskState::Completed);
}

TEST_P(WorkerStop, AThreadSeesThatItWasCancelledAndThatItIsOutOfTime) {
    start_worker({{"isolation", "thread"}});
    const Uuid cancelled = submit("heed");
    const Uuid late = submit(with_timeout(task("heed"), 200ms));
    begun(cancelled);
    cancel(cancelled);
    EXPECT_EQ(ended(cancelled).state, TaskState::Cancelled);
    EXPECT_EQ(code_of(ended(late)), error_code::task_timeout);
}

TEST_P(WorkerStop, AThreadSeesThatItsWorkerDrains) {
    WorkerApp& worker = start_worker({{"isolation", "thread"}, {"shutdown_grace_ms", "100"}});
    const Uuid id = submit("heed");
    begun(id);
    const auto more = submit_notes(100);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_EQ(code_of(find(id)), error_code::worker_drained);
}

}  // namespace
}  // namespace holdfast::worker_test
