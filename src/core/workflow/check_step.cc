#include "base/name.h"
#include "base/text.h"
#include "core/in_quotes.h"
#include "core/task/policy_text.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

constexpr std::size_t max_stored_name_bytes = 255;  // as the stores take them
constexpr std::size_t max_tags = 60;
constexpr int max_concurrency = 10'000;
constexpr Duration longest_wait = std::chrono::hours(24 * 3650);

std::string_view described(StepKind kind) {
    switch (kind) {
        case StepKind::Task:
            return "a task";
        case StepKind::Workflow:
            return "a child workflow";
        case StepKind::Approval:
            return "an approval";
        case StepKind::Wait:
            return "a wait";
    }
    return "";
}

bool has_expression(std::string_view text) {
    return text.find("{{") != std::string_view::npos;
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
        check_policy();
    }

private:
    void complain(std::string_view member, std::string problem) {
        faults_.add(concat(path_, '.', member), std::move(problem));
    }

    /// A member that must be there for one kind of step, and must not for all others.
    void need(std::string_view member, StepKind kind, bool is_there) {
        if (step_.kind == kind && !is_there) complain(member, "is missing");
        if (step_.kind != kind) refuse(member, is_there);
    }

    void refuse(std::string_view member, bool is_there) {
        if (is_there) complain(member, concat("has no meaning for ", described(step_.kind)));
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
            const auto length = parse_duration(step_.wait_for, std::chrono::seconds(1));
            if (!length || *length > longest_wait)
                complain("wait", concat("is no duration of at most ", format_duration(longest_wait),
                                        ", such as 10m: ", in_quotes(step_.wait_for)));
        }
        if (!step_.wait_until.empty() && !has_expression(step_.wait_until) && !parse_timestamp(step_.wait_until))
            complain("wait.until", concat("is no time, such as 2026-11-15T08:30:00Z: ", in_quotes(step_.wait_until)));
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
        if (step_.priority < 1 || step_.priority > 100)
            complain("priority", concat("must be from 1 to 100, not ", step_.priority));
        if (step_.tags.size() > max_tags)
            complain("tags", concat("are ", step_.tags.size(), "; at most ", max_tags, " are allowed"));
        for (const std::string& tag : step_.tags) check_name("tags", tag);
        check_concurrency();
        check_spec();
    }

    void check_name(std::string_view member, const std::string& name) {
        if (name.size() > max_stored_name_bytes)
            complain(member, concat("is longer than ", max_stored_name_bytes, " bytes"));
        if (const auto defect = name_defect(name)) complain(member, *defect);
        if (name.empty() && member != "task") complain(member, "is empty");
    }

    void check_concurrency() {
        if (step_.concurrency_limit < 1 || step_.concurrency_limit > max_concurrency)
            complain("concurrency_limit",
                     concat("must be from 1 to ", max_concurrency, ", not ", step_.concurrency_limit));
        if (step_.concurrency_limit != 1 && step_.concurrency_key.empty())
            complain("concurrency_limit", "needs concurrency_key");
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

    void refuse_task_members() {
        const TaskPolicy standard;
        refuse("script", step_.spec.has_value());
        refuse("env", !step_.env.empty());
        refuse("queue", step_.queue != "default");
        refuse("priority", step_.priority != 50);
        refuse("tags", !step_.tags.empty());
        refuse("concurrency_key", !step_.concurrency_key.empty());
        refuse("concurrency_limit", step_.concurrency_limit != 1);
        refuse("max_attempts", step_.policy.retry != standard.retry);
        refuse("on_crash", step_.policy.on_crash != standard.on_crash);
        refuse("max_crashes", step_.policy.max_crashes != standard.max_crashes);
        refuse("fence", step_.policy.fence != standard.fence);
        refuse("unmatched", step_.policy.unmatched != Unmatched::Auto);
        refuse("timeout", step_.kind == StepKind::Wait && step_.policy.timeout.has_value());
    }

    /// "timeout_ms must be from ...": its first word is the member.
    void check_policy() {
        const std::string defect = policy_defect(step_.policy);
        if (defect.empty()) return;
        const std::size_t end = defect.find(' ');
        std::string member = defect.substr(0, end);
        if (member.ends_with("_ms")) member.resize(member.size() - 3);
        complain(member, defect.substr(end + 1));
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
