#pragma once

#include <map>
#include <memory>
#include <optional>
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
    void tasks_ended(const std::vector<JustEnded>& tasks);
    /// Tasks of steps have begun to run: their jobs are RUNNING from now on.
    void tasks_started(const std::vector<Uuid>& tasks);
    /// Waits and approvals whose time has come.
    void time_came(const std::vector<StepKey>& steps);

    // Orders
    /// `of_slot`: the job of a schedule's slot. The schedule's row lets each slot through once, so its id is not
    /// taken for a pruned one, even after a clock was set back.
    [[nodiscard]] SubmitOutcome start(const NewJob& job, bool of_slot = false);
    /// The caller cancels the tasks of the tree, in transactions of their own: see JobSteering::cancel_tasks_of.
    [[nodiscard]] SteerStatus cancel(const Uuid& job, std::string_view code, const std::string& reason, Cause cause);
    [[nodiscard]] SteerStatus pause(const Uuid& job, const std::string& reason);
    [[nodiscard]] SteerStatus resume(const Uuid& job, const std::string& reason);
    [[nodiscard]] DecideStatus decide(const DecideParams& params);
    [[nodiscard]] RetryStatus retry(const RetryJobParams& params);

    /// Repairs one job: see RepairAnswer. To be called for a root and each of its descendants, the deepest first.
    void repair(const Uuid& job, RepairAnswer& answer);

    /// Follows everything to its end, and writes it.
    void settle();

    /// Whether settle() submitted tasks, and whether it ended jobs: the store wakes waiters accordingly.
    [[nodiscard]] bool brought_work() const { return brought_work_; }
    [[nodiscard]] bool ended_jobs() const { return ended_jobs_; }

private:
    struct Outcome {
        StepState state = StepState::Completed;
        std::optional<TaskError> error = {};
    };

    // orchestrator.cc: what has ended, and what follows from it
    void end_step(const StepKey& key, const Outcome& outcome);
    void fail_step(const StepKey& key, std::string_view code, std::string message);
    /// RUNNING from now on, and so is its job.
    StepRow& begin_step(const StepKey& key);
    void follow();
    void read_ahead(const std::vector<StepKey>& ended);
    void follow_step(const StepKey& key);
    void follow_item(const StepKey& key);
    void count_failure(const StepKey& key, const JobRow& job);
    void count_dependency(const StepKey& dependent, const StepKey& ended);
    void begin_job(const Uuid& job);
    [[nodiscard]] const core::WorkflowPlan& plan_of(const JobRow& job);
    [[nodiscard]] const core::PlannedStep& step_of(const StepKey& key);
    [[nodiscard]] std::string name_of(const StepKey& key);
    [[nodiscard]] TaskError error_of(const StepRow& step);
    void note_skipped(const Uuid& job);
    void note(const Uuid& job, std::string kind, const std::string& message);
    /// The same for an order to the job, with what it changed.
    void note_order(const Uuid& job, std::string kind, const std::string& message, nlohmann::json before,
                    nlohmann::json after);
    [[nodiscard]] NewEvent event_of(const Uuid& job, std::string kind, const std::string& message) const;

    // dispatch.cc: a step whose turn has come
    void dispatch(const StepKey& key);
    void dispatch_kind(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_task(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_child(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_approval(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void dispatch_wait(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void expand(const StepKey& key, const core::PlannedStep& step, const core::ExpressionScope& scope);
    void add_items(const StepKey& key, const nlohmann::json& list);
    void dispatch_items(const StepKey& key);
    void skip_items(const StepKey& key);
    void finish_for_each(const StepKey& key);
    void dispatch_hook(const StepKey& key);
    void submit_tasks();

    // job_ends.cc
    void end_job(const Uuid& job);
    void close_job(const Uuid& job, JobState state, const std::optional<TaskError>& error);
    void fire_hooks(const Uuid& job);
    void tell_parent(const JobRow& job);
    [[nodiscard]] bool is_successful(const JobRow& job, const core::WorkflowPlan& plan);
    [[nodiscard]] TaskError failure_of(const JobRow& job, const core::WorkflowPlan& plan);

    // job_orders.cc
    void create(const JobHead& head, const core::WorkflowPlan& plan, const std::vector<StepRow>& adopted);
    void cancel_one(const Uuid& job, std::string_view code, const std::string& reason, Cause cause);
    void cancel_unstarted(const StepRow& step);
    void pause_tree(const Uuid& job, const std::string& reason, Cause cause);
    void resume_one(const Uuid& job, const std::string& reason, Cause cause);
    /// The job and its descendants that have not ended, parents first.
    [[nodiscard]] std::vector<Uuid> open_tree(const Uuid& job);
    [[nodiscard]] std::vector<StepRow> adopted_steps(const JobRow& job, const core::WorkflowPlan& plan);

    // repair.cc
    void repair_tasks(const std::vector<const StepRow*>& steps, RepairAnswer& answer);
    void repair_children(const std::vector<const StepRow*>& steps, RepairAnswer& answer);
    void repair_for_each(const StepRow& step, RepairAnswer& answer);
    void repair_waiting(const StepRow& step, RepairAnswer& answer);
    void repair_ready(const StepRow& step, RepairAnswer& answer);
    void recount(const Uuid& job, const std::vector<const StepRow*>& steps);

    JobTables& tables_;
    DefinitionCache& definitions_;
    const Setting setting_;
    JobBook book_;
    std::vector<StepKey> ended_;     // steps and items whose dependents have not heard of it
    std::vector<StepKey> resolved_;  // READY steps that have to be dispatched
    std::set<Uuid> all_ended_;       // jobs without open steps
    std::vector<NewTask> new_tasks_;
    std::vector<StepKey> owners_;  // of the new tasks
    std::vector<NewEvent> events_;
    std::map<Uuid, std::vector<std::string>> skipped_;  // steps, by job: one event tells of all
    std::vector<Uuid> held_, released_;                 // jobs whose tasks are to be taken out of reach, or put back
    std::map<Uuid, std::shared_ptr<const core::BundlePlan>> plans_;
    int waves_ = 0;
    bool brought_work_ = false;
    bool ended_jobs_ = false;
};

/// Counts a step or item that has ended so; leaves the open ones to the caller.
void count_end(core::EndCounts& ends, StepState ended_as);

}  // namespace holdfast::store
