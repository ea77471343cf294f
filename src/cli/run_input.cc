#include "cli/run_input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/session.h"

namespace holdfast::cli {

namespace {

using Value = nlohmann::json;

Value read_whole(const InputFlags& flags, std::istream& in) {
    if (!flags.input_file.empty())
        return Value::parse(read_json_argument("--input-file", "@" + flags.input_file, in));
    return flags.input.empty() ? Value::object() : Value::parse(read_json_argument("--input", flags.input, in));
}

bool is_text(const core::Workflow& workflow, const std::string& key) {
    const auto field = std::ranges::find(workflow.input, key, &core::InputField::name);
    return field != workflow.input.end() && field->type == core::InputType::Text;
}

Value read_value(const std::string& text, bool is_text) {
    if (is_text) return text;
    Value value = Value::parse(text, nullptr, /*allow_exceptions=*/false);
    return value.is_discarded() ? Value(text) : value;
}

void lay_over(const InputFlags& flags, const core::Workflow& workflow, Value& input) {
    if (flags.members.empty()) return;
    if (!input.is_object()) throw BadInput("-i adds to an object, and the input is none");
    for (const std::string& member : flags.members) {
        const auto equals = member.find('=');
        if (equals == std::string::npos || equals == 0)
            throw BadInput(fmt::format("-i: '{}' is not of the form KEY=VALUE", member));
        if (const auto defect = text_defect(member)) throw BadInput(fmt::format("-i: the value {}", *defect));
        const std::string key = member.substr(0, equals);
        input[key] = read_value(member.substr(equals + 1), is_text(workflow, key));
    }
}

}  // namespace

void add_input_options(CLI::App& command, InputFlags& flags) {
    auto* input = command
                      .add_option("--input", flags.input,
                                  "Its input, an object: JSON, @FILE, or - for standard input (default: {})")
                      ->type_name("JSON");
    command.add_option("--input-file", flags.input_file, "The same from a file")->type_name("FILE")->excludes(input);
    command.add_option("-i", flags.members, "One member of the input (repeatable)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

Value read_input(const InputFlags& flags, const core::Workflow& workflow, std::istream& in) {
    Value input = read_whole(flags, in);
    lay_over(flags, workflow, input);
    auto checked = core::checked_input(workflow, input);
    if (checked.ok()) return std::move(checked).value();
    std::vector<std::string> lines;
    for (const std::string& fault : checked.error())
        lines.push_back(fmt::format("input of workflow {}: {}", workflow.name, fault));
    throw Complaints(join(lines, "\n"));
}

}  // namespace holdfast::cli
