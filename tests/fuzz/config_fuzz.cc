#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/text.h"
#include "config/config.h"
#include "core/calendar/schedule.h"
#include "core/task/task_options.h"
#include "core/workflow/plan.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::config;
using nlohmann::json;

/// A file without a disk.
class MemoryFile {
public:
    MemoryFile() : file_(memfd_create("fuzzed.yaml", 0)) { require(file_ >= 0); }
    [[nodiscard]] std::string path() const { return concat("/proc/self/fd/", file_); }
    void write(std::string_view bytes) const {
        require(ftruncate(file_, 0) == 0);
        require(pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    }

private:
    int file_;
};

void check_errors(const ConfigErrors& errors) {
    require(!errors.empty());
    for (const ConfigError& error : errors) {
        const std::string text = to_text(error);
        require(!text.empty() && !text_defect(text));
    }
}

void check_task(const TaskDefinition& task) {
    const auto policy = core::decode_policy(core::encode_policy(task.options.policy));
    require(policy.ok() && policy.value() == task.options.policy);
    if (task.spec) {
        const auto spec = core::parse_task_spec(to_json_text(*task.spec));
        require(spec.ok() && spec.value() == *task.spec);
    }
    for (const json& args : {json(nullptr), json::object(), json{{"db", "x"}, {"n", {1, 2}}}})
        if (const auto task_of_args = filled(task, args); !task_of_args.ok()) require(!task_of_args.error().empty());
}

void check_workflow(const std::string& name, const std::map<std::string, core::Workflow>& all) {
    require(all.at(name).name == name);
    require(workflow_faults(all.at(name), all).empty());
    require(core::plan_workflow(all.at(name)).ok());
    const core::WorkflowBundle bundle = core::bundle_of(name, all);
    const auto again = core::parse_workflow_bundle(to_json_text(bundle));
    require(again.ok() && again.value() == bundle);
}

void check_schedule(const Schedule& schedule) {
    require(timing_defect(schedule.timing).empty());
    const auto timing = core::parse_timing(to_json_text(schedule.timing));
    require(timing.ok() && timing.value() == schedule.timing);
    require(core::plan_bundle(schedule.definition).ok());
    require(json::accept(schedule.input));
}

void check_config(const Config& config) {
    require(!config.settings.empty());
    for (const auto& [name, task] : config.tasks) check_task(task);
    for (const auto& [name, workflow] : config.workflows) check_workflow(name, config.workflows);
    for (const Schedule& schedule : config.schedules) check_schedule(schedule);
}

void check_load(const LoadParams& params) {
    const auto config = load(params);
    config.ok() ? check_config(config.value()) : check_errors(config.error());
}

std::string defect_of_zone(const std::string& name) {
    return name == "UTC" || name == "Europe/Berlin" ? "" : "there is no such zone";
}

/// The same bytes as one value of every kind, in variables.
void check_environment(const std::string& value) {
    for (const char* variable : {"HOLDFAST_STORE", "HOLDFAST_STORE_MAX_PAYLOAD_BYTES", "HOLDFAST_WORKER_QUEUES",
                                 "HOLDFAST_WORKER_TASK_TIMEOUT", "HOLDFAST_WORKER_RUNNER_MEMORY_LIMIT",
                                 "HOLDFAST_RETENTION_HEARTBEAT_RETENTION_HOURS", "HOLDFAST_LOG_LEVEL"})
        check_load({.file = {}, .environment = {{variable, value}}, .flags = {}, .directory = "/nonexistent"});
}

}  // namespace

/// Any bytes as a configuration file and as a file of workflows: what is accepted is without fault and survives being
/// stored; what is not is complained about in texts that can be shown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const MemoryFile file;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    file.write(bytes);
    check_load({.file = file.path(), .environment = {}, .flags = {}, .zone_defect = defect_of_zone});
    if (const auto workflows = read_workflow_file(file.path(), {}); !workflows.ok())
        check_errors(workflows.error());
    else
        for (const auto& [name, workflow] : workflows.value()) check_workflow(name, workflows.value());
    if (size < 100 && bytes.find('\0') == std::string_view::npos) check_environment(std::string(bytes));
    return 0;
}
