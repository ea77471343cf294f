#include "core/task/task_spec.h"

#include <algorithm>

#include "base/text.h"
#include "core/task/task_options.h"

namespace holdfast::core {

namespace {

constexpr std::string_view own_prefix = "HOLDFAST_";

/// As a person would call the kind of task.
std::string kind_text(const TaskSpec& spec) {
    if (spec.kind != TaskKind::Script) return concat("a task of type ", word_of(spec.kind));
    return concat("a script with runner ", word_of(spec.runner));
}

/// An argument of a command line that must not be taken for an option or for two.
bool is_plain_word(std::string_view text) {
    return !text.starts_with('-') && std::ranges::all_of(text, [](char c) { return c > ' ' && c != '\x7F'; });
}

bool is_volume(const std::string& text) {
    const auto first = text.find(':');
    if (first == std::string::npos || first == 0 || text.starts_with('-')) return false;
    const std::string rest = text.substr(first + 1);
    const auto second = rest.find(':');
    const std::string mode = second == std::string::npos ? "rw" : rest.substr(second + 1);
    return rest.starts_with('/') && second != 1 && (mode == "ro" || mode == "rw");
}

/// "env:NAME" or "file:/path".
bool is_secret_source(std::string_view text) {
    if (text.starts_with("env:")) return text.size() > 4 && text.find('=') == std::string_view::npos;
    return text.starts_with("file:/");
}

class Inspection {
public:
    explicit Inspection(const TaskSpec& spec) : spec_(spec) {}

    std::vector<SpecDefect> run() {
        inspect_kind();
        inspect_text("script", spec_.script);
        inspect_word("image", spec_.image);
        inspect_word("network", spec_.network);
        for (const auto& word : spec_.command) inspect_text("command", word);
        inspect_variables("env", spec_.env);
        inspect_secrets();
        inspect_dir();
        inspect_volumes();
        inspect_ranges();
        return std::move(defects_);
    }

private:
    void complain(std::string_view member, std::string problem) {
        defects_.push_back({std::string(member), std::move(problem)});
    }

    /// Exactly the members that make sense for the kind of task.
    void inspect_kind() {
        const bool is_script = spec_.kind == TaskKind::Script;
        require("script", is_script, !spec_.script.empty());
        require("image", spec_.runs_in_container(), !spec_.image.empty());
        allow("runner", is_script, spec_.runner != ScriptRunner::Local);
        allow("command", !is_script, !spec_.command.empty());
        allow("volumes", spec_.runs_in_container(), !spec_.volumes.empty());
        allow("cpus", spec_.runs_in_container(), spec_.cpus.has_value());
        allow("network", spec_.runs_in_container(), !spec_.network.empty());
    }

    void require(std::string_view member, bool is_needed, bool is_there) {
        if (is_needed && !is_there) complain(member, concat("is missing: ", kind_text(spec_), " needs it"));
        allow(member, is_needed, is_there);
    }

    void allow(std::string_view member, bool is_sensible, bool is_there) {
        if (is_there && !is_sensible) complain(member, concat("has no meaning for ", kind_text(spec_)));
    }

    bool inspect_text(std::string_view member, std::string_view text) {
        const auto defect = text_defect(text);
        if (defect) complain(member, *defect);
        return !defect;
    }

    void inspect_word(std::string_view member, std::string_view text) {
        if (inspect_text(member, text) && !is_plain_word(text))
            complain(member, "must be one word that does not begin with \"-\"");
    }

    void inspect_variables(std::string_view member, const std::map<std::string, std::string>& variables) {
        for (const auto& [name, value] : variables) {
            if (!inspect_text(member, name) || !inspect_text(member, value)) continue;
            if (name.empty() || name.find('=') != std::string::npos)
                complain(member, concat("has a variable \"", name, R"("; names are not empty and have no "=")"));
            if (name.starts_with(own_prefix))
                complain(member, concat("has a variable \"", name, "\"; names that begin with ", own_prefix,
                                        " are Holdfast's own"));
        }
    }

    void inspect_secrets() {
        inspect_variables("secrets", spec_.secrets);
        for (const auto& [name, source] : spec_.secrets) {
            if (!is_secret_source(source))
                complain("secrets", concat("must say where the worker finds ", name,
                                           ": env:VARIABLE or file:/path, never the secret itself"));
            if (source.starts_with(concat("env:", own_prefix)))
                complain("secrets", concat("must not take ", name, " from the worker's own ", source.substr(4)));
            if (spec_.env.contains(name)) complain("secrets", concat("has ", name, ", which env has as well"));
        }
    }

    void inspect_dir() {
        if (!spec_.dir.empty() && inspect_text("dir", spec_.dir) && !spec_.dir.starts_with('/'))
            complain("dir", "must be an absolute path: workers have working directories of their own");
    }

    void inspect_volumes() {
        for (const auto& volume : spec_.volumes)
            if (inspect_text("volumes", volume) && !is_volume(volume))
                complain("volumes", concat("must be of the form /host/path:/container/path or .../path:ro, not \"",
                                           volume, '"'));
    }

    void inspect_ranges() {
        for (const auto& option : spec_options()) {
            const std::string member = stored_name(option);
            const std::string defect = range_defect(option, member, option.get(spec_));
            if (!defect.empty()) complain(member, defect.substr(member.size() + 1));
        }
    }

    const TaskSpec& spec_;
    std::vector<SpecDefect> defects_;
};

}  // namespace

std::vector<std::string> required_tags(const TaskSpec& spec) {
    switch (spec.kind) {
        case TaskKind::Script:
            if (spec.runner == ScriptRunner::Docker) return {"script", "docker"};
            if (spec.runner == ScriptRunner::Pod) return {"script", "kubernetes"};
            return {"script"};
        case TaskKind::Docker:
            return {"docker"};
        case TaskKind::Pod:
            return {"kubernetes"};
    }
    return {};
}

std::vector<SpecDefect> spec_defects(const TaskSpec& spec) {
    return Inspection(spec).run();
}

}  // namespace holdfast::core
