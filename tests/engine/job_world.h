#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/workflow/workflow.h"
#include "tests/engine/recovery_world.h"

namespace holdfast::engine::testing {

/// A RecoveryWorld with jobs. Every step is a function task of its own name, unless its test says otherwise.
struct JobWorld : RecoveryWorld {
    using Change = std::function<void(core::WorkflowStep&)>;

    static core::WorkflowStep step(
        const std::string& name, const std::vector<std::string>& depends_on = {},
        const Change& change = [](core::WorkflowStep&) {});
    static core::Workflow workflow(const std::string& name, const std::vector<core::WorkflowStep>& steps);

    Uuid start(const core::Workflow& workflow, const std::vector<core::Workflow>& children = {});
    /// A worker that can run every step.
    Uuid add_hand(const std::string& name);
    /// Claims and starts everything there is, and finishes it with `null`.
    void run_all(const Uuid& worker);
    void finish(const Uuid& worker, const store::ClaimedTask& task);
    /// The worker is killed, and a sweep follows.
    RecoveryReport die(const Uuid& worker);

    [[nodiscard]] JobInfo job(const Uuid& id) { return *store->find_jobs({id}).front(); }
    [[nodiscard]] std::map<std::string, StepState> states(const Uuid& id);
    [[nodiscard]] StepInfo step_of(const Uuid& id, const std::string& name);
    [[nodiscard]] std::vector<std::string> job_event_kinds(const Uuid& id);
};

}  // namespace holdfast::engine::testing
