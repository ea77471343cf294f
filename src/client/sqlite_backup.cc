#include <filesystem>
#include <optional>

#include "base/text.h"
#include "client/backup_kinds.h"
#include "platform/life_lock.h"
#include "platform/real_clock.h"
#include "platform/workshop.h"
#include "store/errors.h"
#include "store/sqlite/backup.h"

namespace holdfast::client {

namespace {

namespace fs = std::filesystem;
using platform::Existing;

bool is_there(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// The file behind links, as SQLite would open it.
std::string resolved(const std::string& path) {
    std::error_code failure;
    const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
    return failure ? path : found.string();
}

/// Refuses to read a backup from the store itself, or to write it there.
void require_other_file(const std::string& database, const std::string& file) {
    const std::string named = resolved(file);
    std::error_code ignored;
    if (named == database || fs::equivalent(named, database, ignored))
        throw BadInput(concat(file, " is the store itself: name another file for the backup"));
    for (const std::string& companion : sqlite::companions_of(database))
        if (named == companion)
            throw BadInput(concat(file, " belongs to the store: name another file for the backup"));
}

/// A database with a log beside it is not complete without it.
void require_complete(const std::string& file) {
    for (const char* suffix : {"-wal", "-journal"})
        if (is_there(file + suffix))
            throw BadInput(concat(file, suffix, " lies beside it: ", file,
                                  " is a database in use, not a backup; 'holdfast backup' makes one"));
}

void require_no_worker(const std::string& database) {
    if (const auto number = platform::held_life_lock(platform::life_lock_path(database)))
        throw Unusable(concat(database, " is in use: worker number ", *number,
                              " lives and holds its lock; stop all workers and servers first"));
}

void require_free_place(const std::string& database, bool replaces) {
    if (is_there(database)) {
        if (replaces) return;
        throw BadInput(concat(database, " exists: move it away, or replace it with --replace"));
    }
    for (const char* suffix : {"-wal", "-shm", "-journal"})
        if (is_there(database + suffix))
            throw Unusable(concat(database, suffix,
                                  " lies there without its database, and would be applied to the "
                                  "restored one: move it to where that database is"));
}

}  // namespace

BackupAnswer back_up_sqlite(const std::string& path, const BackupParams& params) {
    const std::string database = resolved(path);
    if (!is_there(database)) throw Unavailable(concat("there is no database at ", path));
    require_other_file(database, params.file);
    require_new_file(params);
    const platform::Workshop workshop(params.file);
    const std::string copy = workshop.path_of("copy");
    const sqlite::CopyAnswer copied = sqlite::copy_store(database, copy);
    BackupAnswer answer{.check = copied.check, .schema = copied.schema, .is_current = copied.is_current};
    if (copied.check.violates(store::CheckRule::Pages)) return answer;
    answer.bytes = fs::file_size(copy);
    platform::put_in_place(copy, params.file, params.replaces ? Existing::Replaced : Existing::Kept);
    answer.is_written = true;
    return answer;
}

store::RestartAnswer restore_sqlite(const std::string& path, const RestoreParams& params) {
    const std::string database = resolved(path);
    require_other_file(database, params.file);
    require_backup(params.file, BackupKind::Sqlite);
    require_complete(params.file);
    require_free_place(database, params.replaces);
    require_no_worker(database);

    const platform::Workshop workshop(database);
    store::RestartParams restart = params.restart;
    std::optional<sqlite::Seizure> old;
    if (is_there(database)) restart.rank_above = old.emplace(database).rank();
    const std::string copy = workshop.path_of("copy");
    platform::copy_file(params.file, copy);
    const auto answer = sqlite::restart_copy(copy, params.file, restart, platform::real_clock());
    if (answer.is_refused) return answer;
    platform::share_like(database, copy);
    require_no_worker(database);
    platform::put_in_place(copy, database, params.replaces ? Existing::Replaced : Existing::Kept);
    return answer;
}

}  // namespace holdfast::client
