#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "holdfast/result.h"

namespace holdfast::core {

/// What a task executes, unless it is a function of an application.
enum class TaskKind { Script, Docker, Pod };
constexpr auto words_of(TaskKind) {
    return words<TaskKind>({{TaskKind::Script, "script"}, {TaskKind::Docker, "docker"}, {TaskKind::Pod, "pod"}});
}
/// Where a script runs.
enum class ScriptRunner { Local, Docker, Pod };
constexpr auto words_of(ScriptRunner) {
    using enum ScriptRunner;
    return words<ScriptRunner>({{Local, "local"}, {Docker, "docker"}, {Pod, "pod"}});
}

/// What to execute, whole: stored with the task when it is submitted, so that a worker needs no catalog, and a
/// changed file changes no accepted work.
struct TaskSpec {
    TaskKind kind = TaskKind::Script;
    ScriptRunner runner = ScriptRunner::Local;  ///< of Script
    std::string script;                         ///< of Script: its text; with "#!" as it says, else by sh
    std::string image;                          ///< of Docker, Pod, and of a Script that does not run locally
    std::vector<std::string> command;           ///< of Docker, Pod; empty: the image's own
    std::map<std::string, std::string> env;
    /// Variables whose values the worker reads when a run begins, from "env:NAME" of its own environment or from
    /// "file:/path": only where they come from is ever stored.
    std::map<std::string, std::string> secrets;
    std::string dir;                           ///< working directory; empty: a fresh one, removed afterwards
    std::vector<std::string> volumes;          ///< of containers: "/host/path:/container/path[:ro]"
    std::optional<std::int64_t> memory_bytes;  ///< of the whole process tree, or of the container
    std::optional<double> cpus;                ///< of containers
    std::optional<int> max_processes;          ///< of the whole process tree, or of the container
    std::string network;                       ///< of containers; empty: the engine's default

    /// Whether it runs in a container or a pod, outside of the worker's process tree.
    [[nodiscard]] bool runs_in_container() const { return kind != TaskKind::Script || runner != ScriptRunner::Local; }

    friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

/// The tags that a worker must have to run it: "script"; "script", "docker"; "script", "kubernetes"; "docker";
/// "kubernetes".
[[nodiscard]] std::vector<std::string> required_tags(const TaskSpec& spec);

/// What is wrong with one member of a specification: `"script" must not be empty`.
struct SpecDefect {
    std::string member;   ///< as in the JSON text: "type", "runner", "script", "image", ..., "env", "volumes"
    std::string problem;  ///< what follows the member's name in a sentence: "must not be empty"

    friend bool operator==(const SpecDefect&, const SpecDefect&) = default;
};
/// Everything that is wrong with it: members that its kind lacks or does not have, ranges, forms. Empty: nothing.
[[nodiscard]] std::vector<SpecDefect> spec_defects(const TaskSpec& spec);

/// JSON text, members in alphabetical order, those at their defaults left out: equal specs have equal texts.
[[nodiscard]] std::string to_json_text(const TaskSpec& spec);

/// Reads what to_json_text wrote. The error names the member and what is allowed.
[[nodiscard]] Result<TaskSpec, std::string> parse_task_spec(std::string_view json);

}  // namespace holdfast::core
