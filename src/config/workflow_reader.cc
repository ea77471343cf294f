#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "config/keys.h"
#include "config/sections.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

using core::Workflow;
using core::WorkflowStep;

class WorkflowReader {
public:
    WorkflowReader(const SourceNode& node, const KnownTasks& tasks, Complaints& complaints)
        : node_(node), tasks_(tasks), complaints_(complaints) {}

    Workflow read(const std::string& name, const std::vector<std::string>& extra_keys) {
        workflow_.name = name;
        if (!complaints_.is_mapping(node_, "a mapping with the keys " + join(names_of(workflow_keys()), ", ")))
            return std::move(workflow_);
        for (const SourceNode& entry : node_.children) {
            if (const auto* key = find_option(workflow_keys(), entry.key))
                read_entry(entry, *key);
            else if (std::ranges::find(extra_keys, entry.key) == extra_keys.end())
                complaints_.unknown_key(entry, names_of(workflow_keys()));
        }
        return std::move(workflow_);
    }

private:
    void read_entry(const SourceNode& entry, const core::OptionOf<Workflow>& key) {
        const std::string& name = entry.key;
        if (name == "input") return read_input(entry, key);
        if (name == "steps") return read_steps(entry, key);
        if (name == "success") return read_success(entry, key);
        if (name == "hooks") return read_hooks(entry, key);
        if (name == "output")
            workflow_.output = json_of(entry);
        else if (name == "optional")
            workflow_.optional = read_step_names(entry, complaints_);
        else if (const auto value = complaints_.read(key, entry))
            key.set(workflow_, *value);
    }

    void read_steps(const SourceNode& entry, const Option& key) {
        if (!complaints_.is_mapping(entry, allowed_values(key))) return;
        workflow_.steps.reserve(entry.children.size());
        for (const SourceNode& step : entry.children)
            workflow_.steps.push_back(
                read_step(step, step.key, concat(workflow_.name, '.', step.key), tasks_, complaints_));
    }

    /// Reads a list of lists, or a single list, which is then the only case.
    void read_success(const SourceNode& entry, const Option& key) {
        if (!complaints_.is_list(entry, allowed_values(key))) return;
        const auto is_list = [](const SourceNode& item) { return item.kind == NodeKind::Sequence; };
        if (std::ranges::none_of(entry.children, is_list)) {
            if (!entry.children.empty()) workflow_.success.push_back(read_step_names(entry, complaints_));
            return;
        }
        if (!std::ranges::all_of(entry.children, is_list))
            return complaints_.misfit(entry, "steps and lists of steps together", allowed_values(key));
        for (const SourceNode& each : entry.children) workflow_.success.push_back(read_step_names(each, complaints_));
    }

    // ---- Hooks ---------------------------------------------------------------------------------------------------

    void read_hooks(const SourceNode& entry, const Option& key) {
        if (!complaints_.is_mapping(entry, allowed_values(key))) return;
        for (const SourceNode& hooks : entry.children) {
            if (hooks.key == "on_success")
                workflow_.on_success = read_hook_list(hooks);
            else if (hooks.key == "on_error")
                workflow_.on_failure = read_hook_list(hooks);
            else if (hooks.key == "on_cancel")
                workflow_.on_cancel = read_hook_list(hooks);
            else
                complaints_.unknown_key(hooks, {"on_success", "on_error", "on_cancel"});
        }
    }

    std::vector<WorkflowStep> read_hook_list(const SourceNode& hooks) {
        std::vector<WorkflowStep> steps;
        const auto read = [&](const SourceNode& hook) {
            steps.push_back(read_step(hook, "", concat(workflow_.name, '.', hooks.key), tasks_, complaints_));
        };
        if (hooks.kind == NodeKind::Sequence)
            std::ranges::for_each(hooks.children, read);
        else
            read(hooks);
        return steps;
    }

    // ---- Input ---------------------------------------------------------------------------------------------------

    void read_input(const SourceNode& entry, const Option& key) {
        for (const SourceNode& field : complaints_.entries(entry, allowed_values(key)))
            workflow_.input.push_back(read_field(field));
    }

    core::InputField read_field(const SourceNode& node) {
        core::InputField field{.name = node.key};
        if (const SourceNode* type = node.find("type")) read_type(*type, field);
        for (const SourceNode& entry :
             complaints_.entries(node, "a mapping with the keys " + join(names_of(input_keys()), ", "))) {
            const auto* key = find_option(input_keys(), entry.key);
            if (key == nullptr)
                complaints_.unknown_key(entry, names_of(input_keys()));
            else
                read_field_entry(entry, *key, field);
        }
        return field;
    }

    void read_type(const SourceNode& entry, core::InputField& field) {
        const auto& key = *find_option(input_keys(), "type");
        const auto value = complaints_.read(key, entry);
        if (!value) return complaints_.distrust(std::string(parent_path(entry.path)));
        key.set(field, *value);
    }

    void read_field_entry(const SourceNode& entry, const core::OptionOf<core::InputField>& key,
                          core::InputField& field) {
        if (entry.key == "type") return;
        if (entry.key == "default") {
            field.default_value = input_value(entry, field.type);
        } else if (entry.key == "enum") {
            if (!complaints_.is_list(entry, allowed_values(key))) return;
            for (const SourceNode& item : entry.children) field.allowed.push_back(input_value(item, field.type));
        } else if (const auto value = complaints_.read(key, entry)) {
            key.set(field, *value);
        }
    }

    const SourceNode& node_;
    const KnownTasks& tasks_;
    Complaints& complaints_;
    Workflow workflow_;
};

/// Maps the paths of a workflow's faults to nodes of its file.
class PathIndex {
public:
    explicit PathIndex(const SourceNode& node) {
        nodes_.emplace("", &node);
        if (node.kind != NodeKind::Mapping) return;
        for (const SourceNode& entry : node.children) entry.key == "hooks" ? add_hooks(entry) : add(entry, entry.key);
    }

    /// The nearest node at or above the path.
    [[nodiscard]] const SourceNode& nearest(std::string_view path) const {
        for (;; path = parent_path(path))
            if (const auto found = nodes_.find(std::string(path)); found != nodes_.end()) return *found->second;
    }

private:
    void add(const SourceNode& node, const std::string& path) {
        nodes_.emplace(path, &node);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            const SourceNode& child = node.children[i];
            add(child, node.kind == NodeKind::Sequence ? concat(path, '[', i, ']') : concat(path, '.', child.key));
        }
    }

    /// Adds the hooks of one kind; a single hook may be written without a list.
    void add_hooks(const SourceNode& hooks) {
        nodes_.emplace("hooks", &hooks);
        for (const SourceNode& hook : hooks.children)
            add(hook, concat("hooks.", hook.key, hook.kind == NodeKind::Sequence ? "" : "[0]"));
    }

    std::unordered_map<std::string, const SourceNode*> nodes_;
};

}  // namespace

nlohmann::json input_value(const SourceNode& node, core::InputType type) {
    const bool is_text = type == core::InputType::Text && node.kind == NodeKind::Scalar;
    return is_text ? nlohmann::json(node.scalar) : json_of(node);
}

Workflow read_workflow(const SourceNode& node, const std::string& name, const std::vector<std::string>& extra_keys,
                       const KnownTasks& tasks, Complaints& complaints) {
    return WorkflowReader(node, tasks, complaints).read(name, extra_keys);
}

void tell_faults(const std::vector<core::WorkflowFault>& faults, const SourceNode& node, Complaints& complaints) {
    if (faults.empty()) return;
    const PathIndex index(node);
    std::vector<std::pair<const SourceNode*, const core::WorkflowFault*>> told;
    for (const core::WorkflowFault& fault : faults) {
        const SourceNode& nearest = index.nearest(fault.path);
        if (!complaints.is_distrusted(nearest.path)) told.emplace_back(&nearest, &fault);
    }
    for (const auto& [nearest, fault] : told)
        complaints.complain(*nearest, node.path.empty() ? fault->path : concat(node.path, '.', fault->path),
                            fault->problem);
}

}  // namespace holdfast::config
