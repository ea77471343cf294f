#include "store/sqlite/job_tables.h"

#include "store/jobs/job_rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/pruned_ids.h"

namespace holdfast::sqlite {

namespace {

using store::JobRow;
using store::StepKey;
using store::StepRow;

/// What `find(key)` finds for each of the keys.
template <typename Key, typename Find>
auto find_each(const std::vector<Key>& keys, const Find& find) {
    std::vector<typename decltype(find(keys.front()))::value_type> all;
    for (const auto& key : keys)
        if (auto found = find(key)) all.push_back(std::move(*found));
    return all;
}

/// The values of a row of `job_progress`.
auto progress_values(const JobRow& job) {
    return std::tuple_cat(std::tuple(job.head.id), store::column_values(job.progress));
}

/// The tasks of the job's own steps that have not ended.
std::vector<Uuid> open_tasks(Database& db, const Uuid& job) {
    return db.all("SELECT task_id FROM step WHERE job_id = ? AND task_id IS NOT NULL AND state = 'READY'",
                  store::read_id, job);
}

/// Puts a task that was held back to where its time says.
void release_task(Transaction& tx, const Uuid& task) {
    const auto pending = find_pending(tx.db, task);
    if (pending && pending->waits_for == store::WaitReason::Job) {
        remove_pending(tx, *pending);
        place(tx, task, pending->position);
    }
    tx.db.run("UPDATE lease SET stop_requested = NULL WHERE task_id = ? AND stop_requested = 'pause'", task);
}

}  // namespace

std::vector<JobRow> SqliteJobTables::load_jobs(const std::vector<Uuid>& jobs) {
    return find_each(jobs, [&](const Uuid& job) {
        return tx_.db.first("SELECT " HOLDFAST_JOB_COLUMNS " FROM job JOIN job_progress ON job_id = id WHERE id = ?",
                            store::read_as<JobRow>, job);
    });
}

std::vector<StepRow> SqliteJobTables::load_steps(const std::vector<StepKey>& steps) {
    return find_each(steps, [&](const StepKey& key) {
        return tx_.db.first("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE job_id = ? AND step = ? AND item = ?",
                            store::read_as<StepRow>, key.job, key.step, key.item);
    });
}

std::vector<StepRow> SqliteJobTables::load_all_steps(const Uuid& job) {
    return tx_.db.all("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE job_id = ? AND item = -1 ORDER BY step",
                      store::read_as<StepRow>, job);
}

std::vector<StepRow> SqliteJobTables::load_items(const Uuid& job, int step) {
    return tx_.db.all("SELECT " HOLDFAST_STEP_COLUMNS
                      " FROM step WHERE job_id = ? AND step = ? AND item >= 0 ORDER BY item",
                      store::read_as<StepRow>, job, step);
}

std::vector<StepRow> SqliteJobTables::steps_of_tasks(const std::vector<Uuid>& tasks) {
    return find_each(tasks, [&](const Uuid& task) {
        return tx_.db.first("SELECT " HOLDFAST_STEP_COLUMNS " FROM step WHERE task_id = ?", store::read_as<StepRow>,
                            task);
    });
}

std::vector<Uuid> SqliteJobTables::open_children(const Uuid& job) {
    return tx_.db.all(R"sql(SELECT j.id FROM job j JOIN job_progress p ON p.job_id = j.id WHERE j.parent_id = ?
                            AND (p.state = 'PENDING' OR p.state = 'RUNNING' OR p.state = 'PAUSED') ORDER BY j.id)sql",
                      store::read_id, job);
}

std::string SqliteJobTables::definition_text(const Uuid& definition) {
    return tx_.db.first("SELECT text FROM workflow_definition WHERE id = ?", store::read_as<std::string>, definition)
        .value_or("");
}

std::vector<store::JobTables::TaskEnd> SqliteJobTables::task_ends(const std::vector<Uuid>& tasks) {
    return find_each(tasks, [&](const Uuid& task) {
        return tx_.db.first(
            "SELECT task_id, state, result, error_code, error_message, error_data FROM ending WHERE task_id = ?",
            store::read_as<TaskEnd>, task);
    });
}

std::vector<Uuid> SqliteJobTables::existing_tasks(const std::vector<Uuid>& tasks) {
    return find_each(tasks, [&](const Uuid& task) {
        return tx_.db.first("SELECT id FROM task WHERE id = ?", store::read_id, task);
    });
}

bool SqliteJobTables::is_pruned_up_to(const Uuid& id) {
    return sqlite::is_pruned_up_to(tx_.db, id);
}

void SqliteJobTables::insert_definition(const Uuid& definition, const std::string& text,
                                        const std::vector<std::string>& queues) {
    const auto encoded = store::encode_strings(queues);
    tx_.db.run("INSERT INTO workflow_definition (id, text, queues) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
               definition, text, encoded);
}

void SqliteJobTables::insert_jobs(const std::vector<JobRow>& jobs) {
    tx_.db.insert("INSERT INTO job (" HOLDFAST_HEAD_COLUMNS ")", jobs,
                  [](const JobRow& job) { return store::column_values(job.head); });
    tx_.db.insert("INSERT INTO job_progress (job_id, " HOLDFAST_PROGRESS_COLUMNS ")", jobs, progress_values);
}

void SqliteJobTables::save_jobs(const std::vector<JobRow>& jobs) {
    for (const auto& job : jobs)
        tx_.db.run(
            R"sql(UPDATE job_progress SET state = ?2, open_steps = ?3, failed_steps = ?4, first_failed = ?5,
                  started_at = ?6, finished_at = ?7, deadline = ?8, cancel_code = ?9, cancel_reason = ?10,
                  output = ?11, error_code = ?12, error_message = ?13, error_data = ?14 WHERE job_id = ?1)sql",
            progress_values(job));
}

void SqliteJobTables::insert_steps(const std::vector<StepRow>& steps) {
    tx_.db.insert("INSERT INTO step (" HOLDFAST_STEP_COLUMNS ")", steps,
                  [](const StepRow& step) { return store::column_values(step); });
}

void SqliteJobTables::save_steps(const std::vector<StepRow>& steps) {
    for (const auto& step : steps)
        tx_.db.run(
            R"sql(UPDATE step SET state = ?4, open = ?5, succeeded = ?6, failed = ?7, skipped = ?8,
                    begun_items = ?9, under_way = ?10, task_id = ?11, child_id = ?12, ready_at = ?13,
                    finished_at = ?14, wakes_at = ?15, value = ?16, output = ?17, error_code = ?18,
                    error_message = ?19, error_data = ?20
                  WHERE job_id = ?1 AND step = ?2 AND item = ?3)sql",
            store::column_values(step));
}

std::vector<store::SubmitOutcome> SqliteJobTables::submit_tasks(const std::vector<store::NewTask>& tasks) {
    std::vector<store::SubmitOutcome> outcomes;
    outcomes.reserve(tasks.size());
    for (const auto& task : tasks) outcomes.push_back(submit_(task));
    return outcomes;
}

void SqliteJobTables::hold_tasks(const std::vector<Uuid>& jobs) {
    for (const auto& job : jobs)
        for (const auto& task : open_tasks(tx_.db, job)) hold_task(tx_, task);
}

void SqliteJobTables::release_tasks(const std::vector<Uuid>& jobs) {
    for (const auto& job : jobs)
        for (const auto& task : open_tasks(tx_.db, job)) release_task(tx_, task);
}

void SqliteJobTables::write_events(const std::vector<store::NewEvent>& events) {
    for (const auto& event : events) write_event(tx_, event);
}

bool hold_task(Transaction& tx, const Uuid& task) {
    using store::WaitReason;
    if (const auto pending = find_pending(tx.db, task)) {
        if (pending->waits_for == WaitReason::Job || pending->waits_for == WaitReason::Overdue) return false;
        remove_pending(tx, *pending);
        park(tx, task, pending->position, WaitReason::Job);
        if (pending->position.key) tx.freed_keys.insert({pending->position.route, *pending->position.key});
        return true;
    }
    return tx.db.run(
               R"sql(UPDATE lease SET stop_requested = 'pause'
                     WHERE task_id = ? AND started_at IS NULL AND stop_requested IS NULL)sql",
               task) == 1;
}

}  // namespace holdfast::sqlite
