#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/jobs/definition_cache.h"
#include "store/jobs/job_book.h"
#include "store/jobs/job_tables.h"

namespace holdfast::store {

/// Carries out jobs: the one piece of code, for both stores, that decides what the end of a task, a person's order, a
/// due time or a repair does to steps and jobs. Lives for one transaction of a store: make it, tell it what happened,
/// then call settle() before the commit. Costs what the steps concerned cost, never the size of the job, except for
/// orders to a whole job and for its retry.
class Orchestrator {
public:
    struct Setting {
        Timestamp now = {};
        Limits limits = {};
        std::string who = {};  ///< for events: the person, worker or sweeper whose transaction it is
    };
    Orchestrator(JobTables& tables, DefinitionCache& definitions, Setting setting);

    // What happened. Jobs that have ended, and steps that have, are left as they are.
    void tasks_ended(const std::vector<EndedTask>& tasks);
    /// Tasks of steps have begun to run: their jobs are RUNNING from now on.
    void tasks_started(const std::vector<Uuid>& tasks);
    /// Waits and approvals whose time has come.
    void time_came(const std::vector<StepKey>& steps);

    // Orders
    [[nodiscard]] SubmitOutcome start(const NewJob& job);
    /// The tasks of the tree are cancelled by the caller, in a transaction of their own: see tasks_to_cancel in
    /// store.
    [[nodiscard]] SteerStatus cancel(const Uuid& job, std::string_view code, const std::string& reason);
    [[nodiscard]] SteerStatus pause(const Uuid& job, const std::string& reason);
    [[nodiscard]] SteerStatus resume(const Uuid& job, const std::string& reason);
    [[nodiscard]] DecideStatus decide(const DecideParams& params);
    [[nodiscard]] RetryStatus retry(const RetryJobParams& params);

    /// Mends one job: see RepairAnswer. To be called for a root and each of its descendants, the deepest first.
    void repair(const Uuid& job, RepairAnswer& answer);

    /// Follows everything to its end, and writes it.
    void settle();

    /// Whether settle() submitted tasks, and whether it ended jobs: whom to wake.
    [[nodiscard]] bool brought_work() const { return brought_work_; }
    [[nodiscard]] bool ended_jobs() const { return ended_jobs_; }

private:
    struct Outcome {
        StepState state = StepState::Completed;
        std::optional<TaskError> error = {};
    };

    // orchestrator.cc
    void end_step(const StepKey& key, const Outcome& outcome);
    void follow();
    void follow_step(const StepKey& key);
    void follow_item(const StepKey& key);
    void count_dependency(const StepKey& dependent, StepState ended_as);
    void finish_for_each(const StepKey& key);
    [[nodiscard]] const core::WorkflowPlan& plan_of(const JobRow& job);
    [[nodiscard]] const core::PlannedStep& step_of(const StepKey& key);
    [[nodiscard]] std::string name_of(const StepKey& key);
    [[nodiscard]] bool may_begin(const JobRow& job) const;
    void note(const JobRow& job, std::string kind, std::string message, std::string data = "");

    // dispatch.cc: a step whose turn has come
    void dispatch(const StepKey& key);
    void dispatch_task(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_child(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_approval(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_wait(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void expand(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_items(const StepKey& key);
    void fail_dispatch(const StepKey& key, std::string_view code, const std::string& message);
    void submit_tasks();

    // job_ends.cc
    void end_job(const Uuid& job);
    void fire_hooks(const JobRow& job, core::HookKind kind);
    void tell_parent(const JobRow& job);
    [[nodiscard]] std::string output_of(const JobRow& job);

    // job_orders.cc
    void create(const NewJob& job, const JobHead& head, const core::WorkflowPlan& plan,
                const std::map<int, StepRow>& adopted);
    void cancel_one(const Uuid& job, std::string_view code, const std::string& reason);
    void pause_one(const Uuid& job, const std::string& reason);
    void resume_one(const Uuid& job, const std::string& reason);
    [[nodiscard]] std::vector<Uuid> tree_of(const Uuid& job);

    JobTables& tables_;
    DefinitionCache& definitions_;
    const Setting setting_;
    JobBook book_;
    std::deque<StepKey> ended_;     // steps and items whose dependents have not heard of it
    std::deque<StepKey> resolved_;  // READY steps that have to be dispatched
    std::set<Uuid> all_ended_;      // jobs without open steps
    std::vector<NewTask> new_tasks_;
    std::map<Uuid, StepKey> owners_;  // of the new tasks
    std::vector<NewEvent> events_;
    std::vector<Uuid> held_, released_;  // jobs whose tasks are to be taken out of reach, or put back
    std::map<Uuid, std::shared_ptr<const core::BundlePlan>> plans_;
    bool brought_work_ = false;
    bool ended_jobs_ = false;
};

}  // namespace holdfast::store
