#include <chrono>

#include "base/text.h"
#include "store/findings.h"
#include "store/migration.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::Finding;
using store::judged;
using Grade = store::Finding::Grade;

std::string setting(Transaction& tx, const char* name) {
    return tx.run("SELECT coalesce(current_setting($1, true), '')", name)[0].string(0);
}

Finding version_finding(Transaction& tx) {
    const auto number = std::stoi(setting(tx, "server_version_num"));
    return judged(number >= 140000, Grade::Problem, "server version", setting(tx, "server_version"),
                  "holdfast needs PostgreSQL 14 or newer: upgrade the server");
}

Finding schema_finding(Transaction& tx) {
    const int version = read_schema_version(tx);
    return judged(version == newest_schema_version(), Grade::Problem, "schema version", concat(version),
                  concat("this program needs version ", newest_schema_version(), ": run `holdfast migrate`"));
}

/// Only people read stored times, but they compare them with their own clocks.
Finding clock_finding(Transaction& tx) {
    const auto before = std::chrono::system_clock::now();
    const auto server = tx.run("SELECT clock_timestamp()")[0].time(0);
    const auto here = before + (std::chrono::system_clock::now() - before) / 2;
    const auto apart = std::chrono::abs(std::chrono::duration_cast<std::chrono::milliseconds>(server - here));
    return judged(
        apart < std::chrono::seconds(2), Grade::Warning, "clock", concat(apart.count(), " ms apart"),
        "synchronise the clocks of this machine and the server (NTP): run_at and deadline are meant by theirs");
}

Finding switch_finding(Transaction& tx, const char* name, const char* advice) {
    const auto value = setting(tx, name);
    return judged(value != "off", Grade::Problem, name, value, advice);
}

Finding replication_finding(Transaction& tx) {
    const bool in_recovery = tx.run("SELECT pg_is_in_recovery()")[0].boolean(0);
    if (in_recovery)
        return {Grade::Problem, "replication", "this is a standby",
                "connect to the primary: add target_session_attrs=read-write to the URL"};
    const auto standbys = tx.run("SELECT count(*) FROM pg_stat_replication")[0].integer(0);
    const bool is_synchronous = !setting(tx, "synchronous_standby_names").empty();
    if (standbys == 0) return {Grade::Ok, "replication", "none", ""};
    return judged(is_synchronous, Grade::Warning, "replication",
                  concat(standbys, is_synchronous ? " standbys, synchronous" : " standbys, asynchronous"),
                  "a failover can lose the last commits: set synchronous_standby_names if that matters");
}

Finding connections_finding(Transaction& tx) {
    const auto used =
        tx.run("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")[0].integer(0);
    const auto allowed = std::stoll(setting(tx, "max_connections"));
    return judged(used * 10 < allowed * 8, Grade::Warning, "connections", concat(used, " of ", allowed, " in use"),
                  "raise max_connections or put a pooler in front: each worker needs four");
}

Finding privileges_finding(Transaction& tx) {
    const bool may =
        tx.run(
              R"sql(SELECT coalesce(bool_and(has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE')), false)
                    FROM pg_class c WHERE c.relnamespace = to_regnamespace('holdfast') AND c.relkind = 'r')sql")[0]
            .boolean(0);
    const auto role = tx.run("SELECT current_user::text")[0].string(0);
    return judged(may, Grade::Problem, "privileges",
                  concat(role, may ? " may write all tables" : " may not write all tables"),
                  concat("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO ", role));
}

Finding retention_finding(Transaction& tx) {
    const auto row =
        tx.run("SELECT clock_trusted_at, clock_watched_us, holdfast.now() FROM holdfast.pruned WHERE id = 1");
    return store::clock_trust_finding({row[0].optional_time(0), Duration(row[0].integer(1))}, row[0].time(2));
}

/// A pooler in transaction mode hands out another backend from one transaction to the next.
Finding pooler_finding(Lane& lane, bool session_liveness) {
    const auto pid = [&] {
        return lane.transact([](Transaction& tx) { return tx.run("SELECT pg_backend_pid()")[0].small(0); });
    };
    const int reported =
        lane.with_connection([](Connection& connection) { return PQbackendPID(connection.handle()); });
    const bool is_direct = pid() == reported;
    if (is_direct) return {Grade::Ok, "connection", "direct", ""};
    return judged(!session_liveness, Grade::Problem, "connection", "through a pooler",
                  "set session_liveness: off, or connect to the server directly: sessions prove that workers live");
}

}  // namespace

std::vector<Finding> PostgresStore::check_up() {
    auto findings = work_.transact([](Transaction& tx) {
        return std::vector<Finding>{
            version_finding(tx),
            schema_finding(tx),
            clock_finding(tx),
            switch_finding(tx, "fsync", "switch it on: a crash of the machine can destroy the database"),
            switch_finding(tx, "synchronous_commit",
                           "set it to on for this database: otherwise a crash of the server loses submits that were "
                           "accepted"),
            switch_finding(tx, "full_page_writes", "switch it on: a power cut can destroy the database"),
            replication_finding(tx),
            connections_finding(tx),
            switch_finding(tx, "autovacuum",
                           "switch it on: without it claims become slower with every task that was ever run"),
            privileges_finding(tx),
            retention_finding(tx),
        };
    });
    findings.push_back(store::owners_finding(look()));
    findings.push_back(pooler_finding(work_, params_.session_liveness));
    return findings;
}

}  // namespace holdfast::postgres
