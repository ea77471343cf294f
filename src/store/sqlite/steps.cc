#include <limits>

#include "store/jobs/job_rows.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

constexpr Sql steps_between =
    R"sql(SELECT s.job_id, s.step, s.item, s.state, s.task_id, s.child_id, s.ready_at, s.finished_at, s.wakes_at,
                 s.value, s.output, s.error_code, s.error_message, s.error_data,
                 e.result, e.error_code, e.error_message, e.error_data, c.output, c.started_at,
                 coalesce((SELECT min(a.started_at) FROM attempt a WHERE a.task_id = s.task_id), l.started_at,
                   e.started_at),
                 coalesce(e.attempts + e.crashes, l.attempts + l.crashes, r.attempts + r.crashes,
                   w.attempts + w.crashes, 0),
                 l.started_at IS NOT NULL, p.fraction, p.text, p.saved_at
          FROM step s LEFT JOIN ending e ON e.task_id = s.task_id LEFT JOIN lease l ON l.task_id = s.task_id
            LEFT JOIN ready r ON r.task_id = s.task_id LEFT JOIN waiting w ON w.task_id = s.task_id
            LEFT JOIN progress p ON p.task_id = s.task_id LEFT JOIN job_progress c ON c.job_id = s.child_id
          WHERE s.job_id = ? AND s.step BETWEEN ? AND ?
          ORDER BY s.step, s.item)sql";

std::vector<store::ReadStep> read_steps(Database& db, const Uuid& job, int first, int last) {
    return db.all(steps_between, store::read_shown_step, job, first, last);
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
