#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal/words.h"
#include "core/states.h"
#include "core/task/task_options.h"

namespace holdfast::cli {

namespace {

// The script is generated from the program's own tree of commands, so that it is always complete.

struct Place {
    std::string path;  // "/tasks/list"; empty for the program itself
    std::vector<std::string> words;
};

void collect(const Command& command, const std::string& path, const std::vector<std::string>& inherited,
             std::vector<Place>& places) {
    Place place{path, inherited};
    for (const std::string& name : command.option_names())
        if (std::ranges::find(inherited, name) == inherited.end()) place.words.push_back(name);
    const auto commands = command.commands();
    for (const Command& child : commands) place.words.push_back(child.name());
    places.push_back(std::move(place));
    for (const Command& child : commands) collect(child, path + "/" + child.name(), inherited, places);
}

/// The words that a command accepts beside its options: ids of tasks and jobs, names of workers and schedules.
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
@CHOICES@        *:--isolation) COMPREPLY=($(compgen -W 'process thread' -- "$cur")); return ;;
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

/// The allowed words of the task options.
std::string choices() {
    std::string text;
    for (const core::TaskOption& option : core::task_options())
        if (option.type == core::OptionType::Choice)
            text += fmt::format("        *:{}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", option.flag,
                                join(core::offered_words(option), " "));
    return text;
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
    return text.replace(text.find(mark), mark.size(), by);
}

std::string bash_script(const Command& program) {
    std::vector<Place> places;
    collect(program, "", program.option_names(), places);
    std::string script(script_template);
    script = replaced(std::move(script), "@PATHS@", known_paths(places));
    script = replaced(std::move(script), "@CHOICES@", choices());
    script = replaced(std::move(script), "@STATES@", lower_case(join(all_words<TaskState>(), " ")));
    script = replaced(std::move(script), "@JOB_STATES@", lower_case(join(all_words<JobState>(), " ")));
    return replaced(std::move(script), "@WORDS@", words_by_place(places));
}

}  // namespace

void add_completion(Command& completion) {
    completion.add("bash", "For bash: eval \"$(holdfast completion bash)\"",
                   [program = completion.root()](Session& session) {
                       session.io.out << bash_script(program);
                       return ExitCode::Done;
                   });
}

}  // namespace holdfast::cli
