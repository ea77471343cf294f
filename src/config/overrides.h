#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/draft.h"

namespace holdfast::config {

/// Overrides the draft with the HOLDFAST_* variables. An empty variable counts as unset. A variable that resembles a
/// setting but does not name one is an error; variables that container platforms inject for services are ignored.
void read_environment(const std::map<std::string, std::string>& environment, Draft& draft);

/// Overrides the draft with the flags. The caller must pass only keys that exist.
void read_flags(const std::vector<FlagOverride>& flags, Draft& draft);

}  // namespace holdfast::config
