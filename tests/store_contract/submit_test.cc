#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::SubmitStatus;

class Submit : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(Submit);

store::NewTask a_rich_task(Timestamp now) {
    auto task = a_task(now, "send_mail");
    task.args = R"({ "to": "ann",  "n": 1.50 })";
    task.spec = R"({"script":"true"})";
    task.queue = "mail";
    task.tags = {"smtp", "eu"};
    task.priority = 7;
    task.run_at = now + 90s;
    task.deadline = now + 2h;
    task.concurrency = ConcurrencyKey{.key = "ann", .limit = 3};
    task.idempotency_key = "order-17";
    task.policy.retry.max_attempts = 4;
    task.policy.retry.delays = {1s, 5s};
    task.policy.retry.retry_on = {"SMTP_DOWN"};
    task.policy.on_crash = OnCrash::Requeue;
    task.policy.max_crashes = 2;
    task.policy.timeout = 30s;
    task.policy.fence = Fence::Stop;
    task.policy.unmatched = Unmatched::Fail;
    task.retry_of = new_task_id(now);
    return task;
}

TEST_P(Submit, KeepsEveryFieldAsItWasGiven) {
    const auto task = a_rich_task(clock.now());
    submit(task);
    const auto found = record(*store, task.id);
    EXPECT_EQ(found.task.id, task.id);
    EXPECT_EQ(found.task.name, task.name);
    EXPECT_EQ(found.task.args, task.args);
    EXPECT_EQ(found.task.spec, task.spec);
    EXPECT_EQ(found.task.queue, task.queue);
    EXPECT_THAT(found.task.tags, ElementsAre("eu", "smtp"));
    EXPECT_EQ(found.task.priority, task.priority);
    EXPECT_EQ(found.task.run_at, task.run_at);
    EXPECT_EQ(found.task.deadline, task.deadline);
    EXPECT_EQ(found.task.concurrency, task.concurrency);
    EXPECT_EQ(found.task.idempotency_key, task.idempotency_key);
    EXPECT_EQ(found.task.policy, task.policy);
    EXPECT_EQ(found.task.retry_of, task.retry_of);
}

TEST_P(Submit, StampsTheTimeAndLeavesTheTaskPendingAndUnclaimed) {
    const auto found = record(*store, submit());
    EXPECT_EQ(found.state, TaskState::Pending);
    EXPECT_EQ(found.waits_for, store::WaitReason::None);
    EXPECT_EQ(found.created_at, clock.now());
    EXPECT_EQ(found.task.run_at, clock.now());
    EXPECT_EQ(found.history, core::History());
    EXPECT_EQ(found.lease, 0);
    EXPECT_TRUE(found.worker.is_nil());
    EXPECT_EQ(found.claimed_at, std::nullopt);
    EXPECT_EQ(found.started_at, std::nullopt);
    EXPECT_EQ(found.finished_at, std::nullopt);
    EXPECT_EQ(found.error, std::nullopt);
    EXPECT_EQ(found.progress, std::nullopt);
    EXPECT_EQ(found.result, "");
    EXPECT_FALSE(found.cancel_requested);
}

TEST_P(Submit, OfOneTaskLeavesTheSameRowsAsOfMany) {
    auto task = a_task(clock.now());
    task.deadline = clock.now() + 2h;
    task.spec = R"({"script":"true"})";
    task.retry_of = new_task_id(clock.now());
    task.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const auto again = [&] {
        task.id = new_task_id(clock.now());
        return task;
    };
    store->submit({again()});
    store->submit({again(), again()});
    EXPECT_EQ(
        database->raw()->number(
            "SELECT count(*) FROM (SELECT DISTINCT name, args, spec, route_id, priority, run_at, deadline, policy, "
            "concurrency_key, concurrency_limit, idempotency_key, retry_of, created_at, traceparent FROM task) t"),
        1);
    EXPECT_EQ(database->raw()->number(
                  "SELECT count(*) FROM (SELECT DISTINCT run_at, deadline, last_lease, route_id, priority, attempts, "
                  "crashes, requeues, fails_unmatched, concurrency_key FROM ready) r"),
              1);
    EXPECT_EQ(store->count().pending, 3);
}

TEST_P(Submit, SurvivesReopeningTheStore) {
    const auto id = submit();
    store.reset();
    EXPECT_EQ(state_of(*open(), id), TaskState::Pending);
}

TEST_P(Submit, OfNothingAnswersNothing) {
    EXPECT_THAT(store->submit({}), IsEmpty());
}

TEST_P(Submit, OfMoreThanOneTransactionHoldsAnswersInOrder) {
    const auto batch = tasks(clock.now(), 2 * store::max_batch_rows + 500);
    const auto outcomes = store->submit(batch);
    ASSERT_THAT(outcomes, SizeIs(batch.size()));
    for (std::size_t i = 0; i < batch.size(); ++i) {
        ASSERT_EQ(outcomes[i].status, SubmitStatus::Accepted) << outcomes[i].complaint;
        ASSERT_EQ(outcomes[i].id, batch[i].id);
    }
    EXPECT_EQ(store->count().pending, 2500);
}

TEST_P(Submit, TheSameIdAndPayloadAgainReturnsTheFirstTask) {
    const auto task = a_rich_task(clock.now());
    submit(task);
    const auto again = store->submit({task}).at(0);
    EXPECT_EQ(again.status, SubmitStatus::Existing);
    EXPECT_EQ(again.id, task.id);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(Submit, TheSameIdAndPayloadAgainIsHarmlessInEveryLaterState) {
    const auto task = a_task(clock.now());
    submit(task);
    const Uuid worker = join(*store);
    const auto lease = hold_one(worker);
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
    store->turn({.worker = worker, .start = {lease}});
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
    EXPECT_EQ(state_of(*store, task.id), TaskState::Completed);
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(Submit, RunAtAndDeadlineAreNoPartOfThePayload) {
    auto task = a_rich_task(clock.now());
    submit(task);
    task.run_at = clock.now() + 1h;
    task.deadline = std::nullopt;
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
    EXPECT_EQ(record(*store, task.id).task.run_at, clock.now() + 90s);
}

TEST_P(Submit, TheOrderOfTagsIsNoPartOfThePayload) {
    auto task = a_rich_task(clock.now());
    submit(task);
    task.tags = {"eu", "smtp", "eu"};
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
}

TEST_P(Submit, TheSameIdWithAnotherPayloadIsAMismatchAndChangesNothing) {
    const auto task = a_rich_task(clock.now());
    submit(task);
    std::vector<store::NewTask> others(5, task);
    others[0].name = "other";
    others[1].args = R"({"to":"bob"})";
    others[2].queue = "other";
    others[3].tags = {"eu"};
    others[4].policy.max_crashes = 1;
    for (const auto& outcome : store->submit(others)) EXPECT_EQ(outcome.status, SubmitStatus::PayloadMismatch);
    const auto found = record(*store, task.id);
    EXPECT_EQ(found.task.name, task.name);
    EXPECT_EQ(found.task.args, task.args);
    EXPECT_EQ(found.task.policy, task.policy);
}

TEST_P(Submit, TheSameIdempotencyKeyReturnsTheFirstTaskUnderItsOwnId) {
    const auto first = a_rich_task(clock.now());
    submit(first);
    auto second = first;
    second.id = new_task_id(clock.now());
    const auto outcome = store->submit({second}).at(0);
    EXPECT_EQ(outcome.status, SubmitStatus::Existing);
    EXPECT_EQ(outcome.id, first.id);
    EXPECT_EQ(store->find({second.id}).at(0).has_value(), false);
}

TEST_P(Submit, TheSameIdempotencyKeyWithAnotherPayloadIsAMismatch) {
    const auto first = a_rich_task(clock.now());
    submit(first);
    auto second = first;
    second.id = new_task_id(clock.now());
    second.args = "2";
    EXPECT_EQ(store->submit({second}).at(0).status, SubmitStatus::PayloadMismatch);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(Submit, TasksWithoutAnIdempotencyKeyNeverMeet) {
    submit(tasks(clock.now(), 3));
    EXPECT_EQ(store->count().pending, 3);
}

TEST_P(Submit, DuplicatesWithinOneBatchAreAnsweredAsIfOneCameAfterTheOther) {
    const auto task = a_task(clock.now());
    auto other_payload = task;
    other_payload.args = "1";
    auto keyed = a_task(clock.now());
    keyed.idempotency_key = "k";
    auto keyed_again = keyed;
    keyed_again.id = new_task_id(clock.now());
    const auto outcomes = store->submit({task, task, other_payload, keyed, keyed_again});
    EXPECT_EQ(outcomes.at(0).status, SubmitStatus::Accepted);
    EXPECT_EQ(outcomes.at(1).status, SubmitStatus::Existing);
    EXPECT_EQ(outcomes.at(2).status, SubmitStatus::PayloadMismatch);
    EXPECT_EQ(outcomes.at(3).status, SubmitStatus::Accepted);
    EXPECT_EQ(outcomes.at(4).status, SubmitStatus::Existing);
    EXPECT_EQ(outcomes.at(4).id, keyed.id);
    EXPECT_EQ(store->count().pending, 2);
}

TEST_P(Submit, AnIdOlderThanRetentionThatIsNotFoundIsTooOld) {
    const auto task = a_task(clock.now());
    clock.advance(721h);
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::TooOld);
    EXPECT_FALSE(store->find({task.id}).at(0).has_value());
}

TEST_P(Submit, AnIdOlderThanRetentionThatIsFoundIsExisting) {
    const auto task = a_task(clock.now());
    submit(task);
    clock.advance(721h);
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
}

TEST_P(Submit, NoIdIsTooOldWhenNothingIsEverPruned) {
    const auto task = a_task(clock.now());
    clock.advance(24h * 3650);
    const auto keeper = open({.max_payload_bytes = 1 << 20, .terminal_retention = std::nullopt});
    EXPECT_EQ(keeper->submit({task}).at(0).status, SubmitStatus::Accepted);
}

TEST_P(Submit, ComparesPayloadsAsJsonAndKeepsTheFirstAsItWasWritten) {
    auto task = a_task(clock.now());
    task.args = R"({ "n": 123456789012345678901234567890, "x":0.1000000000000000055, "a": [1.0] })";
    task.spec = R"({"script":"true","env":{"A":"1","B":"2"}})";
    submit(task);
    auto again = task;
    again.args = R"({"a":[1],"x":1000000000000000055e-19,"n":1.2345678901234567890123456789e29})";
    again.spec = R"({"env":{"B":"2","A":"1"},"script":"true"})";
    EXPECT_EQ(store->submit({again}).at(0).status, SubmitStatus::Existing);
    EXPECT_EQ(record(*store, task.id).task.args, task.args);
    for (const char* other : {R"({"n":123456789012345678901234567891,"x":0.1000000000000000055,"a":[1]})",
                              R"({"n":123456789012345678901234567890,"x":0.1,"a":[1]})",
                              R"({"n":123456789012345678901234567890,"x":0.1000000000000000055,"a":["1"]})"}) {
        again.args = other;
        EXPECT_EQ(store->submit({again}).at(0).status, SubmitStatus::PayloadMismatch) << other;
    }
    again = task;
    again.spec = "";
    EXPECT_EQ(store->submit({again}).at(0).status, SubmitStatus::PayloadMismatch);
}

}  // namespace
}  // namespace holdfast::contract
