#include "config/submission.h"

#include <set>

#include "base/text.h"
#include "config/input_template.h"

namespace holdfast::config {

Result<Submission, std::string> submission_of(const std::string& name, const TaskDefinition& definition,
                                              const nlohmann::json& args) {
    auto filled_in = filled(definition, args);
    if (!filled_in.ok())
        return Failure{concat("task ", name, " (", to_text(definition.origin), "): ", filled_in.error())};
    TaskDefinition task = std::move(filled_in).value();
    return Submission{.name = name, .spec = task.spec, .options = task.options, .deadline = task.deadline};
}

std::vector<std::string> parameters_of(const TaskDefinition& definition) {
    std::set<std::string> names;
    const auto note = [&](const std::string& text) {
        for (std::string& name : template_members(text)) names.insert(std::move(name));
    };
    if (definition.spec) {
        for (const auto& [name, text] : definition.spec->env) note(text);
        for (const auto& word : definition.spec->command) note(word);
    }
    if (definition.options.concurrency) note(definition.options.concurrency->key);
    return {names.begin(), names.end()};
}

}  // namespace holdfast::config
