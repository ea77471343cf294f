#include "store/jobs/job_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/text.h"
#include "core/states.h"
#include "store/jobs/definition_cache.h"
#include "store/jobs/orchestrator.h"

namespace holdfast::store {

namespace {

constexpr std::size_t jobs_at_once = 200;

std::string counts_text(const core::EndCounts& ends) {
    return concat(ends.open, " open, ", ends.succeeded, " succeeded, ", ends.failed, " failed, ", ends.skipped,
                  " skipped");
}

/// The steps of one job against its plan.
class JobInspection {
public:
    JobInspection(const core::WorkflowPlan& plan, const std::vector<StepRow>& rows) : plan_(plan) {
        for (const StepRow& row : rows) {
            if (row.key.step >= static_cast<int>(plan.step_count)) continue;  // a hook
            if (row.key.item < 0)
                steps_.emplace(row.key.step, &row);
            else
                items_[row.key.step].push_back(&row);
        }
    }

    std::vector<JobFault> faults(const JobProgress& progress) {
        if (steps_.size() != plan_.step_count)
            add(CheckRule::JobCounters, concat("has ", steps_.size(), " of its ", plan_.step_count, " steps"));
        inspect_job(progress);
        for (const auto& [number, step] : steps_) {
            if (step->state == StepState::Waiting) inspect_waiting(*step);
            if (step->state == StepState::Running && plan_.step(number).for_each) inspect_items(*step);
        }
        return std::move(faults_);
    }

private:
    void inspect_job(const JobProgress& progress) {
        int open = 0, failed = 0;
        for (const auto& [number, step] : steps_) {
            if (!is_terminal(step->state)) ++open;
            const bool counts = step->state == StepState::Failed || step->state == StepState::Cancelled;
            if (counts && !plan_.step(number).is_optional) ++failed;
        }
        if (progress.open_steps != open)
            add(CheckRule::JobCounters, concat("counts ", progress.open_steps, " open steps, but has ", open));
        if (progress.failed_steps != failed)
            add(CheckRule::JobCounters, concat("counts ", progress.failed_steps, " failed steps, but has ", failed));
        if (open == 0) add(CheckRule::JobEndsWithSteps, "is open, but has no open step");
    }

    void inspect_waiting(const StepRow& step) {
        core::EndCounts ends;
        for (const int dependency : plan_.step(step.key.step).dependencies) {
            const auto row = steps_.find(dependency);
            if (row == steps_.end() || !is_terminal(row->second->state))
                ++ends.open;
            else
                count_end(ends, row->second->state);
        }
        if (ends != step.ends) return add_miscount(step, "dependencies", ends);
        const auto& definition = plan_.step(step.key.step).definition;
        if (core::resolve(definition.join, definition.allow_failed_deps, ends) != core::Resolution::Wait)
            add(CheckRule::StepCounters,
                concat("step ", definition.name, " waits, though its dependencies have ended"));
    }

    void inspect_items(const StepRow& step) {
        core::EndCounts ends;
        int under_way = 0;
        for (const StepRow* item : items_[step.key.step]) {
            if (!is_terminal(item->state)) ++ends.open;
            if (!is_terminal(item->state) && item->ready_at) ++under_way;
            count_end(ends, item->state);
        }
        if (ends != step.ends) return add_miscount(step, "items", ends);
        if (under_way != step.under_way)
            add(CheckRule::StepCounters, concat("step ", plan_.name_of(step.key.step, -1), " counts ", step.under_way,
                                                " items under way, but has ", under_way));
    }

    void add_miscount(const StepRow& step, std::string_view what, const core::EndCounts& ends) {
        add(CheckRule::StepCounters, concat("step ", plan_.name_of(step.key.step, -1), " counts of its ", what, " ",
                                            counts_text(step.ends), ", but has ", counts_text(ends)));
    }

    void add(CheckRule rule, std::string wrong) { faults_.push_back({rule, std::move(wrong)}); }

    const core::WorkflowPlan& plan_;
    std::map<int, const StepRow*> steps_;
    std::map<int, std::vector<const StepRow*>> items_;
    std::vector<JobFault> faults_;
};

/// Plans definitions, each once.
class PlanFinder {
public:
    explicit PlanFinder(OpenJobs& open) : open_(open) {}

    /// Throws BadDefinition.
    std::shared_ptr<const core::BundlePlan> find(const Uuid& definition) {
        if (auto known = cache_.find(definition)) return known;
        return cache_.add(definition, open_.definition_text(definition));
    }

private:
    OpenJobs& open_;
    DefinitionCache cache_;
};

void check_open_job(PlanFinder& plans, const JobRow& job, const std::vector<StepRow>& steps, CheckReport& report) {
    const std::string id = job.head.id.to_string();
    try {
        const auto bundle = plans.find(job.head.definition);
        const core::WorkflowPlan* const plan = bundle->find(job.head.workflow);
        if (plan == nullptr)
            return report.add(CheckRule::References,
                              offender_text(id, concat("its definition has no workflow ", job.head.workflow)));
        for (const JobFault& fault : job_faults(*plan, job.progress, steps))
            report.add(fault.rule, offender_text(id, fault.wrong));
    } catch (const BadDefinition& fault) {
        report.add(CheckRule::References, offender_text(id, fault.what()));
    }
}

}  // namespace

std::vector<JobFault> job_faults(const core::WorkflowPlan& plan, const JobProgress& progress,
                                 const std::vector<StepRow>& steps) {
    return JobInspection(plan, steps).faults(progress);
}

void check_open_jobs(OpenJobs& open, CheckReport& report) {
    PlanFinder plans(open);
    for (auto page = open.after({}, jobs_at_once); !page.empty();
         page = open.after(page.back().head.id, jobs_at_once)) {
        std::vector<Uuid> ids;
        for (const JobRow& job : page) ids.push_back(job.head.id);
        std::unordered_map<Uuid, std::vector<StepRow>> steps;
        for (StepRow& row : open.steps_of(ids)) steps[row.key.job].push_back(std::move(row));
        for (const JobRow& job : page) check_open_job(plans, job, steps[job.head.id], report);
    }
}

}  // namespace holdfast::store
