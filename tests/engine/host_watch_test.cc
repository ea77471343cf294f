#include "platform/host_watch.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/ids.h"
#include "platform/host_identity.h"
#include "platform/life_lock.h"
#include "platform/system_random.h"

namespace holdfast::platform {
namespace {

using core::Evidence;
using ::testing::HasSubstr;
constexpr Duration for_ever = std::chrono::hours(1);  // longer than a test may take

/// A process that does nothing until it is killed.
class Sleeper {
public:
    Sleeper() : pid_(fork()) {
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            while (true) pause();
        }
        start_time_ = start_time_of(pid_);
    }
    ~Sleeper() { bury(); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    [[nodiscard]] int pid() const { return pid_; }
    [[nodiscard]] std::uint64_t start_time() const { return start_time_; }
    void kill() const { ::kill(pid_, SIGKILL); }
    /// Dead, and not yet reaped when this returns.
    void make_zombie() const {
        kill();
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
    }
    /// Dead, and gone from the process table.
    void bury() {
        if (std::exchange(buried_, true)) return;
        kill();
        waitpid(pid_, nullptr, 0);
    }

private:
    int pid_;
    std::uint64_t start_time_ = 0;
    bool buried_ = false;
};

TEST(PresenceOf, AProcessThatRunsIsThere) {
    const Sleeper process;
    EXPECT_EQ(presence_of(process.pid(), process.start_time()), Presence::There);
}

TEST(PresenceOf, AProcessThatWasReapedIsGone) {
    Sleeper process;
    process.bury();
    EXPECT_EQ(presence_of(process.pid(), process.start_time()), Presence::Gone);
}

TEST(PresenceOf, AZombieIsGone) {
    const Sleeper process;
    process.make_zombie();
    EXPECT_EQ(presence_of(process.pid(), process.start_time()), Presence::Gone);
}

TEST(PresenceOf, AnotherProcessWithTheSameNumberIsGone) {
    const Sleeper process;
    EXPECT_EQ(presence_of(process.pid(), process.start_time() - 1), Presence::Gone);
}

TEST(PresenceOf, WithoutANumberOrAStartTimeNothingIsKnown) {
    const Sleeper process;
    EXPECT_EQ(presence_of(0, 1), Presence::Unknown);
    EXPECT_EQ(presence_of(process.pid(), 0), Presence::Unknown);
}

/// A worker that says it is this process on this machine.
store::WorkerLiveness worker_like(const Sleeper& process) {
    SystemRandom random;
    store::WorkerLiveness worker;
    worker.id = make_uuid_v4(random);
    worker.host = own_host_identity();
    worker.host.pid = process.pid();
    worker.host.start_time = process.start_time();
    worker.host.keeper_pid = 0;
    worker.host.keeper_start_time = 0;
    worker.number = 7;
    worker.beat = 1;
    return worker;
}

TEST(HostWatch, OfALivingProcessThereIsNoEvidence) {
    const Sleeper process;
    LocalHostWatch watch({});
    EXPECT_EQ(watch.look_at(worker_like(process)).evidence, Evidence::None);
}

TEST(HostWatch, AProcessThatIsGoneHasExitedAndNeedsTheStoresWord) {
    Sleeper process;
    LocalHostWatch watch({});
    const auto worker = worker_like(process);
    process.bury();
    const engine::Sight sight = watch.look_at(worker);
    EXPECT_EQ(sight.evidence, Evidence::Exited);
    EXPECT_THAT(sight.how, HasSubstr("process " + std::to_string(process.pid()) + " is gone"));
    EXPECT_FALSE(sight.stands_alone);
}

TEST(HostWatch, AWorkerWhoseKeeperLivesHasNotExited) {
    Sleeper process;
    const Sleeper keeper;
    LocalHostWatch watch({});
    auto worker = worker_like(process);
    worker.host.keeper_pid = keeper.pid();
    worker.host.keeper_start_time = keeper.start_time();
    process.bury();
    EXPECT_EQ(watch.look_at(worker).evidence, Evidence::None);
    keeper.make_zombie();
    EXPECT_EQ(watch.look_at(worker).evidence, Evidence::Exited);
}

TEST(HostWatch, AnotherBootOfThisHostHasEndedItsWorkers) {
    const Sleeper process;
    LocalHostWatch watch({});
    auto worker = worker_like(process);
    worker.host.boot_id = "before";
    EXPECT_EQ(watch.look_at(worker).evidence, Evidence::Rebooted);
}

TEST(HostWatch, OfOtherHostsAndNamespacesNothingIsSeen) {
    Sleeper process;
    LocalHostWatch watch({});
    auto elsewhere = worker_like(process);
    elsewhere.host.hostname += "-2";
    auto contained = worker_like(process);
    contained.host.pid_namespace += 1;
    auto nameless = worker_like(process);
    nameless.host.boot_id = "";
    process.bury();
    for (const auto& worker : {elsewhere, contained, nameless})
        EXPECT_EQ(watch.look_at(worker).evidence, Evidence::None);
}

struct LifeLocks : ::testing::Test {
    LifeLocks() {
        std::filesystem::create_directories(folder);
        watch = std::make_unique<LocalHostWatch>(
            LocalHostWatch::Params{.life_locks = life_lock_path((folder / "t.db").string())});
    }
    ~LifeLocks() override { std::filesystem::remove_all(folder); }
    [[nodiscard]] std::string path() const { return life_lock_path((folder / "t.db").string()); }

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("host_watch_" + std::to_string(getpid()));
    std::unique_ptr<LocalHostWatch> watch;
    Sleeper process;
};

TEST_F(LifeLocks, AHeldLockIsLifeEvenWhenTheProcessNumberIsGone) {
    LifeLock lock;
    lock.hold(path(), 7);
    const auto worker = worker_like(process);
    process.bury();
    EXPECT_EQ(watch->look_at(worker).evidence, Evidence::None);
}

TEST_F(LifeLocks, AFreeLockIsDeathOnItsOwn) {
    { LifeLock().hold(path(), 7); }
    const auto worker = worker_like(process);
    process.bury();
    const engine::Sight sight = watch->look_at(worker);
    EXPECT_EQ(sight.evidence, Evidence::Exited);
    EXPECT_TRUE(sight.stands_alone);
    EXPECT_THAT(sight.how, HasSubstr("its lock is free"));
}

TEST_F(LifeLocks, TheLockOfAnotherWorkerSaysNothingAboutThisOne) {
    LifeLock lock;
    lock.hold(path(), 8);
    const auto worker = worker_like(process);
    process.bury();
    EXPECT_EQ(watch->look_at(worker).evidence, Evidence::Exited);
}

TEST_F(LifeLocks, AWorkerThatCouldNotTakeItsLockLivesAllTheSame) {
    { LifeLock().hold(path(), 7); }
    EXPECT_EQ(watch->look_at(worker_like(process)).evidence, Evidence::None);
}

TEST_F(LifeLocks, ALockIsTakenInTheFileThatReplacedTheOldOne) {
    LifeLock lock;
    lock.hold(path(), 7);
    std::filesystem::remove(path());
    lock.hold(path(), 7);
    EXPECT_EQ(probe_life_lock(path(), 7), LifeLockState::Held);
    lock.hold(path(), 8);
    EXPECT_EQ(probe_life_lock(path(), 7), LifeLockState::Held);
}

TEST_F(LifeLocks, AMissingFileIsNoEvidence) {
    const auto worker = worker_like(process);
    process.bury();
    EXPECT_EQ(watch->look_at(worker).evidence, Evidence::None);
}

TEST_F(LifeLocks, AnotherBootIsCertainWhateverTheLock) {
    LifeLock lock;
    lock.hold(path(), 7);
    auto worker = worker_like(process);
    worker.host.boot_id = "before";
    worker.host.hostname += "-renamed";
    const engine::Sight sight = watch->look_at(worker);
    EXPECT_EQ(sight.evidence, Evidence::Rebooted);
    EXPECT_TRUE(sight.stands_alone);
}

TEST(HostWatchWait, ReturnsAtOnceWhenAProcessThatWasLookedAtDies) {
    const Sleeper process;
    LocalHostWatch watch({});
    (void)watch.look_at(worker_like(process));
    std::thread killer([&] { process.kill(); });
    EXPECT_TRUE(watch.wait(for_ever));
    killer.join();
}

TEST(HostWatchWait, TellsADeathOnce) {
    const Sleeper process;
    LocalHostWatch watch({});
    const auto worker = worker_like(process);
    (void)watch.look_at(worker);
    process.make_zombie();
    EXPECT_TRUE(watch.wait(for_ever));
    (void)watch.look_at(worker);
    EXPECT_FALSE(watch.wait(Duration::zero()));
}

TEST(HostWatchWait, WaitsForTheKeeperWhichGoesLast) {
    const Sleeper process;
    const Sleeper keeper;
    LocalHostWatch watch({});
    auto worker = worker_like(process);
    worker.host.keeper_pid = keeper.pid();
    worker.host.keeper_start_time = keeper.start_time();
    (void)watch.look_at(worker);
    process.make_zombie();
    EXPECT_FALSE(watch.wait(Duration::zero()));
    keeper.make_zombie();
    EXPECT_TRUE(watch.wait(for_ever));
}

TEST(HostWatchWait, IsWokenFromAnotherThread) {
    LocalHostWatch watch({});
    std::thread waker([&] { watch.wake(); });
    EXPECT_FALSE(watch.wait(for_ever));
    waker.join();
}

TEST(HostWatchWait, AWakeBeforeTheWaitIsNotLost) {
    LocalHostWatch watch({});
    watch.wake();
    EXPECT_FALSE(watch.wait(for_ever));
}

TEST(HostWatchWait, EndsWhenItsTimeIsUp) {
    const Sleeper process;
    LocalHostWatch watch({});
    (void)watch.look_at(worker_like(process));
    EXPECT_FALSE(watch.wait(std::chrono::milliseconds(1)));
}

}  // namespace
}  // namespace holdfast::platform
