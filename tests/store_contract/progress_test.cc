#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

class Progress : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        submit(with_retries(a_task(clock.now()), 3));
        lease = claim_one(worker);
    }
    Fenced save(const store::ProgressReport& report) { return store->save_progress(worker, {report}).at(0); }

    Uuid worker;
    store::TaskLease lease;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Progress);

TEST_P(Progress, IsShownWithTheTask) {
    clock.advance(1s);
    EXPECT_EQ(save({.lease = lease, .fraction = 0.25, .text = "a quarter", .checkpoint = R"({"row": 5})"}),
              Fenced::Applied);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.progress, (store::Progress{.fraction = 0.25, .text = "a quarter", .at = clock.now()}));
    EXPECT_EQ(found.checkpoint, R"({"row": 5})");
}

TEST_P(Progress, OfTheSameRunReplacesWhatItNamesAndKeepsTheCheckpoint) {
    save({.lease = lease, .fraction = 0.25, .text = "a", .checkpoint = "1"});
    save({.lease = lease, .fraction = 0.5, .text = "b", .checkpoint = std::nullopt});
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.progress->fraction, 0.5);
    EXPECT_EQ(found.progress->text, "b");
    EXPECT_EQ(found.checkpoint, "1");
}

TEST_P(Progress, AgainIsHarmless) {
    const store::ProgressReport report{.lease = lease, .fraction = 0.25, .text = "a", .checkpoint = "1"};
    save(report);
    EXPECT_NE(save(report), Fenced::LeaseLost);
    EXPECT_EQ(record(*store, lease.task).checkpoint, "1");
}

TEST_P(Progress, OfALostLeaseOrUnknownTaskIsRefused) {
    EXPECT_EQ(save({.lease = {lease.task, lease.lease + 1}, .fraction = 1.0, .text = "", .checkpoint = "1"}),
              Fenced::LeaseLost);
    EXPECT_EQ(save({.lease = {new_task_id(clock.now()), 1}, .fraction = 1.0, .text = "", .checkpoint = {}}),
              Fenced::LeaseLost);
    recover(*store, crash_verdict(lease));
    EXPECT_EQ(save({.lease = lease, .fraction = 1.0, .text = "", .checkpoint = "2"}), Fenced::LeaseLost);
    EXPECT_EQ(record(*store, lease.task).checkpoint, "");
}

TEST_P(Progress, OfNothingAnswersNothing) {
    EXPECT_THAT(store->save_progress(worker, {}), IsEmpty());
    EXPECT_THAT(store->append_logs(worker, {}), IsEmpty());
}

TEST_P(Progress, OfManyAnswersEachInOrder) {
    submit();
    const auto other = claim_one(worker);
    EXPECT_THAT(
        store->save_progress(worker, {{.lease = other, .fraction = 0.5, .text = "x", .checkpoint = {}},
                                      {.lease = {other.task, 77'777}, .fraction = 0.5, .text = "x", .checkpoint = {}},
                                      {.lease = lease, .fraction = 0.75, .text = "y", .checkpoint = {}}}),
        ElementsAre(Fenced::Applied, Fenced::LeaseLost, Fenced::Applied));
    EXPECT_EQ(record(*store, lease.task).progress->fraction, 0.75);
}

TEST_P(Progress, OfMoreThanOneTransactionHoldsIsSavedWhole) {
    submit(tasks(clock.now(), 1200));
    std::vector<store::ProgressReport> reports;
    for (const auto& one : claim_fully(*store, worker, 1200)) {
        reports.push_back({.lease = lease_of(one), .fraction = 0.5, .text = "x", .checkpoint = {}});
    }
    reports.push_back({.lease = lease, .fraction = 0.5, .text = "x", .checkpoint = {}});
    reports.push_back({.lease = lease, .fraction = 0.75, .text = "last", .checkpoint = {}});
    const auto answers = store->save_progress(worker, reports);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), Fenced::Applied), 1202);
    EXPECT_EQ(record(*store, lease.task).progress->text, "last");
}

TEST_P(Progress, SurvivesTheEndOfTheAttemptForTheNextOne) {
    save({.lease = lease, .fraction = 0.5, .text = "half", .checkpoint = R"([1,2])"});
    finish(*store, worker, failed(lease));
    EXPECT_EQ(record(*store, lease.task).checkpoint, "[1,2]");
    clock.advance(1h);
    EXPECT_EQ(claim(*store, worker, 1).tasks.at(0).checkpoint, "[1,2]");
}

TEST_P(Progress, CheckpointThatCannotBeStoredTakesNobodyElseDown) {
    submit();
    const auto other = claim_one(worker);
    save({.lease = lease, .fraction = 0.1, .text = "before", .checkpoint = "1"});
    const auto answers = store->save_progress(
        worker,
        {{.lease = lease, .fraction = 0.5, .text = "big", .checkpoint = "\"" + std::string(1 << 20, 'x') + "\""},
         {.lease = other, .fraction = 0.5, .text = "fine", .checkpoint = "2"}});
    EXPECT_EQ(answers.at(1), Fenced::Applied);
    EXPECT_EQ(record(*store, other.task).checkpoint, "2");
    EXPECT_EQ(record(*store, lease.task).checkpoint, "1");
}

}  // namespace
}  // namespace holdfast::contract
