#include "proof/sim/job_check.h"

#include "base/text.h"
#include "proof/sim/job_shapes.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

bool has_ended(const std::string& state) {
    return state == "COMPLETED" || state == "FAILED" || state == "SKIPPED" || state == "CANCELLED";
}

/// Written a second time, independently of the engine's rule.
bool join_allows(const core::WorkflowStep& step, int succeeded, int ended) {
    const auto all = static_cast<int>(step.depends_on.size());
    if (step.allow_failed_deps && ended == all) return true;
    switch (step.join.kind) {
        case core::JoinKind::All:
            return succeeded == all;
        case core::JoinKind::Any:
            return succeeded > 0;
        case core::JoinKind::Quorum:
            return succeeded >= step.join.quorum;
    }
    return false;
}

/// The state of a job that runs the hook with this number; empty: no such hook.
std::string state_for_hook(const core::Workflow& workflow, int number) {
    auto hook = static_cast<std::size_t>(number) - workflow.steps.size();
    if (hook < workflow.on_success.size()) return "COMPLETED";
    hook -= workflow.on_success.size();
    if (hook < workflow.on_failure.size()) return "FAILED";
    hook -= workflow.on_failure.size();
    return hook < workflow.on_cancel.size() ? "CANCELLED" : "";
}

std::size_t hooks_for(const core::Workflow& workflow, const std::string& state) {
    if (state == "COMPLETED") return workflow.on_success.size();
    return state == "FAILED" ? workflow.on_failure.size() : workflow.on_cancel.size();
}

}  // namespace

const core::Workflow* JobCheck::workflow_of(const JobSight& job) {
    const TrueJob* known = world_.ledger.find_job(job.root);
    if (known == nullptr) known = witness_.schedules.find_job_of_slot(job.root);
    if (known == nullptr) return nullptr;
    const auto found = known->bundle.workflows.find(job.workflow);
    return found == known->bundle.workflows.end() ? nullptr : &found->second;
}

/// A step runs only when its join allows it, a hook only when its job has ended that way.
void JobCheck::step_begins(const Uuid& task) {
    const auto step = reader_.step_of(task);
    if (!step) return;
    const auto jobs = reader_.jobs();
    const auto job = jobs.find(step->job);
    if (job == jobs.end())
        return witness_.complain("Jobs", concat(world_.ledger.name_of(task), " runs: a step whose job is gone"));
    const core::Workflow* workflow = workflow_of(job->second);
    if (workflow == nullptr) return witness_.complain("Jobs", "a job runs that nobody has started");
    const std::string name = concat("step ", step->number, " of ", world_.ledger.name_of_job(job->second.root));
    if (static_cast<std::size_t>(step->number) >= workflow->steps.size()) {
        if (state_for_hook(*workflow, step->number) != job->second.state)
            witness_.complain("Hooks", concat(name, " runs, and its job is ", job->second.state));
        return;
    }
    const core::WorkflowStep& definition = workflow->steps[static_cast<std::size_t>(step->number)];
    const auto states = reader_.step_states(step->job);
    int succeeded = 0, ended = 0;
    for (const std::string& dependency : definition.depends_on) {
        const auto found = states.find(number_of_step(*workflow, dependency));
        if (found == states.end()) continue;
        if (found->second == "COMPLETED") ++succeeded;
        if (has_ended(found->second)) ++ended;
    }
    if (!join_allows(definition, succeeded, ended))
        witness_.complain("Joins", concat(name, " runs, with ", succeeded, " of ", definition.depends_on.size(),
                                          " dependencies COMPLETED"));
}

void JobCheck::look_at_everything(const std::set<Uuid>& tasks) {
    check_origin(tasks);
    check_jobs();
    check_steps();
}

void JobCheck::check_jobs() {
    const auto jobs = reader_.jobs();
    for (const auto& [id, sight] : jobs) check_job(id, sight);
    for (const auto& [id, sight] : jobs_)
        if (!jobs.contains(id) && pruned_jobs_.insert(id).second) {
            if (!sight.has_ended())
                witness_.complain("P1", concat(world_.ledger.name_of_job(id), " has not ended, and is gone"));
            check_pruned_tree(world_.ledger.name_of_job(id), sight.root);
        }
    for (auto& [id, job] : world_.ledger.jobs()) {
        if (jobs_.contains(id)) continue;
        if (job.acknowledged || job.in_store) witness_.complain("P1", concat(job.name, " was accepted, and is gone"));
    }
}

void JobCheck::check_job(const Uuid& id, const JobSight& sight) {
    if (TrueJob* known = world_.ledger.find_job(id)) known->in_store = true;
    const std::string name = world_.ledger.name_of_job(id);
    if (pruned_jobs_.contains(id))
        witness_.complain("P5", concat(name, " had ended and was removed, and is there again"));
    const JobSight earlier = std::exchange(jobs_[id], sight);
    if (earlier.has_ended() && earlier.state != sight.state)
        witness_.complain("P5", concat(name, " was ", earlier.state, ", and is ", sight.state));
    if (!sight.has_ended() || earlier.has_ended()) return;
    const core::Workflow* workflow = workflow_of(sight);
    if (workflow == nullptr) return;
    const std::size_t fired = reader_.hooks_fired(id, static_cast<int>(workflow->steps.size()));
    if (fired != hooks_for(*workflow, sight.state))
        witness_.complain("Hooks", concat(name, " is ", sight.state, ", and ", fired, " hooks were fired instead of ",
                                          hooks_for(*workflow, sight.state)));
}

/// A step that has ended stays as it was until it is removed with its job.
void JobCheck::check_steps() {
    const auto states = reader_.all_step_states();
    for (const auto& [step, state] : ended_steps_) {
        const std::string name =
            concat("step ", step.number, " (item ", step.item, ") of ", world_.ledger.name_of_job(step.job));
        const auto now = states.find(step);
        if (now == states.end()) {
            const auto job = jobs_.find(step.job);
            check_pruned_tree(name, job == jobs_.end() ? step.job : job->second.root);
        } else if (now->second != state) {
            witness_.complain("P5", concat(name, " was ", state, ", and is ", now->second));
        }
    }
    std::erase_if(ended_steps_, [&](const auto& each) { return !states.contains(each.first); });
    for (const auto& [step, state] : states)
        if (has_ended(state)) ended_steps_.emplace(step, state);
}

std::size_t JobCheck::went_back(bool at_its_place) {
    const auto jobs = reader_.jobs();
    // Removed jobs stay removed, unless the store went back behind their removal.
    std::erase_if(jobs_,
                  [&](const auto& each) { return !jobs.contains(each.first) && !pruned_jobs_.contains(each.first); });
    for (const auto& [id, sight] : jobs) jobs_[id] = sight;
    std::erase_if(pruned_jobs_, [&](const Uuid& id) { return jobs.contains(id); });
    const std::map<Uuid, Uuid> of_steps = reader_.tasks_of_steps();
    std::erase_if(roots_, [&](const auto& each) {
        return !of_steps.contains(each.first) && !pruned_jobs_.contains(each.second);
    });
    roots_.insert(of_steps.begin(), of_steps.end());
    ended_steps_.clear();
    for (const auto& [step, state] : reader_.all_step_states())
        if (has_ended(state)) ended_steps_.emplace(step, state);
    std::size_t lost = 0;
    for (auto& [id, job] : world_.ledger.jobs()) {
        if (jobs_.contains(id)) continue;
        witness_.submits.lost(id, job.name, job.acknowledged ? job.acknowledged_to : "", !at_its_place);
        if (std::exchange(job.acknowledged, false)) ++lost;
        job.in_store = false;
    }
    return lost;
}

/// A tree is removed as a whole, its root last, once the root has ended long enough ago.
void JobCheck::check_pruned_tree(const std::string& name, const Uuid& root) {
    const auto job = jobs_.find(root);
    if (job == jobs_.end() || !job->second.has_ended())
        return witness_.complain(
            "P1", concat(name, " was removed, and ", world_.ledger.name_of_job(root), " has not ended"));
    witness_.check_age(name, job->second.finished_at);
}

/// Every task comes from a client or from a step.
void JobCheck::check_origin(const std::set<Uuid>& tasks) {
    const std::map<Uuid, Uuid> of_steps = reader_.tasks_of_steps();
    roots_.insert(of_steps.begin(), of_steps.end());
    for (const Uuid& task : tasks)
        if (world_.ledger.find(task) == nullptr && !of_steps.contains(task))
            witness_.complain("Jobs", concat("task ", task.to_string(), " was made by nobody"));
}

/// Orders to many tasks take several transactions, so some tasks may lack theirs. Every other repair shows a bug.
void JobCheck::repaired(const Process& process, const store::RepairAnswer& answer) {
    if (answer.total() == answer.steered && answer.poison.empty()) return;
    witness_.complain(
        "Jobs advance by themselves",
        concat(process.name(), " had to repair: ", answer.replayed, " replayed, ", answer.resolved, " resolved, ",
               answer.dispatched, " dispatched, ", answer.children, " children, ", answer.completed, " completed, ",
               answer.steered, " steered, ", answer.poison.size(), " not repairable"));
}

}  // namespace holdfast::sim
