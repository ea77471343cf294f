#include "base/links.h"
#include "base/text.h"
#include "store/migration.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/schema_version.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

// Marks the file as ours, so that another program's database is never taken for one.
constexpr int application_id = 0x484f4c44;  // "HOLD"

bool is_of_other_build(Database& db, int version) {
    if (!db.finds("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'")) return true;
    return !db.finds("SELECT 1 FROM schema_version WHERE version = ? AND fingerprint = ?", version,
                     store::fingerprint_of(embedded_migrations(), version));
}

/// 0 for an empty file.
int schema_version(Database& db, const std::string& path) {
    if (db.number("PRAGMA application_id") == application_id) {
        const int version = static_cast<int>(db.number("PRAGMA user_version"));
        if (version <= newest_schema_version() && is_of_other_build(db, version))
            throw store::Unusable(concat(path, " ", store::other_build));
        return version;
    }
    if (!db.finds("SELECT 1 FROM sqlite_schema LIMIT 1")) return 0;
    throw store::Unusable(concat(path, " is an SQLite database, but not one of holdfast"));
}

void check_not_newer(int version, const std::string& path) {
    if (version <= newest_schema_version()) return;
    throw store::Unusable(concat(path, " has schema version ", version, "; this program knows versions up to ",
                                 newest_schema_version(), ": use a newer holdfast"));
}

void require_current_schema(Database& db, const std::string& path) {
    const int version = require_known_schema(db, path);
    if (version == newest_schema_version()) return;
    throw store::Unusable(concat(path, " has schema version ", version, ", this program needs ",
                                 newest_schema_version(), ": run `holdfast migrate`"));
}

/// Runs without an owner come from before there were heartbeats: no worker will ever finish them.
void fail_ownerless_runs(Transaction& tx) {
    const auto tasks = tx.db.all(R"sql(SELECT task_id FROM lease WHERE started_at IS NOT NULL AND NOT EXISTS
                                       (SELECT 1 FROM worker WHERE worker.id = lease.worker_id))sql",
                                 store::read_id);
    for (const auto& task : tasks) {
        const auto lease = find_lease(tx.db, task);
        force_lease(tx, *lease, TaskState::Failed,
                    {std::string(error_code::worker_crashed), "Marked as failed during heartbeat migration", ""});
    }
}

}  // namespace

int newest_schema_version() {
    return embedded_migrations().back().number;
}

int require_known_schema(Database& db, const std::string& name) {
    const int version = schema_version(db, name);
    check_not_newer(version, name);
    return version;
}

void apply_migrations(Database& db, int from, int to) {
    for (const auto& migration : embedded_migrations())
        if (migration.number > from && migration.number <= to) db.execute(std::string(migration.sql));
    db.execute(R"sql(CREATE TABLE IF NOT EXISTS schema_version
                     (version INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL) STRICT)sql");
    db.run("INSERT INTO schema_version (version, fingerprint) VALUES (?, ?)", to,
           store::fingerprint_of(embedded_migrations(), to));
    db.execute(concat("PRAGMA application_id = ", application_id, "; PRAGMA user_version = ", to));
}

store::MigrateAnswer SqliteStore::migrate() {
    const auto answer = work_.write(
        [&](Transaction& tx) {
            const int from = require_known_schema(tx.db, path_);
            if (from == newest_schema_version()) return store::MigrateAnswer{from, from};
            apply_migrations(tx.db, from, newest_schema_version());
            tx.db.run("UPDATE incarnation SET place = ? WHERE place = ''", tx.place);
            if (from > 0) fail_ownerless_runs(tx);
            if (from == 0) tx.db.run("UPDATE pruned SET clock_trusted_at = ?", tx.now);
            settle(tx);
            return store::MigrateAnswer{from, newest_schema_version()};
        },
        Lane::Pace::Unbounded);
    meet_first();
    return answer;
}

/// Another file at the path is met before anything else is done with it. The lane for beats leaves that to the next
/// beat: only the lane for work can roll it over.
LaneParams SqliteStore::lane_params(const OpenParams& params, Turnstile::Rank rank) {
    const bool is_first = rank == Turnstile::Rank::Work;
    return {.path = path_,
            .given_path = params.path,
            .mode = params.migrate && is_first ? Database::Mode::Create : Database::Mode::ReadWrite,
            .rank = rank,
            .clock = clock_,
            .has_deadlines = params.has_deadlines,
            .on_replaced =
                [this, is_first](Transaction& tx) {
                    require_current_schema(tx.db, path_);
                    if (!is_first) return;
                    routes_.forget();
                    meet(tx);
                    settle(tx);
                },
            .on_read = [this](Database& db, const std::string& place) { meet_in_read(db, place); },
            .on_committed = [this](const Transaction& tx) { known_.remember(tx.incarnation); },
            .on_rolled_back =
                [this, is_first] {
                    if (is_first) routes_.forget();
                }};
}

SqliteStore::SqliteStore(const OpenParams& params, const Clock& clock)
    : path_(follow_links(params.path)),
      limits_(params.limits),
      safety_poll_(params.safety_poll),
      clock_(clock),
      work_(lane_params(params, Turnstile::Rank::Work)),
      beats_(lane_params(params, Turnstile::Rank::Beat)) {
    const bool is_current = work_.read([&](Database& db) {
        if (!params.migrate) require_current_schema(db, path_);
        return require_known_schema(db, path_) == newest_schema_version();
    });
    if (is_current) {
        meet_first();
    } else {
        migrate();
    }
}

std::unique_ptr<store::Store> open_store(const OpenParams& params, const Clock& clock) {
    return std::make_unique<SqliteStore>(params, clock);
}

}  // namespace holdfast::sqlite
