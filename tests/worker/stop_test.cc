#include <signal.h>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerStop : public WorkerTest {
protected:
    void cancel(const Uuid& id) {
        EXPECT_EQ(store->cancel({.tasks = {id}, .who = "test", .reason = "enough"}).at(0),
                  store::CancelStatus::Requested);
    }
    void see_cancels(const std::string& isolation);
    void see_a_drain(const std::string& isolation);
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
    EXPECT_EQ(ledger->read().count(Mark::Done), 0);
}

TEST_P(WorkerStop, ACancelledRunMayTidyUpFirst) {
    start_worker({{"stop_grace_ms", "600000"}});
    const Uuid id = submit("heed");
    begun(id);
    cancel(id);
    EXPECT_EQ(ended(id).state, TaskState::Cancelled);
    EXPECT_EQ(ledger->read().count(Mark::Done), 1);
}

/// A run that has seen the stop returns a result only when it says so; anything else that it returns or throws is
/// not.
void WorkerStop::see_cancels(const std::string& isolation) {
    start_worker({{"isolation", isolation}, {"stop_grace_ms", "600000"}});
    const Uuid part = submit("give part");
    const Uuid all = submit("give all");
    const Uuid clean = submit("go on later");
    const Uuid failed = submit("heed");
    for (const Uuid& id : {part, all, clean, failed}) begun(id);
    for (const Uuid& id : {part, all, clean, failed}) cancel(id);
    EXPECT_EQ(ended(part).state, TaskState::Cancelled);
    EXPECT_EQ(ended(part).result, "");
    EXPECT_EQ(ended(part).error->data, R"({"returned":"a part"})");
    EXPECT_EQ(store->attempts(part).at(0).error->data, R"({"returned":"a part"})");
    EXPECT_EQ(ended(all).state, TaskState::Completed);
    EXPECT_EQ(ended(all).result, R"("all of it")");
    EXPECT_EQ(ended(clean).state, TaskState::Cancelled);
    EXPECT_EQ(ended(failed).state, TaskState::Cancelled);
    EXPECT_THAT(ended(failed).error->message, HasSubstr("HEEDED"));
}

TEST_P(WorkerStop, AFunctionThatSawItsCancelIsCancelledUnlessItCompletesAnyway) {
    see_cancels("process");
}

TEST_P(WorkerStop, AFunctionThatSawItsCancelInAThreadIsCancelledUnlessItCompletesAnyway) {
    see_cancels("thread");
}

void WorkerStop::see_a_drain(const std::string& isolation) {
    const Settings settings = {
        {"isolation", isolation}, {"capacity", "5"}, {"shutdown_grace_ms", "1"}, {"stop_grace_ms", "600000"}};
    WorkerApp& worker = start_worker(settings);
    const Uuid part = submit("give part");
    const Uuid repeated = submit(on_crash_requeued(task("give part")));
    const Uuid all = submit("give all");
    const Uuid clean = submit("go on later");
    const Uuid ignorant = submit("hold", gate());
    for (const Uuid& id : {part, repeated, all, clean, ignorant}) begun(id);
    worker.send(SIGTERM);
    EXPECT_EQ(code_of(ended(part)), error_code::worker_drained) << "on_crash: fail";
    open_gate();
    EXPECT_EQ(worker.wait(), 0);

    EXPECT_EQ(find(part).state, TaskState::Failed);
    EXPECT_EQ(find(part).error->data, R"({"returned":"a part"})");
    EXPECT_EQ(find(repeated).state, TaskState::Pending) << "on_crash: requeue";
    EXPECT_EQ(store->attempts(repeated).at(0).error->data, R"({"returned":"a part"})");
    EXPECT_EQ(find(all).state, TaskState::Completed);
    EXPECT_EQ(find(ignorant).state, TaskState::Completed) << "it never looked";

    EXPECT_EQ(find(clean).state, TaskState::Pending) << "whatever on_crash says";
    EXPECT_EQ(find(clean).history, core::History());
    EXPECT_EQ(store->attempts(clean).at(0).end, core::LeaseEnd::StoppedCleanly);
    start_worker({{"isolation", isolation}, {"shutdown_grace_ms", "1"}});
    EXPECT_EQ(ended(clean).result, R"({"went on from":"page 7"})");
    begun(repeated, 2);
}

TEST_P(WorkerStop, AFunctionThatSawTheDrainIsSettledByWhatItMadeOfIt) {
    see_a_drain("process");
}

TEST_P(WorkerStop, AFunctionThatSawTheDrainInAThreadIsSettledByWhatItMadeOfIt) {
    see_a_drain("thread");
}

TEST_P(WorkerStop, StoppedThatNobodyAskedForIsAFailure) {
    for (const char* isolation : {"process", "thread"}) start_worker({{"isolation", isolation}});
    for (int each = 0; each < 4; ++each) {
        const auto record = ended(submit("throw Stopped"));
        EXPECT_EQ(record.state, TaskState::Failed);
        EXPECT_EQ(code_of(record), error_code::task_exception);
        EXPECT_THAT(record.error->message, HasSubstr("was not asked to stop"));
    }
}

/// With beats ten minutes apart: an earlier event has not waited for one.
TEST_P(WorkerStop, OrdersDoNotWaitForTheNextBeat) {
    WorkerApp& worker = start_worker({{"beat_ms", "600000"}, {"fence_ms", "3600000"}, {"stop_grace_ms", "600000"}});
    const Uuid id = submit("heed");
    begun(id);
    cancel(id);
    EXPECT_EQ(ended(id).state, TaskState::Cancelled);
    const Uuid forced = submit("hold", gate());
    const LedgerLine run = begun(forced);
    EXPECT_EQ(store->force({.tasks = {forced}, .state = TaskState::Failed, .who = "test", .reason = "enough"}).at(0),
              store::ForceStatus::Applied);
    wait_for_end_of(run.pid);
    order(worker, store::WorkerOrder::Drain);
    EXPECT_EQ(worker.wait(), 0);
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
