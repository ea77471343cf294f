#include "proof/demo/tasks.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/task/task_spec.h"
#include "platform/task_ids.h"

namespace holdfast::proof {

namespace {

constexpr int all_tasks = 50;
constexpr int holding_tasks = static_cast<int>(demo_slots * demo_workers);

// Lines this short are appended whole, whoever else appends.
constexpr auto script = R"(set -e
note() {
    echo "$1 $HOLDFAST_TASK_ID $HOLDFAST_LEASE $HOLDFAST_ATTEMPT" >> "$LEDGER"
    sync "$LEDGER"
}
note begin
while [ -n "$GATE" ] && [ ! -e "$GATE" ]; do sleep 0.1; done
sleep "$WORK_SECONDS"
note end
echo "{\"lease\": $HOLDFAST_LEASE}" > "$HOLDFAST_RESULT"
)";

core::TaskSpec spec_of(const DemoTask& task, const DemoPlace& place) {
    core::TaskSpec spec;
    spec.script = script;
    spec.env = {{"LEDGER", place.ledger()},
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

std::vector<DemoLedgerLine> read_demo_ledger(const std::string& path) {
    std::vector<DemoLedgerLine> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line) && !file.eof();) {
        std::istringstream words(line);
        std::string what, task;
        DemoLedgerLine read;
        words >> what >> task >> read.lease;
        const auto id = Uuid::parse(task);
        if (!words || !id) continue;
        read.is_end = what == "end";
        read.task = *id;
        lines.push_back(read);
    }
    return lines;
}

}  // namespace holdfast::proof
