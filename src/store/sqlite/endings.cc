#include "store/sqlite/endings.h"

#include <tuple>
#include <utility>

#include "base/assert.h"
#include "store/rows.h"
#include "store/sqlite/keys.h"

namespace holdfast::sqlite {

namespace {

TaskPolicy policy_of(Database& db, const Uuid& task) {
    return db.first("SELECT policy FROM task WHERE id = ?", store::read_as<TaskPolicy>, task).value_or(TaskPolicy{});
}

/// Nil: the task is not one of a step.
Uuid job_of(Database& db, const Uuid& task) {
    return db.first("SELECT job_id FROM step WHERE task_id = ?", store::read_id, task).value_or(Uuid());
}

void insert_attempt(Transaction& tx, const LeaseRow& row, const LeaseReport& report) {
    HOLDFAST_ASSERT(row.started_at.has_value());
    tx.db.run(
        R"sql(INSERT INTO attempt (task_id, lease, attempt, worker_id, claimed_at, started_at, finished_at,
              run_end, error_code, error_message, error_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql",
        row.lease.task, row.lease.lease, row.position.history.next_attempt_number(), row.worker, row.claimed_at,
        *row.started_at, tx.now, word_of(report.end), report.error.code, report.error.message,
        store::unless_empty(report.error.data));
}

bool is_of_paused_job(Database& db, const Uuid& task) {
    return db.finds(
        "SELECT 1 FROM step s JOIN job_progress p ON p.job_id = s.job_id WHERE s.task_id = ? AND p.state = 'PAUSED'",
        task);
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

void write_endings(Transaction& tx, const std::vector<EndingRow>& rows) {
    tx.db.insert(
        R"sql(INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease,
              worker_id, claimed_at, started_at, run_end, attempt, result, error_code, error_message,
              error_data))sql",
        rows, [&tx](const EndingRow& row) {
            const auto& last = row.last;
            const auto if_ran = [&last](auto value) { return last.started_at ? std::optional(value) : std::nullopt; };
            const auto result = std::string_view(row.result);
            return std::tuple_cat(
                std::tuple(last.lease.task, to_text(row.state), tx.now, row.history.attempts, row.history.crashes,
                           row.history.requeues, last.position.run_at, if_ran(last.lease.lease), if_ran(last.worker),
                           if_ran(last.claimed_at), last.started_at, if_ran(word_of(row.run_end)),
                           if_ran(last.position.history.next_attempt_number()),
                           row.state == TaskState::Completed ? std::optional(result) : std::nullopt),
                store::column_values(row.error));
        });
    std::vector<Uuid> leased;
    for (const auto& row : rows) {
        if (row.last.lease.lease != 0) leased.push_back(row.last.lease.task);
        tx.ended_tasks.push_back({row.last.lease.task, row.state});
    }
    delete_leases(tx, leased);
    tx.ends_tasks |= !rows.empty();
}

TaskState end_lease(Transaction& tx, LeaseRow row, LeaseReport report) {
    std::vector<EndingRow> endings;
    const auto state = end_lease(tx, std::move(row), std::move(report), endings);
    write_endings(tx, endings);
    return state;
}

TaskState end_lease(Transaction& tx, LeaseRow row, LeaseReport report, std::vector<EndingRow>& endings) {
    if (report.end == core::LeaseEnd::NotStarted) row.started_at.reset();  // there was no run, whatever was committed
    // A run that completed needs no policy, so the most frequent end of all does not read it.
    const bool completed = report.end == core::LeaseEnd::Completed;
    const auto settlement = core::settle({report.end, report.error, row.position.history, row.cancel_requested,
                                          tx.now, row.position.deadline, report.jitter, report.is_final},
                                         completed ? TaskPolicy{} : policy_of(tx.db, row.lease.task));
    const bool runs_again = settlement.state == TaskState::Pending;
    if (row.position.key) free_slot(tx, row.position, row.lease.task);
    if (runs_again) {
        if (row.started_at) insert_attempt(tx, row, report);
        delete_leases(tx, {row.lease.task});
        put_back(tx, row, settlement);
    } else {
        endings.push_back({std::move(row), settlement.state, settlement.history, report.end, std::move(report.result),
                           settlement.error});
    }
    return settlement.state;
}

void force_lease(Transaction& tx, const LeaseRow& row, TaskState state, const TaskError& error) {
    write_endings(tx, {{row, state, row.position.history, core::LeaseEnd::Stopped, "", error}});
    tx.gives_orders = true;  // its run is to be killed
    if (row.position.key) free_slot(tx, row.position, row.lease.task);
}

void end_pending(Transaction& tx, const PendingTask& pending, TaskState state, const TaskError& error) {
    remove_pending(tx, pending);
    LeaseRow row;
    row.lease.task = pending.task;
    row.position = pending.position;
    write_endings(tx, {{row, state, pending.position.history, core::LeaseEnd::NotStarted, "", error}});
    if (pending.position.key) tx.freed_keys.insert({pending.position.route, *pending.position.key});
}

void write_event(Transaction& tx, const store::NewEvent& event) {
    const auto job = event.job.is_nil() && !event.task.is_nil() ? job_of(tx.db, event.task) : event.job;
    tx.db.run(
        R"sql(INSERT INTO event (at, kind, task_id, worker_id, who, message, data, job_id, queue, is_order)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(?9, (SELECT r.queue FROM task t
                JOIN route r ON r.id = t.route_id WHERE t.id = ?3)), ?10))sql",
        tx.now, event.kind, event.task, event.worker, event.who, event.message, store::unless_empty(event.data), job,
        store::unless_empty(event.queue), event.is_order);
}

std::optional<TaskState> ended_as(Database& db, const Uuid& task) {
    return db.first("SELECT state FROM ending WHERE task_id = ?", store::read_as<TaskState>, task);
}

store::CancelStatus cancel_task(Transaction& tx, const Uuid& task, const std::string& who, const std::string& reason,
                                store::Cause cause) {
    using store::CancelStatus;
    tx.who = who;
    if (const auto pending = find_pending(tx.db, task)) {
        end_pending(tx, *pending, TaskState::Cancelled, store::cancelled_error(who, reason));
        write_event(tx, store::cancelled_event(task, who, reason, cause));
        return CancelStatus::Cancelled;
    }
    if (const auto lease = find_lease(tx.db, task)) {
        if (lease->cancel_requested) return CancelStatus::Already;
        tx.db.run("UPDATE lease SET stop_requested = 'cancel' WHERE task_id = ?", task);
        tx.brings_work = true;
        tx.gives_orders = true;
        write_event(tx, store::cancel_requested_event(task, lease->worker, who, reason, cause));
        return CancelStatus::Requested;
    }
    const auto state = ended_as(tx.db, task);
    if (!state) return CancelStatus::NotFound;
    return *state == TaskState::Cancelled ? CancelStatus::Already : CancelStatus::Finished;
}

std::optional<core::LeaseEnd> find_run_end(Database& db, const store::TaskLease& lease, const Uuid& worker) {
    return db.first(
        R"sql(SELECT run_end FROM ending WHERE task_id = ?1 AND lease = ?2 AND worker_id = ?3
              UNION ALL SELECT run_end FROM attempt WHERE task_id = ?1 AND lease = ?2 AND worker_id = ?3)sql",
        store::read_as<core::LeaseEnd>, lease.task, lease.lease, worker);
}

}  // namespace holdfast::sqlite
