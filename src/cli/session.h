#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/terminal/table.h"
#include "client/connect.h"
#include "config/config.h"
#include "holdfast/errors.h"
#include "holdfast/function.h"
#include "store/store.h"
#include "views/members.h"

namespace holdfast::remote {
class ServerLink;
}

namespace holdfast::cli {

// The objects that --json prints: those of the API, and a few defined by the commands.
using views::array_of;
using views::Json;
using views::to_json_shape;

/// The options that every command takes.
struct Globals {
    std::string store;    ///< empty: from the configuration
    std::string server;   ///< a server to ask instead of a store; empty: none
    std::string token;    ///< the token for that server
    std::string ca_file;  ///< CA certificates that verify the server; empty: those of the system
    std::string config;   ///< empty: holdfast.yaml, if there is one
    bool json = false;
    bool wide = false;  ///< tables show everything, however narrow the terminal is
    bool utc = false;   ///< tables show moments in UTC
};

/// An error with one or more complaints, for example about a configuration; what() lists them, one per line.
class Complaints : public BadInput {
public:
    using BadInput::BadInput;
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

/// All errors of a configuration, one per line: the message of Complaints.
[[nodiscard]] std::string to_lines(const config::ConfigErrors& errors);

/// The overrides that were given: those with a value.
[[nodiscard]] std::vector<config::FlagOverride> given_only(std::vector<config::FlagOverride> flags);

/// The parameters that open the store of a configuration.
[[nodiscard]] client::ConnectParams connect_params(const config::Config& config, Access access);

/// One run of the program: the context of a command.
struct Session {
    Io& io;
    Globals globals;
    const FunctionTable& functions;  ///< of the application

    /// Loads the configuration and overrides it with a command's own flags. Throws Complaints.
    [[nodiscard]] config::Config load_config(const std::vector<config::FlagOverride>& flags = {}) const;
    /// Loads the configuration, and throws BadInput when no file was read.
    [[nodiscard]] config::Config load_config_file() const;
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
    void print(const Json& shape) const;
    /// Reports the result of a command: a line of JSON with --json, else the sentence. Returns Done.
    ExitCode tell(const Json& shape, const std::string& sentence) const;
    /// Reports a new task or job: a line of JSON with --json, a sentence with its id on a terminal, else only the id.
    /// Returns Done.
    ExitCode tell_id(const Json& shape, const Uuid& id, std::string_view before, std::string_view after = "") const;
    /// Shows one record: as a line of JSON with --json, else by `print_text(io, record)`. Returns Done.
    template <typename Record, typename PrintText>
    ExitCode show(const Record& record, PrintText print_text) const;
    /// Lists records: one line of JSON each with --json, else a table of `row_of(record)`. On a terminal, `nothing`
    /// is printed when there are none. Returns Done.
    template <typename Record, typename RowOf>
    ExitCode list(const std::vector<Column>& columns, const std::vector<Record>& records, RowOf row_of,
                  std::string_view nothing = "") const;
    /// How much room its tables have: at a terminal its width, elsewhere as much as they take.
    [[nodiscard]] TableRoom room() const;
    /// Prints whole ids, one per line, and nothing else.
    template <typename Record, typename IdOf>
    ExitCode list_ids(const std::vector<Record>& records, IdOf id_of) const;
    /// Says, on a terminal, how to list the next page when the last one was full and ended with `last`.
    void tell_more(const Uuid& last) const;

    /// The actor recorded in events: "alice@web-1 (cli)".
    [[nodiscard]] std::string who() const;
};

template <typename Record, typename PrintText>
ExitCode Session::show(const Record& record, PrintText print_text) const {
    if (globals.json)
        print(to_json_shape(record));
    else
        print_text(io, record);
    return ExitCode::Done;
}

template <typename Record, typename IdOf>
ExitCode Session::list_ids(const std::vector<Record>& records, IdOf id_of) const {
    for (const Record& record : records) io.out << id_of(record).to_string() << '\n';
    return ExitCode::Done;
}

template <typename Record, typename RowOf>
ExitCode Session::list(const std::vector<Column>& columns, const std::vector<Record>& records, RowOf row_of,
                       std::string_view nothing) const {
    std::vector<Row> rows;
    for (const Record& record : records) {
        if (globals.json)
            print(to_json_shape(record));
        else
            rows.push_back(row_of(record));
    }
    print_table(io, columns, std::move(rows), room());
    if (records.empty() && !nothing.empty() && io.terminal && !globals.json) io.out << nothing << '\n';
    return ExitCode::Done;
}

}  // namespace holdfast::cli
