#include <signal.h>

#include "platform/life_lock.h"
#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

using platform::LifeLockState;

class ProofOfLife : public WorkerTest {
protected:
    /// Whether the store, or the lock beside it, proves that the worker lives.
    [[nodiscard]] bool is_proven(const store::WorkerRecord& worker) {
        if (GetParam() == StoreKind::Sqlite)
            return platform::probe_life_lock(platform::life_lock_path(database->address()), worker.number) ==
                   LifeLockState::Held;
        for (const store::WorkerLiveness& each : store->look().workers)
            if (each.id == worker.registration.id) return each.proves_session && each.session_held;
        return false;
    }
};
HOLDFAST_ON_EVERY_STORE(ProofOfLife);

TEST_P(ProofOfLife, IsThereWhileTheWorkerLivesAndGoneWithIt) {
    WorkerApp& worker = start_worker();
    const auto record = record_of(worker);
    EXPECT_TRUE(is_proven(record));
    kill_and_wait_for_keeper(worker);
    wait_until([&] { return !is_proven(record); }, "the proof of life to go");
}

TEST_P(ProofOfLife, IsGoneAfterAnOrderlyLeave) {
    WorkerApp& worker = start_worker();
    const auto record = record_of(worker);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.wait(), 0);
    wait_until([&] { return !is_proven(record); }, "the proof of life to go");
}

TEST_P(ProofOfLife, IsRenewedByAWorkerThatIsForgottenWhileItLives) {
    WorkerApp& worker = start_worker();
    const Uuid running = submit("hold", gate());
    begun(running);
    const Uuid id = id_of(worker);
    const auto raw = database->raw();
    raw->execute("DELETE FROM worker WHERE id = " + raw->literal(id));
    const auto is_back = [&] {
        const auto all = store->workers();
        return !all.empty() && all.at(0).beat > 0;
    };
    wait_until(is_back, "the worker to register again");
    const auto record = record_of(worker);
    EXPECT_EQ(record.registration.id, id);
    EXPECT_TRUE(is_proven(record));
    EXPECT_EQ(find(running).state, TaskState::Running) << "leases that name it remain its own";
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
    open_gate();
    EXPECT_EQ(ended(running).state, TaskState::Completed);
}

/// On SQLite the keeper holds the lock as well, until it has killed the processes that the worker left behind.
class LifeLockOfKeeper : public ProofOfLife {};
INSTANTIATE_TEST_SUITE_P(On, LifeLockOfKeeper, testing::Values(StoreKind::Sqlite), kind_name);

TEST_P(LifeLockOfKeeper, IsHeldUntilEverythingThatTheWorkerLeftIsDead) {
    WorkerApp& worker = start_worker();
    const LedgerLine run = begun(submit("hold", gate()));
    const auto record = record_of(worker);
    const pid_t keeper = record.registration.host.keeper_pid;
    kill(keeper, SIGSTOP);
    worker.kill();
    EXPECT_TRUE(is_proven(record));
    kill(keeper, SIGCONT);
    wait_for_end_of(keeper);
    EXPECT_FALSE(is_alive(run.pid));
    EXPECT_FALSE(is_proven(record));
    Observer(*store, thresholds).judge_exited(record.registration.id);
}

}  // namespace
}  // namespace holdfast::worker_test
