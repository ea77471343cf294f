#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

/// A verdict that rests on a worker's silence, on its way to the store while the worker comes back.
class RecoverOfTheSilent : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        store->beat(beat_of(worker));
        submit();
        lease = claim_one(worker);
    }
    void delete_row() {
        const auto raw = database->raw();
        const char* table = GetParam() == StoreKind::Sqlite ? "worker" : "holdfast.worker";
        raw->execute(std::string("DELETE FROM ") + table + " WHERE id = " + raw->literal(worker));
    }
    Fenced recover_while_silent(const std::optional<std::int64_t>& beat) {
        return store
            ->recover({.who = "sweeper",
                       .leases = {crash_verdict(lease, worker)},
                       .only_while_silent = store::SilentWorker{worker, beat}})
            .front()
            .fenced;
    }
    Uuid worker;
    store::TaskLease lease;
};
HOLDFAST_FOR_EVERY_STORE(RecoverOfTheSilent);

TEST_P(RecoverOfTheSilent, EndsTheLeaseWhileNoFurtherBeatHasCome) {
    EXPECT_EQ(recover_while_silent(store->look().workers.front().beat), Fenced::Applied);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Failed);
}

TEST_P(RecoverOfTheSilent, ChangesNothingOnceTheWorkerHasBeatenAgain) {
    const std::int64_t seen = store->look().workers.front().beat;
    store->beat(beat_of(worker, {{.lease = lease, .running = true}}));
    EXPECT_EQ(recover_while_silent(seen), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
}

TEST_P(RecoverOfTheSilent, ChangesNothingOnceTheWorkersRowIsGone) {
    const std::int64_t seen = store->look().workers.front().beat;
    delete_row();
    EXPECT_EQ(recover_while_silent(seen), Fenced::LeaseLost);
}

TEST_P(RecoverOfTheSilent, OfAWorkerWithoutARowEndsTheLeaseUnlessItHasRegisteredAgain) {
    EXPECT_THAT(store->look().unregistered, IsEmpty());
    EXPECT_EQ(recover_while_silent(std::nullopt), Fenced::LeaseLost) << "it has a row";
    delete_row();
    EXPECT_THAT(store->look().workers, IsEmpty());
    EXPECT_THAT(store->look().unregistered, ElementsAre(worker));
    auto again = a_worker();
    again.id = worker;
    store->register_worker(again);
    EXPECT_EQ(recover_while_silent(std::nullopt), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Running);
    delete_row();
    EXPECT_EQ(recover_while_silent(std::nullopt), Fenced::Applied);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Failed);
    EXPECT_THAT(store->look().unregistered, IsEmpty());
}

TEST_P(RecoverOfTheSilent, AFinalVerdictIsNotRunAgainWhateverThePolicySays) {
    const auto retried = submit(with_retries(a_task(clock.now()), 5));
    const auto its_lease = claim_one(worker);
    auto verdict = crash_verdict(its_lease, worker);
    verdict.end = core::LeaseEnd::Failed;
    verdict.error.code = error_code::task_timeout;
    verdict.is_final = true;
    store->recover({.who = "sweeper", .leases = {verdict}});
    EXPECT_EQ(state_of(*store, retried), TaskState::Failed);
}

TEST_P(RecoverOfTheSilent, ACheckUpNamesTheWorkerWithoutARow) {
    const auto found = [&] {
        for (const auto& finding : store->check_up())
            if (finding.what == "owners of tasks") return finding;
        return store::Finding{};
    };
    EXPECT_EQ(found().grade, store::Finding::Grade::Ok);
    delete_row();
    EXPECT_EQ(found().grade, store::Finding::Grade::Warning);
    EXPECT_THAT(found().found, HasSubstr(worker.to_string()));
}

}  // namespace
}  // namespace holdfast::contract
