#include "store/sqlite/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/text.h"
#include "store/event_texts.h"
#include "store/rows.h"
#include "store/sqlite/check.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/file_place.h"
#include "store/sqlite/schema_version.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::CheckReport;
using store::RestartAnswer;
using store::RestartParams;

/// Leaves the database in one file, without a log.
void write_log_back(Database& db) {
    auto row = db.query("PRAGMA journal_mode = DELETE");
    if (!row.step() || row.text(0) != "delete")
        throw store::Unavailable("the log of the database cannot be written back: another process reads it");
}

CheckReport pages_of(Database& db) {
    CheckReport report;
    check_pages(db, report);
    return report;
}

/// The version of its schema, after a look at its pages.
int inspect_copy(const std::string& copy, const std::string& name, CheckReport& check) {
    try {
        Database db(copy, Database::Mode::ReadWrite);
        check = pages_of(db);
        if (check.violates(store::CheckRule::Pages)) return 0;
        const int version = require_known_schema(db, name);
        if (version == 0) throw store::Unusable(concat(name, " is an empty database, not a backup of holdfast"));
        return version;
    } catch (const store::Unavailable& busy) {
        throw store::Unusable(concat(name, " cannot be read: ", busy.what()));
    }
}

void add_queues_of(Database& db, Sql definitions, std::set<std::string>& queues) {
    for (auto row = db.query(definitions); row.step();) queues.merge(store::queues_in(row.string(0)));
}

/// Also those that no task has gone to yet, as far as workers and definitions tell.
std::set<std::string> known_queues(Database& db) {
    std::set<std::string> queues{store::NewTask().queue};
    for (auto row = db.query("SELECT queue FROM route UNION SELECT name FROM queue"); row.step();)
        queues.insert(row.string(0));
    for (auto row = db.query("SELECT queues FROM worker"); row.step();)
        for (auto& queue : row.strings(0)) queues.insert(std::move(queue));
    add_queues_of(db, "SELECT text FROM workflow_definition", queues);
    add_queues_of(db, "SELECT definition FROM schedule", queues);
    return queues;
}

void pause_all(Transaction& tx, RestartAnswer& answer) {
    for (const auto& queue : known_queues(tx.db))
        tx.db.run("INSERT INTO queue (name, paused) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET paused = 1",
                  queue);
    tx.db.run("UPDATE schedule SET paused = 1");
    answer.queues = tx.db.all("SELECT name FROM queue ORDER BY name", store::read_as<std::string>);
    answer.schedules = tx.db.all("SELECT name FROM schedule ORDER BY name", store::read_as<std::string>);
}

/// 0: it is not known.
std::int64_t stored_rank(Database& db) {
    if (!db.finds("SELECT 1 FROM sqlite_schema WHERE name = 'incarnation'")) return 0;
    return db.number("SELECT max(rank) FROM incarnation");
}

/// Whether a process holds a lock on the file. Must not be called while this process has the database open: closing
/// the file would drop its locks.
bool is_locked(const std::string& file) {
    const Descriptor opened(open(file.c_str(), O_RDWR | O_CLOEXEC));
    if (!opened) throw store::Unusable(concat(file, " cannot be opened: ", std::strerror(errno)));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(opened.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

[[noreturn]] void refuse_as_used(const std::string& database, const std::string& why) {
    throw store::Unusable(concat(database, " is in use: stop all workers and servers of it first; ", why));
}

}  // namespace

CopyAnswer copy_store(const std::string& from, const std::string& to) {
    if (has_foreign_log(from))
        throw store::Unusable(
            concat(from, "-wal belongs to another file: open the store once, with 'holdfast doctor'"));
    CopyAnswer answer;
    {
        Database source(from, Database::Mode::ReadWrite);
        answer.schema = require_known_schema(source, from);
        if (answer.schema == 0)
            throw store::Unusable(concat(from, " is an empty database: there is nothing to copy"));
        Database copy(to, Database::Mode::Create);
        source.copy_to(copy);
    }
    Database copy(to, Database::Mode::ReadWrite);
    write_log_back(copy);
    answer.is_current = answer.schema == newest_schema_version();
    answer.check = answer.is_current ? check_database(copy) : pages_of(copy);
    return answer;
}

void SqliteStore::restart(const RestartParams& params, RestartAnswer& answer) {
    write(
        [&](Transaction& tx) {
            answer.rank = begin_incarnation(tx, params.rank_above, params.who);
            if (params.skips_slots) tx.db.run("UPDATE schedule SET decided_until = max(decided_until, ?)", tx.now);
            if (params.pauses) pause_all(tx, answer);
            write_event(tx, store::restored_event(params, answer));
            return true;
        },
        Lane::Pace::Unbounded);
}

RestartAnswer restart_copy(const std::string& copy, const std::string& name, const RestartParams& params,
                           const Clock& clock) {
    RestartAnswer answer;
    answer.schema_before = inspect_copy(copy, name, answer.check);
    answer.schema = newest_schema_version();
    answer.is_refused = store::is_refused(answer.check, params);
    if (answer.is_refused) return answer;
    {
        SqliteStore store({.path = copy, .limits = {}, .migrate = true}, clock);
        answer.check = store.check();
        answer.is_refused = store::is_refused(answer.check, params);
        if (answer.is_refused) return answer;
        store.restart(params, answer);
    }
    Database db(copy, Database::Mode::ReadWrite);
    write_log_back(db);
    return answer;
}

std::vector<std::string> companions_of(const std::string& database) {
    std::vector<std::string> names;
    for (const char* suffix : {"-wal", "-shm", "-wal.replaced", "-journal", "-gate", "-turn", "-workers",
                               "-work.bell", "-done.bell", "-orders.bell"})
        names.push_back(database + suffix);
    return names;
}

Seizure::Seizure(const std::string& database) {
    if (is_locked(database)) refuse_as_used(database, "another process has the file open");
    try {
        db_ = std::make_unique<Database>(database, Database::Mode::ReadWrite);
        rank_ = stored_rank(*db_);
        db_->execute("PRAGMA locking_mode = EXCLUSIVE");
        write_log_back(*db_);
    } catch (const store::Unavailable& busy) {
        refuse_as_used(database, busy.what());
    } catch (const store::Unusable&) {
        // It is damaged, which may be why it is replaced. What it has logged would be applied to the new file.
        db_.reset();
        for (const char* suffix : {"-wal", "-shm", "-journal"}) unlink((database + suffix).c_str());
    }
}

}  // namespace holdfast::sqlite
