#include "store/postgres/backup.h"

#include <memory>
#include <set>

#include "base/text.h"
#include "holdfast/errors.h"
#include "store/event_texts.h"
#include "store/migration.h"
#include "store/postgres/check.h"
#include "store/postgres/endings.h"
#include "store/postgres/privileges.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::RestartAnswer;
using store::RestartParams;

/// The name of the sessions of a restore, which do not count as users of the store.
constexpr const char* own_purpose = "holdfast restore";

/// Runs `body(Transaction&, Connection&)` in a transaction that no limit of the session ends, however long it waits
/// for another program. It runs once: a connection that is lost on the way is not replaced.
template <typename Body>
void in_long_transaction(const OpenParams& params, const std::string& purpose, const Body& body) {
    Lane lane(connect_params(params, purpose, upkeep_patience), nullptr);
    bool has_begun = false;
    lane.with_connection([&](Connection& connection) {
        if (std::exchange(has_begun, true))
            throw store::CommitInDoubt("the connection was lost: it is not known whether the last change was made");
        Transaction tx(connection, nullptr, nullptr);
        body(tx, connection);
        return true;
    });
}

void lift_limits(Transaction& tx) {
    tx.run("SET LOCAL statement_timeout = 0");
    tx.run("SET LOCAL idle_in_transaction_session_timeout = 0");
}

bool has_schema(Transaction& tx) {
    return !tx.run("SELECT to_regnamespace('holdfast') IS NULL")[0].boolean(0);
}

bool has_table(Transaction& tx, const std::string& table) {
    return !tx.run("SELECT to_regclass($1) IS NULL", table)[0].boolean(0);
}

int major_version(Connection& connection) {
    return PQserverVersion(connection.handle()) / 10000;
}

// ---- Access for programs
// --------------------------------------------------------------------------------------------

/// A value of a keyword string, as libpq reads it.
std::string quoted_value(std::string_view value) {
    std::string text = "'";
    for (const char letter : value) {
        if (letter == '\'' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + "'";
}

// ---- The script of a restore
// ----------------------------------------------------------------------------------------

/// Runs the SQL that pg_restore prints. Statements up to the next COPY are sent together; the lines after a COPY are
/// its rows, up to a line with "\." alone.
class ScriptPlayer {
public:
    ScriptPlayer(Connection& connection, const BackupScript& next_line)
        : connection_(connection), next_line_(next_line) {}

    void play() {
        std::string statements, line;
        while (next_line_(line)) {
            if (is_for_another_program(line)) continue;
            if (is_copy(line)) {
                run(std::exchange(statements, {}));
                copy(line);
            } else {
                statements += line + '\n';
            }
        }
        run(statements);
    }

private:
    static bool is_copy(std::string_view line) { return line.starts_with("COPY ") && line.ends_with(" FROM stdin;"); }
    /// Commands of psql, and a setting that older servers do not have.
    static bool is_for_another_program(std::string_view line) {
        return line.starts_with("\\restrict ") || line.starts_with("\\unrestrict ") ||
               line.starts_with("SET transaction_timeout ");
    }

    void run(const std::string& statements) {
        connection_.run_script(statements + "SELECT;");  // comments alone are not a statement
    }

    void copy(const std::string& command) {
        PGconn* const handle = connection_.handle();
        PQexitPipelineMode(handle);
        PQsetnonblocking(handle, 0);
        require(PQexec(handle, command.c_str()), PGRES_COPY_IN);
        std::string row;
        bool is_complete = false;
        while (!is_complete && next_line_(row)) {
            is_complete = row == "\\.";
            row += '\n';
            if (!is_complete && PQputCopyData(handle, row.data(), static_cast<int>(row.size())) != 1) break;
        }
        PQputCopyEnd(handle, is_complete ? nullptr : "the backup ends in the middle of a table");
        require(PQgetResult(handle), PGRES_COMMAND_OK);
        PQclear(PQgetResult(handle));
        PQsetnonblocking(handle, 1);
        PQenterPipelineMode(handle);
    }

    void require(PGresult* answer, ExecStatusType wanted) {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(answer, &PQclear);
        if (PQresultStatus(result.get()) == wanted) return;
        const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        const std::string sql_state = state == nullptr ? "" : state;
        const std::string message = one_line(trimmed(PQerrorMessage(connection_.handle())));
        connection_.close();  // it is in the middle of a COPY
        throw Refusal(sql_state, message);
    }

    Connection& connection_;
    const BackupScript& next_line_;
};

// ---- The store that is replaced
// -------------------------------------------------------------------------------------

struct Replaced {
    std::int64_t rank = 0;  ///< 0: not known
    std::string owner;      ///< of its schema; empty: there was none
};

/// Removes the old store, in this transaction.
Replaced remove_store(Transaction& tx) {
    Replaced old;
    if (!has_schema(tx)) return old;
    old.owner = tx.run("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'holdfast'")[0].string(0);
    if (has_table(tx, "holdfast.incarnation"))
        old.rank = tx.run("SELECT coalesce(max(rank), 0)::bigint FROM holdfast.incarnation")[0].integer(0);
    tx.run("SET LOCAL lock_timeout = '10s'");
    tx.run_script("DROP SCHEMA holdfast CASCADE");
    return old;
}

/// Everything belongs to the owner of the old schema again.
void give_to(Transaction& tx, const std::string& owner) {
    if (owner.empty() || tx.run("SELECT current_user::regrole::text")[0].text(0) == owner) return;
    const auto statements = tx.all(
        R"sql(SELECT format('ALTER %s %s OWNER TO ', o.kind, o.name) FROM (
                SELECT 1, 'SCHEMA', 'holdfast' UNION ALL
                SELECT 2, CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'c' THEN 'TYPE'
                                 ELSE 'TABLE' END,
                       format('holdfast.%I', c.relname)
                FROM pg_class c WHERE c.relnamespace = 'holdfast'::regnamespace AND (c.relkind IN ('r', 'v', 'c')
                  OR c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend d
                       WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass
                         AND d.deptype IN ('a', 'i'))) UNION ALL
                SELECT 3, 'ROUTINE', p.oid::regprocedure::text FROM pg_proc p
                WHERE p.pronamespace = 'holdfast'::regnamespace) AS o (place, kind, name)
              ORDER BY o.place)sql",
        store::read_as<std::string>);
    for (const auto& statement : statements) tx.run_script(statement + owner);
}

// ---- The restored store
// ---------------------------------------------------------------------------------------------

/// Also those that no task has gone to yet, as far as workers and definitions tell.
std::set<std::string> known_queues(Transaction& tx) {
    std::set<std::string> queues{store::NewTask().queue};
    for (auto& queue : tx.all(R"sql(SELECT queue FROM holdfast.route UNION SELECT name FROM holdfast.queue
                                    UNION SELECT unnest(queues) FROM holdfast.worker)sql",
                              store::read_as<std::string>))
        queues.insert(std::move(queue));
    for (const auto& definition : tx.all(R"sql(SELECT text FROM holdfast.workflow_definition
                                               UNION ALL SELECT definition FROM holdfast.schedule)sql",
                                         store::read_as<std::string>))
        queues.merge(store::queues_in(definition));
    return queues;
}

void pause_all(Transaction& tx, RestartAnswer& answer) {
    const auto known = known_queues(tx);
    answer.queues.assign(known.begin(), known.end());
    tx.run(R"sql(INSERT INTO holdfast.queue (name, paused) SELECT unnest($1::text[]), true
                 ON CONFLICT (name) DO UPDATE SET paused = true)sql",
           answer.queues);
    tx.run("UPDATE holdfast.schedule SET paused = true");
    answer.schedules = tx.all("SELECT name FROM holdfast.schedule ORDER BY name", store::read_as<std::string>);
}

/// Gives the store a rank above `above` and above its own, and records where it is now.
std::int64_t begin_incarnation(Transaction& tx, Connection& connection, std::int64_t above,
                               const RestartParams& params) {
    const auto identity = read_identity(connection);
    const std::int64_t own = identity.value().incarnation.rank;
    const std::int64_t rank = std::max(own, above) + 1;
    const auto event = store::rolled_over_event(
        {own, rank, identity->recorded_place, identity->place, concat("restored from ", params.file)}, params.who);
    tx.run("SELECT holdfast.roll_over($1, $2, $3, $4, $5, $6, $7)", own, rank, identity->place, event.kind, event.who,
           event.message, event.data);
    return rank;
}

void restart(Transaction& tx, Connection& connection, const RestartParams& params, std::int64_t above,
             RestartAnswer& answer) {
    answer.rank = begin_incarnation(tx, connection, above, params);
    if (params.skips_slots)
        tx.run("UPDATE holdfast.schedule SET decided_until = greatest(decided_until, holdfast.now())");
    if (params.pauses) pause_all(tx, answer);
    write_events(tx, {store::restored_event(params, answer)});
}

/// A sentence for each process that uses the store.
std::vector<std::string> users_in(Transaction& tx) {
    auto users = tx.all(
        R"sql(SELECT format('session %s (%s%s)', pid, application_name, ', from ' || host(client_addr))
              FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name LIKE 'holdfast%' AND application_name <> $1 ORDER BY pid)sql",
        store::read_as<std::string>, own_purpose);
    if (!has_table(tx, "holdfast.worker")) return users;
    for (auto& worker : tx.all(R"sql(SELECT format('worker %s on %s sent a heartbeat %s s ago', name, hostname,
                                            extract(epoch FROM clock_timestamp() - last_heartbeat)::integer)
                                     FROM holdfast.worker WHERE status <> 'inactive'
                                       AND last_heartbeat > clock_timestamp() - interval '30 s' ORDER BY number)sql",
                               store::read_as<std::string>))
        users.push_back(std::move(worker));
    return users;
}

void refuse_if_used(const std::vector<std::string>& users) {
    if (users.empty()) return;
    throw store::Unusable(in_use_sentence(users));
}

}  // namespace

std::string in_use_sentence(const std::vector<std::string>& users) {
    return concat("the store is in use: ", join(users, "; "), "; stop all workers and servers first");
}

ProgramAccess access_for_programs(const std::string& url) {
    char* complaint = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfoParse(url.c_str(), &complaint), &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> message(complaint, &PQfreemem);
    if (!options) throw BadInput(concat("the store URL ", mask_password(url), " cannot be read"));
    ProgramAccess access;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        const std::string_view keyword = option->keyword;
        if (keyword == "sslpassword")
            throw BadInput(
                "the store URL has an sslpassword, which pg_dump could only be given on its command line, "
                "where all can read it: use a key file without one for backups");
        if (keyword == "password")
            access.environment.push_back(concat("PGPASSWORD=", option->val));
        else
            access.connection +=
                concat(access.connection.empty() ? "" : " ", keyword, "=", quoted_value(option->val));
    }
    return access;
}

int server_version(const OpenParams& params) {
    Lane lane(connect_params(params, own_purpose, upkeep_patience), nullptr);
    return lane.with_connection(major_version);
}

std::vector<std::string> users_of(const OpenParams& params) {
    Lane lane(connect_params(params, own_purpose, upkeep_patience), nullptr);
    return lane.transact(users_in);
}

void with_snapshot(const OpenParams& params, const std::function<void(const Snapshot&)>& use) {
    in_long_transaction(params, "holdfast backup", [&](Transaction& tx, Connection& connection) {
        Snapshot snapshot;
        tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        lift_limits(tx);
        snapshot.server = major_version(connection);
        snapshot.schema = require_known_schema(tx);
        if (snapshot.schema == 0)
            throw store::Unusable("the database has no schema holdfast: there is nothing to back up");
        snapshot.is_current = snapshot.schema == newest_schema_version();
        if (snapshot.is_current)
            snapshot.check = check_database(connection);
        else
            check_pages(connection, snapshot.check);
        snapshot.id = tx.run("SELECT pg_export_snapshot()")[0].string(0);
        use(snapshot);
    });
}

RestartAnswer restore(const RestoreTarget& target, const BackupScript& script, const RestartParams& params) {
    RestartAnswer answer;
    in_long_transaction(target.store, own_purpose, [&](Transaction& tx, Connection& connection) {
        lift_limits(tx);
        if (!target.replaces && has_schema(tx))
            throw BadInput("the database has a schema holdfast already; --replace removes it, with all of its tasks");
        refuse_if_used(users_in(tx));
        const Replaced old = remove_store(tx);
        ScriptPlayer(connection, script).play();
        answer.schema_before = require_known_schema(tx);
        if (answer.schema_before == 0) throw store::Unusable(concat(target.name, " is not a backup of holdfast"));
        answer.schema = migrate_within(tx);
        answer.check = check_database(connection);
        answer.is_refused = store::is_refused(answer.check, params);
        if (answer.is_refused) return;
        give_to(tx, old.owner);
        renew_grants(tx);
        restart(tx, connection, params, std::max(params.rank_above, old.rank), answer);
        tx.commit();
        // The planner knows nothing about tables that were just filled.
        connection.run_script(
            "ANALYZE holdfast.task, holdfast.ready, holdfast.waiting, holdfast.lease, "
            "holdfast.ending, holdfast.attempt, holdfast.job, holdfast.job_progress, holdfast.step");
    });
    return answer;
}

}  // namespace holdfast::postgres
