#pragma once

#include <string>

#include "base/log.h"
#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// What a service with a configuration file does for its concurrency keys when it starts: declares them, and says so.
void put_keys_of(const config::Config& config, store::Store& store, const std::string& who, Log& log);

}  // namespace holdfast::cli
