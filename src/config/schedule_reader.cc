#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/keys.h"
#include "config/sections.h"
#include "core/calendar/schedule.h"

namespace holdfast::config {

namespace {

using core::Workflow;
using nlohmann::json;

/// Converts a task name, which may contain any character, into a valid step name.
std::string step_name(std::string task) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    std::replace_if(
        task.begin(), task.end(), [&](char c) { return !is_allowed(c); }, '-');
    return task;
}

json input_of(const SourceNode* entry, const Workflow& workflow) {
    if (entry == nullptr) return json::object();
    json input = json_of(*entry);
    for (const core::InputField& field : workflow.input)
        if (const SourceNode* member = entry->find(field.name)) input[field.name] = input_value(*member, field.type);
    return input;
}

class ScheduleReader {
public:
    ScheduleReader(const SourceNode& node, const Startable& startable, const ZoneDefect& zone_defect,
                   Complaints& complaints)
        : node_(node), startable_(startable), zone_defect_(zone_defect), complaints_(complaints) {}

    Schedule read() {
        schedule_.name = node_.key;
        if (node_.key.empty() || node_.key.size() > max_name_bytes)
            complaints_.complain(node_, node_.path,
                                 concat("is not a name: a name has 1 to ", max_name_bytes, " bytes"));
        if (complaints_.is_mapping(node_, "a mapping with the keys " + join(names_of(schedule_keys()), ", "))) {
            for (const SourceNode& entry : node_.children) read_entry(entry);
            check_timing();
            read_subject();
        }
        return std::move(schedule_);
    }

private:
    void read_entry(const SourceNode& entry) {
        const auto* key = find_option(schedule_keys(), entry.key);
        if (key == nullptr) return refuse(entry);
        if (entry.key == "input") return;  // read together with its task or workflow
        const auto value = complaints_.read(*key, entry);
        if (!value) return;
        if (entry.key == "cron") read_cron(entry, std::get<std::string>(*value));
        if (entry.key == "zone") read_zone(entry, std::get<std::string>(*value));
        if (key->set != nullptr) key->set(schedule_.timing, *value);
    }

    void refuse(const SourceNode& entry) {
        const auto names = names_of(schedule_keys());
        complaints_.unknown_key(entry, names);
        if (const auto near = nearest_word(entry.key, names)) misspelt_.insert(*near);
    }

    /// Returns the one of two keys that is present; nullptr when none or both are, which is reported.
    const SourceNode* one_of(const char* first, const char* second, const char* purpose) {
        const SourceNode* entry = node_.find(first);
        const SourceNode* other = node_.find(second);
        if (entry != nullptr && other != nullptr) {
            complaints_.misfit(*other, concat("cannot stand beside ", first), "");
            return nullptr;
        }
        const bool is_misspelt = misspelt_.contains(first) || misspelt_.contains(second);
        if (entry == nullptr && other == nullptr && !is_misspelt)
            complaints_.complain(node_, node_.path,
                                 concat("does not say ", purpose, ": one of ", first, ", ", second));
        return entry != nullptr ? entry : other;
    }

    // ---- Timing --------------------------------------------------------------------------------------------------

    void read_cron(const SourceNode& entry, const std::string& text) {
        auto cron = core::Cron::parse(text);
        if (cron.ok())
            schedule_.timing.cron = std::move(cron).value();
        else
            complaints_.misfit(entry, cron.error(), "");
    }

    void read_zone(const SourceNode& entry, const std::string& name) {
        schedule_.timing.zone = name;
        if (node_.find("every") != nullptr)
            return complaints_.complain(entry, entry.path, "has no meaning for every, which counts in UTC",
                                        "use a cron for a time of the day");
        if (const std::string defect = zone_defect_ ? zone_defect_(name) : ""; !defect.empty())
            complaints_.complain(entry, entry.path, defect);
    }

    void check_timing() {
        const SourceNode* when = one_of("cron", "every", "when");
        if (when == nullptr || complaints_.is_any_distrusted(node_)) return;
        const std::string defect = core::timing_defect(schedule_.timing);
        if (defect.empty()) return;
        // The defect begins with the name of the field, which the key already states.
        const std::size_t end = defect.find(' ');
        const SourceNode* entry = node_.find(defect.substr(0, end));
        if (entry == nullptr) return complaints_.complain(node_, node_.path, defect);
        complaints_.misfit(*entry, defect.substr(end + 1), "");
    }

    // ---- Task or workflow ----------------------------------------------------------------------------------------

    void read_subject() {
        const SourceNode* subject = one_of("workflow", "task", "what to start");
        if (subject == nullptr || complaints_.is_distrusted(subject->path)) return;
        if (subject->key == "task") return wrap_task(*subject);
        const auto found = startable_.workflows.find(subject->scalar);
        if (found == startable_.workflows.end()) return refuse_workflow(*subject);
        schedule_.definition = core::to_json_text(core::bundle_of(found->first, startable_.workflows));
        take_input(found->second);
    }

    void refuse_workflow(const SourceNode& subject) {
        if (startable_.lacks_workflows) return;
        std::vector<std::string> names;
        for (const auto& [name, workflow] : startable_.workflows) names.push_back(name);
        const auto near = nearest_word(subject.scalar, names);
        complaints_.misfit(subject, "there is no such workflow",
                           names.empty() ? "those of the section workflows, which has none" : join(names, ", "),
                           near ? concat("did you mean ", *near, "?") : "");
    }

    /// Creates a workflow whose only step is the task, with the job's input as its arguments.
    void wrap_task(const SourceNode& subject) {
        SourceNode alone = node_;
        alone.children = {subject};
        const std::string name = step_name(subject.scalar);
        core::WorkflowStep step = read_step(alone, name, name, startable_.tasks, complaints_);
        step.input = "{{ input }}";
        Workflow workflow;
        workflow.name = name;
        workflow.steps.push_back(std::move(step));
        if (complaints_.is_distrusted(node_.path)) return;
        for (const core::WorkflowFault& fault : core::workflow_faults(workflow, {}))
            complaints_.complain(subject, subject.path, fault.problem);
        schedule_.definition = core::to_json_text(core::WorkflowBundle{name, {{name, workflow}}});
        take_input(workflow);
        check_arguments(subject.scalar);
    }

    void take_input(const Workflow& workflow) {
        const auto input = core::checked_input(workflow, input_of(node_.find("input"), workflow));
        if (input.ok())
            schedule_.input = input->dump();
        else
            for (const std::string& fault : input.error()) refuse_input(fault);
    }

    /// Requires the arguments that the templates of a catalog task use.
    void check_arguments(const std::string& task) {
        const auto known = startable_.tasks.catalog.find(task);
        if (known == startable_.tasks.catalog.end() || schedule_.input.empty()) return;
        const auto with_arguments = filled(known->second, json::parse(schedule_.input));
        if (!with_arguments.ok()) refuse_input(concat("does not fit the task ", task, ": ", with_arguments.error()));
    }

    void refuse_input(const std::string& fault) {
        const SourceNode* entry = node_.find("input");
        complaints_.complain(entry != nullptr ? *entry : node_, concat(node_.path, ".input"), fault);
    }

    const SourceNode& node_;
    const Startable& startable_;
    const ZoneDefect& zone_defect_;
    Complaints& complaints_;
    std::set<std::string, std::less<>> misspelt_;  // the probable intention of each unknown key
    Schedule schedule_;
};

}  // namespace

std::vector<Schedule> read_schedules(const SourceNode& section, const std::string& file, const Startable& startable,
                                     const ZoneDefect& zone_defect, Draft& draft) {
    std::vector<Schedule> schedules;
    Complaints complaints(file, draft);
    for (const SourceNode& node : complaints.entries(
             section, "a mapping of names to schedules: {nightly: {workflow: nightly, cron: \"30 2 * * *\"}}"))
        schedules.push_back(ScheduleReader(node, startable, zone_defect, complaints).read());
    return schedules;
}

}  // namespace holdfast::config
