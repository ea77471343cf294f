#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::ScheduleDefinition;
using store::ScheduleRecord;

std::optional<ScheduleRecord> find_schedule(Database& db, const std::string& name) {
    return db.first("SELECT " HOLDFAST_SCHEDULE_COLUMNS
                    ", p.state"
                    " FROM schedule s LEFT JOIN job_progress p ON p.job_id = s.last_job_id WHERE s.name = ?",
                    store::read_as<ScheduleRecord>, name);
}

/// With another timing no slot has been decided yet; those before now are left out.
void update_schedule(Transaction& tx, const ScheduleDefinition& schedule, const ScheduleRecord& old) {
    const bool counts_anew = schedule.timing != old.schedule.timing && old.decided_until < tx.now;
    tx.db.run("UPDATE schedule SET timing = ?2, definition = ?3, input = ?4, decided_until = ?5 WHERE name = ?1",
              schedule.name, schedule.timing, schedule.definition, schedule.input,
              counts_anew ? tx.now : old.decided_until);
}

}  // namespace

void SqliteStore::put_schedule(const ScheduleDefinition& schedule, const std::string& who) {
    store::check_remark(who);
    store::check_schedule(schedule, limits_);
    write([&](Transaction& tx) {
        const auto old = find_schedule(tx.db, schedule.name);
        if (old && old->schedule == schedule) return false;
        if (old) {
            update_schedule(tx, schedule, *old);
        } else {
            tx.db.run(
                R"sql(INSERT INTO schedule (name, timing, definition, input, created_at, decided_until)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?5))sql",
                schedule.name, schedule.timing, schedule.definition, schedule.input, tx.now);
        }
        write_event(tx, store::schedule_changed_event(schedule, old ? &old->schedule : nullptr, who));
        return true;
    });
}

std::vector<ScheduleRecord> SqliteStore::schedules() {
    return work_.all("SELECT " HOLDFAST_SCHEDULE_COLUMNS
                     ", p.state"
                     " FROM schedule s LEFT JOIN job_progress p ON p.job_id = s.last_job_id ORDER BY s.name",
                     store::read_as<ScheduleRecord>);
}

bool SqliteStore::set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) {
    store::check_remark(who);
    return write([&](Transaction& tx) {
        const auto record = find_schedule(tx.db, schedule);
        if (!record) return false;
        if (record->paused == paused) return true;
        // Slots that fell into the pause are not missed.
        tx.db.run("UPDATE schedule SET paused = ?1, decided_until = max(decided_until, ?2) WHERE name = ?3", paused,
                  paused ? record->decided_until : tx.now, schedule);
        write_event(tx, store::schedule_paused_event(record->schedule, paused, who));
        return true;
    });
}

bool SqliteStore::remove_schedule(const std::string& schedule, const std::string& who) {
    store::check_remark(who);
    return write([&](Transaction& tx) {
        const auto record = find_schedule(tx.db, schedule);
        if (!record) return false;
        tx.db.run("DELETE FROM schedule WHERE name = ?", schedule);
        write_event(tx, store::schedule_removed_event(record->schedule, who));
        return true;
    });
}

bool SqliteStore::fire(const store::FireParams& params) {
    Uuid replaced;
    const bool fired = write([&](Transaction& tx) {
        tx.who = params.who;
        const auto record = find_schedule(tx.db, params.schedule);
        if (!record || record->paused || record->decided_until != params.decided_until) return false;
        if (!params.note.empty()) write_event(tx, store::schedule_noted_event(params));
        if (params.job && params.cancel_previous && record->last_job != *params.job) replaced = record->last_job;
        const bool started = params.job && start_slot(tx, params, *record, replaced);
        tx.db.run("UPDATE schedule SET decided_until = ?, last_job_id = ? WHERE name = ?", params.decide_until,
                  started ? *params.job : record->last_job, params.schedule);
        return true;
    });
    if (fired && !replaced.is_nil()) cancel_tasks_of(replaced, params.who);
    return fired;
}

bool SqliteStore::start_slot(Transaction& tx, const store::FireParams& params, const ScheduleRecord& record,
                             const Uuid& replaced) {
    const auto outcome = orchestrate(tx, [&](store::Orchestrator& orchestrator) {
        return store::start_slot(orchestrator, params, record, replaced);
    });
    if (!store::is_started(outcome)) write_event(tx, store::schedule_refused_event(params, outcome));
    return store::is_started(outcome);
}

}  // namespace holdfast::sqlite
