#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/keys.h"
#include "config/sections.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

using core::StepKind;
using core::WorkflowStep;

/// The keys of which a step has exactly one. `type` may stand beside `script`.
constexpr std::array<std::string_view, 7> subjects = {"task",     "script", "docker", "workflow",
                                                      "approval", "wait",   "type"};

class StepReader {
public:
    StepReader(const SourceNode& node, std::string inline_name, const KnownTasks& tasks, Complaints& complaints)
        : node_(node), inline_name_(std::move(inline_name)), tasks_(tasks), complaints_(complaints) {}

    WorkflowStep read(std::string name) {
        step_.name = std::move(name);
        if (node_.kind != NodeKind::Mapping) {
            complaints_.misfit(node_, concat(word_of(node_.kind), " instead of a mapping"), "",
                               concat("write {task: NAME} or {script: ...}"));
            return std::move(step_);
        }
        if (!find_subject()) return std::move(step_);
        begin_definition();
        for (const SourceNode& entry : node_.children) read_entry(entry);
        take_definition();
        return std::move(step_);
    }

private:
    // ---- The kind of the step ------------------------------------------------------------------------------------

    bool find_subject() {
        for (const std::string_view name : subjects) {
            const SourceNode* entry = node_.find(name);
            if (entry == nullptr || (name == "type" && subject_ != nullptr && subject_->key == "script")) continue;
            if (subject_ != nullptr) {
                complaints_.distrust(node_.path);
                complaints_.misfit(*entry, concat("cannot stand beside ", subject_->key), "");
                return false;
            }
            subject_ = entry;
        }
        if (subject_ == nullptr) refuse_without_subject();
        return subject_ != nullptr;
    }

    void refuse_without_subject() {
        const std::vector<std::string> words(subjects.begin(), subjects.end());
        complaints_.complain(node_, node_.path, concat("does not say what to do: one of ", join(words, ", ")));
        for (const SourceNode& entry : node_.children)
            if (!is_step_key_of_tasks(entry.key) && find_option(step_keys(), entry.key) == nullptr)
                complaints_.unknown_key(entry, all_step_key_names());
    }

    void begin_definition() {
        definition_.options.policy = core::step_policy();
        const std::string& key = subject_->key;
        step_.kind = key == "workflow"   ? StepKind::Workflow
                     : key == "approval" ? StepKind::Approval
                     : key == "wait"     ? StepKind::Wait
                                         : StepKind::Task;
        if (key == "script" || key == "type" || key == "docker") {
            definition_.spec.emplace();
            step_.task = inline_name_;
        }
        if (key == "docker") definition_.spec->kind = core::TaskKind::Docker;
        if (key == "task" && subject_->kind == NodeKind::Scalar) begin_with_catalog(subject_->scalar);
    }

    void begin_with_catalog(const std::string& name) {
        if (tasks_.faulty.contains(name)) {
            complaints_.distrust(node_.path);
            definition_.spec.emplace();  // assume a specification, because the definition could not be read
            return;
        }
        const auto known = tasks_.catalog.find(name);
        if (known == tasks_.catalog.end()) return;
        definition_ = known->second;
        definition_.options.policy.unmatched = Unmatched::Auto;  // the catalog's value is for a task without a job
        step_.spec_reads_args = definition_.spec.has_value();
        step_.key_reads_args = definition_.options.concurrency.has_value();
    }

    /// Whether the step names a task of an application or of the catalog, instead of defining one in place.
    [[nodiscard]] bool is_named_task() const { return subject_->key == "task"; }

    // ---- Its keys ------------------------------------------------------------------------------------------------

    void read_entry(const SourceNode& entry) {
        if (const auto* key = find_option(step_keys(), entry.key)) return read_own(entry, *key);
        if (is_step_key_of_tasks(entry.key)) return read_task_key(entry, *find_option(task_keys(), entry.key));
        if (find_option(task_keys(), entry.key) != nullptr)
            return complaints_.complain(entry, entry.path, "is a key of tasks, but not of steps",
                                        "bound a step by its timeout, and a job by its queue_timeout");
        complaints_.unknown_key(entry, all_step_key_names());
    }

    void read_task_key(const SourceNode& entry, const TaskKey& key) {
        const bool is_task = step_.kind == StepKind::Task;
        if (!is_task && entry.key != "timeout") return refuse(entry, concat("a step with ", subject_->key));
        if (is_task && key.of_spec && !definition_.spec) return refuse(entry, "a function of an application");
        const auto value = complaints_.read(key, entry);
        if (!value) return distrust_for(entry);
        if (entry.key == "env" && is_named_task()) {
            step_.env = std::get<std::map<std::string, std::string>>(*value);
            return;
        }
        if (entry.key == "type" && std::get<std::string>(*value) == "function") {
            complaints_.misfit(entry, "a function has a name", "script, docker or pod", "write task: NAME");
            return distrust_for(entry);
        }
        if (entry.key == "concurrency_key") step_.key_reads_args = false;
        key.assign(definition_, *value);
    }

    /// Skips later checks of the step when its kind or its dependencies are invalid, to avoid follow-up errors.
    void distrust_for(const SourceNode& entry) {
        static constexpr std::array<std::string_view, 4> decisive = {"type", "runner", "docker", "depends_on"};
        const bool is_decisive = std::ranges::find(decisive, entry.key) != decisive.end();
        if (is_decisive && complaints_.is_distrusted(entry.path)) complaints_.distrust(node_.path);
    }

    void refuse(const SourceNode& entry, const std::string& what) {
        complaints_.complain(entry, entry.path, concat("has no meaning for ", what));
    }

    void read_own(const SourceNode& entry, const core::OptionOf<WorkflowStep>& key) {
        const std::string& name = entry.key;
        if (name == "task") return read_text(entry, key, step_.task);
        if (name == "workflow") return read_text(entry, key, step_.workflow);
        if (name == "approval") return read_text(entry, key, step_.message);
        if (name == "docker") read_text(entry, key, definition_.spec->image);
        if (name == "wait") return read_wait(entry, key);
        if (name == "input") {
            step_.input = json_of(entry);
            return;
        }
        if (name == "depends_on") step_.depends_on = read_step_names(entry, complaints_);
        if (name == "docker" || name == "depends_on") return distrust_for(entry);
        if (name == "join") return read_join(entry, key);
        if (name == "when") return read_when(entry, key);
        if (name == "for_each") return read_for_each(entry, key);
        if (const auto value = complaints_.read(key, entry)) key.set(step_, *value);
    }

    void read_text(const SourceNode& entry, const Option& key, std::string& target) {
        if (const auto value = complaints_.read(key, entry)) target = std::get<std::string>(*value);
    }

    void read_wait(const SourceNode& entry, const Option& key) {
        if (entry.kind != NodeKind::Mapping) return read_text(entry, key, step_.wait_for);
        for (const SourceNode& part : entry.children)
            if (part.key != "until") complaints_.unknown_key(part, {"until"});
        if (const SourceNode* until = entry.find("until")) return read_text(*until, key, step_.wait_until);
        if (entry.children.empty()) complaints_.misfit(entry, "an empty mapping", allowed_values(key));
        complaints_.distrust(entry.path);
    }

    void read_join(const SourceNode& entry, const Option& key) {
        if (entry.kind == NodeKind::Mapping) return read_quorum(entry, key);
        if (entry.kind == NodeKind::Scalar && entry.scalar == "all") return;
        if (entry.kind != NodeKind::Scalar || entry.scalar != "any")
            return complaints_.misfit(entry, "not a join", allowed_values(key));
        step_.join.kind = core::JoinKind::Any;
    }

    void read_quorum(const SourceNode& entry, const Option& key) {
        static const Option count{
            .name = "quorum", .type = OptionType::Count, .range = {1, core::max_workflow_steps}};
        for (const SourceNode& part : entry.children)
            if (part.key != "quorum") complaints_.unknown_key(part, {"quorum"});
        const SourceNode* quorum = entry.find("quorum");
        if (quorum == nullptr) {
            if (entry.children.empty()) complaints_.misfit(entry, "an empty mapping", allowed_values(key));
            return;
        }
        const auto value = complaints_.read(count, *quorum);
        step_.join = {core::JoinKind::Quorum, value ? static_cast<int>(std::get<std::int64_t>(*value)) : 1};
        if (!value) complaints_.distrust(entry.path);
    }

    void read_when(const SourceNode& entry, const Option& key) {
        read_text(entry, key, step_.when);
        step_.when = trimmed(step_.when);
    }

    void read_for_each(const SourceNode& entry, const Option& key) {
        const bool is_text = entry.kind == NodeKind::Scalar;
        step_.for_each = is_text ? nlohmann::json(trimmed(entry.scalar)) : nlohmann::json::array();
        if (!is_text && complaints_.is_list(entry, allowed_values(key))) step_.for_each = json_of(entry);
    }

    // ---- The keys of its task ------------------------------------------------------------------------------------

    void take_definition() {
        SubmitOptions& options = definition_.options;
        step_.spec = std::move(definition_.spec);
        step_.queue = std::move(options.queue);
        step_.priority = options.priority;
        step_.tags = std::move(options.tags);
        step_.policy = std::move(options.policy);
        if (!options.concurrency) return;
        const SourceNode* entry = node_.find("concurrency_key");
        complaints_.note_key(entry != nullptr ? *entry : node_, *options.concurrency, step_.queue);
        step_.concurrency_key = std::move(options.concurrency->key);
        step_.concurrency_limit = options.concurrency->limit;
    }

    const SourceNode& node_;
    std::string inline_name_;
    const KnownTasks& tasks_;
    Complaints& complaints_;
    const SourceNode* subject_ = nullptr;  // the key that states the kind of the step
    TaskDefinition definition_;
    WorkflowStep step_;
};

}  // namespace

WorkflowStep read_step(const SourceNode& node, std::string name, std::string inline_name, const KnownTasks& tasks,
                       Complaints& complaints) {
    return StepReader(node, std::move(inline_name), tasks, complaints).read(std::move(name));
}

std::vector<std::string> read_step_names(const SourceNode& node, Complaints& complaints) {
    if (node.kind == NodeKind::Scalar) return {node.scalar};
    std::vector<std::string> names;
    if (!complaints.is_list(node, "a list of steps")) return names;
    names.reserve(node.children.size());
    for (const SourceNode& item : node.children) {
        if (item.kind == NodeKind::Scalar) {
            names.push_back(item.scalar);
            continue;
        }
        complaints.misfit(item, concat(word_of(item.kind), " instead of a step's name"), "a list of steps");
        complaints.distrust(node.path);
    }
    return names;
}

}  // namespace holdfast::config
