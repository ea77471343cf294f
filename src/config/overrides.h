#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/draft.h"

namespace holdfast::config {

/// Overrides the draft with the HOLDFAST_* variables. An empty variable counts as not set. A variable that looks
/// meant for us and names no field is an error; what container platforms inject for services of our name is not.
void read_environment(const std::map<std::string, std::string>& environment, Draft& draft);

/// Overrides the draft with the flags. A flag for a key that does not exist is a bug of the caller.
void read_flags(const std::vector<FlagOverride>& flags, Draft& draft);

}  // namespace holdfast::config
