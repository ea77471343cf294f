#include <limits>

#include "store/encoding.h"
#include "store/jobs/step_infos.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::ReadStep;

ReadStep read_step(const Rows& rows, int row, const Uuid& job) {
    ReadStep step;
    step.row.key = {job, rows.small(row, 0), rows.small(row, 1)};
    step.row.state = store::read_step_state(rows.text(row, 2));
    step.row.task = rows.uuid(row, 3);
    step.row.child = rows.uuid(row, 4);
    step.row.ready_at = rows.optional_time(row, 5);
    step.row.finished_at = rows.optional_time(row, 6);
    step.row.wakes_at = rows.optional_time(row, 7);
    step.row.value = rows.string(row, 8);
    step.row.output = rows.string(row, 9);
    step.row.error = read_error(rows, row, 10);
    step.task_result = rows.string(row, 13);
    step.task_error = read_error(rows, row, 14);
    step.child_output = rows.string(row, 17);
    step.child_started_at = rows.optional_time(row, 18);
    step.task_started_at = rows.optional_time(row, 19);
    step.ended_runs = rows.small(row, 20);
    step.task_runs = rows.boolean(row, 21);
    if (!rows.is_null(row, 22))
        step.progress = Progress{rows.real(row, 22), rows.string(row, 23), rows.time(row, 24)};
    return step;
}

}  // namespace

std::vector<StepInfo> PostgresStore::steps(const store::StepsParams& params) {
    const auto jobs = read_jobs({params.job});
    if (jobs.empty()) return {};
    std::shared_ptr<const core::BundlePlan> bundle;
    const auto* const plan = find_plan(jobs.front().head, bundle);
    int first = 0, last = std::numeric_limits<int>::max();
    if (params.step) {
        const auto number = plan != nullptr ? plan->find_step(*params.step) : std::nullopt;
        if (!number) return {};
        first = last = *number;
    }
    const auto rows = work_.read(
        "SELECT step, item, state, task_id, child_id, ready_at, finished_at, wakes_at, value, output, error_code,"
        " error_message, error_data, task_result, task_error_code, task_error_message, task_error_data, child_output,"
        " child_started_at, task_started_at, ended_runs, task_runs, fraction, progress_text, saved_at"
        " FROM holdfast.read_steps($1, $2, $3)",
        params.job, first, last);
    std::vector<ReadStep> steps;
    for (int row = 0; row < rows.size(); ++row) steps.push_back(read_step(rows, row, params.job));
    return store::step_infos(steps, plan, params.with_items || params.step);
}

}  // namespace holdfast::postgres
