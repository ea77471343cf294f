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
    if (auto state = parse_task_state(text)) return *state;
    contradicts_schema("task state", text);
}

core::LeaseEnd read_lease_end(std::string_view text) {
    using core::LeaseEnd;
    for (auto end : {LeaseEnd::Completed, LeaseEnd::Failed, LeaseEnd::Crashed, LeaseEnd::Stopped,
                     LeaseEnd::StoppedCleanly, LeaseEnd::Cancelled, LeaseEnd::NotStarted})
        if (core::to_text(end) == text) return end;
    contradicts_schema("end of a run", text);
}

WaitReason read_wait_reason(std::string_view text) {
    for (auto reason : {WaitReason::None, WaitReason::Future, WaitReason::Key, WaitReason::Overdue, WaitReason::Job})
        if (to_text(reason) == text) return reason;
    contradicts_schema("reason to wait", text);
}

WorkerStatus read_worker_status(std::string_view text) {
    for (auto status : {WorkerStatus::Active, WorkerStatus::Draining, WorkerStatus::Inactive})
        if (to_text(status) == text) return status;
    contradicts_schema("worker status", text);
}

Scope read_scope(std::string_view text) {
    if (auto scope = parse_scope(text)) return *scope;
    contradicts_schema("scope", text);
}

JobState read_job_state(std::string_view text) {
    if (auto state = parse_job_state(text)) return *state;
    contradicts_schema("job state", text);
}

StepState read_step_state(std::string_view text) {
    if (auto state = parse_step_state(text)) return *state;
    contradicts_schema("step state", text);
}

std::string_view to_text(StopReason reason) {
    switch (reason) {
        case StopReason::Cancel:
            return "cancel";
        case StopReason::Timeout:
            return "timeout";
    }
    HOLDFAST_ASSERT(false);
}

StopReason read_stop_reason(std::string_view text) {
    for (auto reason : {StopReason::Cancel, StopReason::Timeout})
        if (to_text(reason) == text) return reason;
    contradicts_schema("reason to stop", text);
}

}  // namespace holdfast::store
