#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/jobs/run.h"
#include "cli/tasks/submit.h"
#include "cli/terminal/words.h"
#include "core/task/task_options.h"
#include "holdfast/errors.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::cli;
using nlohmann::json;

constexpr Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15);

/// All that `submit` and `run` take and that is more than a word.
struct Flags {
    WorkFlags work;
    SubmitFlags submit;
    InputFlags input;
    std::string args = "null";
};

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// nullopt when they are refused, and when they name files: this is about texts.
std::optional<Flags> parse(std::vector<std::string> arguments) {
    Flags flags;
    Program program("fuzz", "", "");
    add_work_options(program.root(), flags.work);
    add_submit_options(program.root(), flags.submit);
    add_input_options(program.root(), flags.input);
    program.root().text("--args", flags.args, "JSON", "");
    const Reading line = program.read(std::move(arguments));
    if (!line.fault.empty() || !line.text.empty()) return std::nullopt;
    const bool names_a_file = flags.args.starts_with('@') || flags.input.input.starts_with('@') ||
                              flags.work.script.starts_with('@') || !flags.input.input_file.empty();
    return names_a_file ? std::nullopt : std::optional(flags);
}

config::Catalog catalog() {
    config::TaskDefinition backup{.name = "backup"};
    backup.spec = core::TaskSpec{};
    backup.spec->script = "dump";
    backup.spec->env = {{"DB", "{{ input.db }}"}, {"N", "x{{ input.n }}"}};
    backup.options.concurrency = ConcurrencyKey{.key = "db-{{ input.db }}", .limit = 2};
    return {{"backup", backup}, {"mail", {.name = "mail"}}};
}

core::Workflow workflow() {
    core::Workflow workflow{.name = "w"};
    workflow.input.push_back({.name = "day", .type = core::InputType::Text, .required = true});
    workflow.input.push_back({.name = "n", .type = core::InputType::Integer, .default_value = 3});
    workflow.input.push_back({.name = "mode", .default_value = "full", .allowed = {"full", "quick"}});
    return workflow;
}

void check_submit(const Flags& flags) {
    static const config::Catalog definitions = catalog();
    std::istringstream in(R"({"db": "orders", "n": 7})");
    const std::string args = read_json("--args", flags.args, in);
    require(json::accept(args));
    Submission submission = read_submission(flags.work, definitions, args);
    read_submit_options(flags.submit, submission.options);
    const auto policy = core::decode_policy(core::encode_policy(submission.options.policy));
    require(policy.ok() && policy.value() == submission.options.policy);
    read_times(flags.submit, submission.deadline, now, submission.options);
    if (!flags.submit.delay.empty()) require(submission.options.run_at >= now);
}

void check_run(const Flags& flags) {
    static const core::Workflow definition = workflow();
    std::istringstream in(R"({"day": "2026-11-15"})");
    const json input = json::parse(read_input(flags.input, definition, in));
    const auto again = core::checked_input(definition, input);
    require(again.ok() && again.value() == input);
}

/// Either it is done, or a person is told in a sentence why not.
template <typename Check>
void tell_refusal(Check check, const Flags& flags) {
    try {
        check(flags);
    } catch (const BadInput& refusal) {
        require(!std::string(refusal.what()).empty());
    }
}

}  // namespace

/// Any bytes as the arguments of `submit` and `run`, one a line: options, JSON, policies, times, inputs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto flags = parse(lines_of({reinterpret_cast<const char*>(data), size}));
    if (!flags) return 0;
    tell_refusal(check_submit, *flags);
    tell_refusal(check_run, *flags);
    return 0;
}
