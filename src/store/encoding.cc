#include "store/encoding.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::store {

namespace {

[[noreturn]] void contradicts_schema(std::string_view what, std::string_view text) {
    throw Unusable(
        concat("the database holds an unknown ", what, " '", text, "'; was it written by a newer holdfast?"));
}

nlohmann::json parsed(std::string_view json, std::string_view what) {
    auto value = nlohmann::json::parse(json, nullptr, false);
    if (!value.is_array()) contradicts_schema(what, json);
    return value;
}

template <Worded Enum>
Enum read_word(std::string_view what, std::string_view text) {
    if (const auto value = parse_word<Enum>(text)) return *value;
    contradicts_schema(what, text);
}

}  // namespace

std::string encode_strings(const std::vector<std::string>& strings) {
    return nlohmann::json(strings).dump();
}

std::vector<std::string> decode_strings(std::string_view json) {
    std::vector<std::string> strings;
    for (const auto& element : parsed(json, "list of strings")) {
        if (!element.is_string()) contradicts_schema("list of strings", json);
        strings.push_back(element.get<std::string>());
    }
    return strings;
}

std::string encode_held(const std::vector<HeldLease>& held) {
    auto list = nlohmann::json::array();
    for (const auto& lease : held)
        list.push_back({{"task", lease.lease.task.to_string()},
                        {"lease", lease.lease.lease},
                        {"running", lease.running},
                        {"pid", lease.runner_pid},
                        {"age_us", lease.runner_beat_age.count()}});
    return list.dump();
}

std::vector<HeldLease> decode_held(std::string_view json) try {
    std::vector<HeldLease> held;
    for (const auto& element : parsed(json, "list of leases")) {
        const auto task = Uuid::parse(element.at("task").get<std::string>());
        if (!task) contradicts_schema("list of leases", json);
        held.push_back({{*task, element.at("lease").get<Lease>()},
                        element.at("running").get<bool>(),
                        element.at("pid").get<int>(),
                        Duration(element.at("age_us").get<std::int64_t>())});
    }
    return held;
} catch (const nlohmann::json::exception&) {
    contradicts_schema("list of leases", json);
}

TaskState read_task_state(std::string_view text) {
    return read_word<TaskState>("task state", text);
}
core::LeaseEnd read_lease_end(std::string_view text) {
    return read_word<core::LeaseEnd>("end of a run", text);
}
WaitReason read_wait_reason(std::string_view text) {
    return read_word<WaitReason>("reason to wait", text);
}
WorkerStatus read_worker_status(std::string_view text) {
    return read_word<WorkerStatus>("worker status", text);
}
Scope read_scope(std::string_view text) {
    return read_word<Scope>("scope", text);
}
JobState read_job_state(std::string_view text) {
    return read_word<JobState>("job state", text);
}
StepState read_step_state(std::string_view text) {
    return read_word<StepState>("step state", text);
}
StopReason read_stop_reason(std::string_view text) {
    return read_word<StopReason>("reason to stop", text);
}

}  // namespace holdfast::store
