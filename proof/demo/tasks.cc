#include "proof/demo/tasks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/task/task_spec.h"
#include "platform/task_ids.h"

namespace holdfast::proof {

namespace {

constexpr int all_tasks = 50;
constexpr int holding_tasks = static_cast<int>(demo_slots * demo_workers);

// A line as crew::to_text makes it: appended in one write, also while other runs append.
constexpr auto script = R"sh(set -e
note() {
    printf '\n%s %s %s %s %s %s %s000000.' \
        "$1" "$HOLDFAST_TASK_ID" "$HOLDFAST_LEASE" "$HOLDFAST_ATTEMPT" "$HOLDFAST_WORKER" $$ "$(date +%s)" >> "$LEDGER"
    sync "$LEDGER"
}
note begin
while [ -n "$GATE" ] && [ ! -e "$GATE" ]; do sleep 0.1; done
sleep "$WORK_SECONDS"
note done
echo "{\"lease\": $HOLDFAST_LEASE}" > "$HOLDFAST_RESULT"
)sh";

core::TaskSpec spec_of(const DemoTask& task, const DemoPlace& place) {
    core::TaskSpec spec;
    spec.script = script;
    spec.env = {{"LEDGER", place.ledger().path()},
                {"GATE", task.holds ? place.gate(task.number) : ""},
                {"WORK_SECONDS", task.holds ? "0.3" : fmt::format("1.{}", task.number % 10)}};
    return spec;
}

DemoTask demo_task(int number, const DemoPlace& place) {
    DemoTask made{.number = number, .holds = number <= holding_tasks, .task = {}};
    const bool is_charge = number % 2 == 0;
    const core::TaskSpec spec = spec_of(made, place);
    made.task.id = platform::new_task_id();
    made.task.name = is_charge ? "charge" : "resize";
    made.task.args = nlohmann::json({{"number", number}}).dump();
    made.task.spec = core::to_json_text(spec);
    made.task.tags = core::required_tags(spec);
    made.task.priority = made.holds ? 10 : 50;
    made.task.policy.on_crash = is_charge ? OnCrash::Fail : OnCrash::Requeue;
    return made;
}

}  // namespace

std::string DemoTask::label() const {
    return fmt::format("{} {:02}", task.name, number);
}

std::vector<DemoTask> fifty_tasks(const DemoPlace& place) {
    std::vector<DemoTask> tasks;
    for (int number = 1; number <= all_tasks; ++number) tasks.push_back(demo_task(number, place));
    return tasks;
}

}  // namespace holdfast::proof
