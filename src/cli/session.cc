#include "cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/terminal/live_frame.h"
#include "core/origin.h"
#include "platform/host_identity.h"
#include "platform/zone_files.h"
#include "server/http/client.h"
#include "server/remote/remote_store.h"
#include "server/remote/server_link.h"

namespace holdfast::cli {

namespace {

http::ClientParams server_params(const Globals& globals) {
    return {.url = globals.server, .token = globals.token, .ca_file = globals.ca_file};
}

}  // namespace

std::string to_lines(const config::ConfigErrors& errors) {
    std::string text;
    for (const auto& error : errors) text += (text.empty() ? "" : "\n") + to_text(error);
    return text;
}

Result<config::Config, config::ConfigErrors> Session::try_config(
    const std::vector<config::FlagOverride>& flags) const {
    config::LoadParams params;
    if (!globals.config.empty()) params.file = globals.config;
    params.environment = io.environment;
    if (!globals.store.empty()) params.flags.push_back({"--store", "store.url", globals.store});
    params.flags.insert(params.flags.end(), flags.begin(), flags.end());
    params.zone_defect = [](const std::string& name) {
        const auto zone = platform::read_zone(name);
        return zone.ok() ? std::string() : zone.error();
    };
    return config::load(params);
}

config::Config Session::load_config(const std::vector<config::FlagOverride>& flags) const {
    auto loaded = try_config(flags);
    if (!loaded) throw Complaints(to_lines(loaded.error()));
    return std::move(loaded).value();
}

config::Config Session::load_config_file() const {
    config::Config config = load_config();
    if (config.file.empty())
        throw BadInput("no configuration file was read; write one (holdfast.yaml), or name one with --config");
    return config;
}

std::vector<config::FlagOverride> given_only(std::vector<config::FlagOverride> flags) {
    std::erase_if(flags, [](const config::FlagOverride& flag) { return flag.value.empty(); });
    return flags;
}

client::ConnectParams connect_params(const config::Config& config, Access access) {
    const bool may_change = access == Access::CreateAndMigrate;
    return {.url = config.store.url,
            .limits = {.max_payload_bytes = config.store.max_payload_bytes,
                       .terminal_retention = config.retention.terminal_record},
            .create = may_change,
            .migrate = may_change,
            .session_liveness = config.store.session_liveness};
}

std::unique_ptr<store::ClientStore> Session::open_store(Access access) const {
    return open_store(load_config(), access);
}

std::unique_ptr<store::ClientStore> Session::open_store(const config::Config& config, Access access) const {
    if (!globals.server.empty()) return std::make_unique<remote::RemoteStore>(server_params(globals));
    return open_store_itself(config, access);
}

std::unique_ptr<store::Store> Session::open_store_itself(const config::Config& config, Access access) const {
    if (!globals.server.empty())
        throw Unusable(fmt::format("this needs the store itself, not the server {}: give --store", globals.server));
    auto params = connect_params(config, access);
    params.submits = std::make_shared<client::SubmitMemory>(
        who(), [this](const LostSubmits& lost) { io.err << client::sentence_about(lost) << '\n'; });
    return client::connect(params);
}

std::unique_ptr<remote::ServerLink> Session::server() const {
    return globals.server.empty() ? nullptr : std::make_unique<remote::ServerLink>(server_params(globals));
}

void Session::print(const Json& shape) const {
    io.out << views::dump_line(shape) << '\n';
}

ExitCode Session::tell(const Json& shape, const std::string& sentence) const {
    if (globals.json)
        print(shape);
    else
        io.out << sentence << '\n';
    return ExitCode::Done;
}

ExitCode Session::tell_id(const Json& shape, const Uuid& id, std::string_view before, std::string_view after) const {
    if (!io.terminal) return tell(shape, id.to_string());
    return tell(shape, fmt::format("{}{}{}", before, paint(io, Tone::Strong, id.to_string()), after));
}

TableRoom Session::room() const {
    const auto screen = screen_of(io);
    const auto columns = screen ? static_cast<std::size_t>(screen->columns) : 0;
    return {.is_wide = globals.wide || !io.terminal,
            .in_utc = globals.utc || !io.terminal,
            .columns = std::max(columns, TableRoom{}.columns)};
}

void Session::tell_more(const Uuid& last) const {
    if (!io.terminal || globals.json) return;
    io.out << paint(io, Tone::Faint, fmt::format("there may be more: --after {}", last.to_string())) << '\n';
}

std::string Session::who() const {
    const std::string user = io.variable("USER");
    return core::cli_caller(user.empty() ? fmt::format("uid {}", getuid()) : user, platform::host_name());
}

}  // namespace holdfast::cli
