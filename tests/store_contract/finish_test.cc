#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using core::LeaseEnd;
using store::Fenced;

class Finish : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
    }
    store::TaskLease running(const store::NewTask& task) {
        submit(task);
        return claim_one(worker);
    }
    store::TaskLease running() { return running(a_task(clock.now())); }

    Uuid worker;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Finish);

TEST_P(Finish, KeepsTheResultAndTheAttempt) {
    const auto lease = running();
    const auto started_at = clock.now();
    clock.advance(3s);
    const auto outcome = finish(*store, worker, completed(lease, R"({"sum": 3})"));
    EXPECT_EQ(outcome.fenced, Fenced::Applied);
    EXPECT_EQ(outcome.state, TaskState::Completed);

    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Completed);
    EXPECT_EQ(found.result, R"({"sum": 3})");
    EXPECT_EQ(found.error, std::nullopt);
    EXPECT_EQ(found.history.attempts, 1);
    EXPECT_EQ(found.lease, lease.lease);
    EXPECT_EQ(found.worker, worker);
    EXPECT_EQ(found.started_at, started_at);
    EXPECT_EQ(found.finished_at, clock.now());

    const auto attempts = store->attempts(lease.task);
    ASSERT_THAT(attempts, SizeIs(1));
    EXPECT_EQ(attempts[0].number, 1);
    EXPECT_EQ(attempts[0].lease, lease.lease);
    EXPECT_EQ(attempts[0].worker, worker);
    EXPECT_EQ(attempts[0].end, LeaseEnd::Completed);
    EXPECT_EQ(attempts[0].started_at, started_at);
    EXPECT_EQ(attempts[0].finished_at, clock.now());
    EXPECT_EQ(attempts[0].error, std::nullopt);
}

TEST_P(Finish, AgainAnswersAlreadyAndChangesNothing) {
    const auto lease = running();
    finish(*store, worker, completed(lease, "1"));
    clock.advance(1s);
    const auto before = record(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, completed(lease, "1")).fenced, Fenced::Already);
    EXPECT_EQ(record(*store, lease.task).finished_at, before.finished_at);
    EXPECT_THAT(store->attempts(lease.task), SizeIs(1));
}

TEST_P(Finish, OfARetriedAttemptAgainAnswersAlreadyEvenWhileTheNextOneRuns) {
    const auto first = running(with_retries(a_task(clock.now()), 3));
    finish(*store, worker, failed(first));
    EXPECT_EQ(finish(*store, worker, failed(first)).fenced, Fenced::Already);
    clock.advance(1min);
    const auto second = claim_one(worker);
    EXPECT_EQ(finish(*store, worker, failed(first)).fenced, Fenced::Already);
    EXPECT_EQ(record(*store, first.task).lease, second.lease);
    EXPECT_EQ(state_of(*store, first.task), TaskState::Running);
}

TEST_P(Finish, WithAWrongLeaseOrOfAnUnknownTaskIsLost) {
    const auto lease = running();
    EXPECT_EQ(finish(*store, worker, completed({lease.task, lease.lease + 1})).fenced, Fenced::LeaseLost);
    EXPECT_EQ(finish(*store, worker, completed({new_task_id(clock.now()), lease.lease})).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
}

TEST_P(Finish, AfterTheLeaseWasRecoveredIsLostAndKeptAsEvidence) {
    const auto lease = running();
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(finish(*store, worker, completed(lease, R"("late")")).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Failed);
    EXPECT_EQ(record(*store, lease.task).result, "");
    EXPECT_THAT(event_kinds(*store, lease.task), Contains("late_result_refused"));
}

TEST_P(Finish, AfterTheTaskWasRecoveredAndGivenToAnotherIsLost) {
    const auto lease = running(requeued_on_crash(a_task(clock.now())));
    recover(*store, crash_verdict(lease));
    const Uuid other = join(*store);
    const auto second = claim_one(other);
    EXPECT_EQ(finish(*store, worker, completed(lease, "1")).fenced, Fenced::LeaseLost);
    EXPECT_EQ(finish(*store, other, completed(second, "2")).fenced, Fenced::Applied);
    EXPECT_EQ(record(*store, lease.task).result, "2");
}

TEST_P(Finish, OfNothingAnswersNothing) {
    const auto answer = store->turn({.worker = worker, .finish = {}});
    EXPECT_THAT(answer.finished, IsEmpty());
    EXPECT_THAT(answer.started, IsEmpty());
}

TEST_P(Finish, OfTheSameRunTwiceInOneBatchIsAppliedOnce) {
    const auto lease = running();
    const auto answer = store->turn({.worker = worker, .finish = {completed(lease), completed(lease)}});
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::Applied);
    EXPECT_EQ(answer.finished.at(1).fenced, Fenced::Already);
    EXPECT_EQ(record(*store, lease.task).history.attempts, 1);
}

TEST_P(Finish, OfMoreThanOneTransactionHoldsAnswersInOrder) {
    submit(tasks(clock.now(), 2200));
    std::vector<store::FinishedRun> runs;
    for (const auto& one : claim_fully(*store, worker, 2200)) runs.push_back(completed(lease_of(one)));
    ASSERT_THAT(runs, SizeIs(2200));
    std::reverse(runs.begin(), runs.end());
    runs[1700].lease.lease += 1'000'000;
    const auto answer = store->turn({.worker = worker, .finish = runs});
    ASSERT_THAT(answer.finished, SizeIs(2200));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_EQ(answer.finished[i].fenced, i == 1700 ? Fenced::LeaseLost : Fenced::Applied) << i;
    }
    EXPECT_EQ(store->count().completed, 2199);
}

TEST_P(Finish, StartsPrefetchedTasksInTheSameCall) {
    submit(tasks(clock.now(), 3));
    const auto claimed = claim(*store, worker, 1, 2).tasks;
    const auto answer = store->turn({.worker = worker,
                                     .finish = {completed(lease_of(claimed[0]))},
                                     .start = {lease_of(claimed[1]), {new_task_id(clock.now()), 9}}});
    EXPECT_THAT(answer.started, ElementsAre(Fenced::Applied, Fenced::LeaseLost));
    EXPECT_EQ(state_of(*store, claimed[1].task.id), TaskState::Running);
    EXPECT_EQ(state_of(*store, claimed[2].task.id), TaskState::Claimed);
    const auto only_start = store->turn({.worker = worker, .finish = {}, .start = {lease_of(claimed[2])}});
    EXPECT_THAT(only_start.started, ElementsAre(Fenced::Applied));
}

TEST_P(Finish, OfAFailureWithoutRetriesFailsTheTaskWithItsError) {
    const auto lease = running();
    EXPECT_EQ(finish(*store, worker, failed(lease, "MY_CODE")).state, TaskState::Failed);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Failed);
    EXPECT_EQ(found.error, (TaskError{"MY_CODE", "it went wrong", R"({"n":1})"}));
    EXPECT_EQ(store->attempts(lease.task).at(0).error, found.error);
    EXPECT_EQ(store->attempts(lease.task).at(0).end, LeaseEnd::Failed);
}

TEST_P(Finish, OfAFailureRetriesByItsPolicyWithTheDelaysOfTheList) {
    auto task = with_retries(a_task(clock.now()), 3);
    task.policy.retry.delays = {10s, 30s};
    const auto first = running(task);
    EXPECT_EQ(finish(*store, worker, failed(first)).state, TaskState::Pending);
    EXPECT_EQ(record(*store, task.id).waits_for, store::WaitReason::Future);
    EXPECT_EQ(record(*store, task.id).task.run_at, clock.now() + 10s);
    EXPECT_EQ(claim(*store, worker, 1).next_due, Duration(10s));
    clock.advance(10s);
    EXPECT_EQ(finish(*store, worker, failed(claim_one(worker))).state, TaskState::Pending);
    EXPECT_EQ(claim(*store, worker, 1).next_due, Duration(30s));
    clock.advance(30s);
    EXPECT_EQ(finish(*store, worker, failed(claim_one(worker))).state, TaskState::Failed);

    const auto attempts = store->attempts(task.id);
    ASSERT_THAT(attempts, SizeIs(3));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(attempts.at(static_cast<std::size_t>(i)).number, i + 1);
    EXPECT_EQ(record(*store, task.id).history.attempts, 3);
}

TEST_P(Finish, RetriesWithTheJitterThatTheCallerDrew) {
    auto task = with_retries(a_task(clock.now()), 2);
    task.policy.retry.delays = {10s};
    task.policy.retry.jitter = 0.5;
    auto run = failed(running(task));
    run.jitter = 0.0;
    finish(*store, worker, run);
    EXPECT_EQ(claim(*store, worker, 1).next_due, Duration(5s));
}

TEST_P(Finish, DoesNotRetryOtherCodesThanThePolicyNames) {
    auto task = with_retries(a_task(clock.now()), 3);
    task.policy.retry.retry_on = {"NETWORK"};
    EXPECT_EQ(finish(*store, worker, failed(running(task), "OTHER")).state, TaskState::Failed);
    task.id = new_task_id(clock.now());
    EXPECT_EQ(finish(*store, worker, failed(running(task), "NETWORK")).state, TaskState::Pending);
}

TEST_P(Finish, DoesNotRetryPastTheDeadline) {
    auto task = with_retries(a_task(clock.now()), 3);
    task.policy.retry.delays = {1h};
    task.deadline = clock.now() + 30min;
    EXPECT_EQ(finish(*store, worker, failed(running(task))).state, TaskState::Failed);
}

TEST_P(Finish, OfACrashFailsOrRequeuesByPolicy) {
    EXPECT_EQ(finish(*store, worker, ended(running(), LeaseEnd::Crashed)).state, TaskState::Failed);
    const auto lease = running(requeued_on_crash(a_task(clock.now())));
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::Crashed)).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).history.crashes, 1);
    EXPECT_EQ(record(*store, lease.task).history.attempts, 0);
    EXPECT_EQ(store->attempts(lease.task).at(0).end, LeaseEnd::Crashed);
}

TEST_P(Finish, OfAStoppedRunCostsNoBudget) {
    const auto lease = running(requeued_on_crash(a_task(clock.now())));
    auto run = ended(lease, LeaseEnd::Stopped);
    run.error.code = std::string(error_code::fenced);
    EXPECT_EQ(finish(*store, worker, run).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).history, core::History());
    EXPECT_EQ(store->attempts(lease.task).at(0).end, LeaseEnd::Stopped);

    auto other = ended(running(with_priority(a_task(clock.now()), 1)), LeaseEnd::Stopped);
    other.error.code = std::string(error_code::fenced);
    EXPECT_EQ(finish(*store, worker, other).state, TaskState::Failed);
    EXPECT_EQ(record(*store, other.lease.task).error->code, "FENCED");
}

TEST_P(Finish, OfACleanStopRequeuesAtOnceWhateverOnCrashSaysAndKeepsTheCheckpoint) {
    const auto lease = running();
    store->save_progress(worker, {{.lease = lease, .fraction = {}, .text = "", .checkpoint = R"({"page":7})"}});
    auto run = ended(lease, LeaseEnd::StoppedCleanly);
    run.error = {std::string(error_code::worker_drained), "its worker was shut down", ""};
    EXPECT_EQ(finish(*store, worker, run).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).history, core::History());
    const auto attempts = store->attempts(lease.task);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts.at(0).end, LeaseEnd::StoppedCleanly);
    EXPECT_EQ(attempts.at(0).error->code, error_code::worker_drained);
    EXPECT_EQ(finish(*store, worker, run).fenced, store::Fenced::Already);
    const auto again = claim(*store, worker, 1);
    ASSERT_EQ(again.tasks.size(), 1U) << "at once";
    EXPECT_EQ(again.tasks.at(0).checkpoint, R"({"page":7})");
}

TEST_P(Finish, OfACleanStopCancelsATaskWhoseCancelWasRequested) {
    const auto lease = running();
    cancel(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::StoppedCleanly)).state, TaskState::Cancelled);
    EXPECT_EQ(store->attempts(lease.task).at(0).end, LeaseEnd::StoppedCleanly);
}

TEST_P(Finish, OfARunThatWasCancelledCancelsTheTask) {
    const auto lease = running();
    cancel(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::Cancelled)).state, TaskState::Cancelled);
    EXPECT_EQ(record(*store, lease.task).error->code, "TASK_CANCELLED");
}

TEST_P(Finish, OfARunThatWonAgainstTheCancelKeepsItsResult) {
    const auto lease = running();
    cancel(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, completed(lease, "1")).state, TaskState::Completed);
    EXPECT_EQ(record(*store, lease.task).result, "1");
}

TEST_P(Finish, WithACancelRequestedDoesNotRetry) {
    const auto lease = running(with_retries(a_task(clock.now()), 5));
    cancel(*store, lease.task);
    EXPECT_EQ(finish(*store, worker, failed(lease)).state, TaskState::Cancelled);
}

TEST_P(Finish, OfMixedEndsSettlesEachByItself) {
    submit(tasks(clock.now(), 4));
    const auto leases = leases_of(claim(*store, worker, 4).tasks);
    const auto answer = store->turn({.worker = worker,
                                     .finish = {completed(leases[3], "3"), failed(leases[0]),
                                                completed({leases[1].task, 999'999}), completed(leases[2], "2")}});
    EXPECT_EQ(answer.finished.at(0).state, TaskState::Completed);
    EXPECT_EQ(answer.finished.at(1).state, TaskState::Failed);
    EXPECT_EQ(answer.finished.at(2).fenced, Fenced::LeaseLost);
    EXPECT_EQ(answer.finished.at(3).state, TaskState::Completed);
    EXPECT_EQ(state_of(*store, leases[1].task), TaskState::Running);
}

TEST_P(Finish, OfAnOldLeaseDoesNotHideTheCurrentOneBehindItInTheBatch) {
    const auto lease = running();
    const auto answer =
        store->turn({.worker = worker, .finish = {completed({lease.task, lease.lease - 1}), completed(lease)}});
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::LeaseLost);
    EXPECT_EQ(answer.finished.at(1).fenced, Fenced::Applied);
}

TEST_P(Finish, OfATaskWithoutIdTakesNobodyDownWithIt) {
    submit(tasks(clock.now(), 2));
    const auto leases = leases_of(claim(*store, worker, 2).tasks);
    const auto answer = store->turn(
        {.worker = worker, .finish = {completed({Uuid(), 1}), completed(leases[0]), completed(leases[1])}});
    EXPECT_EQ(answer.finished.at(0).fenced, Fenced::LeaseLost);
    EXPECT_EQ(answer.finished.at(1).fenced, Fenced::Applied);
    EXPECT_EQ(answer.finished.at(2).fenced, Fenced::Applied);
}

TEST_P(Finish, OfSomeLeasesLeavesThoseBetweenThem) {
    submit(tasks(clock.now(), 100));
    const auto leases = leases_of(claim(*store, worker, 100).tasks);
    std::vector<store::FinishedRun> every_tenth;
    for (std::size_t i = 0; i < leases.size(); i += 10) every_tenth.push_back(completed(leases[i]));
    store->turn({.worker = worker, .finish = every_tenth});
    for (std::size_t i = 0; i < leases.size(); ++i)
        EXPECT_EQ(state_of(*store, leases[i].task), i % 10 == 0 ? TaskState::Completed : TaskState::Running) << i;
}

TEST_P(Finish, OfManyKeepsToEachWhatIsItsOwn) {
    submit(tasks(clock.now(), 100));
    const auto leases = leases_of(claim(*store, worker, 100).tasks);
    std::vector<store::FinishedRun> runs;
    for (std::size_t i = 0; i < leases.size(); ++i)
        runs.push_back(i % 3 == 0 ? failed(leases[i], "CODE_" + std::to_string(i))
                                  : completed(leases[i], std::to_string(i)));
    store->turn({.worker = worker, .finish = runs});
    for (std::size_t i = 0; i < leases.size(); ++i) {
        const auto found = record(*store, leases[i].task);
        EXPECT_EQ(found.lease, leases[i].lease);
        EXPECT_EQ(found.result, i % 3 == 0 ? "" : std::to_string(i));
        EXPECT_EQ(found.error ? found.error->code : "", i % 3 == 0 ? "CODE_" + std::to_string(i) : "");
    }
}

}  // namespace
}  // namespace holdfast::contract
