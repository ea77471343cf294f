#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::SubmitStatus;

class SubmitRefusal : public StoreContract {
protected:
    /// Submits the bad task between two good ones; its complaint, after checking that the good ones were accepted.
    std::string complaint_about(const store::NewTask& bad) {
        const auto before = store->count().pending;
        const auto outcomes = store->submit({a_task(clock.now()), bad, a_task(clock.now())});
        EXPECT_EQ(outcomes.at(0).status, SubmitStatus::Accepted);
        EXPECT_EQ(outcomes.at(1).status, SubmitStatus::Refused);
        EXPECT_EQ(outcomes.at(2).status, SubmitStatus::Accepted);
        EXPECT_EQ(store->count().pending, before + 2);
        EXPECT_FALSE(store->find({bad.id}).at(0).has_value());
        return outcomes.at(1).complaint;
    }
};
HOLDFAST_FOR_EVERY_STORE(SubmitRefusal);

TEST_P(SubmitRefusal, NamesTheNulByteInAName) {
    EXPECT_THAT(complaint_about(a_task(clock.now(), std::string("a\0b", 3))), HasSubstr("name"));
}

TEST_P(SubmitRefusal, NamesInvalidUtf8InEveryText) {
    const std::string bad = "\xc3\x28";
    auto task = a_task(clock.now());
    task.queue = bad;
    EXPECT_THAT(complaint_about(task), HasSubstr("queue"));
    task = a_task(clock.now());
    task.tags = {bad};
    EXPECT_THAT(complaint_about(task), HasSubstr("tag"));
    task = a_task(clock.now());
    task.args = "\"" + bad + "\"";
    EXPECT_THAT(complaint_about(task), HasSubstr("args"));
    EXPECT_THAT(complaint_about(with_key(a_task(clock.now()), bad)), HasSubstr("concurrency"));
    task = a_task(clock.now());
    task.idempotency_key = bad;
    EXPECT_THAT(complaint_about(task), HasSubstr("idempotency"));
}

TEST_P(SubmitRefusal, NamesControlCharactersAndDirectionMarksInEveryName) {
    for (const std::string bad : {"a\x1b[2J", "a\nb", "\x7f", "\xC2\x9b", "gpj.\xE2\x80\xAEtxt", "\xE2\x81\xA6x"}) {
        EXPECT_THAT(complaint_about(a_task(clock.now(), bad)), HasSubstr("name contains"));
        auto task = a_task(clock.now());
        task.queue = bad;
        EXPECT_THAT(complaint_about(task), HasSubstr("queue contains"));
        task = a_task(clock.now());
        task.tags = {"fine", bad};
        EXPECT_THAT(complaint_about(task), HasSubstr("a tag contains"));
        EXPECT_THAT(complaint_about(with_key(a_task(clock.now()), bad)), HasSubstr("concurrency key contains"));
        task = a_task(clock.now());
        task.idempotency_key = bad;
        EXPECT_THAT(complaint_about(task), HasSubstr("idempotency key contains"));
        EXPECT_THROW(store->set_queue_paused(bad, true, "ann"), BadInput);
        EXPECT_THROW(store->set_queue_paused("fine", true, bad), BadInput);
        for (int part = 0; part < 3; ++part) {
            auto worker = a_worker();
            (part == 0 ? worker.name : part == 1 ? worker.queues.emplace_back() : worker.tags.emplace_back()) = bad;
            EXPECT_THROW(store->register_worker(worker), BadInput) << part;
        }
        EXPECT_THROW(store->put_schedule({.name = bad, .timing = "{}", .definition = "{}", .input = "{}"}, "ann"),
                     BadInput);
    }
}

TEST_P(SubmitRefusal, NamesTheMemberThatIsGivenTwiceOrTooLarge) {
    auto task = a_task(clock.now());
    task.args = R"({"mail": {"to": "ann", "to": "bob"}})";
    EXPECT_THAT(complaint_about(task), HasSubstr("args.mail.to is given twice"));
    task.args = R"({"n": [1, 1e999]})";
    EXPECT_THAT(complaint_about(task), HasSubstr("args.n[1] is a number that is too large"));
}

TEST_P(SubmitRefusal, NamesIdsFromMoreThanAnHourInTheFuture) {
    auto task = a_task(clock.now());
    task.id = new_task_id(clock.now() + 1h + 1s);
    EXPECT_THAT(complaint_about(task), HasSubstr("more than 1h in the future"));
    task.id = new_task_id(clock.now() + 8000h);
    EXPECT_THAT(complaint_about(task), HasSubstr(task.id.to_string()));
    task.id = new_task_id(clock.now() + 59min);
    submit(task);
}

TEST_P(SubmitRefusal, DoesNotMeetARepeatedSubmitWhoseIdIsFarAheadBecauseTheClockWasSetBack) {
    const auto task = a_task(clock.now());
    submit(task);
    clock.advance(-3h);
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Existing);
    auto other = task;
    other.priority = 9;
    EXPECT_EQ(store->submit({other}).at(0).status, SubmitStatus::PayloadMismatch);
}

TEST_P(SubmitRefusal, NamesArgsThatAreNotJson) {
    auto task = a_task(clock.now());
    task.args = "{broken";
    EXPECT_THAT(complaint_about(task), HasSubstr("args"));
}

TEST_P(SubmitRefusal, NamesWhatDecidesAboutCrashesInsteadOfARetry) {
    auto task = a_task(clock.now());
    task.policy.retry.retry_on = {"WORKER_CRASHED"};
    EXPECT_THAT(complaint_about(task),
                testing::AllOf(HasSubstr("retry_on cannot name WORKER_CRASHED"), HasSubstr("on_crash")));
}

TEST_P(SubmitRefusal, NamesArgsThatAreTooLargeAndTheLimit) {
    auto task = a_task(clock.now());
    task.args = "\"" + std::string(1 << 20, 'x') + "\"";
    const auto complaint = complaint_about(task);
    EXPECT_THAT(complaint, HasSubstr("args"));
    EXPECT_THAT(complaint, HasSubstr("1048576"));
}

TEST_P(SubmitRefusal, TakesArgsOfExactlyTheLimitWhole) {
    auto task = a_task(clock.now());
    task.args = "\"" + std::string((1 << 20) - 2, 'x') + "\"";
    submit(task);
    EXPECT_EQ(record(*store, task.id).task.args, task.args);
}

TEST_P(SubmitRefusal, FollowsTheConfiguredLimit) {
    store = open({.max_payload_bytes = 10, .terminal_retention = {}});
    auto task = a_task(clock.now());
    task.args = R"("123456789")";
    EXPECT_THAT(complaint_about(task), HasSubstr("10"));
}

TEST_P(SubmitRefusal, NamesEmptyAndOverlongShortTexts) {
    EXPECT_THAT(complaint_about(a_task(clock.now(), "")), HasSubstr("name"));
    EXPECT_THAT(complaint_about(a_task(clock.now(), std::string(256, 'n'))), HasSubstr("name"));
    auto task = a_task(clock.now());
    task.queue = "";
    EXPECT_THAT(complaint_about(task), HasSubstr("queue"));
}

TEST_P(SubmitRefusal, NamesNumbersOutOfRange) {
    EXPECT_THAT(complaint_about(with_priority(a_task(clock.now()), 0)), HasSubstr("priority"));
    EXPECT_THAT(complaint_about(with_priority(a_task(clock.now()), 101)), HasSubstr("priority"));
    EXPECT_THAT(complaint_about(with_key(a_task(clock.now()), "k", 0)), HasSubstr("limit"));
    EXPECT_THAT(complaint_about(with_retries(a_task(clock.now()), 0)), HasSubstr("max_attempts"));
}

TEST_P(SubmitRefusal, RefusesATaskWithoutAnId) {
    auto task = a_task(clock.now());
    task.id = Uuid();
    EXPECT_EQ(store->submit({task}).at(0).status, SubmitStatus::Refused);
}

TEST_P(SubmitRefusal, KeepsTextOfEveryScriptAsItIs) {
    auto task = a_task(clock.now(), "übersetzen-翻訳-🧰");
    task.args = R"("\u0000 is text inside JSON, 'quotes' and \\ too")";
    submit(task);
    EXPECT_EQ(record(*store, task.id).task.name, task.name);
    EXPECT_EQ(record(*store, task.id).task.args, task.args);
}

}  // namespace
}  // namespace holdfast::contract
