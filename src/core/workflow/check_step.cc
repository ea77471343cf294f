#include "base/text.h"
#include "core/json_text.h"
#include "core/task/task_options.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

constexpr Duration longest_wait = std::chrono::hours(24 * 3650);

constexpr auto described_kinds = [] {
    using enum StepKind;
    return words<StepKind>(
        {{Task, "a task"}, {Workflow, "a child workflow"}, {Approval, "an approval"}, {Wait, "a wait"}});
}();

bool has_expression(std::string_view text) {
    return text.find("{{") != std::string_view::npos;
}

SubmitOptions options_of(const WorkflowStep& step) {
    SubmitOptions options{.queue = step.queue, .priority = step.priority, .tags = step.tags, .policy = step.policy};
    if (!step.concurrency_key.empty() || step.concurrency_limit != ConcurrencyKey{}.limit)
        options.concurrency = {.key = step.concurrency_key, .limit = step.concurrency_limit};
    return options;
}

class StepCheck {
public:
    StepCheck(const StepPlace& place, FaultList& faults) : step_(place.step), path_(place.path), faults_(faults) {}

    void run() {
        check_kind();
        check_for_each();
        if (step_.kind == StepKind::Task)
            check_task();
        else
            refuse_task_members();
        check_options();
    }

private:
    void complain(std::string_view member, std::string problem) {
        faults_.add(concat(path_, '.', member), std::move(problem));
    }

    /// Requires a member for one kind of step, and refuses it for all others.
    void need(std::string_view member, StepKind kind, bool is_there) {
        if (step_.kind == kind && !is_there) complain(member, "is missing");
        if (step_.kind != kind) refuse(member, is_there);
    }

    void refuse(std::string_view member, bool is_there) {
        if (is_there) complain(member, concat("has no meaning for ", text_in(described_kinds, step_.kind)));
    }

    void check_kind() {
        const bool has_wait = !step_.wait_for.empty() || !step_.wait_until.empty();
        const bool takes_input = step_.kind == StepKind::Task || step_.kind == StepKind::Workflow;
        need("task", StepKind::Task, !step_.task.empty());
        need("workflow", StepKind::Workflow, !step_.workflow.empty());
        need("approval", StepKind::Approval, !step_.message.empty());
        need("wait", StepKind::Wait, has_wait);
        refuse("input", !takes_input && !step_.input.is_null());
        refuse("for_each", !takes_input && step_.for_each.has_value());
        if (step_.kind == StepKind::Wait) check_wait();
    }

    void check_wait() {
        if (!step_.wait_for.empty() && !step_.wait_until.empty())
            return complain("wait", "has a duration and a time; give one of them");
        if (!step_.wait_for.empty() && !has_expression(step_.wait_for)) {
            const auto duration = parse_duration(step_.wait_for, std::chrono::seconds(1));
            if (!duration || *duration > longest_wait)
                complain("wait", concat("is not a duration such as 10m, or exceeds ", format_duration(longest_wait),
                                        ": ", in_quotes(step_.wait_for)));
        }
        if (!step_.wait_until.empty() && !has_expression(step_.wait_until) && !parse_timestamp(step_.wait_until))
            complain("wait.until",
                     concat("is not a time such as 2026-11-15T08:30:00Z: ", in_quotes(step_.wait_until)));
    }

    void check_for_each() {
        if (!step_.for_each) {
            if (step_.parallel != 0) complain("parallel", "has no meaning without for_each");
            if (step_.sequential) complain("sequential", "has no meaning without for_each");
            return;
        }
        const nlohmann::json& items = *step_.for_each;
        if (!items.is_array() && !items.is_string())
            complain("for_each", "must be a list, or one expression {{ ... }}");
        if (items.is_array() && items.size() > max_for_each_items)
            complain("for_each",
                     concat("has ", items.size(), " items; at most ", max_for_each_items, " are allowed"));
        if (step_.parallel < 0 || step_.parallel > static_cast<int>(max_for_each_items))
            complain("parallel", concat("must be from 1 to ", max_for_each_items, ", not ", step_.parallel));
        if (step_.sequential && step_.parallel != 0) complain("parallel", "has no meaning for a sequential for_each");
    }

    void check_task() {
        check_name("task", step_.task);
        check_name("queue", step_.queue);
        for (const std::string& tag : step_.tags)
            if (const auto defect = name_defect(tag); defect && !text_defect(tag)) complain("tags", *defect);
        if (step_.concurrency_limit != 1 && step_.concurrency_key.empty())
            complain("concurrency_limit", "needs concurrency_key");
        check_spec();
    }

    void check_name(std::string_view member, const std::string& name) {
        if (name.size() > max_name_bytes) complain(member, concat("is longer than ", max_name_bytes, " bytes"));
        if (const auto defect = name_defect(name)) complain(member, *defect);
        if (name.empty() && member != "task") complain(member, "is empty");
    }

    void check_spec() {
        if (!step_.spec) {
            if (!step_.env.empty()) complain("env", "has no meaning for a function of an application");
            return;
        }
        for (const SpecDefect& defect : spec_defects(*step_.spec))
            complain(defect.member == "memory_bytes" ? "memory" : defect.member, defect.problem);
        if (step_.env.empty()) return;
        TaskSpec with_env = *step_.spec;
        with_env.env = step_.env;
        for (const SpecDefect& defect : spec_defects(with_env))
            if (defect.member == "env") complain("env", defect.problem);
    }

    /// Refuses the members of a task, except the timeout, which also bounds an approval and a child job.
    void refuse_task_members() {
        refuse("script", step_.spec.has_value());
        refuse("env", !step_.env.empty());
        const SubmitOptions options = options_of(step_), standard = options_of({});
        for (const TaskOption& option : task_options()) {
            const bool has_meaning = option.name == "timeout" && step_.kind != StepKind::Wait;
            refuse(option.name, !has_meaning && option.get(options) != option.get(standard));
        }
    }

    void check_options() {
        const SubmitOptions options = options_of(step_);
        for (const TaskOption& option : task_options()) {
            const std::string defect = option_defect(option, option.name, option.get(options));
            const std::size_t end = defect.find(' ');  // the first word is the member: "retry_delays[1] must be ..."
            if (!defect.empty()) complain(defect.substr(0, end), defect.substr(end + 1));
        }
    }

    const WorkflowStep& step_;
    const std::string& path_;
    FaultList& faults_;
};

}  // namespace

void check_step(const StepPlace& place, FaultList& faults) {
    StepCheck(place, faults).run();
}

}  // namespace holdfast::core
