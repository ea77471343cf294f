#include "store_contract/schema_version.h"

#include "base/assert.h"
#include "base/text.h"
#include "store/migration.h"
#include "store_contract/moves.h"

namespace holdfast::contract {
namespace {

struct Dialect {
    std::string ours_sql;  ///< marks a database as ours
    std::string first_schema;
    std::string empty_list;
    std::string time;
};

Dialect sqlite_dialect(Timestamp now) {
    return {.ours_sql =
                "PRAGMA application_id = 1213156420; CREATE TABLE schema_version (version INTEGER PRIMARY KEY, "
                "fingerprint INTEGER NOT NULL) STRICT",
            .first_schema = std::string(sqlite::embedded_migrations().front().sql),
            .empty_list = "'[]'",
            .time = std::to_string(now.time_since_epoch().count())};
}

#ifdef HOLDFAST_WITH_POSTGRES
Dialect postgres_dialect(Timestamp now) {
    return {
        .ours_sql =
            "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL, fingerprint bigint NOT "
            "NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())",
        .first_schema = "CREATE SCHEMA holdfast;" + std::string(postgres::embedded_migrations().front().sql),
        .empty_list = "'{}'",
        .time = concat("to_timestamp(", now.time_since_epoch().count() / 1'000'000, ")")};
}
#endif

Dialect dialect_of(StoreKind kind, Timestamp now) {
#ifdef HOLDFAST_WITH_POSTGRES
    if (kind == StoreKind::Postgres) return postgres_dialect(now);
#endif
    HOLDFAST_ASSERT(kind == StoreKind::Sqlite);
    return sqlite_dialect(now);
}

void insert_running_task(RawSql& raw, const Dialect& dialect, const Uuid& task, int lease, const Uuid& worker) {
    const auto id = raw.literal(task);
    raw.execute(concat("INSERT INTO task (id, name, args, route_id, priority, run_at, created_at) VALUES (", id,
                       ", 'noop', 'null', 1, 50, ", dialect.time, ", ", dialect.time, ")"));
    raw.execute(
        concat("INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, route_id, priority, run_at,"
               " attempts, crashes, requeues) VALUES (",
               id, ", ", lease, ", ", raw.literal(worker), ", ", dialect.time, ", ", dialect.time, ", 1, 50, ",
               dialect.time, ", 0, 0, 0)"));
}

void insert_worker(RawSql& raw, const Dialect& dialect, const Uuid& worker) {
    raw.execute(concat(
        "INSERT INTO worker (id, number, name, status, hostname, boot_id, pid_namespace, pid, start_time, keeper_pid,"
        " keeper_start_time, version, queues, tags, capacity, beat_interval_us, fence_after_us, registered_at, via,"
        " secret_hash) "
        "VALUES (",
        raw.literal(worker), ", 1, 'w', 'active', 'h', 'b', 1, 1, 1, 0, 0, '1', ", dialect.empty_list, ", ",
        dialect.empty_list, ", 1, 3000000, 15000000, ", dialect.time, ", 'store', '')"));
}

}  // namespace

void set_schema_version(const TestDatabase& database, int version) {
    const auto raw = database.raw();
    raw->execute("DELETE FROM schema_version");
#ifdef HOLDFAST_WITH_POSTGRES
    if (database.kind() == StoreKind::Postgres)
        return raw->execute(concat("INSERT INTO schema_version (version, name, fingerprint) VALUES (", version,
                                   ", 'test', ", store::fingerprint_of(postgres::embedded_migrations(), version),
                                   ")"));
#endif
    raw->execute(concat("INSERT INTO schema_version VALUES (", version, ", ",
                        store::fingerprint_of(sqlite::embedded_migrations(), version), ")"));
    raw->execute(concat("PRAGMA user_version = ", version));
}

OldTasks build_old_database(const TestDatabase& database, Timestamp now) {
    const auto dialect = dialect_of(database.kind(), now);
    const auto raw = database.raw();
    raw->execute(dialect.first_schema);
    raw->execute(dialect.ours_sql);
    set_schema_version(database, 1);
    raw->execute(concat("INSERT INTO route (queue, tags) VALUES ('default', ", dialect.empty_list, ")"));
    const OldTasks tasks{new_task_id(now), new_task_id(now)};
    const Uuid worker = random_uuid();
    insert_worker(*raw, dialect, worker);
    insert_running_task(*raw, dialect, tasks.ownerless, 1, random_uuid());
    insert_running_task(*raw, dialect, tasks.owned, 2, worker);
    return tasks;
}

}  // namespace holdfast::contract
