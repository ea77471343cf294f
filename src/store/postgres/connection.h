#pragma once

#include <libpq-fe.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "store/postgres/dial.h"
#include "store/postgres/patience.h"
#include "store/postgres/primary.h"
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
    enum class Why { Broke, Unanswered };
    ConnectionLost(Why reason, const std::string& message) : std::runtime_error(message), why(reason) {}
    Why why;  ///< Unanswered: the server may be at it still
};

/// The server has committed, but stopped waiting for its synchronous standby: a failover may lose the commit.
class OnlyLocal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One statement with its parameters.
struct Command {
    Sql sql;
    Params params;
};

class Connection;

struct ConnectParams {
    std::string url;
    std::string purpose;              ///< for people who look at pg_stat_activity
    bool prepares = true;             ///< statements are kept in the session; behind a pooler they never are
    bool notices_death_fast = false;  ///< keepalives that end a dead connection within seconds, on both sides
    Patience patience = work_patience;
    /// Called for every new connection before it is used. What it throws closes the connection and reaches the
    /// caller.
    std::function<void(Connection&)> on_connected = {};
    /// A query for the rank and nonce of the history that a host has. Only a URL with several hosts needs it: the
    /// highest rank wins. A host without an answer counts as rank 0.
    std::optional<Sql> about_host = {};
};

/// A libpq connection. Nothing in it waits without a deadline, apart from calls that may take any time. Not
/// thread-safe. Messages that it throws never contain a password.
class Connection {
public:
    explicit Connection(ConnectParams params);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() = default;

    /// Connects unless connected; a connection that the server has closed meanwhile, or whose host is not the primary
    /// any more, is opened anew. After failures it waits a moment first. Throws store::Unavailable or
    /// store::Unusable; Refusal, ConnectionLost or OnlyLocal when the new connection cannot be set up.
    void ensure_open();
    void close();
    /// Closes a connection to a server that cannot be the primary: the next connection asks all hosts.
    void leave();
    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }

    /// A call begins: from now on its patience counts. Without this every round trip is a call of its own.
    void begin_call() { call_ = Deadline::in(params_.patience.call); }
    /// The rest of the call may take so long.
    void limit_call(Duration duration) { call_ = Deadline::in(duration); }

    /// Sends all commands in one round trip and answers them in order. Without a BEGIN among them they are one
    /// transaction of their own. Throws Refusal (the rest was not carried out), ConnectionLost or OnlyLocal.
    std::vector<Rows> run(std::span<const Command> commands);
    /// A script of several statements without parameters.
    void run_script(const std::string& sql);

    /// Whether a pooler stands between this process and the server. Then the session may be another in the next
    /// transaction: nothing can be kept in it.
    [[nodiscard]] bool is_pooled() const { return is_pooled_; }
    /// Behind a pooler: limits the current transaction as the settings of a session would. Else nullopt.
    [[nodiscard]] std::optional<Command> transaction_limits() const;

    /// Grows with every connect: session state (advisory locks, LISTEN) of an earlier number is gone.
    [[nodiscard]] int generation() const { return generation_; }
    /// What all connections of this process to the URL know together.
    [[nodiscard]] Primary& primary() { return *primary_; }
    /// For waiting on notifications.
    [[nodiscard]] PGconn* handle() { return handle_.get(); }

private:
    void pause_after_failures();
    void connect();
    [[nodiscard]] Dialled find_primary();
    [[nodiscard]] std::vector<std::size_t> all_hosts() const;
    [[nodiscard]] DialParams search_among(std::vector<std::size_t> hosts) const;
    void take_over(Dialled dialled);
    void set_up_session();
    void refuse_other_encodings();
    /// Learns whether a pooler is in between; if not, sets the timeouts of the session.
    void introduce();
    void refuse_statement_pooling();
    void end_abandoned_backend();
    void ask_server_to_notice_death();
    static void receive_notice(void* self, const PGresult* notice);

    void send(const Command& command);
    /// Sends everything, reading meanwhile: a server whose answers are not read stops reading, too.
    void flush();
    /// All results of the commands sent, up to the synchronisation point.
    std::vector<Rows> read_answers(std::span<const Command> commands);
    /// The next unread answer to what was sent. `may_be_done`: the commit may have been made already.
    PGresult* next_result(bool may_be_done);
    [[nodiscard]] bool await_result();
    /// Waits for the socket until the deadline. After half a second it looks for another primary meanwhile.
    void wait(short events);
    bool look_around(std::unique_ptr<Search>& search, std::span<const pollfd> seen);
    void throw_if_only_local();
    [[noreturn]] void lose(const std::string& doing);
    [[noreturn]] void give_up(const std::string& why);
    [[noreturn]] void refuse(const PGresult* result);
    [[nodiscard]] bool was_closed_by_server();
    [[nodiscard]] bool has_to_follow() const;

    struct Backend {
        int pid;
        Timestamp started;
    };

    ConnectParams params_;
    ServerUrl url_;
    std::shared_ptr<Primary> primary_;
    std::size_t host_ = 0;       // of the URL
    std::int64_t timeline_ = 0;  // of the server there; 0: unknown
    Handle handle_{nullptr, &PQfinish};
    std::set<Sql> prepared_;
    std::vector<Sql> preparing_;  // sent with the current commands, in order
    int generation_ = 0;
    bool is_pooled_ = true;    // until the opposite is known
    bool is_settled_ = false;  // the connection may be used: its host is where the primary is
    bool is_only_local_ = false;
    Deadline call_;
    Deadline deadline_;                 // of the round trip under way
    std::optional<Backend> backend_;    // of this connection, unless pooled
    std::optional<Backend> abandoned_;  // of an earlier one, which may be at work still
    int failures_ = 0;                  // to connect, in a row
    std::chrono::steady_clock::time_point last_failure_;
    std::minstd_rand random_{std::random_device()()};
};

}  // namespace holdfast::postgres
