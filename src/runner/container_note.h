#pragma once

#include <string>

#include "runner/container_tool.h"

namespace holdfast::runner {

// A runner that has a container run notes, in its directory, how to remove it: a container need not be a child of its
// runner, and somebody has to remove it when the runner cannot.

void note_container(const std::string& folder, const ContainerTool& tool, const store::TaskLease& lease);
/// Where the engine is to write the id of the container once it has made one.
[[nodiscard]] std::string container_id_file(const std::string& folder);
void forget_container(const std::string& folder);
[[nodiscard]] bool has_noted_container(const std::string& folder);
/// True when nothing of it is left, or there never was one. False: the engine could not be asked, or did not obey.
bool remove_noted_container(const std::string& folder, Duration patience);

}  // namespace holdfast::runner
