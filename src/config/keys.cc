#include "config/keys.h"

#include <chrono>

#include "core/task/task_options.h"

namespace holdfast::config {

namespace {

using namespace std::chrono_literals;
using core::InputField;
using core::KeyDeclaration;
using core::OptionAt;
using core::OptionOf;
using core::Range;
using core::ScheduleTiming;
using core::Workflow;
using core::WorkflowStep;

constexpr Duration year = 24h * 365;

/// A key without a value type; `form` describes the allowed content.
template <typename Target>
OptionOf<Target> formed(std::string_view name, std::string_view form, std::string_view example,
                        std::string_view meaning) {
    return {{.name = name, .example = example, .meaning = meaning, .form = form}};
}

template <typename Target>
OptionOf<Target> with_default(std::string fallback, OptionOf<Target> option) {
    option.fallback = std::move(fallback);
    return option;
}

template <auto Member>
constexpr OptionAt<decltype(core::class_of_member(Member)), Member> key_for{};

// ---- Tasks --------------------------------------------------------------------------------------------------------

/// The specification to write into. The reader refuses such keys for a function, which has none.
core::TaskSpec& spec_of(TaskDefinition& definition) {
    return definition.spec ? *definition.spec : definition.spec.emplace();
}

TaskKey key_of(const OptionOf<core::TaskSpec>& option) {
    TaskKey key{option, true};
    key.assign = [set = option.set](TaskDefinition& task, const Value& value) { set(spec_of(task), value); };
    if (key.name != "type") return key;
    key.of_spec = false;
    key.words.emplace_back("function");
    key.assign = [set = option.set](TaskDefinition& task, const Value& value) {
        if (std::get<std::string>(value) == "function")
            task.spec.reset();
        else
            set(spec_of(task), value);
    };
    return key;
}

TaskKey deadline_key() {
    const auto key =
        key_for<&TaskDefinition::deadline>("deadline", OptionType::Duration, {1ms, year}, "1h",
                                           "EXPIRED when the task has not started so long after it was submitted.");
    return {key, false, key.set};
}

TaskKey key_of(const core::TaskOption& option) {
    return {option, false,
            [set = option.set](TaskDefinition& task, const Value& value) { set(task.options, value); }};
}

}  // namespace

const std::vector<TaskKey>& task_keys() {
    static const std::vector<TaskKey> keys = [] {
        std::vector<TaskKey> all;
        for (const auto& option : core::spec_options()) all.push_back(key_of(option));
        all.push_back(deadline_key());
        for (const core::TaskOption& option : core::task_options()) all.push_back(key_of(option));
        return all;
    }();
    return keys;
}

// ---- Workflows ----------------------------------------------------------------------------------------------------

const std::vector<OptionOf<Workflow>>& workflow_keys() {
    using enum OptionType;
    static const std::vector<OptionOf<Workflow>> keys = {
        key_for<&Workflow::description>("description", Text, {}, "\"Every night: fetch, build, report\"",
                                        "What it is for, for people."),
        formed<Workflow>("input", "a mapping of names to their keys: {day: {type: text, required: true}}",
                         "{day: {type: text, required: true}}",
                         "The schema of the input. Without one, a job takes any object."),
        formed<Workflow>("steps", "a mapping of 1 to 20000 names to steps", "{fetch: {task: fetch}}",
                         "What a job does, in the order in which it is shown."),
        formed<Workflow>("output", "any value", "\"{{ steps.fetch.output }}\"",
                         "What a job gives. `{{ ... }}` in its texts is filled when all steps have ended. Without "
                         "it, the output of the only step that no other depends on, if there is only one."),
        key_for<&Workflow::timeout>("timeout", OptionType::Duration, {1ms, year}, "1h",
                                    "A job that has not ended so long after its start is cancelled."),
        key_for<&Workflow::queue_timeout>(
            "queue_timeout", OptionType::Duration, {1ms, year}, "10m",
            "A job none of whose steps has begun so long after it was accepted is cancelled."),
        key_for<&Workflow::on_error>(
            "on_error", Choice, {}, "pause",
            "What the failure of a step does. What does not depend on it still runs in any case; then the job is "
            "FAILED (`fail`) or COMPLETED all the same (`continue`). With `pause` the job is PAUSED at once, until a "
            "person resumes it; it is FAILED when no step is left to run."),
        formed<Workflow>(
            "success", "a list of lists of steps, or one list of steps", "[[fetch, report], [cached]]",
            "Cases: the job is COMPLETED if all steps of one of them are. Without it, if no step failed."),
        formed<Workflow>("optional", "a list of steps", "[notify]", "Steps whose failure is not the job's."),
        formed<Workflow>("hooks", "a mapping of on_success, on_error and on_cancel to one task or a list of tasks",
                         "{on_error: {task: notify}}",
                         "Tasks that run when a job has ended so. Without an `input` of its own, a hook is given the "
                         "job's summary."),
    };
    return keys;
}

const std::vector<OptionOf<WorkflowStep>>& step_keys() {
    using enum OptionType;
    const auto step = formed<WorkflowStep>;
    const Range items{1, static_cast<std::int64_t>(core::max_for_each_items)};
    static const std::vector<OptionOf<WorkflowStep>> keys = {
        step("task", "a name", "backup",
             "The task to run: one of the section `tasks`, of which every key may be overridden here, else a "
             "function of an application."),
        step("docker", "an image", "\"debian:12\"", "Short for `type: docker` and `image`."),
        step("workflow", "a name", "report", "The workflow to start as a child job; its output is the step's."),
        step("approval", "a text", "\"Release {{ input.day }}?\"",
             "Waits until a person approves or rejects. `{{ ... }}` is filled."),
        step("wait", "a duration, or {until: TIME}", "10m",
             "Waits so long, or until a time such as `2026-11-15T08:30:00Z`. `{{ ... }}` is filled."),
        step("input", "any value", "{day: \"{{ input.day }}\"}",
             "The arguments of the task, or the input of the child. `{{ ... }}` in its texts is filled. Without it: "
             "the item of a `for_each`, else null."),
        step("depends_on", "a list of steps, or one step", "[fetch]",
             "The steps that must have ended before it begins."),
        step("join", "all, any or {quorum: N}", "{quorum: 2}",
             "How many of them must have succeeded: all; any one of them; or N. It begins, or is skipped, as soon as "
             "that is certain."),
        key_for<&WorkflowStep::allow_failed_deps>(
            "allow_failed_deps", Boolean, {}, "true",
            "It is not skipped when its `join` is not met, but begins when all that it depends on has ended."),
        step("when", "one expression, with or without {{ }}", "\"{{ input.mode == 'full' }}\"",
             "It is skipped unless this is true."),
        step("for_each", "a list, or one expression {{ ... }}", "\"{{ steps.fetch.output.files }}\"",
             "Runs once for each item of a list of at most 10000, which is `item`, and its place from 0 `index`. The "
             "step's output is the list of theirs."),
        key_for<&WorkflowStep::parallel>("parallel", Count, items, "8",
                                         "How many items run at once; without it, all."),
        key_for<&WorkflowStep::sequential>(
            "sequential", Boolean, {}, "true",
            "The items run one after the other, and the first failure skips the rest."),
    };
    return keys;
}

const std::vector<OptionOf<InputField>>& input_keys() {
    using enum OptionType;
    static const std::vector<OptionOf<InputField>> keys = {
        key_for<&InputField::type>("type", Choice, {}, "text", "What its value must be."),
        key_for<&InputField::required>("required", Boolean, {}, "true", "A job cannot start without it."),
        formed<InputField>("default", "a value of its type", "full",
                           "Its value in a job that is started without it."),
        formed<InputField>("enum", "a list of values of its type", "[full, quick]", "The values that it may have."),
        key_for<&InputField::description>("description", Text, {}, "\"the day to fetch\"",
                                          "What it is for, for people."),
    };
    return keys;
}

// ---- Schedules, and concurrency keys ------------------------------------------------------------------------------

const std::vector<OptionOf<ScheduleTiming>>& schedule_keys() {
    using enum OptionType;
    const auto timing = formed<ScheduleTiming>;
    static const std::vector<OptionOf<ScheduleTiming>> keys = {
        timing("workflow", "a name", "nightly",
               "The workflow to start: one of the section `workflows`. This or `task`."),
        timing(
            "task", "a name", "ping",
            "The task to run, as a job of one step: one of the section `tasks`, else a function of an application."),
        timing("cron", "five fields, or a shorthand such as @daily; in quotes", "\"30 2 * * MON-FRI\"",
               "When, on the clocks of `zone`. This or `every`."),
        key_for<&ScheduleTiming::interval>("every", OptionType::Duration,
                                           {core::shortest_interval, core::longest_interval}, "15m",
                                           "When: so often."),
        with_default(ScheduleTiming{}.zone, timing("zone", "a name of the IANA database", "Europe/Berlin",
                                                   "Whose clocks a `cron` goes by.")),
        timing("input", "a mapping", "{mode: full}",
               "The input of the workflow, checked against its schema; or the arguments of the task."),
        key_for<&ScheduleTiming::overlap>("overlap", Choice, {}, "skip",
                                          "What a slot does while the job of an earlier slot has not ended: runs "
                                          "beside it, does not run, or cancels it."),
        key_for<&ScheduleTiming::catch_up>("catch_up", Count, {0, core::most_catch_up}, "0",
                                           "How many missed slots are made up for, the newest."),
        key_for<&ScheduleTiming::jitter>(
            "jitter", OptionType::Duration, {0s, core::longest_interval}, "30s",
            "How much later than its slot a job may begin; shorter than the time between two slots."),
    };
    return keys;
}

const std::vector<OptionOf<KeyDeclaration>>& key_keys() {
    using enum OptionType;
    static const std::vector<OptionOf<KeyDeclaration>> keys = {
        with_default("", key_for<&KeyDeclaration::limit>(
                             "limit", Count, find_option(core::task_options(), "concurrency_limit")->range, "2",
                             "How many tasks with the key run at once. Fixed: a submit that asks for another limit "
                             "does not change it.")),
        {{.name = "shared",
          .type = Boolean,
          .example = "true",
          .meaning =
              "The tasks of all queues share the key. This, or `queue`: without it a key belongs to one queue.",
          .fallback = "false"}},
        key_for<&KeyDeclaration::queue>("queue", Name, {}, "reports", "The queue that the key belongs to."),
    };
    return keys;
}

bool is_step_key_of_tasks(std::string_view name) {
    return name != "deadline" && find_option(task_keys(), name) != nullptr;
}

std::vector<std::string> all_step_key_names() {
    std::vector<std::string> names = names_of(step_keys());
    for (const TaskKey& key : task_keys())
        if (is_step_key_of_tasks(key.name)) names.emplace_back(key.name);
    return names;
}

}  // namespace holdfast::config
