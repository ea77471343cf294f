#include "store/admission.h"
#include "store/jobs/job_rows.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::ScheduleDefinition;
using store::ScheduleRecord;

#define HOLDFAST_SCHEDULE_AND_STATE \
    HOLDFAST_SCHEDULE_COLUMNS ", (SELECT p.state FROM holdfast.job_progress p WHERE p.job_id = s.last_job_id)"

/// Locks the schedule; to be called before any job is locked.
std::optional<ScheduleRecord> lock_schedule(Transaction& tx, const std::string& name) {
    return tx.first("SELECT " HOLDFAST_SCHEDULE_AND_STATE " FROM holdfast.schedule s WHERE s.name = $1 FOR UPDATE",
                    store::read_as<ScheduleRecord>, name);
}

/// With another timing no slot has been decided yet; those before now are left out.
void update_schedule(Transaction& tx, const ScheduleDefinition& schedule, bool has_new_timing) {
    tx.run(
        R"sql(UPDATE holdfast.schedule SET timing = $2, definition = $3, input = $4,
                decided_until = CASE WHEN $5 THEN greatest(decided_until, holdfast.now()) ELSE decided_until END
              WHERE name = $1)sql",
        schedule.name, schedule.timing, schedule.definition, schedule.input, has_new_timing);
}

}  // namespace

void PostgresStore::put_schedule(const ScheduleDefinition& schedule, const std::string& who) {
    store::check_remark(who);
    store::check_schedule(schedule, params_.limits);
    transact([&](Transaction& tx) {
        const auto inserted = tx.run(
            R"sql(INSERT INTO holdfast.schedule (name, timing, definition, input, created_at, decided_until)
                  VALUES ($1, $2, $3, $4, holdfast.now(), holdfast.now()) ON CONFLICT DO NOTHING)sql",
            schedule.name, schedule.timing, schedule.definition, schedule.input);
        const bool is_new = inserted.affected() > 0;
        const auto old = lock_schedule(tx, schedule.name);
        const bool is_changed = !is_new && old && old->schedule != schedule;
        if (is_changed) update_schedule(tx, schedule, schedule.timing != old->schedule.timing);
        if (is_new || is_changed)
            write_events(tx, {store::schedule_changed_event(schedule, is_changed ? &old->schedule : nullptr, who)});
        return true;
    });
}

std::vector<ScheduleRecord> PostgresStore::schedules() {
    return work_.all("SELECT " HOLDFAST_SCHEDULE_AND_STATE " FROM holdfast.schedule s ORDER BY s.name",
                     store::read_as<ScheduleRecord>);
}

bool PostgresStore::set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) {
        const auto record = lock_schedule(tx, schedule);
        if (!record) return false;
        if (record->paused == paused) return true;
        // Slots that fell into the pause are not missed.
        tx.run(
            R"sql(UPDATE holdfast.schedule SET paused = $2,
                    decided_until = CASE WHEN $2 THEN decided_until ELSE greatest(decided_until, holdfast.now()) END
                  WHERE name = $1)sql",
            schedule, paused);
        write_events(tx, {store::schedule_paused_event(record->schedule, paused, who)});
        return true;
    });
}

bool PostgresStore::remove_schedule(const std::string& schedule, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) {
        const auto record = lock_schedule(tx, schedule);
        if (!record) return false;
        tx.run("DELETE FROM holdfast.schedule WHERE name = $1", schedule);
        write_events(tx, {store::schedule_removed_event(record->schedule, who)});
        return true;
    });
}

bool PostgresStore::fire(const store::FireParams& params) {
    Uuid replaced;
    const bool fired = transact([&](Transaction& tx) {
        tx.who = params.who;
        const auto record = lock_schedule(tx, params.schedule);
        if (!record || record->paused || record->decided_until != params.decided_until) return false;
        if (!params.note.empty()) write_events(tx, {store::schedule_noted_event(params)});
        const bool replaces = params.job && params.cancel_previous && record->last_job != *params.job;
        replaced = replaces ? record->last_job : Uuid();
        const bool started = params.job && start_slot(tx, params, *record, replaced);
        tx.run(
            R"sql(UPDATE holdfast.schedule SET decided_until = $2, last_job_id = coalesce($3, last_job_id)
                  WHERE name = $1)sql",
            params.schedule, params.decide_until, started ? params.job : std::nullopt);
        return true;
    });
    if (fired && !replaced.is_nil()) cancel_tasks_of(replaced, params.who);
    return fired;
}

bool PostgresStore::start_slot(Transaction& tx, const store::FireParams& params, const ScheduleRecord& record,
                               const Uuid& replaced) {
    if (!replaced.is_nil()) lock_trees(tx, {replaced});
    const auto outcome = orchestrate(tx, [&](store::Orchestrator& orchestrator) {
        return store::start_slot(orchestrator, params, record, replaced);
    });
    if (!store::is_started(outcome)) write_events(tx, {store::schedule_refused_event(params, outcome)});
    return store::is_started(outcome);
}

}  // namespace holdfast::postgres
