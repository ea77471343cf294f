#include "cli/jobs/run_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/session.h"
#include "cli/tasks/arguments.h"
#include "core/json_text.h"
#include "core/workflow/input.h"

namespace holdfast::cli {

namespace {

using Value = nlohmann::json;

std::string read_whole(const InputFlags& flags, std::istream& in) {
    if (!flags.input_file.empty()) return read_json_argument("--input-file", "@" + flags.input_file, in);
    return flags.input.empty() ? "{}" : read_json_argument("--input", flags.input, in);
}

bool is_text(const core::Workflow& workflow, const std::string& key) {
    const auto field = std::ranges::find(workflow.input, key, &core::InputField::name);
    return field != workflow.input.end() && field->type == core::InputType::Text;
}

/// Keeps valid JSON as written; any other text becomes a JSON string.
std::string read_value(const std::string& text, bool is_text) {
    return is_text || core::json_fault(text) ? Value(text).dump() : text;
}

std::string laid_over(const InputFlags& flags, const core::Workflow& workflow, const std::string& input) {
    if (flags.members.empty()) return input;
    if (!input.starts_with('{')) throw BadInput("-i adds to an object, and the input is not one");
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto& [name, value] : core::json_members(input)) members.emplace_back(name, value);
    for (const std::string& member : flags.members) {
        const auto equals = member.find('=');
        if (equals == std::string::npos || equals == 0)
            throw BadInput(fmt::format("-i: '{}' is not of the form KEY=VALUE", member));
        if (const auto defect = text_defect(member)) throw BadInput(fmt::format("-i: the value {}", *defect));
        const std::string key = member.substr(0, equals);
        std::erase_if(members, [&](const auto& earlier) { return earlier.first == key; });
        members.emplace_back(key, read_value(member.substr(equals + 1), is_text(workflow, key)));
    }
    return core::json_object(members);
}

}  // namespace

void add_input_options(Command& command, InputFlags& flags) {
    const Option input = command.text("--input", flags.input, "JSON",
                                      "Its input, an object: JSON, @FILE, or - for standard input (default: {})");
    command.text("--input-file", flags.input_file, "FILE", "The same from a file").excludes(input);
    command.texts("-i", flags.members, "KEY=VALUE", "One member of the input (repeatable)");
}

std::string read_input(const InputFlags& flags, const core::Workflow& workflow, std::istream& in) {
    auto checked = core::checked_input_text(workflow, laid_over(flags, workflow, read_whole(flags, in)));
    if (checked.ok()) return std::move(checked).value();
    std::vector<std::string> lines;
    for (const std::string& fault : checked.error())
        lines.push_back(fmt::format("input of workflow {}: {}", workflow.name, fault));
    throw Complaints(join(lines, "\n"));
}

}  // namespace holdfast::cli
