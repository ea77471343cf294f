#include "cli/jobs/run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/jobs/waiting.h"
#include "cli/tasks/submit.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "core/json_text.h"
#include "core/workflow/workflow.h"

namespace holdfast::cli {

namespace {

using Workflows = std::map<std::string, core::Workflow>;

std::string known_name(const std::string& name, const Workflows& known, const std::string& file) {
    if (known.contains(name)) return name;
    if (!file.empty()) throw BadInput(core::unknown_workflow(name, known, file));
    throw BadInput(
        fmt::format("there is no workflow '{}': no configuration file was read; write one (holdfast.yaml), name one "
                    "with --config, or run a file of its own with -f",
                    name));
}

core::WorkflowBundle from_file(const WorkflowChoice& choice, const config::Config& config) {
    auto read = config::read_workflow_file(choice.file, config.tasks, config.workflows);
    if (!read.ok()) throw Complaints(to_lines(read.error()));
    Workflows workflows = std::move(read).value();
    if (choice.name.empty() && workflows.size() != 1) throw BadInput(core::unnamed_workflow(workflows, choice.file));
    const std::string name =
        choice.name.empty() ? workflows.begin()->first : known_name(choice.name, workflows, choice.file);
    workflows.insert(config.workflows.begin(), config.workflows.end());
    return core::bundle_of(name, workflows);
}

std::string read_whole(const InputFlags& flags, std::istream& in) {
    if (!flags.input_file.empty()) return read_json("--input-file", "@" + flags.input_file, in);
    return flags.input.empty() ? "{}" : read_json("--input", flags.input, in);
}

bool is_text(const core::Workflow& workflow, const std::string& key) {
    const auto field = std::ranges::find(workflow.input, key, &core::InputField::name);
    return field != workflow.input.end() && field->type == core::InputType::Text;
}

/// Keeps valid JSON as written; any other text becomes a JSON string.
std::string read_value(const std::string& text, bool is_text) {
    return is_text || core::json_fault(text) ? nlohmann::json(text).dump() : text;
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

struct RunCommand {
    WorkflowChoice workflow;
    InputFlags input;
    std::string id;
    WaitFlags wait;
};

// Reads and checks all input before it creates a store.
ExitCode run_workflow(Session& session, const RunCommand& command) {
    const config::Config config = session.load_config();
    const core::WorkflowBundle bundle = choose_workflow(command.workflow, config);
    const auto input = read_input(command.input, bundle.workflows.at(bundle.main), session.io.in);
    const auto timeout = read_timeout(command.wait, "a workflow has a 'timeout' of its own");
    const store::NewJob job{.id = command.id.empty() ? Uuid() : read_uuid("--id", command.id),
                            .definition = core::to_json_text(bundle),
                            .input = input,
                            .who = session.who(),
                            .retry_of = {}};
    const auto store = session.open_store(config, Access::CreateAndMigrate);
    const bool existed = !job.id.is_nil() && store->find_jobs({job.id}).front().has_value();
    const Uuid id = client::start_job(*store, job);
    Json answer = {{"id", id.to_string()}, {"status", existed ? "existing" : "accepted"}};
    std::optional<SignalNotes> signals;  // before the id is printed
    if (command.wait.wait) signals.emplace();
    if (!command.wait.wait || !session.globals.json)
        session.tell_id(answer, id, existed ? "had been started before: job " : "started job ");
    return command.wait.wait ? follow_job(session, *signals, *store, id, timeout, std::move(answer)) : ExitCode::Done;
}

}  // namespace

void add_file_option(Command& command, WorkflowChoice& choice) {
    command.text("-f,--file", choice.file, "FILE", "Take the workflow from this file; NAME is then optional");
}

core::WorkflowBundle choose_workflow(const WorkflowChoice& choice, const config::Config& config) {
    if (!choice.file.empty()) return from_file(choice, config);
    if (choice.name.empty()) throw BadInput("the name of a workflow is missing; or take one from a file with -f");
    return core::bundle_of(known_name(choice.name, config.workflows, config.file), config.workflows);
}

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

void add_run(Command& program) {
    auto [command, given] = program.add("run", "Start a job of a workflow; prints its id", run_workflow);
    command.optional_argument("NAME", given.workflow.name, "The workflow's name in the configuration file");
    add_file_option(command, given.workflow);
    add_input_options(command, given.input);
    command.text("--id", given.id, "UUID", "A UUID of your own; starting it again is harmless");
    add_wait_options(command, given.wait, "Show its steps until it has ended, and print its output");
    command.examples({"holdfast run nightly --wait", "holdfast run -f release.yaml -i version=1.4.2 -i dry_run=true",
                      "holdfast run report --input '{\"day\": \"2030-01-31\"}'"});
}

}  // namespace holdfast::cli
