#pragma once

#include <libpq-fe.h>

#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "store/postgres/wire.h"
#include "store/sql.h"

namespace holdfast::postgres {

using store::Sql;

/// The database refused a statement. `state` is its SQLSTATE.
class Refusal : public std::runtime_error {
public:
    Refusal(std::string sql_state, const std::string& message)
        : std::runtime_error(message), state(std::move(sql_state)) {}
    std::string state;
};

/// The connection broke: the last commands may or may not have been carried out.
class ConnectionLost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One statement with its parameters.
struct Command {
    Sql sql;
    Params params;
};

struct ConnectParams {
    std::string url;
    std::string purpose;   ///< for people who look at pg_stat_activity
    bool prepares = true;  ///< statements are kept in the session; false behind a transaction-mode pooler
    bool notices_death_fast =
        false;  ///< keepalives and timeouts that end a dead connection within seconds, on both sides
};

/// A libpq connection. Not thread-safe. Messages that it throws never contain a password.
class Connection {
public:
    explicit Connection(ConnectParams params) : params_(std::move(params)) {}

    /// Connects unless connected; a connection that the server has closed meanwhile is opened anew.
    /// Throws store::Unavailable or store::Unusable.
    void ensure_open();
    void close();
    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }

    /// Sends all commands in one round trip and answers them in order. Without a BEGIN among them they are one
    /// transaction of their own. Throws Refusal (the rest was not carried out) or ConnectionLost.
    std::vector<Rows> run(std::span<const Command> commands);
    /// A script of several statements without parameters.
    void run_script(const std::string& sql);

    /// Grows with every connect: session state (advisory locks, LISTEN) of an earlier number is gone.
    [[nodiscard]] int generation() const { return generation_; }
    /// For waiting on notifications.
    [[nodiscard]] PGconn* handle() { return handle_.get(); }

private:
    void connect();
    void refuse_other_encodings();
    void ask_server_to_notice_death();
    void send(const Command& command);
    /// All results of the commands sent, up to the synchronisation point.
    std::vector<Rows> read_answers(std::span<const Command> commands);
    /// The next unread answer to what was sent.
    PGresult* next_result();
    [[noreturn]] void lose(const std::string& doing);
    [[noreturn]] void refuse(const PGresult* result);
    [[nodiscard]] bool was_closed_by_server();

    ConnectParams params_;
    std::unique_ptr<PGconn, decltype(&PQfinish)> handle_{nullptr, &PQfinish};
    std::set<Sql> prepared_;
    std::vector<Sql> preparing_;  // sent with the current commands, in order
    int generation_ = 0;
};

}  // namespace holdfast::postgres
