#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::contract {

/// What tests do to a store, in a word each. Usable from any thread.

[[nodiscard]] Uuid random_uuid();
/// UUIDv7 that grow within this process.
[[nodiscard]] Uuid new_task_id(Timestamp now);

/// A task that can be claimed by any worker of `default`.
[[nodiscard]] store::NewTask a_task(Timestamp now, std::string name = "noop");
[[nodiscard]] std::vector<store::NewTask> tasks(Timestamp now, std::size_t count);
[[nodiscard]] store::NewTask with_key(store::NewTask task, std::string key, int limit = 1);
[[nodiscard]] store::NewTask with_priority(store::NewTask task, int priority);
[[nodiscard]] store::NewTask with_retries(store::NewTask task, int max_attempts);
[[nodiscard]] store::NewTask requeued_on_crash(store::NewTask task, int max_crashes = 3);

[[nodiscard]] store::WorkerRegistration a_worker(std::vector<std::string> queues = {"default"},
                                                 std::vector<std::string> tags = {});
/// Registers it and returns its id.
Uuid join(store::Store& store, const store::WorkerRegistration& worker = a_worker());

/// Claims with a fresh request.
store::ClaimAnswer claim(store::Store& store, const Uuid& worker, std::size_t to_start, std::size_t to_hold = 0);
/// Claims again while the answer says that there is more, up to what was asked for.
std::vector<store::ClaimedTask> claim_fully(store::Store& store, const Uuid& worker, std::size_t to_start);

[[nodiscard]] store::TaskLease lease_of(const store::ClaimedTask& claimed);
[[nodiscard]] std::vector<store::TaskLease> leases_of(const std::vector<store::ClaimedTask>& claimed);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::NewTask>& tasks);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::ClaimedTask>& claimed);
[[nodiscard]] std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records);

[[nodiscard]] store::FinishedRun completed(const store::TaskLease& lease, std::string result = "null");
[[nodiscard]] store::FinishedRun failed(const store::TaskLease& lease, std::string code = "BOOM");
[[nodiscard]] store::FinishedRun ended(const store::TaskLease& lease, core::LeaseEnd end);
store::FinishOutcome finish(store::Store& store, const Uuid& worker, const store::FinishedRun& run);

/// The verdicts of a sweeper: a started lease crashed, an unstarted one is taken back.
[[nodiscard]] store::RecoveredLease crash_verdict(const store::TaskLease& lease, const Uuid& worker = {});
[[nodiscard]] store::RecoveredLease requeue_verdict(const store::TaskLease& lease, const Uuid& worker = {});
/// A verdict that names no worker is about the one that the store names: it holds the lease, or held it.
store::RecoverOutcome recover(store::Store& store, store::RecoveredLease verdict);

[[nodiscard]] store::BeatParams beat_of(const Uuid& worker, const std::vector<store::HeldLease>& held = {});

store::CancelStatus cancel(store::Store& store, const Uuid& task);
store::ForceStatus force(store::Store& store, const Uuid& task, TaskState state = TaskState::Failed);
/// Throws std::bad_optional_access when there is no such task.
[[nodiscard]] store::TaskRecord record(store::Store& store, const Uuid& task);
[[nodiscard]] TaskState state_of(store::Store& store, const Uuid& task);
/// The kinds of the task's events, oldest first.
[[nodiscard]] std::vector<std::string> event_kinds(store::Store& store, const Uuid& task);

}  // namespace holdfast::contract
