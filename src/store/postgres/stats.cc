#include "store/stats_tally.h"

#include "store/jobs/step_infos.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::StatsTally;

constexpr auto most_rows = static_cast<int>(store::most_looked_at);

void tally_endings(Transaction& tx, StatsTally& tally) {
    const auto rows =
        tx.run("SELECT state, finished_at, run_at, started_at, name FROM holdfast.recent_endings($1, $2, $3)",
               tally.since(), most_rows, static_cast<int>(store::most_names_looked_up));
    for (const Row row : rows)
        tally.add_ended(store::read_word<TaskState>(row.text(0)), row.time(1), row.time(2), row.optional_time(3),
                        row.text(4));
    const auto last =
        tx.run("SELECT task_id FROM holdfast.ending ORDER BY task_id DESC OFFSET $1 LIMIT 1", most_rows - 1);
    if (!last.empty()) tally.cut_at(last[0].uuid(0));
}

/// The same of some queues.
void tally_endings(Transaction& tx, const store::Queues& queues, StatsTally& tally) {
    const auto rows = tx.run(
        "SELECT state, finished_at, run_at, started_at, name, task_id, is_last"
        " FROM holdfast.recent_endings_of($1, $2, $3)",
        queues, tally.since(), most_rows);
    for (const Row row : rows) {
        tally.add_ended(store::read_word<TaskState>(row.text(0)), row.time(1), row.time(2), row.optional_time(3),
                        row.text(4));
        if (row.boolean(6)) tally.cut_at(row.uuid(5));
    }
}

void tally_events(Transaction& tx, const store::Queues& queues, StatsTally& tally) {
    constexpr int page = 1000;
    std::optional<std::int64_t> before;
    for (int looked_at = 0; looked_at < most_rows; looked_at += page) {
        const auto rows = tx.run(
            R"sql(SELECT id, kind, at FROM holdfast.event WHERE id < coalesce($1, 9223372036854775807)
                    AND (cardinality($3::text[]) = 0 OR holdfast.is_of_queues(queue, task_id, job_id, $3))
                  ORDER BY id DESC LIMIT $2)sql",
            before, page, queues);
        for (const Row row : rows) tally.add_event(row.text(1), row.time(2));
        if (rows.size() < page || rows[page - 1].time(2) < tally.since()) return;
        before = rows[page - 1].integer(0);
        if (looked_at + page >= most_rows) tally.cut_at(rows[page - 1].time(2));
    }
}

}  // namespace

store::JobCounts PostgresStore::count_jobs(const store::Queues& queues) {
    constexpr Sql of_all = "SELECT state, count(*) FROM holdfast.job_progress GROUP BY state";
    constexpr Sql of_some =
        R"sql(SELECT p.state, count(*) FROM holdfast.job j JOIN holdfast.job_progress p ON p.job_id = j.id
              WHERE j.definition_id = ANY (holdfast.definitions_of($1)) GROUP BY p.state)sql";
    const auto rows = queues.empty() ? work_.read(of_all) : work_.read(of_some, queues);
    store::JobCounts counts;
    for (const Row row : rows) store::add_to(counts, store::read_word<JobState>(row.text(0)), row.integer(1));
    return counts;
}

store::Stats PostgresStore::stats(const store::StatsParams& params) {
    return work_.inspect([&](Transaction& tx) {
        StatsTally tally(params, tx.run("SELECT holdfast.now()")[0].time(0));
        params.queues.empty() ? tally_endings(tx, tally) : tally_endings(tx, params.queues, tally);
        tally_events(tx, params.queues, tally);
        return std::move(tally).result();
    });
}

store::Vitals PostgresStore::vitals(const store::Queues& queues) {
    const auto answers = work_.run(
        {Command{"SELECT task_id, run_at, holdfast.now() FROM holdfast.oldest_claimable($1)", Params(queues)},
         Command{"SELECT definition_id, workflow, step, is_item, steps FROM holdfast.undecided_steps()", Params()}},
        Effect::Reads);
    store::Vitals vitals;
    if (const auto& oldest = answers[0]; !oldest.empty()) {
        vitals.oldest_task = oldest[0].uuid(0);
        vitals.oldest_waits = std::max(oldest[0].time(2) - oldest[0].time(1), Duration::zero());
    }
    vitals.approvals = count_approvals(answers[1], queues);
    return vitals;
}

store::EndedTasks PostgresStore::ended_tasks(Timestamp since, Timestamp until) {
    const auto last = work_.read("SELECT last_value - (NOT is_called)::integer FROM holdfast.lease_number");
    const auto ended = work_.read(
        R"sql(SELECT e.state, e.finished_at, e.run_at, e.started_at, t.name, r.queue
              FROM (SELECT task_id, state, finished_at, run_at, started_at FROM holdfast.ending
                    ORDER BY task_id DESC LIMIT $3) e
                JOIN holdfast.task t ON t.id = e.task_id JOIN holdfast.route r ON r.id = t.route_id
              WHERE e.finished_at >= $1 AND e.finished_at < $2)sql",
        since, until, static_cast<int>(store::most_ended_looked_at));
    return {.tasks = ended.all(store::read_as<store::EndedTask>), .last_lease = last[0].integer(0)};
}

/// The kind of a step stands in its job's definition.
std::int64_t PostgresStore::count_approvals(const Rows& steps, const store::Queues& queues) {
    std::int64_t approvals = 0;
    for (const Row row : steps) {
        const auto bundle = plan_of(row.uuid(0));
        if (!queues.empty() && (!bundle || !core::belongs_to(bundle->queues, queues))) continue;
        const auto* const plan = bundle ? bundle->find(row.string(1)) : nullptr;
        if (store::is_approval(plan, row.small(2), row.boolean(3))) approvals += row.integer(4);
    }
    return approvals;
}

}  // namespace holdfast::postgres
