#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/errors.h"
#include "store/jobs/job_tables.h"
#include "store/postgres/connection.h"
#include "store/postgres/known_incarnation.h"

namespace holdfast::postgres {

/// A transaction under way. BEGIN travels with the first statement; it is rolled back unless committed.
class Transaction {
public:
    Transaction(Connection& connection, const Clock* clock, const KnownIncarnation* incarnation)
        : connection_(connection), clock_(clock), incarnation_(incarnation) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    template <typename... Values>
    Rows run(Sql sql, const Values&... values) {
        return run(Command{sql, Params(values...)});
    }
    Rows run(Command command);
    /// What `read(row)` makes of each row of an answer, and of its first row (nullopt: it has none).
    template <typename Read, typename... Values>
    [[nodiscard]] auto all(Sql sql, const Read& read, const Values&... values) {
        return run(sql, values...).all(read);
    }
    template <typename Read, typename... Values>
    [[nodiscard]] auto first(Sql sql, const Read& read, const Values&... values) {
        return run(sql, values...).first(read);
    }
    /// Several in one round trip.
    std::vector<Rows> run(std::vector<Command> commands);
    void run_script(const std::string& sql);
    void commit();

    bool brings_work = false;   ///< wake waiters for work once it is committed
    bool ends_tasks = false;    ///< wake waiters for results
    bool frees_keys = false;    ///< slots of concurrency keys became free
    bool gives_orders = false;  ///< wake the workers: their next beat brings them an order

    // What PostgresStore::transact does before the commit.
    std::vector<store::JustEnded> ended_steps;  ///< tasks of steps: their jobs have to hear of it
    std::vector<Uuid> slots_to_free;            ///< tasks whose leases have ended: steps are locked before keys
    std::string who = "store";                  ///< the person, worker or sweeper whose transaction it is

private:
    void append_beginning(std::vector<Command>& commands);

    Connection& connection_;
    const Clock* clock_;
    const KnownIncarnation* incarnation_;
    bool begun_ = false;
};

/// A statement of the short way found another state than it needs, and changed nothing: take the long way.
class Overtaken : public store::Unusable {
public:
    using store::Unusable::Unusable;
};

enum class Effect { Reads, Writes };

/// A connection and the turn to use it: calls from several threads queue here. Deadlocks and serialisation failures
/// are retried whole, and so is what met another history of the database than the known one; every other failure is
/// thrown as one of store/errors.h.
class Lane {
public:
    /// Without an incarnation the history of the database is not checked.
    Lane(ConnectParams params, const Clock* clock, KnownIncarnation* incarnation = nullptr)
        : connection_(std::move(params)), clock_(clock), incarnation_(incarnation) {}

    /// One transaction of its own in one round trip.
    std::vector<Rows> run(const std::vector<Command>& commands, Effect effect);
    template <typename... Values>
    Rows read(Sql sql, const Values&... values) {
        return std::move(run({Command{sql, Params(values...)}}, Effect::Reads).front());
    }
    template <typename... Values>
    Rows write(Sql sql, const Values&... values) {
        return std::move(run({Command{sql, Params(values...)}}, Effect::Writes).front());
    }

    /// As in Transaction.
    template <typename Read, typename... Values>
    [[nodiscard]] auto all(Sql sql, const Read& read_row, const Values&... values) {
        return read(sql, values...).all(read_row);
    }
    template <typename Read, typename... Values>
    [[nodiscard]] auto first(Sql sql, const Read& read_row, const Values&... values) {
        return read(sql, values...).first(read_row);
    }

    /// Runs `body(Transaction&)` and commits. The body may run several times.
    template <typename Body>
    auto transact(const Body& body) {
        const std::lock_guard turn(mutex_);
        return retrying(Effect::Writes, [&](bool& in_doubt) {
            Transaction transaction(connection_, clock_, incarnation_);
            auto answer = body(transaction);
            in_doubt = true;
            transaction.commit();
            return answer;
        });
    }

    /// Uses the connection as such, under the turn, connected.
    template <typename Body>
    auto with_connection(const Body& body) {
        const std::lock_guard turn(mutex_);
        return retrying(Effect::Reads, [&](bool&) { return body(connection_); });
    }

private:
    template <typename Body>
    auto retrying(Effect effect, const Body& body) {
        std::string refused_state;
        core::Incarnation expected;
        for (int attempt = 1;; ++attempt) {
            bool in_doubt = false;
            try {
                connection_.ensure_open();
                catch_up(refused_state, expected);
                expected = known();
                return body(in_doubt);
            } catch (const Refusal& refusal) {
                if (!is_worth_retrying(refusal) || attempt == max_attempts) throw_for(refusal);
                refused_state = refusal.state;
            } catch (const ConnectionLost& lost) {
                // A read that an idle connection did not survive is simply asked again.
                if (effect == Effect::Writes || attempt > 1) throw_for(lost, in_doubt);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
        }
    }
    /// What travels before the first statement.
    [[nodiscard]] std::vector<Command> beginning_of(Effect effect) const;
    [[nodiscard]] core::Incarnation known() const;
    /// Meets the database again if it refused the last attempt for its history, which was not the expected one.
    void catch_up(std::string_view refused_state, const core::Incarnation& expected);
    static bool is_worth_retrying(const Refusal& refusal);
    [[noreturn]] static void throw_for(const Refusal& refusal);
    [[noreturn]] static void throw_for(const ConnectionLost& lost, bool in_doubt);

    static constexpr int max_attempts = 20;

    std::mutex mutex_;
    Connection connection_;
    const Clock* clock_;
    KnownIncarnation* incarnation_;
};

}  // namespace holdfast::postgres
