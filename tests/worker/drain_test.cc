#include <signal.h>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerDrain : public WorkerTest {
protected:
    void drain_under_load(const Settings& settings);
};
HOLDFAST_ON_EVERY_STORE(WorkerDrain);

void WorkerDrain::drain_under_load(const Settings& settings) {
    WorkerApp& first = start_worker(settings);
    const auto ids = submit_notes(400);
    wait_for_lines(Mark::Done, 50);
    first.send(SIGTERM);
    EXPECT_EQ(first.wait(), 0);
    const auto counts = store->count();
    EXPECT_EQ(counts.claimed + counts.running + counts.failed, 0);
    EXPECT_EQ(static_cast<std::size_t>(counts.completed), ledger->read().count(Mark::Begin));
    EXPECT_EQ(record_of(first).status, store::WorkerStatus::Inactive);

    start_worker();
    for (const auto& record : ended(ids)) EXPECT_EQ(record.state, TaskState::Completed);
    EXPECT_EQ(ledger->read().count(Mark::Begin), ids.size());
}

TEST_P(WorkerDrain, SigtermUnderLoadLosesNothingAndRunsNothingTwice) {
    drain_under_load({});
}

TEST_P(WorkerDrain, SigtermUnderLoadLosesNothingInThreadsEither) {
    drain_under_load({{"isolation", "thread"}});
}

TEST_P(WorkerDrain, WhatRunsMayEndWithinTheGrace) {
    WorkerApp& worker = start_worker();
    const Uuid id = submit("hold", gate());
    begun(id);
    worker.send(SIGTERM);
    wait_for_status(worker, store::WorkerStatus::Draining);
    wait_for_beats(worker, 3);  // it goes on beating
    const Uuid later = submit("note");
    wait_for_beats(worker, 2);
    EXPECT_EQ(find(later).state, TaskState::Pending) << "a draining worker claims nothing";
    open_gate();
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_EQ(find(id).state, TaskState::Completed);
}

TEST_P(WorkerDrain, WhatRunsBeyondTheGraceIsStoppedAndSettledByItsPolicy) {
    WorkerApp& worker = start_worker({{"shutdown_grace_ms", "300"}});
    const Uuid failed = submit("leave and hold", gate());
    const Uuid requeued = submit(on_crash_requeued(task("leave and hold", gate())));
    const LedgerLine run = begun(failed);
    begun(requeued);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_FALSE(is_alive(run.pid));
    EXPECT_EQ(find(failed).state, TaskState::Failed);
    EXPECT_EQ(code_of(find(failed)), error_code::worker_drained);
    EXPECT_EQ(find(requeued).state, TaskState::Pending);
    EXPECT_EQ(find(requeued).history.crashes, 0) << "a drain costs no budget";
}

TEST_P(WorkerDrain, ASecondSignalHurries) {
    WorkerApp& worker = start_worker({{"shutdown_grace_ms", "600000"}, {"stop_grace_ms", "600000"}});
    const Uuid id = submit("leave and hold", gate());
    begun(id);
    worker.send(SIGINT);
    wait_for_status(worker, store::WorkerStatus::Draining);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_EQ(code_of(find(id)), error_code::worker_drained);
    EXPECT_THAT(find(id).error->message, HasSubstr("asked a second time to shut down (SIGTERM was received)"));
}

TEST_P(WorkerDrain, AnOrderFromAfarDrains) {
    WorkerApp& worker = start_worker();
    const Uuid id = submit("hold", gate());
    begun(id);
    order(worker, store::WorkerOrder::Drain);
    wait_for_status(worker, store::WorkerStatus::Draining);
    open_gate();
    EXPECT_EQ(worker.wait(), 0);
    EXPECT_EQ(find(id).state, TaskState::Completed);
}

TEST_P(WorkerDrain, ACordonedWorkerClaimsNothingUntilItIsUncordoned) {
    WorkerApp& worker = start_worker();
    const Uuid before = submit("hold", gate());
    begun(before);
    order(worker, store::WorkerOrder::Cordon);
    wait_for_beats(worker, 2);
    const Uuid after = submit("note");
    wait_for_beats(worker, 3);
    EXPECT_EQ(find(after).state, TaskState::Pending);
    EXPECT_EQ(find(before).state, TaskState::Running) << "what runs goes on";
    order(worker, store::WorkerOrder::Uncordon);
    EXPECT_EQ(ended(after).state, TaskState::Completed);
}

}  // namespace
}  // namespace holdfast::worker_test
