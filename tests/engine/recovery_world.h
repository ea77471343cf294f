#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "engine/recovery/sweeper.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {

class SettableClock : public Clock {
public:
    [[nodiscard]] Timestamp now() const override { return at; }
    Timestamp at = Timestamp(std::chrono::hours(24 * 365 * 56));
};

/// A machine on which the test says who is dead.
class FakeHost : public HostWatch {
public:
    Sight look_at(const store::WorkerLiveness& worker) override {
        const auto found = sights.find(worker.id);
        return found == sights.end() ? Sight{} : found->second;
    }
    bool clear_away(const store::WorkerLiveness& worker) override {
        cleared.insert(worker.id);
        if (const auto act = std::exchange(while_clearing, {})) act();
        return clears;
    }
    bool stop_container(const store::WorkerLiveness&, const store::TaskLease& lease) override {
        stopped.insert(lease.lease);
        return stops;
    }

    std::map<Uuid, Sight> sights;
    std::set<Uuid> cleared;
    std::set<store::Lease> stopped;
    bool clears = true;
    std::function<void()> while_clearing = {};  ///< once: between the look at a dead worker's leases and their end
    bool stops = true;
};

/// The tasks of a worker that has died.
struct LeftBehind {
    Uuid running;
    Uuid claimed;
};

/// An SQLite store, workers that are nothing but rows, and time that the test lets pass.
struct RecoveryWorld : ::testing::Test {
    RecoveryWorld();
    ~RecoveryWorld() override;

    Uuid add_worker(const std::string& name, const std::vector<std::string>& tags = {});
    Uuid add_worker_that_never_beats(const std::string& name, const std::vector<std::string>& tags = {});
    Uuid add_worker_behind_a_server(const std::string& name);
    /// The worker beats, listing these leases as running.
    store::BeatAnswer beat(const Uuid& worker, const std::vector<store::HeldLease>& held = {});
    void kill(const Uuid& worker) { host.sights[worker] = {core::Evidence::Exited, "its lock is free", true}; }
    Uuid submit(const std::function<void(store::NewTask&)>& change = [](store::NewTask&) {});
    /// Claims everything there is: as many started, the rest held.
    std::vector<store::ClaimedTask> claim(const Uuid& worker, std::size_t to_start, std::size_t to_hold = 0);
    void pass(Duration time);
    /// Time passes second by second, with a sweep in each; `living` beat every third.
    RecoveryReport sweep_for(Duration time, const std::vector<Uuid>& living = {});
    /// 30 s ago, before the eyes of a sweeper that may neither requeue nor fail what is stale.
    LeftBehind let_a_worker_die_with_both_flags_off();
    RecoveryReport sweep(Sweeper& sweeper);
    RecoveryReport sweep() { return sweep(*sweeper); }
    [[nodiscard]] store::TaskRecord task(const Uuid& id) { return *store->find({id}).front(); }
    [[nodiscard]] std::unique_ptr<Sweeper> make_sweeper(const std::string& who);
    [[nodiscard]] std::vector<std::string> event_kinds(const Uuid& task);

    EvenRandom random;
    SettableClock clock;
    UuidV7Maker ids;
    FakeHost host;
    SweepSettings settings;
    std::filesystem::path folder;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<Sweeper> sweeper;
    Duration now = std::chrono::hours(1);
};

}  // namespace holdfast::engine::testing
