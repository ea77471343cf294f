#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/terminal/io.h"
#include "client/connect.h"
#include "config/config.h"
#include "holdfast/errors.h"
#include "holdfast/function.h"
#include "store/store.h"
#include "views/json.h"

namespace holdfast::http {
struct ClientParams;
}
namespace holdfast::remote {
class ServerLink;
}

namespace holdfast::cli {

/// The options that every command takes.
struct Globals {
    std::string store;    ///< empty: from the configuration
    std::string server;   ///< a server to ask instead of a store; empty: none
    std::string token;    ///< the token for that server
    std::string ca_file;  ///< CA certificates that verify the server; empty: those of the system
    std::string config;   ///< empty: holdfast.yaml, if there is one
    bool json = false;
};

/// An error with one or more complaints; what() lists them, one per line.
class Complaints : public BadInput {
public:
    using BadInput::BadInput;
};

/// The configuration is not valid.
class BadConfig : public Complaints {
public:
    using Complaints::Complaints;
};

/// The named worker, schedule or concurrency key does not exist.
class NotFound : public BadInput {
public:
    using BadInput::BadInput;
};

/// The changes that a command may make to the store when it opens it.
enum class Access {
    AsItIs,            ///< none: a missing file, or an outdated schema, is an error
    CreateAndMigrate,  ///< create a missing file, bring the schema up to date
};

/// All errors of a configuration, one per line: the message of a BadConfig.
[[nodiscard]] std::string to_lines(const config::ConfigErrors& errors);

/// The parameters that open the store of a configuration.
[[nodiscard]] client::ConnectParams connect_params(const config::Config& config, Access access);

/// One run of the program: the context of a command.
struct Session {
    Io& io;
    Globals globals;
    const FunctionTable& functions;  ///< of the application

    /// Loads the configuration and overrides it with a command's own flags. Throws BadConfig.
    [[nodiscard]] config::Config load_config(const std::vector<config::FlagOverride>& flags = {}) const;
    [[nodiscard]] Result<config::Config, config::ConfigErrors> try_config(
        const std::vector<config::FlagOverride>& flags = {}) const;
    /// Opens the store named by flag, environment or configuration, or a server in its place. Throws BadInput or
    /// StoreError.
    [[nodiscard]] std::unique_ptr<store::ClientStore> open_store(Access access) const;
    [[nodiscard]] std::unique_ptr<store::ClientStore> open_store(const config::Config& config, Access access) const;
    /// Opens the store for a command that a server cannot handle; throws Unusable when a server was named.
    [[nodiscard]] std::unique_ptr<store::Store> open_store_itself(const config::Config& config, Access access) const;

    /// The server to use in place of a store; null when none was named.
    [[nodiscard]] std::unique_ptr<remote::ServerLink> server() const;

    /// Prints a line of JSON.
    void print(const views::Json& shape) const;
    /// Reports the result of a command: a line of JSON with --json, else the sentence.
    void tell(const views::Json& shape, const std::string& sentence) const;

    /// The actor recorded in events: "alice@web-1 (cli)".
    [[nodiscard]] std::string who() const;
};

/// The connection parameters of the named server.
[[nodiscard]] http::ClientParams server_params(const Globals& globals);

}  // namespace holdfast::cli
