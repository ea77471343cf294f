#include <algorithm>

#include "base/text.h"
#include "core/expression/expression.h"
#include "core/expression/template.h"
#include "core/json_text.h"
#include "core/workflow/check.h"

namespace holdfast::core {

namespace {

using nlohmann::json;

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";

/// The part of the workflow that an expression belongs to; it decides what the expression may refer to.
struct Reader {
    const StepPlace* place = nullptr;  ///< nullptr: the workflow's output
    bool sees_item = false;
    bool reads_args = false;  ///< `input` means the arguments of the task; no other name is available
};

/// Converts a JSON pointer such as "/a/0" into a path of the file: ".a[0]".
std::string path_below(const json& value, const std::string& pointer) {
    std::string path;
    const json* at = &value;
    for (json::json_pointer rest(pointer); !rest.empty();) {
        json::json_pointer first = rest;
        while (!first.parent_pointer().empty()) first = first.parent_pointer();
        path += at->is_array() ? concat('[', first.back(), ']') : concat('.', first.back());
        at = &at->at(first);
        rest = json::json_pointer(rest.to_string().substr(first.to_string().size()));
    }
    return path;
}

std::optional<std::string> text_fault(const json& value) {
    if (value.is_string()) return text_defect(value.get_ref<const std::string&>());
    if (!value.is_structured()) return std::nullopt;
    for (const auto& [key, member] : value.items()) {
        if (value.is_object())
            if (auto fault = text_defect(key)) return fault;
        if (auto fault = text_fault(member)) return fault;
    }
    return std::nullopt;
}

std::string reference_text(const Reference& reference) {
    return join(reference.path, ".");
}

class ExpressionCheck {
public:
    ExpressionCheck(const Workflow& workflow, const StepOrder& order, FaultList& faults)
        : workflow_(workflow),
          order_(order),
          faults_(faults),
          step_names_(names_in(workflow.steps)),
          input_names_(names_in(workflow.input)) {}

    void check_step(const StepPlace& place) {
        const WorkflowStep& step = place.step;
        const auto at = [&](std::string_view member) { return concat(place.path, '.', member); };
        const Reader whole{&place};
        const Reader each{&place, step.for_each.has_value()};
        const Reader args{&place, false, true};
        check_when(step, at("when"), whole);
        if (step.for_each) check_list(*step.for_each, at("for_each"), whole);
        check_value(step.input, at("input"), each);
        check_texts(step.env, at("env"), each);
        check_value(step.message, at("approval"), each);
        check_value(step.wait_for, at("wait"), each);
        check_value(step.wait_until, at("wait.until"), each);
        check_value(step.concurrency_key, at("concurrency_key"), step.key_reads_args ? args : each);
        if (!step.spec) return;
        check_texts(step.spec->env, at("env"), step.spec_reads_args ? args : each);
        check_value(step.spec->command, at("command"), step.spec_reads_args ? args : each);
    }

    void check_output() { check_value(workflow_.output, "output", Reader{}); }

    /// Reports references to steps that are not upstream. Answered for all references together, after the last one
    /// was read.
    void finish() {
        const std::vector<bool> refused = not_upstream(order_, questions_);
        for (std::size_t i = 0; i < questions_.size(); ++i)
            if (refused[i])
                faults_.add(asked_at_[i],
                            concat("refers to the step ", in_quotes(step_names_[number(questions_[i].upstream)]),
                                   ", which it does not depend on; add it to depends_on"));
    }

private:
    static std::size_t number(int step) { return static_cast<std::size_t>(step); }

    /// `when` is one expression, with or without its braces.
    void check_when(const WorkflowStep& step, const std::string& path, const Reader& reader) {
        if (step.when.empty()) return;
        std::string_view text = step.when;
        std::size_t offset = 0;
        if (text.starts_with(opening) && text.ends_with(closing)) {
            offset = opening.size();
            text = text.substr(offset, text.size() - opening.size() - closing.size());
        }
        const auto parsed = Expression::parse(text);
        if (!parsed.ok()) return complain_about(parsed.error(), path, offset);
        for (const Reference& reference : parsed->references()) check_reference(reference, path, reader);
    }

    /// Checks a list whose items may hold expressions, or a single expression that returns a list.
    void check_list(const json& list, const std::string& path, const Reader& reader) {
        if (list.is_string()) {
            const std::string_view text = list.get_ref<const std::string&>();
            if (!text.starts_with(opening) || !text.ends_with(closing))
                return faults_.add(path, "must be a list, or one expression {{ ... }}");
        }
        check_value(list, path, reader);
    }

    void check_texts(const std::map<std::string, std::string>& texts, const std::string& path, const Reader& reader) {
        for (const auto& [name, text] : texts) check_value(text, concat(path, '.', name), reader);
    }

    void check_value(const json& value, const std::string& path, const Reader& reader) {
        if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty())) return;
        const auto parsed = Template::parse(value);
        if (!parsed.ok()) {
            for (const TemplateError& error : parsed.error())
                complain_about(error.error, path + path_below(value, error.path), 0);
            return;
        }
        if (const auto fault = text_fault(value)) faults_.add(path, *fault);
        for (const Reference& reference : parsed->references())
            check_reference(reference, path + path_below(value, reference.text_path), reader);
    }

    void complain_about(const ExpressionError& error, const std::string& path, std::size_t offset) {
        faults_.add(path,
                    concat("has a bad expression, at character ", offset + error.position + 1, ": ", error.message));
    }

    void check_reference(const Reference& reference, const std::string& path, const Reader& reader) {
        const std::string& root = reference.path.front();
        if (root == "input")
            return reader.reads_args ? check_argument(reference, path, reader) : check_input(reference, path);
        if (reader.reads_args)
            return faults_.add(path, concat("refers to ", reference_text(reference),
                                            "; a task of the catalog knows only its arguments: input.NAME"));
        if (root == "steps") return check_step_reference(reference, path, reader);
        if (root == "job") return;
        if (root != "item" && root != "index") return refuse_root(root, path);
        if (!reader.sees_item)
            faults_.add(path, concat("refers to ", root, ", which only the items of a for_each have"));
    }

    void refuse_root(const std::string& root, const std::string& path) {
        static const std::vector<std::string> roots{"input", "steps", "item", "index", "job"};
        faults_.add(path, concat("refers to ", in_quotes(root), ", which is none of ", join(roots, ", "),
                                 faults_.suggestion(root, roots)));
    }

    void check_input(const Reference& reference, const std::string& path) {
        if (input_names_.empty() || reference.path.size() < 2) return;
        const std::string& name = reference.path[1];
        if (std::ranges::find(input_names_, name) != input_names_.end()) return;
        faults_.add(path, concat("refers to input.", name, ", which the workflow's input does not have",
                                 faults_.suggestion(name, input_names_)));
    }

    /// The arguments are known only when the step writes them as an object, or omits them.
    void check_argument(const Reference& reference, const std::string& path, const Reader& reader) {
        const WorkflowStep& step = reader.place->step;
        const bool has_none = step.input.is_null() && !step.for_each && reader.place->number >= 0;
        if (reference.path.size() < 2 || (!step.input.is_object() && !has_none)) return;
        const std::string& name = reference.path[1];
        if (step.input.is_object() && step.input.contains(name)) return;
        faults_.add(concat(reader.place->path, ".input"),
                    concat("has no ", in_quotes(name), ", which the task ", in_quotes(step.task), " needs in ",
                           path.substr(reader.place->path.size() + 1)));
    }

    void check_step_reference(const Reference& reference, const std::string& path, const Reader& reader) {
        static const std::vector<std::string> members{"output", "status", "error"};
        const std::string& name = reference.path.at(1);
        const int* upstream = order_.find(name);
        if (upstream == nullptr)
            return faults_.add(path, concat("refers to the step ", in_quotes(name), ", which does not exist",
                                            faults_.suggestion(name, step_names_)));
        if (const std::string& member = reference.path.at(2); std::ranges::find(members, member) == members.end())
            faults_.add(path, concat("refers to steps.", name, '.', member, "; a step has ", join(members, ", "),
                                     faults_.suggestion(member, members)));
        // Hooks and the output are evaluated after all steps.
        if (reader.place == nullptr || reader.place->number < 0) return;
        questions_.push_back({reader.place->number, *upstream});
        asked_at_.push_back(path);
    }

    const Workflow& workflow_;
    const StepOrder& order_;
    FaultList& faults_;
    std::vector<std::string> step_names_;
    std::vector<std::string> input_names_;
    std::vector<UpstreamQuestion> questions_;
    std::vector<std::string> asked_at_;
};

}  // namespace

void check_expressions(const Workflow& workflow, const StepOrder& order, const std::vector<StepPlace>& places,
                       FaultList& faults) {
    ExpressionCheck check(workflow, order, faults);
    for (const StepPlace& place : places) check.check_step(place);
    check.check_output();
    check.finish();
}

}  // namespace holdfast::core
