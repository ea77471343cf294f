#include "store/sqlite/endings.h"

#include "base/assert.h"
#include "core/policy_text.h"
#include "store/encoding.h"
#include "store/sqlite/error_columns.h"

namespace holdfast::sqlite {

namespace {

/// A stored policy that cannot be read is as good as none: the defaults neither repeat nor requeue anything.
TaskPolicy policy_of(Database& db, const Uuid& task) {
    auto row = db.query("SELECT policy FROM task WHERE id = ?", task);
    if (!row.step() || row.is_null(0)) return {};
    auto policy = core::decode_policy(row.text(0));
    return policy.ok() ? std::move(policy).value() : TaskPolicy{};
}

/// Nil: the task belongs to no step.
Uuid job_of(Database& db, const Uuid& task) {
    auto row = db.query("SELECT job_id FROM step WHERE task_id = ?", task);
    return row.step() ? row.uuid(0) : Uuid();
}

void insert_attempt(Transaction& tx, const LeaseRow& row, const LeaseReport& report) {
    HOLDFAST_ASSERT(row.started_at.has_value());
    tx.db.run(
        "INSERT INTO attempt (task_id, lease, attempt, worker_id, claimed_at, started_at, finished_at, run_end,"
        " error_code, error_message, error_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.lease.task, row.lease.lease, row.position.history.next_attempt_number(), row.worker, row.claimed_at,
        *row.started_at, tx.now, core::to_text(report.end), report.error.code, report.error.message,
        unless_empty(report.error.data));
}

/// Of a task whose last lease had not started there is no run to tell about.
void insert_ending(Transaction& tx, const LeaseRow& row, TaskState state, const core::History& history,
                   core::LeaseEnd run_end, const std::string& result, const std::optional<TaskError>& error) {
    const bool ran = row.started_at.has_value();
    const auto if_ran = [ran](auto value) { return ran ? std::optional(value) : std::nullopt; };
    tx.db.run(
        "INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease, worker_id,"
        " claimed_at, started_at, run_end, attempt, result, error_code, error_message, error_data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.lease.task, to_text(state), tx.now, history.attempts, history.crashes, history.requeues,
        row.position.run_at, if_ran(row.lease.lease), if_ran(row.worker), if_ran(row.claimed_at), row.started_at,
        if_ran(core::to_text(run_end)), if_ran(row.position.history.next_attempt_number()),
        state == TaskState::Completed ? std::optional<std::string_view>(result) : std::nullopt,
        error ? std::optional<std::string_view>(error->code) : std::nullopt,
        error ? std::optional<std::string_view>(error->message) : std::nullopt,
        error ? unless_empty(error->data) : std::nullopt);
    tx.ends_tasks = true;
    tx.ended_tasks.push_back({row.lease.task, state});
}

void leave_lease(Transaction& tx, const LeaseRow& row) {
    delete_lease(tx, row.lease.task);
    if (row.position.key) free_slot(tx, *row.position.key, row.lease.task);
}

bool is_of_paused_job(Database& db, const Uuid& task) {
    auto row = db.query(
        "SELECT 1 FROM step s JOIN job_progress p ON p.job_id = s.job_id WHERE s.task_id = ? AND p.state = 'PAUSED'",
        task);
    return row.step();
}

/// Back into the queue: at its old place, or after the delay; out of reach while its job is paused.
void put_back(Transaction& tx, const LeaseRow& row, const core::Settlement& settlement) {
    auto position = row.position;
    position.history = settlement.history;
    position.last_lease = row.lease.lease;
    if (settlement.delay > Duration::zero()) position.run_at = tx.now + settlement.delay;
    if (is_of_paused_job(tx.db, row.lease.task)) {
        park(tx, row.lease.task, position, store::WaitReason::Job);
    } else {
        place(tx, row.lease.task, position);
    }
}

}  // namespace

TaskState end_lease(Transaction& tx, const LeaseRow& row, const LeaseReport& report) {
    // A run that completed needs no policy: it is not read for the most frequent end of all.
    const bool completed = report.end == core::LeaseEnd::Completed;
    const auto settlement = core::settle({report.end, report.error, row.position.history, row.cancel_requested,
                                          tx.now, row.position.deadline, report.jitter},
                                         completed ? TaskPolicy{} : policy_of(tx.db, row.lease.task));
    const bool runs_again = settlement.state == TaskState::Pending;
    if (runs_again && row.started_at) insert_attempt(tx, row, report);
    if (runs_again) put_back(tx, row, settlement);
    if (!runs_again)
        insert_ending(tx, row, settlement.state, settlement.history, report.end, report.result, settlement.error);
    leave_lease(tx, row);
    return settlement.state;
}

void force_lease(Transaction& tx, const LeaseRow& row, TaskState state, const TaskError& error) {
    insert_ending(tx, row, state, row.position.history, core::LeaseEnd::Stopped, "", error);
    leave_lease(tx, row);
}

void end_pending(Transaction& tx, const PendingTask& pending, TaskState state, const TaskError& error) {
    remove_pending(tx, pending);
    LeaseRow row;
    row.lease.task = pending.task;
    row.position = pending.position;
    insert_ending(tx, row, state, pending.position.history, core::LeaseEnd::NotStarted, "", error);
    if (pending.position.key) tx.freed_keys.insert(*pending.position.key);
}

void write_event(Transaction& tx, const store::NewEvent& event) {
    const auto job = event.job.is_nil() && !event.task.is_nil() ? job_of(tx.db, event.task) : event.job;
    tx.db.run(
        "INSERT INTO event (at, kind, task_id, worker_id, who, message, data, job_id) VALUES (?, ?, ?, ?, ?, ?, ?, "
        "?)",
        tx.now, event.kind, event.task, event.worker, event.who, event.message, unless_empty(event.data), job);
}

std::optional<TaskState> ended_as(Database& db, const Uuid& task) {
    auto row = db.query("SELECT state FROM ending WHERE task_id = ?", task);
    if (!row.step()) return std::nullopt;
    return parse_task_state(row.text(0));
}

store::CancelStatus cancel_task(Transaction& tx, const Uuid& task, const std::string& who,
                                const std::string& reason) {
    using store::CancelStatus;
    tx.who = who;
    if (const auto pending = find_pending(tx.db, task)) {
        end_pending(tx, *pending, TaskState::Cancelled, store::cancelled_error(who, reason));
        write_event(tx, store::cancelled_event(task, who, reason));
        return CancelStatus::Cancelled;
    }
    if (const auto lease = find_lease(tx.db, task)) {
        if (lease->cancel_requested) return CancelStatus::Already;
        tx.db.run("UPDATE lease SET stop_requested = 'cancel' WHERE task_id = ?", task);
        tx.brings_work = true;  // wakes its worker, whose next beat then hears of it
        write_event(tx, store::cancel_requested_event(task, lease->worker, who, reason));
        return CancelStatus::Requested;
    }
    const auto state = ended_as(tx.db, task);
    if (!state) return CancelStatus::NotFound;
    return *state == TaskState::Cancelled ? CancelStatus::Already : CancelStatus::Finished;
}

std::optional<core::LeaseEnd> find_run_end(Database& db, const store::TaskLease& lease) {
    auto row = db.query(
        "SELECT run_end FROM ending WHERE task_id = ?1 AND lease = ?2"
        " UNION ALL SELECT run_end FROM attempt WHERE task_id = ?1 AND lease = ?2",
        lease.task, lease.lease);
    if (!row.step()) return std::nullopt;
    return store::read_lease_end(row.text(0));
}

}  // namespace holdfast::sqlite
