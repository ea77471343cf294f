#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "core/calendar/schedule.h"
#include "core/task/task_options.h"
#include "core/task/task_spec.h"
#include "core/workflow/plan.h"
#include "core/workflow/workflow.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::core;
using nlohmann::json;

/// What is read is written as a text that means the same; what is not, is complained about in a sentence.
template <typename Read, typename Write>
void check_round_trip(std::string_view text, Read read, Write write) {
    const auto value = read(text);
    if (!value.ok()) return require(!value.error().empty() && !text_defect(value.error()));
    const auto again = read(write(value.value()));
    require(again.ok() && again.value() == value.value());
}

void check_bundle(std::string_view text) {
    const auto bundle = parse_workflow_bundle(text);
    if (!bundle.ok()) return;
    for (const auto& [name, workflow] : bundle->workflows) {
        const auto faults = workflow_faults(workflow, bundle->workflows);
        for (const WorkflowFault& fault : faults) require(!fault.problem.empty());
        if (faults.empty()) require(plan_workflow(workflow).ok());
    }
    (void)plan_bundle(text);
}

Workflow workflow_with_every_type() {
    Workflow workflow{.name = "w"};
    const auto add = [&](const char* name, InputType type) {
        workflow.input.push_back({.name = name, .type = type});
    };
    add("any", InputType::Any);
    add("text", InputType::Text);
    add("number", InputType::Number);
    add("integer", InputType::Integer);
    add("boolean", InputType::Boolean);
    add("list", InputType::List);
    add("object", InputType::Object);
    workflow.input.push_back({.name = "mode", .default_value = "full", .allowed = {"full", 7, 1.5}});
    return workflow;
}

void check_input(std::string_view text) {
    static const Workflow workflow = workflow_with_every_type();
    const json input = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (input.is_discarded()) return;
    const auto checked = checked_input(workflow, input);
    if (!checked.ok()) return require(!checked.error().empty());
    const auto again = checked_input(workflow, checked.value());
    require(again.ok() && again.value() == checked.value());
}

}  // namespace

/// Any bytes in the place of the JSON that a store holds, and that people may have written into it by hand.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_round_trip(text, decode_policy, encode_policy);
    check_round_trip(text, parse_task_spec, [](const TaskSpec& spec) { return to_json_text(spec); });
    check_round_trip(text, parse_timing, [](const ScheduleTiming& timing) { return to_json_text(timing); });
    check_round_trip(text, parse_workflow_bundle, [](const WorkflowBundle& bundle) { return to_json_text(bundle); });
    check_bundle(text);
    check_input(text);
    return 0;
}
