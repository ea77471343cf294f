#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "server/process/server_process.h"

namespace holdfast::cli {

/// The options of commands that run a server; each overrides a field of the configuration.
struct ServerFlags {
    std::string address = {}, port = {}, tls_certificate = {}, tls_key = {};
    bool insecure = false;
    bool no_sweep = false;
};
[[nodiscard]] std::vector<config::FlagOverride> overrides(const ServerFlags& flags);

/// Creates the plan of a server from this configuration. `flags` are applied again whenever the file is reloaded. The
/// session and the log must outlive the plan.
[[nodiscard]] server::ServerPlan server_plan(const Session& session, const config::Config& config,
                                             const std::vector<config::FlagOverride>& flags, Log& log);

}  // namespace holdfast::cli
