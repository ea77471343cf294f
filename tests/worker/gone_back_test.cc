#include <filesystem>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

/// An older copy of the file is put in the place of the store while its worker goes on.
class StoreGoneBack : public WorkerTest {
protected:
    void copy_store() { database->raw()->execute("VACUUM INTO '" + copy_path() + "'"); }
    void put_copy_back() const {
        for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(database->address() + part);
        std::filesystem::rename(copy_path(), database->address());
    }
    [[nodiscard]] std::string copy_path() const { return folder + "/copy.db"; }
};
INSTANTIATE_TEST_SUITE_P(On, StoreGoneBack, testing::Values(StoreKind::Sqlite), kind_name);

TEST_P(StoreGoneBack, ALostFinishIsDeliveredAgainAndItsTaskRunsOnce) {
    const WorkerApp& worker = start_worker();
    const Uuid id = submit("hold", gate());
    begun(id);
    copy_store();
    open_gate();
    EXPECT_EQ(ended(id).state, TaskState::Completed);
    put_copy_back();
    worker.wait_for_log("gone back in time (rank ");
    worker.wait_for_log("1 were lost and applied again");
    EXPECT_EQ(ended(id).state, TaskState::Completed);
    EXPECT_EQ(ledger->read().count(Mark::Begin), 1);
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
}

TEST_P(StoreGoneBack, ARunWhoseClaimSurvivedGoesOn) {
    const WorkerApp& worker = start_worker();
    const Uuid id = submit("hold", gate());
    begun(id);
    copy_store();
    wait_for_beats(worker, 2);
    put_copy_back();
    worker.wait_for_log("gone back in time (rank ");
    open_gate();
    EXPECT_EQ(ended(id).state, TaskState::Completed);
    EXPECT_EQ(ledger->read().count(Mark::Begin), 1);
}

TEST_P(StoreGoneBack, ARunWhoseClaimIsLostIsKilledAndItsTaskRunsAgain) {
    const WorkerApp& worker = start_worker();
    wait_for_beats(worker, 2);
    order(worker, store::WorkerOrder::Cordon);
    worker.wait_for_log("Cordoned");
    const Uuid id = submit("hold", gate());
    copy_store();
    order(worker, store::WorkerOrder::Uncordon);
    const LedgerLine lost = begun(id);
    forgotten = {lost.lease};
    put_copy_back();
    worker.wait_for_log("gone back in time (rank ");
    wait_for_end_of(lost.pid);
    order(worker, store::WorkerOrder::Uncordon);
    begun(id, 2);
    open_gate();
    EXPECT_EQ(ended(id).state, TaskState::Completed);
    EXPECT_EQ(find(id).history.attempts, 1) << "the store does not know the first run";
}

}  // namespace
}  // namespace holdfast::worker_test
