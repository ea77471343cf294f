#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/jobs/job_tables.h"
#include "store/sqlite/database.h"
#include "store/sqlite/doorbell.h"
#include "store/sqlite/turnstile.h"

namespace holdfast::sqlite {

/// A write transaction under way: the connection, the time that its rows are stamped with, and which waiters to wake
/// once it is committed.
struct Transaction {
    Database& db;
    Timestamp now;
    bool brings_work = false;
    bool ends_tasks = false;
    bool gives_orders = false;  ///< the next beat of a worker brings it an order
    /// Routes and keys of tasks that freed a slot, or left the ready set without taking one: tasks that wait for the
    /// key move up before the commit.
    std::set<std::pair<std::int64_t, std::string>> freed_keys = {};
    /// Their jobs have to hear of it before the commit.
    std::vector<store::JustEnded> ended_tasks = {};
    std::vector<Uuid> started_tasks = {};
    std::string who = "store";  ///< the person, worker or sweeper whose transaction it is
};

/// A connection with its place in the writers' queue. The store has two: beats never wait behind the store's own
/// work.
class Lane {
public:
    Lane(const std::string& path, Database::Mode mode, Turnstile::Rank rank, const Clock& clock);
    ~Lane();

    /// Runs `body(Transaction&)` as one transaction, on disk when this returns, and wakes the waiters. Rolls back
    /// when it throws.
    template <typename Body>
    auto write(const Body& body) {
        const std::lock_guard lock(mutex_);
        Turn turn(*this);
        Transaction transaction{db_, clock_.now()};
        auto answer = body(transaction);
        turn.commit(transaction);
        return answer;
    }

    /// Runs `body(Database&)` on one unchanging view of the database, closed when this returns.
    template <typename Body>
    auto read(const Body& body) {
        const std::lock_guard lock(mutex_);
        const View view(db_);
        return body(db_);
    }

    /// Database::all and Database::first, on a view of their own.
    template <typename Read, typename... Values>
    [[nodiscard]] auto all(Sql sql, const Read& read_row, const Values&... values) {
        return read([&](Database& db) { return db.all(sql, read_row, values...); });
    }
    template <typename Read, typename... Values>
    [[nodiscard]] auto first(Sql sql, const Read& read_row, const Values&... values) {
        return read([&](Database& db) { return db.first(sql, read_row, values...); });
    }

    /// Begins a transaction and writes nothing; throws store::Unavailable, naming the process that is in the way,
    /// when the writers' turn does not come, or another program does not let it begin.
    void try_to_write(Duration patience_of_caller);

private:
    static constexpr Duration patience = std::chrono::seconds(10);

    /// The writers' turn and the transaction inside it.
    class Turn {
    public:
        explicit Turn(Lane& lane, Duration patience_of_caller = patience);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        void commit(const Transaction& transaction);

    private:
        void leave();

        Lane& lane_;
        bool inside_ = true;
    };

    class View {
    public:
        explicit View(Database& db) : db_(db) { db_.run("BEGIN"); }
        ~View() { db_.roll_back(); }
        View(const View&) = delete;
        View& operator=(const View&) = delete;

    private:
        Database& db_;
    };

    std::mutex mutex_;
    Database db_;
    Turnstile turnstile_;
    Doorbell work_bell_;
    Doorbell done_bell_;
    Doorbell orders_bell_;
    const Clock& clock_;
};

}  // namespace holdfast::sqlite
