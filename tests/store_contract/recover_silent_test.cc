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
    Fenced recover_while_silent(std::int64_t beat) {
        return store
            ->recover({.who = "sweeper",
                       .leases = {crash_verdict(lease)},
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

}  // namespace
}  // namespace holdfast::contract
