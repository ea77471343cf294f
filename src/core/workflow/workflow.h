#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/task_spec.h"
#include "holdfast/result.h"
#include "holdfast/task.h"

namespace holdfast::core {

enum class StepKind { Task, Workflow, Approval, Wait };
constexpr auto words_of(StepKind) {
    using enum StepKind;
    return words<StepKind>({{Task, "task"}, {Workflow, "workflow"}, {Approval, "approval"}, {Wait, "wait"}});
}

/// Decides when a step may begin while its dependencies end one after the other.
enum class JoinKind { All, Any, Quorum };
constexpr auto words_of(JoinKind) {
    return words<JoinKind>({{JoinKind::All, "all"}, {JoinKind::Any, "any"}, {JoinKind::Quorum, "quorum"}});
}
struct Join {
    JoinKind kind = JoinKind::All;
    int quorum = 0;  ///< of Quorum: how many dependencies must succeed

    friend bool operator==(const Join&, const Join&) = default;
};

/// The effect of a failed step on its job. Fail: the steps that can still run do so, then the job is FAILED.
enum class OnError { Fail, Pause, Continue };
constexpr auto words_of(OnError) {
    return words<OnError>({{OnError::Fail, "fail"}, {OnError::Pause, "pause"}, {OnError::Continue, "continue"}});
}

/// The default policy of a step: that of a task, but the treatment of a task without a matching worker stays open.
[[nodiscard]] inline TaskPolicy step_policy() {
    TaskPolicy policy;
    policy.unmatched = Unmatched::Auto;
    return policy;
}

/// A step as defined. These texts may hold `{{ ... }}`: `input`, `env`, `command` and `env` of `spec`, `message`,
/// `wait_for`, `wait_until`, `concurrency_key`, `for_each`. `when` is one expression.
struct WorkflowStep {
    std::string name = {};
    StepKind kind = StepKind::Task;

    std::string task = {};              ///< of Task: the task's name
    std::optional<TaskSpec> spec = {};  ///< of Task: what to execute; nullopt: a function of an application
    bool spec_reads_args = false;       ///< `{{ input.x }}` in `spec` means the task's arguments (a task of the
                                        ///< catalog), not the job's input (an inline one)
    std::map<std::string, std::string> env = {};  ///< of Task with a spec: overrides the spec's
    std::string workflow = {};                    ///< of Workflow: the child's name, in the same bundle
    std::string message = {};                     ///< of Approval
    std::string wait_for = {};                    ///< of Wait: a duration
    std::string wait_until = {};                  ///< of Wait: a time; one of the two is empty

    nlohmann::json input = nullptr;  ///< the task's arguments, the child's input
    std::vector<std::string> depends_on = {};
    Join join = {};
    bool allow_failed_deps = false;
    std::string when = {};                        ///< empty: always
    std::optional<nlohmann::json> for_each = {};  ///< a list, or a text that is one expression
    int parallel = 0;                             ///< items that run at once; 0: all
    bool sequential = false;                      ///< one item after the other; a failure skips the rest

    std::string queue = "default";
    int priority = 50;
    std::vector<std::string> tags = {};  ///< in addition to those that its kind needs
    TaskPolicy policy = step_policy();   ///< its timeout also bounds an approval and a child job
    std::string concurrency_key = {};    ///< empty: none
    int concurrency_limit = 1;
    bool key_reads_args = false;  ///< as spec_reads_args, for `concurrency_key`

    friend bool operator==(const WorkflowStep&, const WorkflowStep&) = default;
};

enum class InputType { Any, Text, Number, Integer, Boolean, List, Object };
constexpr auto words_of(InputType) {
    using enum InputType;
    return words<InputType>({{Any, "any"},
                             {Text, "text"},
                             {Number, "number"},
                             {Integer, "integer"},
                             {Boolean, "boolean"},
                             {List, "list"},
                             {Object, "object"}});
}

struct InputField {
    std::string name = {};
    InputType type = InputType::Any;
    bool required = false;
    std::optional<nlohmann::json> default_value = {};
    std::vector<nlohmann::json> allowed = {};  ///< `enum`; empty: all of its type
    std::string description = {};

    friend bool operator==(const InputField&, const InputField&) = default;
};

/// A workflow as defined in YAML or C++.
struct Workflow {
    std::string name = {};
    std::string description = {};
    std::vector<InputField> input = {};  ///< empty: any object
    std::vector<WorkflowStep> steps = {};
    nlohmann::json output =
        nullptr;  ///< with `{{ ... }}`; null: the output of the only last step, if there is only one
    std::optional<Duration> timeout = {};        ///< from its start
    std::optional<Duration> queue_timeout = {};  ///< until its start
    OnError on_error = OnError::Fail;
    std::vector<std::vector<std::string>> success =
        {};                                     ///< cases: COMPLETED if all steps of one are; empty: if none failed
    std::vector<std::string> optional = {};     ///< steps whose failure does not fail the job
    std::vector<WorkflowStep> on_success = {};  ///< hooks: steps of kind Task, without dependencies or conditions
    std::vector<WorkflowStep> on_failure = {};  ///< `hooks.on_error`
    std::vector<WorkflowStep> on_cancel = {};

    friend bool operator==(const Workflow&, const Workflow&) = default;
};

/// A workflow and every workflow that it starts, directly or indirectly. A job keeps its bundle, so later changes of
/// the files do not affect it.
struct WorkflowBundle {
    std::string main = {};
    std::map<std::string, Workflow> workflows = {};

    friend bool operator==(const WorkflowBundle&, const WorkflowBundle&) = default;
};

/// Returns the members of `all` that `main` needs. A missing child is left out; workflow_faults reports it.
[[nodiscard]] WorkflowBundle bundle_of(const std::string& main, const std::map<std::string, Workflow>& all);

/// A fault of a definition and its path: "steps.fetch.depends_on[1]", "output", "success[0][2]".
struct WorkflowFault {
    std::string path = {};
    std::string problem = {};  ///< a sentence without its subject's name: "names the step \"fetsh\", which does not
                               ///< exist; did you mean \"fetch\"?"

    friend bool operator==(const WorkflowFault&, const WorkflowFault&) = default;
};

/// The deepest allowed nesting of child jobs: the top-level job has depth 0.
inline constexpr int max_job_depth = 10;
inline constexpr std::size_t max_for_each_items = 10'000;
inline constexpr std::size_t max_workflow_steps = 20'000;

/// Checks a workflow and returns all of its faults: cycles (named), unknown and duplicate steps, quorums out of
/// reach, bad expressions, references to steps that are not upstream, missing and superfluous members, ranges, child
/// workflows that are unknown or nested too deep. `others` are the workflows that it may start. Empty when the
/// workflow is valid.
[[nodiscard]] std::vector<WorkflowFault> workflow_faults(const Workflow& workflow,
                                                         const std::map<std::string, Workflow>& others);

/// The bundle as JSON text; equal bundles have equal texts.
/// Returns the queues that its tasks go to, sorted: a job or schedule belongs to all of them.
[[nodiscard]] std::vector<std::string> queues_of(const WorkflowBundle& bundle);
/// Whether something that belongs to `queues` belongs to no others than `allowed`. What belongs to no queue at all
/// does not.
[[nodiscard]] bool belongs_to(const std::vector<std::string>& queues, const std::vector<std::string>& allowed);

[[nodiscard]] std::string to_json_text(const WorkflowBundle& bundle);
/// Parses text that to_json_text wrote.
[[nodiscard]] Result<WorkflowBundle, std::string> parse_workflow_bundle(std::string_view json);

/// Returns the input with the defaults filled in, or all of its faults, one line each.
[[nodiscard]] Result<nlohmann::json, std::vector<std::string>> checked_input(const Workflow& workflow,
                                                                             const nlohmann::json& input);
/// Does the same for JSON text that json_fault() has accepted; given values keep their exact spelling.
[[nodiscard]] Result<std::string, std::vector<std::string>> checked_input_text(const Workflow& workflow,
                                                                               std::string_view input);

// Error sentences for a workflow that could not be chosen. `where` names the place of the definitions:
// "holdfast.yaml".

/// The error for a name that is not defined there; suggests the nearest name.
[[nodiscard]] std::string unknown_workflow(const std::string& name, const std::map<std::string, Workflow>& known,
                                           std::string_view where);
/// The error for a missing name where the place does not define exactly one workflow.
[[nodiscard]] std::string unnamed_workflow(const std::map<std::string, Workflow>& known, std::string_view where);

}  // namespace holdfast::core
