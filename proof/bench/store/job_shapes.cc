#include "proof/bench/store/job_shapes.h"

#include "proof/bench/driver/queue_driver.h"

namespace holdfast::bench {

namespace {

core::WorkflowStep noop_step(std::size_t number) {
    core::WorkflowStep step;
    step.name = "s" + std::to_string(number);
    step.task = noop_name;
    step.input = nlohmann::json::parse(noop_args);
    return step;
}

}  // namespace

const char* to_text(JobShape shape) {
    switch (shape) {
        case JobShape::Independent:
            return "independent steps";
        case JobShape::Chain:
            return "chain";
        case JobShape::FanIn:
            return "fan-in";
    }
    return "";
}

std::string job_definition(JobShape shape, std::size_t steps, const std::string& last_args) {
    core::Workflow workflow;
    workflow.name = "bench";
    for (std::size_t number = 0; number < steps; ++number) {
        auto step = noop_step(number);
        if (shape == JobShape::Chain && number > 0) step.depends_on = {workflow.steps.back().name};
        workflow.steps.push_back(std::move(step));
    }
    if (shape == JobShape::FanIn) {
        auto last = noop_step(steps);
        last.input = nlohmann::json::parse(last_args);
        for (const auto& step : workflow.steps) last.depends_on.push_back(step.name);
        workflow.steps.push_back(std::move(last));
    }
    return core::to_json_text({workflow.name, {{workflow.name, workflow}}});
}

}  // namespace holdfast::bench
