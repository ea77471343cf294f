#pragma once

#include <string>

#include "runner/container_tool.h"

namespace holdfast::runner {

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
