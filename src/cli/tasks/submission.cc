#include "cli/tasks/submission.h"

#include <fmt/format.h>

#include "cli/tasks/arguments.h"
#include "holdfast/errors.h"

namespace holdfast::cli {

namespace {

Submission from_definition(const std::string& name, const config::TaskDefinition& definition,
                           const std::string& args) {
    auto submission = config::submission_of(name, definition, nlohmann::json::parse(args));
    if (!submission.ok()) throw BadInput(submission.error());
    return std::move(submission).value();
}

/// A task without a definition: a script, a container, or else a function.
Submission from_flags(const WorkFlags& flags) {
    Submission submission{.name = flags.name, .spec = {}, .options = {}, .deadline = {}};
    const bool has_script = !flags.script.empty();
    const bool has_image = !flags.image.empty();
    if (!has_script && !has_image) {
        if (flags.name.empty()) throw BadInput("'holdfast submit' needs the name of a task, --script or --image");
        return submission;
    }
    core::TaskSpec& spec = submission.spec.emplace();
    spec.kind = has_script ? core::TaskKind::Script : core::TaskKind::Docker;
    spec.runner = has_script && has_image ? core::ScriptRunner::Docker : core::ScriptRunner::Local;
    if (flags.name.empty()) submission.name = has_script ? "script" : "container";
    return submission;
}

void override_with(const WorkFlags& flags, core::TaskSpec& spec) {
    if (!flags.script.empty()) spec.script = read_text_argument("--script", flags.script);
    if (!flags.image.empty()) spec.image = flags.image;
    if (!flags.dir.empty()) spec.dir = flags.dir;
    for (const std::string& variable : flags.env) {
        const auto equals = variable.find('=');
        if (equals == std::string::npos || equals == 0)
            throw BadInput(fmt::format("--env: '{}' is not of the form NAME=VALUE", variable));
        spec.env[variable.substr(0, equals)] = variable.substr(equals + 1);
    }
}

bool says_what_to_execute(const WorkFlags& flags) {
    return !flags.script.empty() || !flags.image.empty() || !flags.dir.empty() || !flags.env.empty();
}

}  // namespace

void add_work_options(Command& command, WorkFlags& flags) {
    command.optional_argument("NAME", flags.name,
                              "The task's name: of a definition in the configuration file, or of a function");
    command.text("--script", flags.script, "TEXT", "Run this script, or @FILE, once; NAME is then optional");
    command.text("--image", flags.image, "IMAGE",
                 "Run the script, or without one the image's own command, in a container");
    command.texts("--env", flags.env, "NAME=VALUE", "A variable for the script or container (repeatable)");
    command.text("--dir", flags.dir, "PATH", "The working directory of the script or container");
}

Submission read_submission(const WorkFlags& flags, const config::Catalog& catalog, const std::string& args) {
    const auto definition = catalog.find(flags.name);
    Submission submission =
        definition == catalog.end() ? from_flags(flags) : from_definition(flags.name, definition->second, args);
    if (submission.spec)
        override_with(flags, *submission.spec);
    else if (says_what_to_execute(flags))
        throw BadInput(fmt::format("task {} is a function: --script, --image, --env and --dir have no meaning for it",
                                   submission.name));
    return submission;
}

}  // namespace holdfast::cli
