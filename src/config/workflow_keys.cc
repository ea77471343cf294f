#include "config/workflow_keys.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "config/task_keys.h"
#include "config/values.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

namespace {

constexpr Field field(std::string_view name, FieldType type, std::string_view fallback, std::string_view meaning,
                      std::string_view example) {
    return {.section = "workflows",
            .name = name,
            .type = type,
            .fallback = fallback,
            .meaning = meaning,
            .source = {},
            .example = example};
}

constexpr WorkflowKey typed(std::string_view name, FieldType type, std::string_view fallback,
                            std::string_view meaning, std::string_view example) {
    return {field(name, type, fallback, meaning, example)};
}

constexpr WorkflowKey formed(std::string_view name, std::string_view form, std::string_view meaning,
                             std::string_view example) {
    return {field(name, FieldType::Text, "", meaning, example), form};
}

constexpr WorkflowKey ranged(WorkflowKey key, std::int64_t least, std::int64_t most) {
    key.field.least = least;
    key.field.most = most;
    return key;
}

constexpr WorkflowKey choice(std::string_view name, std::string_view words, std::string_view fallback,
                             std::string_view meaning, std::string_view example) {
    WorkflowKey key = typed(name, FieldType::Choice, fallback, meaning, example);
    key.field.words = words;
    return key;
}

constexpr std::int64_t shortest = Duration(std::chrono::milliseconds(1)).count();
constexpr std::int64_t longest = Duration(std::chrono::hours(24 * 365)).count();

constexpr std::array of_workflows = {
    typed("description", FieldType::Text, "", "What it is for, for people.", "\"Every night: fetch, build, report\""),
    formed("input", "a mapping of names to their keys: {day: {type: text, required: true}}",
           "The schema of the input. Without one, a job takes any object.", "{day: {type: text, required: true}}"),
    formed("steps", "a mapping of 1 to 20000 names to steps", "What a job does, in the order in which it is shown.",
           "{fetch: {task: fetch}}"),
    formed(
        "output", "any value",
        "What a job gives. `{{ ... }}` in its texts is filled when all steps have ended. Without it, the output of "
        "the only step that no other depends on, if there is only one.",
        "\"{{ steps.fetch.output }}\""),
    ranged(typed("timeout", FieldType::Length, "", "A job that has not ended so long after its start is cancelled.",
                 "1h"),
           shortest, longest),
    ranged(typed("queue_timeout", FieldType::Length, "",
                 "A job none of whose steps has begun so long after it was accepted is cancelled.", "10m"),
           shortest, longest),
    choice(
        "on_error", "fail, pause, continue", "fail",
        "What the failure of a step does. What does not depend on it still runs in any case; then the job is FAILED "
        "(`fail`) or COMPLETED all the same (`continue`). With `pause` the job is PAUSED at once, until a person "
        "resumes it; it is FAILED when no step is left to run.",
        "pause"),
    formed("success", "a list of lists of steps, or one list of steps",
           "Cases: the job is COMPLETED if all steps of one of them are. Without it, if no step failed.",
           "[[fetch, report], [cached]]"),
    formed("optional", "a list of steps", "Steps whose failure is not the job's.", "[notify]"),
    formed(
        "hooks", "a mapping of on_success, on_error and on_cancel to one task or a list of tasks",
        "Tasks that run when a job has ended so. Without an `input` of its own, a hook is given the job's summary.",
        "{on_error: {task: notify}}"),
};

constexpr std::array of_steps = {
    formed(
        "task", "a name",
        "The task to run: one of the section `tasks`, of which every key may be overridden here, else a function of "
        "an application.",
        "backup"),
    formed("docker", "an image", "Short for `type: docker` and `image`.", "\"debian:12\""),
    formed("workflow", "a name", "The workflow to start as a child job; its output is the step's.", "report"),
    formed("approval", "a text", "Waits until a person approves or rejects. `{{ ... }}` is filled.",
           "\"Release {{ input.day }}?\""),
    formed("wait", "a duration, or {until: TIME}",
           "Waits so long, or until a time such as `2026-11-15T08:30:00Z`. `{{ ... }}` is filled.", "10m"),
    formed(
        "input", "any value",
        "The arguments of the task, or the input of the child. `{{ ... }}` in its texts is filled. Without it: the "
        "item of a `for_each`, else null.",
        "{day: \"{{ input.day }}\"}"),
    formed("depends_on", "a list of steps, or one step", "The steps that must have ended before it begins.",
           "[fetch]"),
    formed(
        "join", "all, any or {quorum: N}",
        "How many of them must have succeeded: all; any one of them; or N. It begins, or is skipped, as soon as that "
        "is certain.",
        "{quorum: 2}"),
    typed("allow_failed_deps", FieldType::Boolean, "false",
          "It is not skipped when its `join` is not met, but begins when all that it depends on has ended.", "true"),
    formed("when", "one expression, with or without {{ }}", "It is skipped unless this is true.",
           "\"{{ input.mode == 'full' }}\""),
    formed("for_each", "a list, or one expression {{ ... }}",
           "Runs once for each item of a list of at most 10000, which is `item`, and its place from 0 `index`. The "
           "step's output is the list of theirs.",
           "\"{{ steps.fetch.output.files }}\""),
    ranged(typed("parallel", FieldType::Count, "", "How many items run at once; without it, all.", "8"), 1,
           static_cast<std::int64_t>(core::max_for_each_items)),
    typed("sequential", FieldType::Boolean, "false",
          "The items run one after the other, and the first failure skips the rest.", "true"),
};

constexpr std::array of_input = {
    choice("type", "any, text, number, integer, boolean, list, object", "any", "What its value must be.", "text"),
    typed("required", FieldType::Boolean, "false", "A job cannot start without it.", "true"),
    formed("default", "a value of its type", "Its value in a job that is started without it.", "full"),
    formed("enum", "a list of values of its type", "The values that it may have.", "[full, quick]"),
    typed("description", FieldType::Text, "", "What it is for, for people.", "\"the day to fetch\""),
};

}  // namespace

std::string WorkflowKey::allowed() const {
    return form.empty() ? allowed_values(field) : std::string(form);
}

std::span<const WorkflowKey> workflow_keys() {
    return of_workflows;
}
std::span<const WorkflowKey> step_keys() {
    return of_steps;
}
std::span<const WorkflowKey> input_keys() {
    return of_input;
}

const WorkflowKey* find_key(std::span<const WorkflowKey> keys, std::string_view name) {
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.field.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const WorkflowKey> keys) {
    std::vector<std::string> names;
    for (const WorkflowKey& key : keys) names.emplace_back(key.field.name);
    return names;
}

bool is_step_key_of_tasks(std::string_view name) {
    return find_task_key(name) != nullptr && name != "deadline";
}

std::vector<std::string> all_step_key_names() {
    std::vector<std::string> names = names_of(step_keys());
    for (const TaskKey& key : task_keys())
        if (is_step_key_of_tasks(key.field.name)) names.emplace_back(key.field.name);
    return names;
}

}  // namespace holdfast::config
