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

/// By its place a database shows that it was replaced by an older one: see core/incarnation.h.
Finding place_finding(Transaction& tx) {
    const auto rows = tx.run(
        R"sql(SELECT p, split_part(p, '/', 1) = '?', split_part(p, '/', 2) = '?' AND NOT pg_is_in_recovery()
              FROM holdfast.place() p)sql");
    const Row row = rows[0];
    std::vector<std::string> hidden;
    if (row.boolean(1)) hidden.emplace_back("pg_control_system()");
    if (row.boolean(2)) hidden.emplace_back("pg_walfile_name(pg_current_wal_insert_lsn())");
    return judged(hidden.empty(), Grade::Warning, "identity",
                  hidden.empty() ? row.string(0) : concat("a part is hidden: ", row.string(0)),
                  concat("the owner of the schema holdfast cannot call ", join(hidden, " and "),
                         ": grant EXECUTE if the server allows it; without it a failover that lost commits or a "
                         "restored backup may be noticed only when the next worker beats or claims"));
}

Finding connections_finding(Transaction& tx) {
    const auto used =
        tx.run("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")[0].integer(0);
    const auto allowed = std::stoll(setting(tx, "max_connections"));
    return judged(used * 10 < allowed * 8, Grade::Warning, "connections", concat(used, " of ", allowed, " in use"),
                  "raise max_connections or put a pooler in front: each worker needs four");
}

Finding retention_finding(Transaction& tx) {
    const auto row =
        tx.run("SELECT clock_trusted_at, clock_watched_us, holdfast.now() FROM holdfast.pruned WHERE id = 1");
    return store::clock_trust_finding({row[0].optional_time(0), Duration(row[0].integer(1))}, row[0].time(2));
}

/// Behind a pooler workers do without their sessions, which is news to an operator who has not switched them off.
Finding pooler_finding(Lane& lane, bool session_liveness) {
    const bool is_pooled = lane.with_connection([](Connection& connection) { return connection.is_pooled(); });
    return judged(!is_pooled || !session_liveness, Grade::Warning, "connection",
                  is_pooled ? "through a pooler" : "direct",
                  "connect workers to the server directly: then wake-ups do not wait for the next poll, and a lost "
                  "session shows within seconds that a worker has died; or set session_liveness: off");
}

}  // namespace

std::vector<Finding> PostgresStore::check_up() {
    auto findings = work_.inspect([](Transaction& tx) {
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
            place_finding(tx),
            connections_finding(tx),
            switch_finding(tx, "autovacuum",
                           "switch it on: without it claims become slower with every task that was ever run"),
            retention_finding(tx),
        };
    });
    findings.push_back(store::owners_finding(look()));
    findings.push_back(pooler_finding(work_, params_.session_liveness));
    return findings;
}

}  // namespace holdfast::postgres
