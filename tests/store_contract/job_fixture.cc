#include "store_contract/job_fixture.h"

#include "base/text.h"

namespace holdfast::contract {

core::WorkflowStep a_step(std::string name, std::vector<std::string> depends_on) {
    core::WorkflowStep step;
    step.name = std::move(name);
    step.task = "work";
    step.depends_on = std::move(depends_on);
    return step;
}

core::WorkflowStep child_step(std::string name, std::string workflow, std::vector<std::string> depends_on) {
    auto step = a_step(std::move(name), std::move(depends_on));
    step.kind = core::StepKind::Workflow;
    step.task.clear();
    step.workflow = std::move(workflow);
    return step;
}

core::WorkflowStep approval_step(std::string name, std::string message) {
    auto step = a_step(std::move(name));
    step.kind = core::StepKind::Approval;
    step.task.clear();
    step.message = std::move(message);
    return step;
}

core::WorkflowStep wait_step(std::string name, std::string length) {
    auto step = a_step(std::move(name));
    step.kind = core::StepKind::Wait;
    step.task.clear();
    step.wait_for = std::move(length);
    return step;
}

core::WorkflowStep for_each_step(std::string name, nlohmann::json list) {
    auto step = a_step(std::move(name));
    step.for_each = std::move(list);
    return step;
}

core::Workflow a_flow(std::vector<core::WorkflowStep> steps, std::string name) {
    core::Workflow flow;
    flow.name = std::move(name);
    flow.steps = std::move(steps);
    return flow;
}

store::NewJob a_job(Timestamp now, const std::vector<core::Workflow>& flows, std::string input) {
    std::map<std::string, core::Workflow> all;
    for (const auto& flow : flows) all[flow.name] = flow;
    store::NewJob job;
    job.id = new_task_id(now);
    job.definition = core::to_json_text(core::bundle_of(flows.front().name, all));
    job.input = std::move(input);
    job.who = "ann";
    return job;
}

void JobContract::SetUp() {
    StoreContract::SetUp();
    jobs = store.get();
    worker = join(*store, a_worker({"default"}, {"task:work"}));
}

Uuid JobContract::start(const std::vector<core::Workflow>& flows, std::string input) {
    const auto job = a_job(clock.now(), flows, std::move(input));
    const auto outcome = jobs->start_jobs({job}).at(0);
    EXPECT_EQ(outcome.status, store::SubmitStatus::Accepted) << outcome.complaint;
    return job.id;
}

StepInfo JobContract::step(const Uuid& job, const std::string& name) {
    for (const auto& found : jobs->steps({.job = job}))
        if (found.name == name) return found;
    ADD_FAILURE() << "no step " << name;
    return {};
}

std::string JobContract::states(const Uuid& job) {
    std::vector<std::string> words;
    for (const auto& found : jobs->steps({.job = job, .with_items = false}))
        words.push_back(concat(found.name, "=", to_text(found.state)));
    return holdfast::join(words, " ");
}

std::vector<std::string> JobContract::kinds_of_events(const Uuid& job) {
    std::vector<std::string> kinds;
    for (const auto& event : jobs->job_events({.job = job})) kinds.push_back(event.kind);
    return kinds;
}

void JobContract::claim_all() {
    for (auto& task : claim_fully(*store, worker, 1000)) claimed_tasks[task.task.id] = task;
}

store::ClaimedTask JobContract::claimed(const Uuid& job, const std::string& name) {
    const Uuid task = step(job, name).task;
    if (!claimed_tasks.contains(task)) claim_all();
    EXPECT_TRUE(claimed_tasks.contains(task)) << "the task of " << name << " cannot be claimed";
    return claimed_tasks[task];
}

bool JobContract::can_be_claimed(const Uuid& job, const std::string& name) {
    claim_all();
    return claimed_tasks.contains(step(job, name).task);
}

store::TaskLease JobContract::running(const Uuid& job, const std::string& name) {
    return lease_of(claimed(job, name));
}

void JobContract::complete(const Uuid& job, const std::string& name, std::string result) {
    const auto lease = running(job, name);
    EXPECT_EQ(finish(*store, worker, completed(lease, std::move(result))).fenced, store::Fenced::Applied) << name;
    claimed_tasks.erase(lease.task);
}

void JobContract::fail(const Uuid& job, const std::string& name, std::string code) {
    const auto lease = running(job, name);
    EXPECT_EQ(finish(*store, worker, failed(lease, std::move(code))).fenced, store::Fenced::Applied) << name;
    claimed_tasks.erase(lease.task);
}

}  // namespace holdfast::contract
