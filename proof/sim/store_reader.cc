#include "proof/sim/store_reader.h"

#include "base/text.h"
#include "proof/sim/sqlite_vfs.h"
#include "store/encoding.h"

namespace holdfast::sim {

namespace {

EndingSight read_ending(const sqlite::Query& row, int column) {
    EndingSight ending;
    ending.state = parse_task_state(row.text(column)).value_or(TaskState::Pending);
    ending.lease = row.integer(column + 1);
    ending.run_end = row.string(column + 2);
    ending.result = row.string(column + 3);
    ending.error_code = row.string(column + 4);
    ending.finished_at = row.time(column + 5);
    ending.history = {row.small(column + 6), row.small(column + 7), row.small(column + 8)};
    return ending;
}

struct Contradiction {
    const char* what;
    store::Sql sql;                        ///< its rows: the id of a task
    bool is_allowed_after_a_loss = false;  ///< it tells of what the store has forgotten since
};

constexpr Contradiction forbidden[] = {
    {"is in no place, or in several",
     "SELECT t.id FROM task t WHERE (SELECT count(*) FROM ready WHERE task_id = t.id)"
     " + (SELECT count(*) FROM waiting WHERE task_id = t.id) + (SELECT count(*) FROM lease WHERE task_id = t.id)"
     " + (SELECT count(*) FROM ending WHERE task_id = t.id) <> 1"},
    {"has a lease, but no row of its own", "SELECT task_id FROM lease WHERE task_id NOT IN (SELECT id FROM task)"},
    {"waits, but has no row of its own",
     "SELECT task_id FROM ready WHERE task_id NOT IN (SELECT id FROM task) UNION ALL"
     " SELECT task_id FROM waiting WHERE task_id NOT IN (SELECT id FROM task)"},
    {"has ended, but has no row of its own", "SELECT task_id FROM ending WHERE task_id NOT IN (SELECT id FROM task)"},
    {"holds a slot without a lease", "SELECT task_id FROM slot WHERE task_id NOT IN (SELECT task_id FROM lease)"},
    {"has a lease and a key, but no slot",
     "SELECT task_id FROM lease WHERE concurrency_key IS NOT NULL AND task_id NOT IN (SELECT task_id FROM slot)"},
    {"has a run twice in its history",
     "SELECT task_id FROM (SELECT task_id, lease FROM attempt UNION ALL SELECT task_id, lease FROM ending"
     " WHERE lease IS NOT NULL) GROUP BY task_id, lease HAVING count(*) > 1"},
    {"has a lease above the last number handed out",
     "SELECT task_id FROM lease WHERE lease > (SELECT last FROM lease_number)"},
    {"is COMPLETED without a run", "SELECT task_id FROM ending WHERE state = 'COMPLETED' AND started_at IS NULL"},
    {"counts other attempts than it has runs",
     "SELECT e.task_id FROM ending e WHERE e.attempts + e.crashes > (SELECT count(*) FROM attempt a"
     " WHERE a.task_id = e.task_id) + (e.started_at IS NOT NULL)"},
    {"holds a slot beyond the limit of a shared key",
     "SELECT s.task_id FROM slot s JOIN concurrency c ON c.key = s.key AND c.queue = '' WHERE"
     " (SELECT count(*) FROM slot o WHERE o.key = s.key) > c.max_slots"},
    {"asked for a lower limit than its key has",
     "SELECT t.id FROM task t JOIN route r ON r.id = t.route_id JOIN concurrency c ON c.key = t.concurrency_key"
     " AND c.queue = r.queue WHERE c.max_slots > t.concurrency_limit AND t.id NOT IN (SELECT task_id FROM ending)"
     " AND NOT EXISTS (SELECT 1 FROM concurrency o WHERE o.key = c.key AND (o.queue = '' OR o.declared = 1))"},
    {"waits for a key that has room",
     "SELECT w.task_id FROM waiting w JOIN route r ON r.id = w.route_id JOIN concurrency c ON"
     " c.key = w.concurrency_key AND c.queue = coalesce((SELECT o.queue FROM concurrency o"
     " WHERE o.key = w.concurrency_key AND o.queue = ''), r.queue) WHERE w.why = 'key' AND (SELECT count(*) FROM "
     "slot s"
     " WHERE s.key = c.key AND (c.queue = '' OR s.queue = c.queue)) < c.max_slots AND NOT EXISTS (SELECT 1 FROM "
     "ready x"
     " WHERE x.concurrency_key = w.concurrency_key AND x.route_id = w.route_id)"},
    {"is EXPIRED without an event that says so",
     "SELECT task_id FROM ending WHERE state = 'EXPIRED' AND task_id NOT IN"
     " (SELECT task_id FROM event WHERE kind = 'expired' AND task_id IS NOT NULL)"},
    {"was rejected or forced without an event that says so",
     "SELECT task_id FROM ending WHERE error_code IN ('FORCED', 'NO_MATCHING_WORKER') AND task_id NOT IN"
     " (SELECT task_id FROM event WHERE kind IN ('forced', 'rejected') AND task_id IS NOT NULL)"},
    // The request for a run of an earlier rank may be in the part of history that is lost.
    {"is CANCELLED without an event that says so",
     "SELECT task_id FROM ending WHERE state = 'CANCELLED' AND task_id NOT IN"
     " (SELECT task_id FROM event WHERE kind IN ('cancelled', 'cancel_requested', 'forced') AND task_id IS NOT NULL)"
     " AND task_id NOT IN (SELECT task_id FROM step WHERE task_id IS NOT NULL)"
     " AND (lease IS NULL OR lease >> 40 = (SELECT rank FROM incarnation))"},
    {"has not the state that an event tells of",
     "SELECT v.task_id FROM event v JOIN task t ON t.id = v.task_id LEFT JOIN ending e ON e.task_id = v.task_id "
     "WHERE v.task_id IS NOT NULL AND"
     " ((v.kind = 'expired' AND e.state IS NOT 'EXPIRED') OR (v.kind = 'cancelled' AND e.state IS NOT 'CANCELLED')"
     " OR (v.kind IN ('failed', 'rejected') AND e.state IS NOT 'FAILED')"
     " OR (v.kind = 'forced' AND instr(v.message, ' to ' || coalesce(e.state, 'an end')) = 0))"},
    {"has ended twice by its events",
     "SELECT task_id FROM event WHERE task_id IS NOT NULL AND"
     " kind IN ('expired', 'cancelled', 'failed', 'rejected', 'forced') GROUP BY task_id HAVING count(*) > 1"},
    {"has never had a lease, though an event tells of one",
     "SELECT v.task_id FROM event v JOIN (SELECT task_id, last_lease FROM ready UNION ALL"
     " SELECT task_id, last_lease FROM waiting) p ON p.task_id = v.task_id WHERE p.last_lease = 0 AND"
     " v.kind IN ('requeued', 'cancel_requested', 'stop_requested')"},
    {"has never had a lease, though the result of a run came",
     "SELECT v.task_id FROM event v JOIN (SELECT task_id, last_lease FROM ready UNION ALL"
     " SELECT task_id, last_lease FROM waiting) p ON p.task_id = v.task_id WHERE p.last_lease = 0 AND"
     " v.kind = 'late_result_refused'",
     true},
    {"has ended, but the step that it belongs to has not",
     "SELECT e.task_id FROM ending e JOIN step s ON s.task_id = e.task_id"
     " WHERE s.state IN ('WAITING', 'READY', 'RUNNING')"},
    {"is not COMPLETED, but the step that it belongs to is",
     "SELECT e.task_id FROM ending e JOIN step s ON s.task_id = e.task_id"
     " WHERE s.state = 'COMPLETED' AND e.state <> 'COMPLETED'"},
    {"is a job that has ended with open steps, or has none and has not",
     "SELECT job_id FROM job_progress WHERE (state IN ('COMPLETED', 'FAILED', 'CANCELLED')) <> (open_steps = 0)"},
    {"is a child job that has ended, but the step that it was started for has not",
     "SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id JOIN step s ON s.job_id = j.parent_id"
     " AND s.step = j.parent_step AND s.item = j.parent_item WHERE p.state IN ('COMPLETED', 'FAILED', 'CANCELLED')"
     " AND s.state IN ('WAITING', 'READY', 'RUNNING')"},
};

bool has_schema(sqlite::Database& db) {
    auto row = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'sweep_note'");
    return row.step();
}

}  // namespace

bool StoreReader::open(Disk& disk) {
    if (db_) return true;
    if (!disk.has(path_)) return false;
    client_ = std::make_shared<DiskClient>();
    const OpeningFor opening(client_);
    db_ = std::make_unique<sqlite::Database>(path_, sqlite::Database::Mode::ReadWrite);
    if (has_schema(*db_)) return true;
    close();
    return false;
}

void StoreReader::close() {
    if (client_) client_->is_dead = true;
    db_.reset();
    client_.reset();
}

LeasePicture StoreReader::leases() {
    LeasePicture picture;
    auto rows = db_->query(
        "SELECT task_id, lease, worker_id, started_at IS NOT NULL, attempts, crashes, requeues, stop_requested,"
        " concurrency_key FROM lease");
    while (rows.step()) {
        LeaseSight& sight = picture[rows.uuid(0)];
        sight.lease = {rows.uuid(0), rows.integer(1)};
        sight.worker = rows.uuid(2);
        sight.started = rows.integer(3) != 0;
        sight.history = {rows.small(4), rows.small(5), rows.small(6)};
        sight.stop_requested = rows.string(7);
        sight.key = rows.string(8);
    }
    return picture;
}

PlaceSight StoreReader::place_of(const Uuid& task) {
    PlaceSight sight;
    {
        auto rows = db_->query(
            "SELECT attempts, crashes, requeues FROM ready WHERE task_id = ?1 UNION ALL"
            " SELECT attempts, crashes, requeues FROM waiting WHERE task_id = ?1",
            task);
        for (; rows.step(); ++sight.places) sight.pending = {rows.small(0), rows.small(1), rows.small(2)};
    }
    auto rows = db_->query(
        "SELECT state, lease, run_end, result, error_code, finished_at, attempts, crashes, requeues FROM ending"
        " WHERE task_id = ?",
        task);
    for (; rows.step(); ++sight.places) sight.ending = read_ending(rows, 0);
    return sight;
}

std::map<Uuid, EndingSight> StoreReader::endings() {
    std::map<Uuid, EndingSight> endings;
    auto rows = db_->query(
        "SELECT task_id, state, lease, run_end, result, error_code, finished_at, attempts, crashes, requeues"
        " FROM ending");
    while (rows.step()) endings[rows.uuid(0)] = read_ending(rows, 1);
    return endings;
}

std::set<Uuid> StoreReader::tasks() {
    std::set<Uuid> tasks;
    auto rows = db_->query("SELECT id FROM task");
    while (rows.step()) tasks.insert(rows.uuid(0));
    return tasks;
}

std::vector<std::string> StoreReader::contradictions(bool has_lost_history) {
    std::vector<std::string> found;
    for (const Contradiction& each : forbidden) {
        if (has_lost_history && each.is_allowed_after_a_loss) continue;
        auto rows = db_->query(each.sql);
        if (rows.step()) found.push_back(concat(rows.uuid(0).to_string(), " ", each.what));
    }
    return found;
}

std::map<Uuid, JobSight> StoreReader::jobs() {
    std::map<Uuid, JobSight> jobs;
    auto rows = db_->query(
        "SELECT j.id, p.state, j.workflow, j.root_id, p.finished_at FROM job j JOIN job_progress p ON p.job_id = "
        "j.id");
    while (rows.step()) jobs[rows.uuid(0)] = {rows.string(1), rows.string(2), rows.uuid(3), rows.time(4)};
    return jobs;
}

std::optional<StepSight> StoreReader::step_of(const Uuid& task) {
    auto row = db_->query("SELECT job_id, step FROM step WHERE task_id = ?", task);
    if (!row.step()) return std::nullopt;
    return StepSight{row.uuid(0), row.small(1)};
}

std::map<int, std::string> StoreReader::step_states(const Uuid& job) {
    std::map<int, std::string> states;
    auto rows = db_->query("SELECT step, state FROM step WHERE job_id = ? AND item = -1", job);
    while (rows.step()) states[rows.small(0)] = rows.string(1);
    return states;
}

std::map<StepPlace, std::string> StoreReader::all_step_states() {
    std::map<StepPlace, std::string> states;
    auto rows = db_->query("SELECT job_id, step, item, state FROM step");
    while (rows.step()) states[{rows.uuid(0), rows.small(1), rows.small(2)}] = rows.string(3);
    return states;
}

std::map<Uuid, Uuid> StoreReader::tasks_of_steps() {
    std::map<Uuid, Uuid> tasks;
    auto rows = db_->query(
        "SELECT s.task_id, j.root_id FROM step s JOIN job j ON j.id = s.job_id WHERE s.task_id IS NOT NULL");
    while (rows.step()) tasks[rows.uuid(0)] = rows.uuid(1);
    return tasks;
}

std::string StoreReader::last_verdict(const Uuid& task) {
    auto row = db_->query(
        "SELECT kind FROM event WHERE task_id = ? AND kind IN ('requeued', 'failed', 'cancelled')"
        " ORDER BY id DESC LIMIT 1",
        task);
    return row.step() ? row.string(0) : "";
}

int StoreReader::schema_version() {
    auto row = db_->query("PRAGMA user_version");
    row.step();
    return row.small(0);
}

std::int64_t StoreReader::rank() {
    if (!db_->finds("SELECT 1 FROM sqlite_schema WHERE name = 'incarnation'")) return 0;
    return db_->number("SELECT rank FROM incarnation");
}

store::Lease StoreReader::last_lease_number() {
    return db_->number("SELECT last FROM lease_number");
}

std::set<std::pair<Uuid, store::Lease>> StoreReader::leases_with_history() {
    std::set<std::pair<Uuid, store::Lease>> leases;
    auto rows = db_->query(
        "SELECT task_id, lease FROM lease UNION ALL SELECT task_id, lease FROM attempt UNION ALL"
        " SELECT task_id, lease FROM ending WHERE lease IS NOT NULL");
    while (rows.step()) leases.emplace(rows.uuid(0), rows.integer(1));
    return leases;
}

std::size_t StoreReader::hooks_fired(const Uuid& job, int first_hook) {
    auto row = db_->query("SELECT count(*) FROM step WHERE job_id = ? AND step >= ?", job, first_hook);
    row.step();
    return static_cast<std::size_t>(row.integer(0));
}

std::map<std::string, ScheduleSight> StoreReader::schedules() {
    std::map<std::string, ScheduleSight> schedules;
    auto rows = db_->query("SELECT name, timing, paused, decided_until, created_at FROM schedule");
    while (rows.step())
        schedules[rows.string(0)] = {rows.string(1), rows.integer(2) != 0, rows.time(3), rows.time(4)};
    return schedules;
}

std::string StoreReader::definition_of(const Uuid& job) {
    auto row = db_->query(
        "SELECT d.text FROM job j JOIN workflow_definition d ON d.id = j.definition_id WHERE j.id = ?", job);
    return row.step() ? row.string(0) : "";
}

SweepRowSight StoreReader::sweep_row() {
    auto row = db_->query("SELECT holder, expires FROM sweep_lease");
    row.step();
    return {row.string(0), row.time(1)};
}

bool StoreReader::has_beaten(const Uuid& worker) {
    auto row = db_->query("SELECT 1 FROM worker WHERE id = ? AND beat > 0", worker);
    return row.step();
}

std::vector<WorkerSight> StoreReader::workers() {
    std::vector<WorkerSight> workers;
    auto rows = db_->query("SELECT id, queues, tags FROM worker ORDER BY number");
    while (rows.step())
        workers.push_back({rows.uuid(0), store::decode_strings(rows.text(1)), store::decode_strings(rows.text(2))});
    return workers;
}

std::string StoreReader::damage() {
    auto row = db_->query("PRAGMA quick_check(1)");
    row.step();
    const std::string verdict = row.string(0);
    return verdict == "ok" ? "" : verdict;
}

}  // namespace holdfast::sim
