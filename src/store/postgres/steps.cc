#include <limits>

#include "store/jobs/job_rows.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

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
        R"sql(SELECT $1, step, item, state, task_id, child_id, ready_at, finished_at, wakes_at, value, output,
                error_code, error_message, error_data, task_result, task_error_code, task_error_message,
                task_error_data, child_output, child_started_at, task_started_at, ended_runs, task_runs,
                fraction, progress_text, saved_at
              FROM holdfast.read_steps($1, $2, $3))sql",
        params.job, first, last);
    return store::step_infos(rows.all(store::read_shown_step), plan, params.with_items || params.step);
}

}  // namespace holdfast::postgres
