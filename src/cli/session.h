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
    std::string token;    ///< for it
    std::string ca_file;  ///< by which its certificate is checked; empty: the system's authorities
    std::string config;   ///< empty: holdfast.yaml, if there is one
    bool json = false;
};

/// More than one thing may be wrong; what() is every complaint, one a line.
class Complaints : public BadInput {
public:
    using BadInput::BadInput;
};

/// The configuration is not valid.
class BadConfig : public Complaints {
public:
    using Complaints::Complaints;
};

/// No worker, schedule or concurrency key has that name.
class NotFound : public BadInput {
public:
    using BadInput::BadInput;
};

/// What a command may do to the store by opening it.
enum class Access {
    AsItIs,            ///< nothing: a missing file, or a schema that is not up to date, is an error
    CreateAndMigrate,  ///< create a missing file, bring the schema up to date
};

/// Every error of a configuration, one a line: what a BadConfig says.
[[nodiscard]] std::string to_lines(const config::ConfigErrors& errors);

/// How the store that a configuration names is opened.
[[nodiscard]] client::ConnectParams connect_params(const config::Config& config, Access access);

/// One run of the program: what a command works with.
struct Session {
    Io& io;
    Globals globals;
    const FunctionTable& functions;  ///< of the application

    /// Loads the configuration, with a command's own flags laid over it. Throws BadConfig.
    [[nodiscard]] config::Config load_config(const std::vector<config::FlagOverride>& flags = {}) const;
    [[nodiscard]] Result<config::Config, config::ConfigErrors> try_config(
        const std::vector<config::FlagOverride>& flags = {}) const;
    /// Opens the store that flag, environment or configuration name, or the server that stands for one. Throws
    /// BadInput or StoreError.
    [[nodiscard]] std::unique_ptr<store::ClientStore> open_store(Access access) const;
    [[nodiscard]] std::unique_ptr<store::ClientStore> open_store(const config::Config& config, Access access) const;
    /// The same for a command that a server cannot serve: throws Unusable when one was named.
    [[nodiscard]] std::unique_ptr<store::Store> open_store_itself(const config::Config& config, Access access) const;

    /// The server to ask instead of a store; null: none was named.
    [[nodiscard]] std::unique_ptr<remote::ServerLink> server() const;

    /// A line of JSON.
    void print(const views::Json& shape) const;
    /// What a command has done: a line of JSON with --json, else the sentence.
    void tell(const views::Json& shape, const std::string& sentence) const;

    /// For people who read an event later: "alice@web-1 (cli)".
    [[nodiscard]] std::string who() const;
};

/// How the named server is reached.
[[nodiscard]] http::ClientParams server_params(const Globals& globals);

}  // namespace holdfast::cli
