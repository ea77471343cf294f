#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "store/errors.h"
#include "store/jobs/job_tables.h"
#include "store/postgres/connection.h"
#include "store/postgres/known_incarnation.h"

namespace holdfast::postgres {

/// What the end of steps is going to ask for: known already, or read in the round trip that locked their trees.
struct JobsAhead {
    std::optional<Timestamp> now = {};  ///< when it was read; nullopt: it was not
    std::unordered_map<Uuid, store::JobRow> jobs = {};
    std::map<store::StepKey, store::StepRow> steps = {};
    std::unordered_map<Uuid, std::optional<store::StepKey>> tasks = {};  ///< of which step; nullopt: of none
    std::unordered_map<Uuid, store::JobTables::TaskEnd> ends = {};       ///< of tasks that this transaction has ended
};

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
    /// Sends the command together with the next ones, or with the commit: for one whose answer decides nothing in
    /// this transaction. `read` gets its answer, once all that travelled with it is done. If the content of such a
    /// command is refused, the transaction is Overtaken.
    void later(Command command, std::function<void(Rows)> read = {});
    void run_script(const std::string& sql);
    void commit();
    /// Commits as well, and returns whether the transaction had changed something.
    [[nodiscard]] bool commit_and_tell();

    bool brings_work = false;   ///< wake waiters for work once it is committed
    bool ends_tasks = false;    ///< wake waiters for results
    bool gives_orders = false;  ///< wake the workers: their next beat brings them an order

    bool is_careful = false;  ///< nothing is sent later: a refusal reaches the call that it belongs to

    // What PostgresStore::transact does before the commit.
    std::vector<store::JustEnded> ended_steps;  ///< tasks of steps: their jobs have to hear of it
    std::vector<Uuid> slots_to_free;            ///< tasks whose leases have ended: steps are locked before keys
    std::string who = "store";                  ///< the person, worker or sweeper whose transaction it is
    JobsAhead ahead;                            ///< read when the leases were locked, for the first who asks

    std::vector<std::function<void()>> when_committed;

private:
    struct Postponed {
        Command command;
        std::function<void(Rows)> read;
    };
    void append_beginning(std::vector<Command>& commands);
    void end();

    Connection& connection_;
    const Clock* clock_;
    const KnownIncarnation* incarnation_;
    std::vector<Postponed> postponed_;
    bool begun_ = false;
};

/// A statement of the short way found another state than it needs, and changed nothing: take the long way.
class Overtaken : public store::Unusable {
public:
    static constexpr std::string_view state = "HF002";
    using store::Unusable::Unusable;
};

/// Is the refusal about what was to be written, rather than about the server or concurrent transactions?
[[nodiscard]] bool is_about_content(const Refusal& refusal);

enum class Effect { Reads, Writes };

/// A connection and the turn to use it: calls from several threads queue here, as long as the lane's patience lasts.
/// A call that the server does not answer in time is given up: a write is then in doubt, a read is Unavailable.
/// After a commit in doubt the next write makes certain that it is on the synchronous standby, even if it finds
/// everything done already and changes nothing: an answer that only reads does not wait for a standby. Deadlocks and
/// serialisation failures are retried whole, and so is what met another history of the database than the known one;
/// every other failure is thrown as one of store/errors.h.
class Lane {
public:
    /// Without an incarnation the history of the database is not checked.
    Lane(ConnectParams params, const Clock* clock, KnownIncarnation* incarnation = nullptr)
        : params_(std::move(params)), connection_(params_), clock_(clock), incarnation_(incarnation) {}

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
        const Turn turn(*this);
        return retrying(Effect::Writes, [&](bool& in_doubt) {
            const auto doubts = connection_.primary().doubts();
            Transaction transaction(connection_, clock_, incarnation_);
            auto answer = body(transaction);
            in_doubt = true;
            if (connection_.primary().is_certain())
                transaction.commit();
            else
                confirm(doubts, transaction.commit_and_tell());
            return answer;
        });
    }

    /// The same for a body that only reads: nothing can be in doubt.
    template <typename Body>
    auto inspect(const Body& body) {
        const Turn turn(*this);
        return retrying(Effect::Reads, [&](bool&) {
            Transaction transaction(connection_, clock_, nullptr);
            auto answer = body(transaction);
            transaction.commit();
            return answer;
        });
    }

    /// Uses the connection as such, under the turn, connected.
    template <typename Body>
    auto with_connection(const Body& body) {
        const Turn turn(*this);
        return retrying(Effect::Reads, [&](bool&) { return body(connection_); });
    }

private:
    /// The right to use the connection. Throws store::Unavailable when others keep it too long.
    class Turn {
    public:
        explicit Turn(Lane& lane);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        Lane& lane_;
    };

    template <typename Body>
    auto retrying(Effect effect, const Body& body) {
        std::string refused_state;
        core::Incarnation expected;
        for (int attempt = 1;; ++attempt) {
            bool in_doubt = false;
            try {
                const bool was_open = connection_.is_open();
                connection_.ensure_open();
                if (attempt == 1 || !was_open) connection_.begin_call();
                catch_up(refused_state, expected);
                expected = known();
                return body(in_doubt);
            } catch (const Refusal& refusal) {
                if (!is_worth_retrying(refusal) || attempt == max_attempts) throw_for(refusal);
                refused_state = refusal.state;
            } catch (const ConnectionLost& lost) {
                // A read that an idle connection did not survive is simply asked again.
                const bool is_worth_asking = effect == Effect::Reads && lost.why == ConnectionLost::Why::Broke;
                if (!is_worth_asking || attempt > 1) throw_for(lost, in_doubt);
            } catch (const OnlyLocal& local) {
                throw_in_doubt(local.what());
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
        }
    }
    /// What travels before the first statement.
    [[nodiscard]] std::vector<Command> beginning_of(Effect effect) const;
    [[nodiscard]] core::Incarnation known() const;
    /// Meets the database again if it refused the last attempt for its history, which was not the expected one.
    void catch_up(std::string_view refused_state, const core::Incarnation& expected);
    /// After a commit that was begun when there were `doubts`: the last of them is over once a change is on the
    /// standby.
    void confirm(std::uint64_t doubts, bool changed_something);
    static bool is_worth_retrying(const Refusal& refusal);
    [[noreturn]] void throw_for(const Refusal& refusal);
    [[noreturn]] void throw_for(const ConnectionLost& lost, bool in_doubt);
    [[noreturn]] void throw_in_doubt(const std::string& why);

    static constexpr int max_attempts = 20;

    std::mutex mutex_;  // of what the turns are made of
    std::condition_variable turn_ended_;
    bool is_taken_ = false;
    const ConnectParams params_;
    Connection connection_;
    const Clock* clock_;
    KnownIncarnation* incarnation_;
};

}  // namespace holdfast::postgres
