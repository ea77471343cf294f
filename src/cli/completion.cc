#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/session.h"
#include "cli/terminal/words.h"
#include "core/task/task_state.h"
#include "core/workflow/job_state.h"

namespace holdfast::cli {

namespace {

// The script is made from the program's own tree of commands, so that it knows every word there is.

struct Place {
    std::string path;  // "/tasks/list"; empty for the program itself
    std::vector<std::string> words;
};

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

void collect(const CLI::App& command, const std::string& path, const std::vector<std::string>& inherited,
             std::vector<Place>& places) {
    Place place{path, inherited};
    for (const std::string& name : option_names(command))
        if (std::find(inherited.begin(), inherited.end(), name) == inherited.end()) place.words.push_back(name);
    const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* child : commands) place.words.push_back(child->get_name());
    places.push_back(std::move(place));
    for (const CLI::App* child : commands) collect(*child, path + "/" + child->get_name(), inherited, places);
}

/// What a command's words may be beside its options: ids of tasks and jobs, names of workers and schedules.
std::string wanted_words(const std::string& path) {
    if (path.starts_with("/tasks/") && path != "/tasks/list") return "; wanted=tasks";
    if (path.starts_with("/jobs/") && path != "/jobs/list") return "; wanted=jobs";
    if (path.starts_with("/schedules/") && path != "/schedules/list" && path != "/schedules/apply")
        return "; wanted=schedules";
    if (path == "/tokens/revoke") return "; wanted=tokens";
    if (path.starts_with("/workers/") && path != "/workers/list") return "; wanted=workers";
    return "";
}

std::string known_paths(const std::vector<Place>& places) {
    std::vector<std::string> paths;
    for (const Place& place : places)
        if (!place.path.empty()) paths.push_back(place.path);
    return join(paths, "|");
}

std::string words_by_place(const std::vector<Place>& places) {
    std::string text;
    for (const Place& place : places)
        text += fmt::format("        '{}') words='{}'{} ;;\n", place.path, join(place.words, " "),
                            wanted_words(place.path));
    return text;
}

template <typename States>
std::string words_for(const States& states) {
    std::vector<std::string> words;
    for (const auto state : states) words.push_back(lower_case(to_text(state)));
    return join(words, " ");
}

constexpr std::string_view script_template =
    R"bash(# bash completion for holdfast; load it with:  eval "$(holdfast completion bash)"
_holdfast() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local word path='' words='' wanted=''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $path/$word in @PATHS@) path=$path/$word ;; esac
    done
    case $path:$previous in
        /tasks/force:--state) COMPREPLY=($(compgen -W 'failed cancelled' -- "$cur")); return ;;
        /jobs/list:--state) COMPREPLY=($(compgen -W '@JOB_STATES@' -- "$cur")); return ;;
        *:--state) COMPREPLY=($(compgen -W '@STATES@' -- "$cur")); return ;;
        *:--on-crash) COMPREPLY=($(compgen -W 'fail requeue' -- "$cur")); return ;;
        *:--fence) COMPREPLY=($(compgen -W 'auto stop continue' -- "$cur")); return ;;
        *:--unmatched) COMPREPLY=($(compgen -W 'wait fail' -- "$cur")); return ;;
        *:--isolation) COMPREPLY=($(compgen -W 'process thread' -- "$cur")); return ;;
        *:--scope) COMPREPLY=($(compgen -W 'read submit operate admin' -- "$cur")); return ;;
        *:--config | *:--tls-cert | *:--tls-key | *:--file | *:--input-file | /run:-f | /jobs/graph:-f) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    case $path in
@WORDS@    esac
    if [[ $wanted == tasks && $cur != -* ]]; then
        words=$("${COMP_WORDS[0]}" tasks list --limit 200 --json 2>/dev/null | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
    elif [[ $wanted == jobs && $cur != -* ]]; then
        words=$("${COMP_WORDS[0]}" jobs list --limit 200 --json 2>/dev/null | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
    elif [[ $wanted == schedules && $cur != -* ]]; then
        words=$("${COMP_WORDS[0]}" schedules list --json 2>/dev/null | sed -n 's/^{"name":"\([^"]*\)".*/\1/p')
    elif [[ $wanted == workers && $cur != -* ]]; then
        words=$("${COMP_WORDS[0]}" workers list --all --json 2>/dev/null | sed -n 's/.*"name":"\([^"]*\)".*/\1/p')
    elif [[ $wanted == tokens && $cur != -* ]]; then
        words=$("${COMP_WORDS[0]}" tokens list --json 2>/dev/null | sed -n 's/.*"name":"\([^"]*\)".*"revoked_at":null.*/\1/p')
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
)bash";

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
    return text.replace(text.find(mark), mark.size(), by);
}

std::string bash_script(const CLI::App& program) {
    std::vector<Place> places;
    collect(program, "", option_names(program), places);
    std::string script(script_template);
    script = replaced(std::move(script), "@PATHS@", known_paths(places));
    script = replaced(std::move(script), "@STATES@", words_for(core::task_states()));
    script = replaced(std::move(script), "@JOB_STATES@", words_for(core::job_states()));
    return replaced(std::move(script), "@WORDS@", words_by_place(places));
}

}  // namespace

void add_completion(CLI::App& program, Action& chosen) {
    auto* completion = program.add_subcommand("completion", "Print a script that completes commands in your shell");
    completion->require_subcommand(1);
    completion->add_subcommand("bash", "For bash: eval \"$(holdfast completion bash)\"")
        ->callback([&program, &chosen] {
            chosen = [&program](Session& session) {
                session.io.out << bash_script(program);
                return ExitCode::Done;
            };
        });
}

}  // namespace holdfast::cli
