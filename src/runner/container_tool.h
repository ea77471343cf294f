#pragma once

#include <string>
#include <vector>

#include "core/task/task_spec.h"
#include "holdfast/time.h"
#include "store/task_records.h"

namespace holdfast::runner {

/// A program that runs containers and has docker's command line: docker, podman.
struct ContainerTool {
    std::vector<std::string> command = {"docker"};  ///< with the words before each subcommand
    std::vector<std::string> run_options = {};      ///< words after the subcommand `run`
};

/// The container of a run. Its name and its labels contain the task and the lease: several stores may share an
/// engine, and each counts its leases from 1.
struct ContainerRun {
    store::TaskLease lease = {};
    core::TaskSpec spec = {};
    std::string folder = {};   ///< of the host: becomes /holdfast in the container
    std::string id_file = {};  ///< the engine writes the container's id to it; empty: to none
    std::vector<std::string> variables = {};
    std::vector<std::string> command = {};  ///< after the image
    std::string entrypoint = {};            ///< empty: the image's own
    std::string directory = {};             ///< empty: the image's own
};

[[nodiscard]] std::string container_name(const store::TaskLease& lease);
[[nodiscard]] std::vector<std::string> run_command(const ContainerTool& tool, const ContainerRun& run);
/// Kills it first, if it runs.
[[nodiscard]] std::vector<std::string> remove_command(const ContainerTool& tool, const std::string& container);
/// Prints "true" when the kernel has killed a process of the container because memory had run out.
[[nodiscard]] std::vector<std::string> ask_out_of_memory_command(const ContainerTool& tool,
                                                                 const std::string& container);

/// Writes the output that the engine has kept of the container to two files. Fails when the engine has kept none that
/// can be read.
[[nodiscard]] std::vector<std::string> save_log_command(const ContainerTool& tool, const std::string& container,
                                                        const std::string& out, const std::string& err);

enum class Removal {
    Removed,   ///< there was one, and it is gone now
    NoneHere,  ///< this engine has none; another engine may
    Unknown,   ///< the engine is unreachable, or a container still exists and may run
};
/// Stops and removes the containers of a lease, whichever worker has started them.
[[nodiscard]] Removal remove_containers(const ContainerTool& tool, const store::TaskLease& lease, Duration patience);

// A runner notes in its directory how to remove its container. A container need not be a child of its runner, so
// the keeper removes it when the runner cannot.

void note_container(const std::string& folder, const ContainerTool& tool, const store::TaskLease& lease);
/// The file to which the engine writes the id of the container that it has created.
[[nodiscard]] std::string container_id_file(const std::string& folder);
void forget_container(const std::string& folder);
[[nodiscard]] bool has_noted_container(const std::string& folder);
/// True when the container is gone or never existed. False: the engine was unreachable, or could not remove it.
bool remove_noted_container(const std::string& folder, Duration patience);

}  // namespace holdfast::runner
