#include <limits>

#include "store/encoding.h"
#include "store/jobs/step_infos.h"
#include "store/sqlite/error_columns.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::ReadStep;

constexpr Sql steps_between =
    "SELECT s.step, s.item, s.state, s.task_id, s.child_id, s.ready_at, s.finished_at, s.wakes_at, s.value,"
    " s.output, s.error_code, s.error_message, s.error_data,"
    " e.result, e.error_code, e.error_message, e.error_data, c.output, c.started_at,"
    " coalesce((SELECT min(a.started_at) FROM attempt a WHERE a.task_id = s.task_id), l.started_at, e.started_at),"
    " coalesce(e.attempts + e.crashes, l.attempts + l.crashes, r.attempts + r.crashes, w.attempts + w.crashes, 0),"
    " l.started_at IS NOT NULL, p.saved_at, p.fraction, p.text"
    " FROM step s LEFT JOIN ending e ON e.task_id = s.task_id LEFT JOIN lease l ON l.task_id = s.task_id"
    " LEFT JOIN ready r ON r.task_id = s.task_id LEFT JOIN waiting w ON w.task_id = s.task_id"
    " LEFT JOIN progress p ON p.task_id = s.task_id LEFT JOIN job_progress c ON c.job_id = s.child_id"
    " WHERE s.job_id = ? AND s.step BETWEEN ? AND ? ORDER BY s.step, s.item";

ReadStep read_step(const Query& row, const Uuid& job) {
    ReadStep step;
    step.row.key = {job, row.small(0), row.small(1)};
    step.row.state = store::read_step_state(row.text(2));
    step.row.task = row.uuid(3);
    step.row.child = row.uuid(4);
    step.row.ready_at = row.optional_time(5);
    step.row.finished_at = row.optional_time(6);
    step.row.wakes_at = row.optional_time(7);
    step.row.value = row.string(8);
    step.row.output = row.string(9);
    step.row.error = read_error(row, 10);
    step.task_result = row.string(13);
    step.task_error = read_error(row, 14);
    step.child_output = row.string(17);
    step.child_started_at = row.optional_time(18);
    step.task_started_at = row.optional_time(19);
    step.ended_runs = row.small(20);
    step.task_runs = row.integer(21) != 0;
    if (!row.is_null(23)) step.progress = Progress{row.real(23), row.string(24), row.time(22)};
    return step;
}

std::vector<ReadStep> read_steps(Database& db, const Uuid& job, int first, int last) {
    std::vector<ReadStep> steps;
    auto rows = db.query(steps_between, job, first, last);
    while (rows.step()) steps.push_back(read_step(rows, job));
    return steps;
}

}  // namespace

std::vector<StepInfo> SqliteStore::steps(const store::StepsParams& params) {
    return work_.read([&](Database& db) -> std::vector<StepInfo> {
        std::shared_ptr<const core::BundlePlan> bundle;
        const auto* const plan = find_plan(db, params.job, bundle);
        if (!params.step)
            return store::step_infos(read_steps(db, params.job, 0, std::numeric_limits<int>::max()), plan,
                                     params.with_items);
        const auto number = plan != nullptr ? plan->find_step(*params.step) : std::nullopt;
        if (!number) return {};
        return store::step_infos(read_steps(db, params.job, *number, *number), plan, true);
    });
}

}  // namespace holdfast::sqlite
