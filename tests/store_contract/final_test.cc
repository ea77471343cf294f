#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// P5: the database itself refuses what the verbs promise not to do, whichever program writes to it.
class TerminalIsFinal : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        submit();
        lease = claim_one(worker);
        finish(*store, worker, completed(lease, "1"));
    }
    Uuid worker;
    store::TaskLease lease;
};
HOLDFAST_FOR_EVERY_STORE(TerminalIsFinal);

TEST_P(TerminalIsFinal, ForEveryVerb) {
    EXPECT_EQ(finish(*store, worker, failed(lease)).fenced == store::Fenced::Applied, false);
    EXPECT_EQ(cancel(*store, lease.task), store::CancelStatus::Finished);
    EXPECT_EQ(force(*store, lease.task), store::ForceStatus::Finished);
    EXPECT_NE(recover(*store, crash_verdict(lease)).fenced, store::Fenced::Applied);
    EXPECT_NE(store->turn({.worker = worker, .start = {lease}}).started.at(0), store::Fenced::Applied);
    EXPECT_NE(store->turn({.worker = worker, .hand_back = {lease}}).handed_back.at(0), store::Fenced::Applied);
    EXPECT_THAT(store->reject({.tasks = {lease.task}, .error = {"X", "x", ""}, .who = "s"}), ElementsAre(false));
    clock.advance(1h);
    store->expire_overdue(10);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Completed);
    EXPECT_EQ(record(*store, lease.task).result, "1");
}

TEST_P(TerminalIsFinal, ForPlainSql) {
    const auto raw = database->raw();
    const std::string where = " WHERE task_id = " + raw->literal(lease.task);
    EXPECT_THROW(raw->execute("UPDATE ending SET state = 'FAILED'" + where), SqlRefused);
    EXPECT_THROW(raw->execute("UPDATE ending SET result = '2'" + where), SqlRefused);
    EXPECT_EQ(record(*store, lease.task).result, "1");
}

TEST_P(TerminalIsFinal, SoThatAnUnknownStateCannotBeWritten) {
    const auto raw = database->raw();
    EXPECT_THROW(raw->execute("UPDATE ending SET state = 'PENDING'"), SqlRefused);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Completed);
}

TEST_P(TerminalIsFinal, AndSoIsAnAttempt) {
    submit(with_retries(a_task(clock.now()), 2));
    const auto retried = claim_one(worker);
    finish(*store, worker, failed(retried));
    const auto raw = database->raw();
    EXPECT_EQ(raw->number("SELECT count(*) FROM attempt"), 1);
    EXPECT_THROW(raw->execute("UPDATE attempt SET error_code = 'X'"), SqlRefused);
}

TEST_P(TerminalIsFinal, AndTheTaskItself) {
    const auto raw = database->raw();
    EXPECT_THROW(raw->execute("UPDATE task SET name = 'other' WHERE id = " + raw->literal(lease.task)), SqlRefused);
    EXPECT_EQ(record(*store, lease.task).task.name, "noop");
}

}  // namespace
}  // namespace holdfast::contract
