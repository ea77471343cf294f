#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal/words.h"
#include "core/states.h"
#include "core/task/task_options.h"
#include "store/token_records.h"

namespace holdfast::cli {

namespace {

// The scripts are generated from the program's own tree of commands, so that they are always complete.

struct Word {
    std::string text;
    std::string help;
};

struct Place {
    std::string path;  // "/tasks/list"; empty for the program itself
    std::vector<Word> words;
};

bool has_word(const std::vector<Word>& words, const std::string& text) {
    return std::ranges::find(words, text, &Word::text) != words.end();
}

std::vector<Word> options_of(const Command& command) {
    std::vector<Word> words;
    for (const std::string& name : command.option_names()) words.push_back({name, command.option_help(name)});
    return words;
}

void collect(const Command& command, const std::string& path, const std::vector<Word>& inherited,
             std::vector<Place>& places) {
    Place place{path, inherited};
    for (const Word& option : options_of(command))
        if (!has_word(inherited, option.text)) place.words.push_back(option);
    const auto commands = command.commands();
    for (const Command& child : commands) place.words.push_back({child.name(), child.help()});
    places.push_back(std::move(place));
    for (const Command& child : commands) collect(child, path + "/" + child.name(), inherited, places);
}

std::vector<Place> places_of(const Command& program) {
    std::vector<Place> places;
    collect(program, "", options_of(program), places);
    return places;
}

std::string known_paths(const std::vector<Place>& places) {
    std::vector<std::string> paths;
    for (const Place& place : places)
        if (!place.path.empty()) paths.push_back(place.path);
    return join(paths, "|");
}

// ---- Values ---------------------------------------------------------------------------------------

/// The allowed words of an option. `after` is a pattern of the shell: the path, a colon and the option.
struct Choice {
    std::string after;
    std::string words;
};

/// The first that matches counts.
std::vector<Choice> choices() {
    std::vector<Choice> all = {{"/tasks/force:--state", "failed cancelled"},
                               {"/jobs/list:--state", lower_case(join(all_words<JobState>(), " "))},
                               {"*:--state", lower_case(join(all_words<TaskState>(), " "))}};
    for (const core::TaskOption& option : core::task_options())
        if (option.type == core::OptionType::Choice)
            all.push_back({"*:" + option.flag, join(core::offered_words(option), " ")});
    all.push_back({"*:--isolation", "process thread"});
    all.push_back({"*:--scope", join(all_words<store::Scope>(), " ")});
    return all;
}

constexpr std::string_view before_files =
    "*:--config|*:--tls-cert|*:--tls-key|*:--file|*:--input-file|/run:-f|/jobs/graph:-f|/config/check:-f";

/// How to list the words that a command accepts beside its options: ids of tasks and jobs, names of workers,
/// schedules and tokens.
struct Wanted {
    std::string_view kind;
    std::string_view list;    // the command that lists them
    std::string_view member;  // the expression of sed that finds one in a line
};
constexpr Wanted listings[] = {
    {"tasks", "tasks list --limit 200", R"sed(s/^{"id":"\([^"]*\)".*/\1/p)sed"},
    {"jobs", "jobs list --limit 200", R"sed(s/^{"id":"\([^"]*\)".*/\1/p)sed"},
    {"schedules", "schedules list", R"sed(s/^{"name":"\([^"]*\)".*/\1/p)sed"},
    {"workers", "workers list --all", R"sed(s/.*"name":"\([^"]*\)".*/\1/p)sed"},
    {"tokens", "tokens list", R"sed(s/.*"name":"\([^"]*\)".*"revoked_at":null.*/\1/p)sed"},
};

std::string_view wanted_at(const std::string& path) {
    const auto is_below = [&](std::string_view group) {
        return path.starts_with(group) && path != concat(group, "list");
    };
    if (is_below("/tasks/")) return "tasks";
    if (is_below("/jobs/")) return "jobs";
    if (is_below("/schedules/") && path != "/schedules/apply") return "schedules";
    if (is_below("/workers/")) return "workers";
    return path == "/tokens/revoke" ? "tokens" : "";
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
    return text.replace(text.find(mark), mark.size(), by);
}

// ---- bash -----------------------------------------------------------------------------------------

constexpr std::string_view bash_template =
    R"bash(# bash completion for holdfast; load it with:  eval "$(holdfast completion bash)"
_holdfast() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local word path='' words='' wanted=''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $path/$word in @PATHS@) path=$path/$word ;; esac
    done
    case $path:$previous in
@CHOICES@        @FILES@) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    case $path in
@WORDS@    esac
    if [[ $cur != -* ]]; then
        case $wanted in
@WANTED@        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
)bash";

std::string bash_script(const Command& program) {
    const std::vector<Place> places = places_of(program);
    std::string offered, listed, chosen;
    for (const Place& place : places) {
        std::vector<std::string> words;
        for (const Word& word : place.words) words.push_back(word.text);
        offered += fmt::format("        '{}') words='{}' wanted='{}' ;;\n", place.path, join(words, " "),
                               wanted_at(place.path));
    }
    for (const Wanted& kind : listings)
        listed +=
            fmt::format("            {}) words=$(\"${{COMP_WORDS[0]}}\" {} --json 2>/dev/null | sed -n '{}') ;;\n",
                        kind.kind, kind.list, kind.member);
    for (const Choice& choice : choices())
        chosen += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", choice.after,
                              choice.words);
    std::string script = replaced(std::string(bash_template), "@PATHS@", known_paths(places));
    script = replaced(std::move(script), "@CHOICES@", chosen);
    script = replaced(std::move(script), "@FILES@", std::string(before_files));
    script = replaced(std::move(script), "@WORDS@", offered);
    return replaced(std::move(script), "@WANTED@", listed);
}

// ---- zsh ------------------------------------------------------------------------------------------

constexpr std::string_view zsh_template =
    R"zsh(#compdef holdfast
# zsh completion for holdfast; load it, after compinit, with:  eval "$(holdfast completion zsh)"
_holdfast() {
    local word place='' wanted='' previous=${words[CURRENT-1]}
    local -a offered names
    for word in ${words[2,CURRENT-1]}; do
        case $place/$word in (@PATHS@) place=$place/$word ;; esac
    done
    case $place:$previous in
@CHOICES@        (@FILES@) _files; return ;;
    esac
    case $place in
@WORDS@    esac
    if [[ $PREFIX != -* ]]; then
        case $wanted in
@WANTED@        esac
        compadd -a names
    fi
    [[ -z $wanted || $PREFIX == -* ]] && _describe word offered
}
# As a file in fpath it is the function's own body; otherwise it declares the function.
if [[ ${funcstack[1]-} == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
)zsh";

/// 'list:Tasks, newest first', quoted for the shell.
std::string described(const Word& word) {
    std::string text = word.help.empty() ? word.text : fmt::format("{}:{}", word.text, word.help);
    for (auto quote = text.find('\''); quote != std::string::npos; quote = text.find('\'', quote + 4))
        text.replace(quote, 1, R"('\'')");
    return fmt::format("'{}'", text);
}

std::string zsh_script(const Command& program) {
    const std::vector<Place> places = places_of(program);
    std::string offered, listed, chosen;
    for (const Place& place : places) {
        std::vector<std::string> words;
        for (const Word& word : place.words) words.push_back(described(word));
        offered += fmt::format("        ('{}') wanted='{}' offered=({}) ;;\n", place.path, wanted_at(place.path),
                               join(words, " "));
    }
    for (const Wanted& kind : listings)
        listed +=
            fmt::format("            ({}) names=(${{(f)\"$($words[1] {} --json 2>/dev/null | sed -n '{}')\"}}) ;;\n",
                        kind.kind, kind.list, kind.member);
    for (const Choice& choice : choices())
        chosen += fmt::format("        ({}) compadd {}; return ;;\n", choice.after, choice.words);
    std::string script = replaced(std::string(zsh_template), "@PATHS@", known_paths(places));
    script = replaced(std::move(script), "@CHOICES@", chosen);
    script = replaced(std::move(script), "@FILES@", std::string(before_files));
    script = replaced(std::move(script), "@WORDS@", offered);
    return replaced(std::move(script), "@WANTED@", listed);
}

}  // namespace

void add_completion(Command& completion) {
    completion.add("bash", "For bash: eval \"$(holdfast completion bash)\"",
                   [program = completion.root()](Session& session) {
                       session.io.out << bash_script(program);
                       return ExitCode::Done;
                   });
    completion.add("zsh", "For zsh, after compinit: eval \"$(holdfast completion zsh)\"",
                   [program = completion.root()](Session& session) {
                       session.io.out << zsh_script(program);
                       return ExitCode::Done;
                   });
}

}  // namespace holdfast::cli
