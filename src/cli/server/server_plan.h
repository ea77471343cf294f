#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "server/process/server_process.h"

namespace holdfast::cli {

/// The options of commands that serve; they stand for fields of the configuration.
struct ServerFlags {
    std::string address = {}, port = {}, tls_certificate = {}, tls_key = {};
    bool insecure = false;
    bool no_sweep = false;
};
[[nodiscard]] std::vector<config::FlagOverride> overrides(const ServerFlags& flags);

/// What a server does by this configuration. `flags` are laid over it again when the file is read again. The session
/// and the log outlive it.
[[nodiscard]] server::ServerPlan server_plan(const Session& session, const config::Config& config,
                                             const std::vector<config::FlagOverride>& flags, Log& log);

}  // namespace holdfast::cli
