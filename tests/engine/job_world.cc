#include "tests/engine/job_world.h"

namespace holdfast::engine::testing {

namespace {

const std::vector<std::string> all_tags = {"task:a", "task:b",    "task:c",   "task:d",
                                           "task:e", "task:hook", "task:last"};

}  // namespace

core::WorkflowStep JobWorld::step(const std::string& name, const std::vector<std::string>& depends_on,
                                  const Change& change) {
    core::WorkflowStep made;
    made.name = name;
    made.task = name;
    made.depends_on = depends_on;
    change(made);
    return made;
}

core::Workflow JobWorld::workflow(const std::string& name, const std::vector<core::WorkflowStep>& steps) {
    core::Workflow made;
    made.name = name;
    made.steps = steps;
    return made;
}

Uuid JobWorld::start(const core::Workflow& main, const std::vector<core::Workflow>& children) {
    std::map<std::string, core::Workflow> all{{main.name, main}};
    for (const auto& child : children) all[child.name] = child;
    for (const auto& [name, each] : all)
        for (const auto& fault : core::workflow_faults(each, all))
            ADD_FAILURE() << fault.path << ' ' << fault.problem;
    store::NewJob job;
    job.id = ids.make(clock.now(), random);
    job.definition = core::to_json_text(core::bundle_of(main.name, all));
    const auto outcome = store->start_jobs({job}).front();
    EXPECT_EQ(outcome.status, SubmitStatus::Accepted) << outcome.complaint;
    return job.id;
}

Uuid JobWorld::add_hand(const std::string& name) {
    return add_worker(name, all_tags);
}

void JobWorld::finish(const Uuid& worker, const store::ClaimedTask& task) {
    store::TurnParams params{.worker = worker};
    auto& run = params.finish.emplace_back();
    run.lease = {task.task.id, task.lease};
    run.result = "null";
    EXPECT_EQ(store->turn(params).finished.front().fenced, store::Fenced::Applied);
}

void JobWorld::run_all(const Uuid& worker) {
    for (auto tasks = claim(worker, 100); !tasks.empty(); tasks = claim(worker, 100))
        for (const auto& task : tasks) finish(worker, task);
}

RecoveryReport JobWorld::die(const Uuid& worker) {
    sweep();
    kill(worker);
    pass(seconds(1));
    return sweep();
}

std::map<std::string, StepState> JobWorld::states(const Uuid& id) {
    std::map<std::string, StepState> states;
    for (const auto& each : store->steps({.job = id})) states[each.name] = each.state;
    return states;
}

StepInfo JobWorld::step_of(const Uuid& id, const std::string& name) {
    for (const auto& each : store->steps({.job = id}))
        if (each.name == name) return each;
    ADD_FAILURE() << "no step " << name;
    return {};
}

std::vector<std::string> JobWorld::job_event_kinds(const Uuid& id) {
    std::vector<std::string> kinds;
    for (const auto& event : store->job_events({.job = id})) kinds.push_back(event.kind);
    return kinds;
}

}  // namespace holdfast::engine::testing
