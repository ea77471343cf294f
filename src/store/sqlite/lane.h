#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/patient_mutex.h"
#include "core/incarnation.h"
#include "store/jobs/job_tables.h"
#include "store/sqlite/database.h"
#include "store/sqlite/doorbell.h"
#include "store/sqlite/turnstile.h"

namespace holdfast::sqlite {

/// A write transaction under way: the connection, the time that its rows are stamped with, and which waiters to wake
/// once it is committed.
struct Transaction {
    Database& db;
    const std::string& place;  ///< of the file
    Timestamp now;
    core::Incarnation incarnation = {};  ///< of the file, as this transaction leaves it; set by SqliteStore::meet
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

struct LaneParams {
    std::string path;               ///< of the file itself, so that all processes have the same files beside it
    std::string given_path = path;  ///< by which this process came to it: a link, perhaps
    Database::Mode mode = Database::Mode::ReadWrite;
    Turnstile::Rank rank = Turnstile::Rank::Work;
    const Clock& clock;
    bool has_deadlines = true;
    /// Called with another file that was found at the path, before it is used. Throws store::Unusable when it is not
    /// a database of this program.
    std::function<void(Transaction&)> on_replaced = [](Transaction&) {};
    // These are called by the lane's only user at that moment.
    /// Inside every read, with the place of the file.
    std::function<void(Database&, const std::string&)> on_read = [](Database&, const std::string&) {};
    std::function<void(const Transaction&)> on_committed = [](const Transaction&) {};
    std::function<void()> on_rolled_back = [] {};
};

/// A connection with its place in the writers' queue. The store has two: beats never wait behind the store's own
/// work. Each follows the path: when the path leads to another file, the lane leaves the old one and opens that.
class Lane {
public:
    /// Whether a call has a deadline: that of its lane. A passed deadline is store::Unavailable, and nothing was
    /// applied.
    enum class Pace { Bounded, Unbounded };

    explicit Lane(LaneParams params);
    ~Lane();

    /// Runs `body(Transaction&)` as one transaction, on disk when this returns, and wakes the waiters. Rolls back
    /// when it throws.
    template <typename Body>
    auto write(const Body& body, Pace pace = Pace::Bounded) {
        return write(body, Deadline::in(pace == Pace::Bounded ? patience() : std::nullopt));
    }
    template <typename Body>
    auto write(const Body& body, const Deadline& deadline) {
        const Use use(*this, deadline);
        return transact(*files_, use.deadline, body);
    }

    /// Runs `body(Database&)` on one unchanging view of the database, closed when this returns.
    template <typename Body>
    auto read(const Body& body, Pace pace = Pace::Bounded) {
        const Use use(*this, pace);
        const View view(files_->db);
        params_.on_read(files_->db, files_->place);
        return body(files_->db);
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

    /// How long a call may take; nullopt: any time.
    [[nodiscard]] std::optional<Duration> patience() const {
        if (!params_.has_deadlines) return std::nullopt;
        return params_.rank == Turnstile::Rank::Beat ? beats_patience : work_patience;
    }

private:
    /// The database and the files beside it. They belong together: when the path leads to another database, all of
    /// them are opened again.
    struct Files {
        Files(const LaneParams& params, Database::Mode mode);

        Database db;
        std::string place;
        Turnstile turnstile;
        Doorbell work_bell;
        Doorbell done_bell;
        Doorbell orders_bell;
    };

    /// One call: has the lane to itself, and its files are those at the path.
    struct Use {
        Use(Lane& lane, Pace pace);
        Use(Lane& lane, const Deadline& until);

        Deadline deadline;
        std::unique_lock<PatientMutex> lock;
    };

    /// The writers' turn and the transaction inside it.
    class Turn {
    public:
        Turn(Files& files, const Deadline& deadline);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        void commit(const Transaction& transaction);

    private:
        void leave();

        Files& files_;
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

    template <typename Body>
    auto transact(Files& files, const Deadline& deadline, const Body& body) {
        Turn turn(files, deadline);
        Transaction transaction{files.db, files.place, params_.clock.now()};
        try {
            auto answer = body(transaction);
            turn.commit(transaction);
            params_.on_committed(transaction);
            return answer;
        } catch (...) {
            params_.on_rolled_back();
            throw;
        }
    }
    void follow_path(const Deadline& deadline);
    /// Throws store::Unavailable when the path that was given leads to another file now.
    void check_links() const;

    const LaneParams params_;
    PatientMutex mutex_;
    std::unique_ptr<Files> files_;  // nullptr: those at the path could not be opened
    const std::string target_;      // of the links in the path that was given; empty: it has none
};

}  // namespace holdfast::sqlite
