#include "base/text.h"
#include "store/migration.h"
#include "store/postgres/endings.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/privileges.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

/// Processes migrate one at a time. The transaction holds the lock, so that it works through any pooler.
void take_turn(Transaction& tx) {
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('holdfast.migrate', 0))");
}

void ensure_version_table(Transaction& tx) {
    if (tx.run("SELECT to_regnamespace('holdfast') IS NULL")[0].boolean(0)) tx.run("CREATE SCHEMA holdfast");
    tx.run(
        R"sql(CREATE TABLE IF NOT EXISTS holdfast.schema_version (
              version integer PRIMARY KEY, name text NOT NULL, fingerprint bigint NOT NULL,
              applied_at timestamptz NOT NULL DEFAULT clock_timestamp()))sql");
}

/// Runs without an owner come from before there were heartbeats: no worker will ever finish them.
void fail_ownerless_runs(Transaction& tx) {
    const auto tasks = tx.all(R"sql(SELECT l.task_id FROM holdfast.lease l WHERE l.started_at IS NOT NULL
                                    AND NOT EXISTS (SELECT FROM holdfast.worker w WHERE w.id = l.worker_id))sql",
                              store::read_id);
    LeaseEndings endings;
    for (const auto& [task, lease] : lock_leases(tx, tasks))
        endings.force(lease, TaskState::Failed,
                      {std::string(error_code::worker_crashed), "Marked as failed during heartbeat migration", ""});
    endings.apply(tx);
}

/// Throws store::Unusable when the database is newer than this program.
void check_not_newer(int version) {
    if (version <= newest_schema_version()) return;
    throw store::Unusable(concat("the database has schema version ", version, "; this program knows versions up to ",
                                 newest_schema_version(), ": use a newer holdfast"));
}

/// The version after it: the same as before when there was nothing left to do.
int apply_next(Transaction& tx) {
    take_turn(tx);
    become_owner(tx);
    ensure_version_table(tx);
    const int version = read_schema_version(tx);
    check_not_newer(version);
    for (const auto& migration : embedded_migrations()) {
        if (migration.number <= version) continue;
        tx.run_script(std::string(migration.sql));
        tx.run("INSERT INTO holdfast.schema_version (version, name, fingerprint) VALUES ($1, $2, $3)",
               migration.number, migration.name, store::fingerprint_of(embedded_migrations(), migration.number));
        if (migration.number == newest_schema_version()) {
            fail_ownerless_runs(tx);
            renew_grants(tx);
        }
        return migration.number;
    }
    return version;
}

}  // namespace

int newest_schema_version() {
    return embedded_migrations().back().number;
}

int read_schema_version(Transaction& tx) {
    const auto found = tx.run(
        R"sql(SELECT to_regclass('holdfast.schema_version') IS NULL,
              EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('holdfast.schema_version')
                AND attname = 'fingerprint'))sql");
    if (found[0].boolean(0)) return 0;
    if (!found[0].boolean(1)) throw store::Unusable(concat("the database ", store::other_build));
    const auto newest =
        tx.run("SELECT version, fingerprint FROM holdfast.schema_version ORDER BY version DESC LIMIT 1");
    if (newest.empty()) return 0;
    const int version = newest[0].small(0);
    if (version <= newest_schema_version() &&
        newest[0].integer(1) != store::fingerprint_of(embedded_migrations(), version))
        throw store::Unusable(concat("the database ", store::other_build));
    return version;
}

int require_known_schema(Transaction& tx) {
    const int version = read_schema_version(tx);
    check_not_newer(version);
    return version;
}

int migrate_within(Transaction& tx) {
    int version = require_known_schema(tx);
    while (version < newest_schema_version()) version = apply_next(tx);
    return version;
}

store::MigrateAnswer PostgresStore::migrate() {
    const int from = upkeep_.inspect(read_schema_version);
    check_not_newer(from);
    int version = from;
    while (version < newest_schema_version()) version = transact_on(upkeep_, apply_next);
    if (version == from && rank() > 0) return {from, from};
    upkeep_.with_connection([this](Connection& connection) {
        incarnation_.meet(connection);
        // Plans of fresh tables are made without knowing anything about them otherwise.
        connection.run_script(
            R"sql(ANALYZE holdfast.task, holdfast.ready, holdfast.waiting, holdfast.lease, holdfast.ending,
                  holdfast.attempt)sql");
        return true;
    });
    return {from, version};
}

ConnectParams connect_params(const OpenParams& params, const std::string& purpose, const Patience& patience) {
    return {.url = params.url,
            .purpose = purpose,
            .prepares = params.session_liveness,
            .notices_death_fast = false,
            .patience = patience,
            .about_host = Sql("SELECT rank, nonce FROM holdfast.incarnation")};
}

namespace {

/// The session of a worker is held here: both sides have to notice its death fast.
ConnectParams beats_params(const OpenParams& params) {
    auto beats = connect_params(params, "holdfast beats", beats_patience);
    beats.notices_death_fast = params.session_liveness;
    return beats;
}

}  // namespace

ConnectParams PostgresStore::greeted(ConnectParams params) {
    params.on_connected = [this](Connection& connection) { incarnation_.meet(connection); };
    return params;
}

PostgresStore::PostgresStore(const OpenParams& params)
    : params_(params),
      incarnation_(params.url, params.clock),
      work_(greeted(connect_params(params, "holdfast", work_patience)), params.clock, &incarnation_),
      beats_(greeted(beats_params(params)), params.clock, &incarnation_),
      upkeep_(greeted(connect_params(params, "holdfast upkeep", upkeep_patience)), params.clock, &incarnation_),
      routes_(work_),
      bell_(greeted(connect_params(params, "holdfast wake-ups", beats_patience)), params.session_liveness,
            params.safety_poll) {
    const int version = work_.inspect(read_schema_version);
    check_not_newer(version);
    if (version == newest_schema_version() && rank() > 0) return;
    if (version < newest_schema_version() && !params.migrate)
        throw store::Unusable(concat(describe(), " has schema version ", version, ", this program needs ",
                                     newest_schema_version(), ": run `holdfast migrate`"));
    migrate();
}

Timestamp PostgresStore::now() {
    if (params_.clock) return params_.clock->now();
    return work_.read("SELECT holdfast.now()")[0].time(0);
}

std::string PostgresStore::describe() const {
    return mask_password(params_.url);
}

std::unique_ptr<store::Store> open_store(const OpenParams& params) {
    return std::make_unique<PostgresStore>(params);
}

}  // namespace holdfast::postgres
