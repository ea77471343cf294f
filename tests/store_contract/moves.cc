#include "store_contract/moves.h"

#include <mutex>
#include <random>

#include "base/ids.h"

namespace holdfast::contract {
namespace {

/// Seeded anew in every process: many of them share one database.
class DeviceSeeded final : public Random {
public:
    std::uint64_t next() override { return engine_(); }

private:
    std::mt19937_64 engine_{(static_cast<std::uint64_t>(std::random_device()()) << 32) | std::random_device()()};
};

struct IdSource {
    std::mutex mutex;
    DeviceSeeded random;
    UuidV7Maker maker;
    Timestamp last;
};

IdSource& id_source() {
    static IdSource source;
    return source;
}

/// Nil: there was no such lease, or it ended before its start.
Uuid holder_of(store::Store& store, const store::TaskLease& lease) {
    const auto found = store.find({lease.task}).at(0);
    if (found && found->lease == lease.lease) return found->worker;
    for (const auto& attempt : store.attempts(lease.task))
        if (attempt.lease == lease.lease) return attempt.worker;
    return {};
}

}  // namespace

Uuid random_uuid() {
    auto& source = id_source();
    const std::lock_guard lock(source.mutex);
    return make_uuid_v4(source.random);
}

Uuid new_task_id(Timestamp now) {
    auto& source = id_source();
    const std::lock_guard lock(source.mutex);
    if (now < source.last) source.maker = UuidV7Maker();  // another test, whose clock begins anew
    source.last = now;
    return source.maker.make(now, source.random);
}

store::NewTask a_task(Timestamp now, std::string name) {
    store::NewTask task;
    task.id = new_task_id(now);
    task.name = std::move(name);
    return task;
}

std::vector<store::NewTask> tasks(Timestamp now, std::size_t count) {
    std::vector<store::NewTask> made;
    made.reserve(count);
    while (made.size() < count) made.push_back(a_task(now));
    return made;
}

store::NewTask with_key(store::NewTask task, std::string key, int limit) {
    task.concurrency = ConcurrencyKey{.key = std::move(key), .limit = limit};
    return task;
}

store::NewTask with_priority(store::NewTask task, int priority) {
    task.priority = priority;
    return task;
}

store::NewTask with_retries(store::NewTask task, int max_attempts) {
    task.policy.retry.max_attempts = max_attempts;
    return task;
}

store::NewTask requeued_on_crash(store::NewTask task, int max_crashes) {
    task.policy.on_crash = OnCrash::Requeue;
    task.policy.max_crashes = max_crashes;
    return task;
}

store::WorkerRegistration a_worker(std::vector<std::string> queues, std::vector<std::string> tags) {
    store::WorkerRegistration worker;
    worker.id = random_uuid();
    worker.name = "worker-01";
    worker.host = {.hostname = "host-a",
                   .boot_id = "5f1a",
                   .pid_namespace = 4026531836,
                   .pid = 4711,
                   .start_time = 123456,
                   .keeper_pid = 4710,
                   .keeper_start_time = 123455};
    worker.version = "1.2.3";
    worker.queues = std::move(queues);
    worker.tags = std::move(tags);
    worker.capacity = 8;
    return worker;
}

Uuid join(store::Store& store, const store::WorkerRegistration& worker) {
    store.register_worker(worker);
    return worker.id;
}

store::ClaimAnswer claim(store::Store& store, const Uuid& worker, std::size_t to_start, std::size_t to_hold) {
    return store.turn({.worker = worker, .request = random_uuid(), .to_start = to_start, .to_hold = to_hold}).claimed;
}

std::vector<store::ClaimedTask> claim_fully(store::Store& store, const Uuid& worker, std::size_t to_start) {
    std::vector<store::ClaimedTask> all;
    bool more = true;
    while (more && all.size() < to_start) {
        auto answer = claim(store, worker, to_start - all.size());
        more = answer.more;
        for (auto& claimed : answer.tasks) all.push_back(std::move(claimed));
    }
    return all;
}

store::TaskLease lease_of(const store::ClaimedTask& claimed) {
    return {claimed.task.id, claimed.lease};
}

std::vector<store::TaskLease> leases_of(const std::vector<store::ClaimedTask>& claimed) {
    std::vector<store::TaskLease> leases;
    for (const auto& one : claimed) leases.push_back(lease_of(one));
    return leases;
}

std::vector<Uuid> ids_of(const std::vector<store::NewTask>& tasks) {
    std::vector<Uuid> ids;
    for (const auto& task : tasks) ids.push_back(task.id);
    return ids;
}

std::vector<Uuid> ids_of(const std::vector<store::ClaimedTask>& claimed) {
    std::vector<Uuid> ids;
    for (const auto& one : claimed) ids.push_back(one.task.id);
    return ids;
}

std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records) {
    std::vector<Uuid> ids;
    for (const auto& one : records) ids.push_back(one.task.id);
    return ids;
}

store::FinishedRun completed(const store::TaskLease& lease, std::string result) {
    return {
        .lease = lease, .end = core::LeaseEnd::Completed, .result = std::move(result), .error = {}, .jitter = 0.5};
}

store::FinishedRun failed(const store::TaskLease& lease, std::string code) {
    return {.lease = lease,
            .end = core::LeaseEnd::Failed,
            .result = {},
            .error = {.code = std::move(code), .message = "it went wrong", .data = R"({"n":1})"},
            .jitter = 0.5};
}

store::FinishedRun ended(const store::TaskLease& lease, core::LeaseEnd end) {
    auto run = failed(lease, std::string(error_code::worker_crashed));
    run.end = end;
    return run;
}

store::FinishOutcome finish(store::Store& store, const Uuid& worker, const store::FinishedRun& run) {
    return store.turn({.worker = worker, .finish = {run}}).finished.at(0);
}

store::RecoveredLease crash_verdict(const store::TaskLease& lease, const Uuid& worker) {
    return {.lease = lease,
            .worker = worker,
            .expect_started = true,
            .end = core::LeaseEnd::Crashed,
            .error = {.code = std::string(error_code::worker_crashed), .message = "its worker exited", .data = ""},
            .jitter = 0.5,
            .evidence = "exited",
            .data = R"({"evidence":"exited"})"};
}

store::RecoveredLease requeue_verdict(const store::TaskLease& lease, const Uuid& worker) {
    auto verdict = crash_verdict(lease, worker);
    verdict.expect_started = false;
    verdict.end = core::LeaseEnd::NotStarted;
    verdict.error = {};
    return verdict;
}

store::RecoverOutcome recover(store::Store& store, store::RecoveredLease verdict) {
    if (verdict.worker.is_nil()) verdict.worker = holder_of(store, verdict.lease);
    return store.recover({.who = "sweeper", .leases = {verdict}}).at(0);
}

store::BeatParams beat_of(const Uuid& worker, const std::vector<store::HeldLease>& held) {
    store::BeatParams params;
    params.worker = worker;
    params.held = held;
    return params;
}

store::CancelStatus cancel(store::Store& store, const Uuid& task) {
    return store.cancel({.tasks = {task}, .who = "ann", .reason = "not needed"}).at(0);
}

store::ForceStatus force(store::Store& store, const Uuid& task, TaskState state) {
    return store.force({.tasks = {task}, .state = state, .who = "ann", .reason = "stuck"}).at(0);
}

store::TaskRecord record(store::Store& store, const Uuid& task) {
    return store.find({task}).at(0).value();
}

TaskState state_of(store::Store& store, const Uuid& task) {
    return record(store, task).state;
}

std::vector<std::string> event_kinds(store::Store& store, const Uuid& task) {
    std::vector<std::string> kinds;
    for (const auto& event : store.events({.task = task, .worker = {}, .after_id = 0, .limit = 1000})) {
        kinds.push_back(event.kind);
    }
    return kinds;
}

}  // namespace holdfast::contract
