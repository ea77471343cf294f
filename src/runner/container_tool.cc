#include "runner/container_tool.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "base/text.h"
#include "platform/programs.h"
#include "platform/service_loop.h"

namespace holdfast::runner {

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

Words subcommand(const ContainerTool& tool, const Words& more) {
    Words words = tool.command;
    append(words, more);
    return words;
}

std::string lease_label(const store::TaskLease& lease) {
    return concat("holdfast.lease=", lease.lease);
}

std::string task_label(const store::TaskLease& lease) {
    return concat("holdfast.task=", lease.task.to_string());
}

Words limit_options(const core::TaskSpec& spec) {
    Words words;
    if (spec.memory_bytes) append(words, {"--memory", concat(*spec.memory_bytes)});
    if (spec.cpus) append(words, {"--cpus", concat(*spec.cpus)});
    if (spec.max_processes) append(words, {"--pids-limit", concat(*spec.max_processes)});
    if (!spec.network.empty()) append(words, {"--network", spec.network});
    return words;
}

/// The ids of the containers of a lease; nullopt when the engine does not answer.
std::optional<Words> list_containers(const ContainerTool& tool, const store::TaskLease& lease, Duration patience) {
    const auto end = platform::run_program(
        subcommand(tool, {"ps", "--all", "--quiet", "--no-trunc", "--filter", "label=" + lease_label(lease),
                          "--filter", "label=" + task_label(lease)}),
        patience);
    if (!end || end->status != 0) return std::nullopt;
    Words ids;
    for (const std::string_view line : split(end->output, '\n'))
        if (!line.empty()) ids.emplace_back(line);
    return ids;
}

std::string note_in(const std::string& folder) {
    return folder + "/container";
}

std::string next_word(std::ifstream& note) {
    std::string word;
    std::getline(note, word, '\0');
    return word;
}

}  // namespace

std::string container_name(const store::TaskLease& lease) {
    return concat("holdfast-", lease.task.to_string(), "-", lease.lease);
}

Words run_command(const ContainerTool& tool, const ContainerRun& run) {
    // The engine's stop always follows signals of our own, so it need not wait.
    Words words = subcommand(
        tool, {"run", "--interactive", "--stop-timeout", "0", "--name", container_name(run.lease), "--label",
               lease_label(run.lease), "--label", task_label(run.lease), "--volume", run.folder + ":/holdfast"});
    if (!run.id_file.empty()) append(words, {"--cidfile", run.id_file});
    append(words, limit_options(run.spec));
    for (const std::string& volume : run.spec.volumes) append(words, {"--volume", volume});
    for (const std::string& variable : run.variables) append(words, {"--env", variable});
    if (!run.directory.empty()) append(words, {"--workdir", run.directory});
    if (!run.entrypoint.empty()) append(words, {"--entrypoint", run.entrypoint});
    append(words, tool.run_options);
    words.push_back(run.spec.image);
    append(words, run.command);
    return words;
}

Words remove_command(const ContainerTool& tool, const std::string& container) {
    return subcommand(tool, {"rm", "--force", "--volumes", container});
}

Words ask_out_of_memory_command(const ContainerTool& tool, const std::string& container) {
    return subcommand(tool, {"inspect", "--format", "{{.State.OOMKilled}}", container});
}

Words save_log_command(const ContainerTool& tool, const std::string& container, const std::string& out,
                       const std::string& err) {
    Words words = {"sh", "-c", R"(out=$0 err=$1; shift; exec "$@" >"$out" 2>"$err")", out, err};
    append(words, tool.command);
    append(words, {"--log-level", "fatal", "logs", container});  // without the engine's own warnings
    return words;
}

// Repeatedly: podman, for one, needs a second try for a container whose monitor process was killed.
Removal remove_containers(const ContainerTool& tool, const store::TaskLease& lease, Duration patience) {
    const Duration deadline = platform::machine_time() + patience;
    const auto time_left = [&] { return deadline - platform::machine_time(); };
    Removal answer = Removal::NoneHere;
    while (time_left() > Duration::zero()) {
        const auto containers = list_containers(tool, lease, time_left());
        if (!containers) return Removal::Unknown;
        if (containers->empty()) return answer;
        answer = Removal::Removed;
        for (const std::string& id : *containers)
            if (!platform::run_program(remove_command(tool, id), time_left())) return Removal::Unknown;
    }
    return Removal::Unknown;
}

void note_container(const std::string& folder, const ContainerTool& tool, const store::TaskLease& lease) {
    std::ofstream note(note_in(folder), std::ios::binary);
    note << lease.task.to_string() << '\0' << lease.lease << '\0';
    for (const std::string& word : tool.command) note << word << '\0';
}

std::string container_id_file(const std::string& folder) {
    return folder + "/container-id";
}

void forget_container(const std::string& folder) {
    unlink(note_in(folder).c_str());
}

bool has_noted_container(const std::string& folder) {
    return access(note_in(folder).c_str(), F_OK) == 0;
}

bool remove_noted_container(const std::string& folder, Duration patience) {
    if (!has_noted_container(folder)) return true;
    std::ifstream note(note_in(folder), std::ios::binary);
    store::TaskLease lease{Uuid::parse(next_word(note)).value_or(Uuid()), 0};
    const std::string number = next_word(note);
    std::from_chars(number.data(), number.data() + number.size(), lease.lease);
    ContainerTool tool{.command = {}};
    for (std::string word = next_word(note); note; word = next_word(note)) tool.command.push_back(word);
    const bool was_made = access(container_id_file(folder).c_str(), F_OK) == 0;
    return remove_containers(tool, lease, patience) != Removal::Unknown || !was_made;
}

}  // namespace holdfast::runner
