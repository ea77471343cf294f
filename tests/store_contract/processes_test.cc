#include <signal.h>

#include <set>
#include <thread>

#include "store_contract/child_process.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// Real processes on one store, some of which are killed.
class Processes : public StoreContract {
protected:
    ChildProcess child(const std::string& role, std::vector<std::string> arguments = {}) {
        return ChildProcess({.role = role,
                             .kind = GetParam(),
                             .address = database->address(),
                             .now = clock.now(),
                             .arguments = std::move(arguments)});
    }

    /// Several processes claim and complete everything; each task must be claimed once.
    void drain_with(int count) {
        const auto ids = submit(tasks(clock.now(), 600));
        std::vector<ChildProcess> children;
        for (int i = 0; i < count; ++i) children.push_back(child("drain"));
        std::set<std::string> claimed;
        std::set<std::string> leases;
        for (auto& one : children) {
            for (const auto& line : one.read_lines()) {
                EXPECT_TRUE(claimed.insert(line.substr(0, 36)).second) << line;
                EXPECT_TRUE(leases.insert(line.substr(37)).second) << line;
            }
            EXPECT_EQ(one.wait(), 0);
        }
        EXPECT_EQ(claimed.size(), 600U);
        EXPECT_EQ(store->count().completed, 600);
    }
};
HOLDFAST_FOR_EVERY_STORE(Processes);

TEST_P(Processes, TwoNeverClaimTheSameTask) {
    drain_with(2);
}

TEST_P(Processes, EightNeverClaimTheSameTask) {
    drain_with(8);
}

TEST_P(Processes, SubmittingTheSameIdsAcceptEachOnce) {
    const auto ids = ids_of(tasks(clock.now(), 200));
    std::vector<ChildProcess> children;
    for (int i = 0; i < 4; ++i) children.push_back(child("submit_these"));
    for (auto& one : children) EXPECT_EQ(one.read_line(), "ready");
    for (auto& one : children) {
        for (const auto& id : ids) one.write_line(id.to_string());
    }
    for (auto& one : children) one.write_line("go");
    int accepted = 0;
    for (auto& one : children) {
        accepted += std::stoi(one.read_line().value());
        EXPECT_EQ(one.wait(), 0);
    }
    EXPECT_EQ(accepted, 200);
    EXPECT_EQ(store->count().pending, 200);
}

/// P1, five times: whatever a submit that returned had accepted is there after kill -9.
TEST_P(Processes, KilledWhileSubmittingLoseNothingThatReturned) {
    for (int round = 0; round < 5; ++round) {
        auto writer = child("submit_for_ever");
        std::vector<std::string> returned;
        while (returned.size() < 60) returned.push_back(writer.read_line().value());
        writer.kill();
        for (const auto& line : writer.read_lines()) returned.push_back(line);
        store = open();
        for (const auto& line : returned) {
            ASSERT_EQ(state_of(*store, Uuid::parse(line).value()), TaskState::Pending) << line;
        }
    }
    submit();
}

/// P1 and P5: a finish that returned is there after kill -9, and nothing is half done.
TEST_P(Processes, KilledWhileWorkingLoseNoResultThatReturnedAndNoTask) {
    submit(tasks(clock.now(), 3000));
    std::set<std::string> returned;
    for (int round = 0; round < 5; ++round) {
        auto worker = child("work_for_ever", {"5"});
        for (int lines = 0; lines < 50; ++lines) returned.insert(worker.read_line().value());
        worker.kill();
        for (const auto& line : worker.read_lines()) returned.insert(line);
    }
    store = open();
    for (const auto& line : returned) {
        const auto found = record(*store, Uuid::parse(line).value());
        ASSERT_EQ(found.state, TaskState::Completed);
        ASSERT_EQ(found.result, R"("done")");
    }
    const auto counts = store->count();
    EXPECT_EQ(counts.pending + counts.running + counts.completed, 3000);
    EXPECT_GE(counts.completed, static_cast<std::int64_t>(returned.size()));
    EXPECT_LE(counts.running, 5 * 5);
}

TEST_P(Processes, LeaveTheLeasesOfTheDeadForRecovery) {
    submit(tasks(clock.now(), 200));
    // PostgreSQL carries out what a process had asked for before it was killed, and only then ends its session.
    const auto sessions = [this] {
        if (GetParam() == StoreKind::Sqlite) return 0L;
        return database->raw()->number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend'");
    };
    const auto own_bell = store->watch(store::Topic::Work);  // which has a session too, from now on
    const long before = sessions();
    auto worker = child("work_for_ever", {"5"});
    (void)worker.read_line();
    worker.kill();
    while (sessions() > before) std::this_thread::sleep_for(5ms);
    std::vector<store::RecoveredLease> verdicts;
    for (const auto& lease : store->leases({})) {
        verdicts.push_back(lease.started ? crash_verdict(lease.lease, lease.worker)
                                         : requeue_verdict(lease.lease, lease.worker));
    }
    store->recover({.who = "sweeper", .leases = verdicts});
    EXPECT_THAT(store->leases({}), IsEmpty());
    EXPECT_EQ(store->count().failed, static_cast<std::int64_t>(verdicts.size()));
    auto rest = child("drain");
    (void)rest.read_lines();
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(Processes, WakeEachOtherUp) {
    auto ringer = child("ring_when_told");
    EXPECT_EQ(ringer.read_line(), "ready");
    // Without safety polls, so that only the other process can end the wait.
    const auto listener = open_store({.kind = GetParam(), .address = database->address(), .safety_poll = 1h}, clock);
    const auto watch = listener->watch(store::Topic::Work);
    while (watch->wait(200ms)) {
    }
    ringer.write_line("ring");
    EXPECT_TRUE(watch->wait(1min));
}

}  // namespace
}  // namespace holdfast::contract
