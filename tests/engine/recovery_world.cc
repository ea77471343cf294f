#include "tests/engine/recovery_world.h"

#include <unistd.h>

namespace holdfast::engine::testing {

namespace {

RecoveryReport sum(const SweepReport& report) {
    RecoveryReport all;
    for (const ServicePass& pass : report.passes) {
        EXPECT_EQ(pass.failure, "") << pass.service;
        all += pass.report;
    }
    return all;
}

}  // namespace

RecoveryWorld::RecoveryWorld() {
    static int count = 0;
    folder = scratch_folder() / ("recovery_world_" + std::to_string(getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directories(folder);
    store = sqlite::open_store({.path = (folder / "r.db").string(), .limits = {}}, clock);
    sweeper = make_sweeper("sweeper");
}

RecoveryWorld::~RecoveryWorld() {
    sweeper.reset();
    store.reset();
    std::filesystem::remove_all(folder);
}

std::unique_ptr<Sweeper> RecoveryWorld::make_sweeper(const std::string& who) {
    return std::make_unique<Sweeper>(*store, host, random, who, settings, [this] { return now; });
}

Uuid RecoveryWorld::add_worker(const std::string& name, const std::vector<std::string>& tags) {
    const Uuid worker = add_worker_that_never_beats(name, tags);
    beat(worker);
    return worker;
}

Uuid RecoveryWorld::add_worker_that_never_beats(const std::string& name, const std::vector<std::string>& tags) {
    store::WorkerRegistration worker;
    worker.id = make_uuid_v4(random);
    worker.name = name;
    worker.host.hostname = "host-a";
    worker.host.boot_id = "boot";
    worker.queues = {"default"};
    worker.tags = tags;
    worker.capacity = 100;
    store->register_worker(worker);
    return worker.id;
}

Uuid RecoveryWorld::add_worker_behind_a_server(const std::string& name) {
    store::WorkerRegistration worker;
    worker.id = make_uuid_v4(random);
    worker.name = name;
    worker.host.hostname = "host-a";
    worker.host.boot_id = "boot";
    worker.queues = {"default"};
    worker.capacity = 100;
    worker.via = store::Via::Server;
    worker.secret_hash = std::string(64, 'a');
    store->register_worker(worker);
    beat(worker.id);
    return worker.id;
}

store::BeatAnswer RecoveryWorld::beat(const Uuid& worker, const std::vector<store::HeldLease>& held) {
    store::BeatParams params{.worker = worker, .held = held, .progress = {}};
    return store->beat(params);
}

Uuid RecoveryWorld::submit(const std::function<void(store::NewTask&)>& change) {
    store::NewTask task;
    task.id = ids.make(clock.now(), random);
    task.name = "work";
    change(task);
    EXPECT_EQ(store->submit({task}).front().status, SubmitStatus::Accepted);
    return task.id;
}

std::vector<store::ClaimedTask> RecoveryWorld::claim(const Uuid& worker, std::size_t to_start, std::size_t to_hold) {
    return store->turn({.worker = worker, .request = make_uuid_v4(random), .to_start = to_start, .to_hold = to_hold})
        .claimed.tasks;
}

void RecoveryWorld::pass(Duration time) {
    now += time;
    clock.at += time;
}

RecoveryReport RecoveryWorld::sweep(Sweeper& which) {
    return sum(which.run_once(now));
}

RecoveryReport RecoveryWorld::sweep_for(Duration time, const std::vector<Uuid>& living) {
    RecoveryReport all;
    int second = 0;
    for (Duration passed{}; passed < time; passed += seconds(1)) {
        pass(seconds(1));
        if (++second % 3 == 0)
            for (const Uuid& worker : living) {
                std::vector<store::HeldLease> held;
                for (const store::LeaseRecord& lease : store->leases({.worker = worker, .after = std::nullopt}))
                    held.push_back({.lease = lease.lease, .running = lease.started});
                beat(worker, held);
            }
        all += sweep();
    }
    return all;
}

LeftBehind RecoveryWorld::let_a_worker_die_with_both_flags_off() {
    settings.thresholds.auto_requeue_stale_claimed = false;
    settings.thresholds.auto_fail_stale_running = false;
    sweeper = make_sweeper("sweeper");
    const Uuid worker = add_worker("w");
    LeftBehind tasks;
    tasks.running = submit();
    claim(worker, 1);
    tasks.claimed = submit();
    claim(worker, 0, 1);
    sweep();
    kill(worker);
    sweep_for(seconds(30));
    return tasks;
}

std::vector<std::string> RecoveryWorld::event_kinds(const Uuid& task) {
    std::vector<std::string> kinds;
    for (const store::EventRecord& event : store->events({.task = task, .worker = std::nullopt}))
        kinds.push_back(event.kind);
    return kinds;
}

}  // namespace holdfast::engine::testing
