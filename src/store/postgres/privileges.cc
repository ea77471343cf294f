#include "store/postgres/privileges.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "store/findings.h"
#include "store/postgres/postgres_store.h"

namespace holdfast::postgres {

namespace {

using store::Finding;
using Kind = Need::Kind;

// ---- The needs ---------------------------------------------------------------------------------------------------

// An object of the schema without a row here fails a test. The owner has no column: it owns everything.

/// S: SELECT, I: INSERT, U: UPDATE (which a row lock needs, too), D: DELETE.
struct TableNeeds {
    std::string_view table, worker, server, client, reader;
};

// A submit takes back the rows that it has just written if retention has passed their ids, so a client needs DELETE
// there. The sweep of a worker or server removes all that is too old.
constexpr TableNeeds table_needs[] = {
    // clang-format off
    {.table = "schema_version",      .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "incarnation",         .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    // Tasks
    {.table = "route",               .worker = "SI",   .server = "SI",   .client = "SI",  .reader = "S"},
    {.table = "queue",               .worker = "SI",   .server = "SIU",  .client = "SI",  .reader = "S"},
    {.table = "task",                .worker = "SID",  .server = "SID",  .client = "SID", .reader = "S"},
    {.table = "ready",               .worker = "SIUD", .server = "SIUD", .client = "SID", .reader = "S"},
    {.table = "waiting",             .worker = "SIUD", .server = "SIUD", .client = "SID", .reader = "S"},
    {.table = "lease",               .worker = "SIUD", .server = "SIUD", .client = "S",   .reader = "S"},
    {.table = "ending",              .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "attempt",             .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "progress",            .worker = "SIUD", .server = "SIUD", .client = "S",   .reader = "S"},
    {.table = "log",                 .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "event",               .worker = "SID",  .server = "SID",  .client = "SI",  .reader = "S"},
    {.table = "concurrency",         .worker = "SIUD", .server = "SIUD", .client = "SIU", .reader = "S"},
    {.table = "slot",                .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "pruned",              .worker = "SU",   .server = "SU",   .client = "S",   .reader = "S"},
    // Jobs
    {.table = "workflow_definition", .worker = "SIUD", .server = "SIUD", .client = "SIU", .reader = "S"},
    {.table = "job",                 .worker = "SID",  .server = "SID",  .client = "SI",  .reader = "S"},
    {.table = "job_progress",        .worker = "SIUD", .server = "SIUD", .client = "SIU", .reader = "S"},
    {.table = "step",                .worker = "SIUD", .server = "SIUD", .client = "SIU", .reader = "S"},
    {.table = "schedule",            .worker = "SIU",  .server = "SIUD", .client = "S",   .reader = "S"},
    // Workers, servers and recovery
    {.table = "worker",              .worker = "SIUD", .server = "SIUD", .client = "S",   .reader = "S"},
    {.table = "claim",               .worker = "SIUD", .server = "SIUD", .client = "",    .reader = ""},
    {.table = "beat_history",        .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "worker_state",        .worker = "SID",  .server = "SID",  .client = "S",   .reader = "S"},
    {.table = "sweep_lease",         .worker = "SU",   .server = "SU",   .client = "S",   .reader = "S"},
    {.table = "sweep_note",          .worker = "SIU",  .server = "SIU",  .client = "S",   .reader = "S"},
    {.table = "replica",             .worker = "",     .server = "SIUD", .client = "S",   .reader = "S"},
    {.table = "token",               .worker = "SD",   .server = "SIUD", .client = "",    .reader = ""},
    {.table = "session",             .worker = "",     .server = "SIUD", .client = "",    .reader = ""},
    // Views
    {.table = "tasks",               .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "attempts",            .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "heartbeats",          .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "workers",             .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "session_locks",       .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "jobs",                .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    {.table = "steps",               .worker = "S",    .server = "S",    .client = "S",   .reader = "S"},
    // clang-format on
};

/// U: USAGE (which draws the next number), S: SELECT (which reads the last one). The sequences of identity columns
/// have no row: an INSERT into their table is enough.
struct SequenceNeeds {
    std::string_view sequence, worker, server, client, reader;
};
constexpr SequenceNeeds sequence_needs[] = {
    {.sequence = "lease_number", .worker = "US", .server = "US", .client = "", .reader = "S"},
};

// Functions act with the privileges of their caller, so that EXECUTE alone allows nothing, and PostgreSQL grants it
// to everyone. The exception is `roll_over`, which acts as the owner: only processes that write may call it.

/// They read.
constexpr std::string_view functions_for_all[] = {"now",
                                                  "place",
                                                  "known_history",
                                                  "refuse_history",
                                                  "find_tasks",
                                                  "list_ids",
                                                  "list_named",
                                                  "list_queued",
                                                  "list_worked",
                                                  "load_jobs",
                                                  "load_steps",
                                                  "load_all_steps",
                                                  "list_jobs",
                                                  "steps_of_tasks",
                                                  "steps_near",
                                                  "jobs_of_tasks",
                                                  "step_counts",
                                                  "read_steps",
                                                  "tree_of",
                                                  "open_children",
                                                  "session_key",
                                                  "recent_endings",
                                                  "key_in_use",
                                                  "task_ends",
                                                  "oldest_claimable",
                                                  "concurrency_limit",
                                                  "undecided_steps",
                                                  "existing_tasks",
                                                  "count_up_to",
                                                  "list_routed",
                                                  "routes_named",
                                                  "first_uuid_at",
                                                  "definitions_of",
                                                  "is_of_queues",
                                                  "list_jobs_of",
                                                  "recent_endings_of",
                                                  "count_of"};
/// They submit tasks and start jobs.
constexpr std::string_view functions_for_submitters[] = {
    "roll_over",     "note_restart",   "submit",       "admit",        "submit_batch",      "submit_defect",
    "policy_defect", "json_defect",    "has_controls", "is_whole",     "duplicate_member",  "same_json",
    "uuid_v7",       "intern_route",   "key_owners",   "keep_sharing", "settle_limits",     "insert_jobs",
    "insert_steps",  "limit_in_force", "save_jobs",    "save_steps",   "insert_definition", "lock_trees",
    "write_events",  "refuse_step",    "submit_steps"};
/// They move tasks and jobs on, and recover, steer and remove them.
constexpr std::string_view functions_for_movers[] = {
    "lock_steps",   "lock_leases",  "lock_idle_trees", "lock_keys",       "change_sharing",
    "unpark",       "unpark_owned", "free_slots",      "free_slots_of",   "end_leases",
    "end_pending",  "earlier_ends", "find_overdue",    "whereabouts",     "request_stops",
    "hold_tasks",   "hold_leases",  "release_tasks",   "old_jobs",        "jobs_to_steer",
    "due_waits",    "overdue_jobs", "started_tasks",   "open_roots",      "note_pruned",
    "delete_trees", "delete_tasks", "begin_jobs",      "tasks_to_cancel", "delete_unused_definitions"};
/// They carry out the life of a worker and of its leases. Servers do so for workers behind them.
constexpr std::string_view functions_for_workers[] = {
    "register_worker", "beat",        "turn",         "claim",       "claimed",      "pop",      "take",
    "take_slots",      "lock_next",   "park_full",    "promote_due", "start_leases", "complete", "complete_locked",
    "begin_look",      "first_marks", "sees_work",    "lock_plain",  "lock_merged",  "end_look", "keep_claim",
    "save_progress",   "append_logs", "hear_witness", "mark_started"};
/// Only triggers call them, which needs no privilege.
constexpr std::string_view functions_of_triggers[] = {"refuse_change"};

template <typename Row>
std::string_view column_of(const Row& row, Role role) {
    switch (role) {
        case Role::Owner:
            return "";
        case Role::Worker:
            return row.worker;
        case Role::Server:
            return row.server;
        case Role::Client:
            return row.client;
        case Role::Reader:
            return row.reader;
    }
    HOLDFAST_ASSERT(false);
}

std::string table_privilege(char letter) {
    if (letter == 'S') return "SELECT";
    if (letter == 'I') return "INSERT";
    HOLDFAST_ASSERT(letter == 'U' || letter == 'D');
    return letter == 'U' ? "UPDATE" : "DELETE";
}

std::string sequence_privilege(char letter) {
    HOLDFAST_ASSERT(letter == 'U' || letter == 'S');
    return letter == 'U' ? "USAGE" : "SELECT";
}

template <typename Names>
void add_functions(std::vector<Need>& needs, const Names& names) {
    for (const std::string_view name : names) needs.push_back({Kind::Function, std::string(name), "EXECUTE"});
}

constexpr Role granted_roles[] = {Role::Worker, Role::Server, Role::Client, Role::Reader};

std::string_view word_of_kind(Kind kind) {
    switch (kind) {
        case Kind::Schema:
            return "SCHEMA";
        case Kind::Table:
            return "TABLE";
        case Kind::Sequence:
            return "SEQUENCE";
        case Kind::Function:
            return "FUNCTION";
    }
    HOLDFAST_ASSERT(false);
}

// ---- The script --------------------------------------------------------------------------------------------------

std::string names_of_granted_roles() {
    std::vector<std::string> names;
    for (const Role role : granted_roles) names.push_back(name_of(role));
    return join(names, ", ");
}

/// The lock of migrations. Roles belong to the whole server, where another database may make them at the same time.
constexpr std::string_view create_roles = R"sql(SELECT pg_advisory_xact_lock(hashtextextended('holdfast.migrate', 0));
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['holdfast_owner', 'holdfast_worker', 'holdfast_server', 'holdfast_client', 'holdfast_reader'] LOOP
        BEGIN
            IF to_regrole(wanted) IS NULL THEN EXECUTE format('CREATE ROLE %I NOLOGIN', wanted); END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;
)sql";

/// Earlier owners become members, so that the processes that use them keep their privileges.
constexpr std::string_view change_owner = R"sql(DO $$
DECLARE
    new_owner oid := to_regrole('holdfast_owner');
    schema_id oid := to_regnamespace('holdfast');
    item record;
BEGIN
    FOR item IN
        SELECT r.rolname FROM pg_roles r
        WHERE NOT r.rolsuper AND NOT pg_has_role(r.oid, new_owner, 'MEMBER') AND (r.rolname = current_user
           OR r.oid IN (SELECT n.nspowner FROM pg_namespace n WHERE n.oid = schema_id
                        UNION ALL SELECT c.relowner FROM pg_class c WHERE c.relnamespace = schema_id))
    LOOP
        EXECUTE format('GRANT holdfast_owner TO %I', item.rolname);
    END LOOP;
    FOR item IN
        SELECT 'ALTER SCHEMA holdfast OWNER TO holdfast_owner' AS statement, 1 AS place
        FROM pg_namespace n WHERE n.oid = schema_id AND n.nspowner <> new_owner
        UNION ALL
        SELECT format('ALTER TABLE %s OWNER TO holdfast_owner', c.oid::regclass), 2
        FROM pg_class c
        WHERE c.relnamespace = schema_id AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relowner <> new_owner
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                            AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
        UNION ALL
        SELECT format('ALTER TYPE %s OWNER TO holdfast_owner', c.reltype::regtype), 3
        FROM pg_class c WHERE c.relnamespace = schema_id AND c.relkind = 'c' AND c.relowner <> new_owner
        UNION ALL
        SELECT format('ALTER ROUTINE %s OWNER TO holdfast_owner', p.oid::regprocedure), 4
        FROM pg_proc p WHERE p.pronamespace = schema_id AND p.proowner <> new_owner
        ORDER BY 2, 1
    LOOP
        EXECUTE item.statement;
    END LOOP;
END $$;
)sql";

std::string grants_script() {
    const std::string roles = names_of_granted_roles();
    std::string script;
    for (const char* const kind : {"TABLES", "SEQUENCES", "FUNCTIONS"})
        script += concat("REVOKE ALL ON ALL ", kind, " IN SCHEMA holdfast FROM ", roles, ";\n");
    script += "REVOKE EXECUTE ON FUNCTION holdfast.roll_over FROM PUBLIC;\n";
    for (const Role role : granted_roles)
        for (const std::string& statement : grants_of(needs_of(role), name_of(role))) script += statement + "\n";
    return script;
}

std::string roles_script() {
    return concat(create_roles, change_owner, grants_script());
}

/// The user may not make the roles.
class RolesRefused : public store::Unusable {
public:
    using store::Unusable::Unusable;
};

Lane lane_for_roles(const std::string& url, const Patience& patience) {
    return Lane({.url = url, .purpose = "holdfast roles", .prepares = false, .patience = patience}, nullptr);
}

// ---- The check ---------------------------------------------------------------------------------------------------

/// An object that does not exist lacks nothing: the check of the schema's version reports it.
std::vector<Need> missing_of(Transaction& tx, const std::vector<Need>& needs) {
    std::vector<std::string> kinds, names, privileges;
    for (const Need& need : needs) {
        kinds.emplace_back(word_of_kind(need.kind));
        names.push_back(need.name);
        privileges.push_back(need.privilege);
    }
    const auto places = tx.run(
        R"sql(SELECT n.place::integer - 1
              FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS n (kind, name, privilege, place)
              WHERE NOT coalesce(CASE n.kind
                WHEN 'SCHEMA' THEN (SELECT has_schema_privilege(s.oid, n.privilege)
                  FROM pg_namespace s WHERE s.nspname = n.name)
                WHEN 'TABLE' THEN (SELECT has_table_privilege(c.oid, n.privilege)
                  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
                  WHERE s.nspname = 'holdfast' AND c.relname = n.name)
                WHEN 'SEQUENCE' THEN (SELECT has_sequence_privilege(c.oid, n.privilege)
                  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
                  WHERE s.nspname = 'holdfast' AND c.relname = n.name)
                ELSE (SELECT bool_and(has_function_privilege(p.oid, n.privilege))
                  FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
                  WHERE s.nspname = 'holdfast' AND p.proname = n.name) END, true)
              ORDER BY 1)sql",
        kinds, names, privileges);
    std::vector<Need> missing;
    for (const Row row : places) missing.push_back(needs[static_cast<std::size_t>(row.small(0))]);
    return missing;
}

std::string what_is_checked(Role role) {
    return concat("privileges of a", role == Role::Owner ? "n " : " ", word_of(role));
}

/// `user` is quoted as SQL needs it.
Finding needs_finding(Transaction& tx, Role role, const std::string& user) {
    const std::vector<Need> missing = missing_of(tx, needs_of(role));
    if (missing.empty()) return {Finding::Grade::Ok, what_is_checked(role), concat(user, " has them"), ""};
    std::vector<std::string> lacking;
    for (const Need& need : missing) lacking.push_back(concat(need.privilege, " on ", need.name));
    constexpr std::size_t most_named = 12;
    const std::string membership = concat("GRANT ", name_of(role), " TO ", user);
    if (missing.size() > most_named)
        return {Finding::Grade::Problem, what_is_checked(role), concat(user, " lacks ", missing.size(), " of them"),
                concat(membership, "; `holdfast migrate --roles` makes that role")};
    return {Finding::Grade::Problem, what_is_checked(role), concat(user, " lacks ", join(lacking, ", ")),
            concat(join(grants_of(missing, user), " "), " Or grant all that is needed: ", membership, ";")};
}

Finding owner_finding(Transaction& tx, const std::string& user) {
    const auto found = tx.run(
        R"sql(SELECT s.oid IS NULL AND has_database_privilege(current_database(), 'CREATE'),
                     s.oid IS NOT NULL AND pg_has_role(s.nspowner, 'USAGE')
                       AND NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = s.oid
                                       AND NOT pg_has_role(c.relowner, 'USAGE'))
                       AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = s.oid
                                       AND NOT pg_has_role(p.proowner, 'USAGE'))
              FROM (VALUES (1)) AS one (x) LEFT JOIN pg_namespace s ON s.nspname = 'holdfast')sql");
    const bool may = found[0].boolean(0) || found[0].boolean(1);
    return store::judged(may, Finding::Grade::Problem, what_is_checked(Role::Owner),
                         concat(user, may ? " may create and upgrade the schema" : " may not upgrade the schema"),
                         concat("GRANT ", name_of(Role::Owner), " TO ", user,
                                "; `holdfast migrate --roles`, run by the owner of the schema, makes that role"));
}

/// A superuser is a member of every role, which tells nothing about its purpose.
std::vector<Role> memberships(Transaction& tx) {
    std::vector<Role> roles;
    for (const Role role : granted_roles) {
        const auto found = tx.run(
            R"sql(SELECT EXISTS (SELECT FROM pg_roles r, pg_roles me WHERE r.rolname = $1 AND me.rolname = current_user
                                 AND NOT me.rolsuper AND pg_has_role(r.oid, 'USAGE')))sql",
            name_of(role));
        if (found[0].boolean(0)) roles.push_back(role);
    }
    return roles;
}

}  // namespace

std::string name_of(Role role) {
    return concat("holdfast_", word_of(role));
}

std::vector<Need> needs_of(Role role) {
    if (role == Role::Owner) return {};
    std::vector<Need> needs = {{Kind::Schema, "holdfast", "USAGE"}};
    for (const TableNeeds& row : table_needs)
        for (const char letter : column_of(row, role))
            needs.push_back({Kind::Table, std::string(row.table), table_privilege(letter)});
    for (const SequenceNeeds& row : sequence_needs)
        for (const char letter : column_of(row, role))
            needs.push_back({Kind::Sequence, std::string(row.sequence), sequence_privilege(letter)});
    add_functions(needs, functions_for_all);
    if (role != Role::Reader) add_functions(needs, functions_for_submitters);
    if (role == Role::Worker || role == Role::Server) {
        add_functions(needs, functions_for_movers);
        add_functions(needs, functions_for_workers);
    }
    return needs;
}

std::set<Need> listed_objects() {
    std::set<Need> objects;
    for (const TableNeeds& row : table_needs) objects.insert({Kind::Table, std::string(row.table), ""});
    for (const SequenceNeeds& row : sequence_needs) objects.insert({Kind::Sequence, std::string(row.sequence), ""});
    for (const std::string_view name : functions_of_triggers) objects.insert({Kind::Function, std::string(name), ""});
    for (const Need& need : needs_of(Role::Worker))
        if (need.kind == Kind::Function) objects.insert({Kind::Function, need.name, ""});
    return objects;
}

std::vector<std::string> grants_of(const std::vector<Need>& needs, std::string_view role) {
    std::map<std::pair<Kind, std::string>, std::vector<std::string>> privileges_of;
    for (const Need& need : needs) privileges_of[{need.kind, need.name}].push_back(need.privilege);
    // Objects with the same privileges share a statement.
    std::map<std::pair<Kind, std::string>, std::vector<std::string>> objects_with;
    for (const auto& [object, privileges] : privileges_of) {
        const auto& [kind, name] = object;
        objects_with[{kind, join(privileges, ", ")}].push_back(kind == Kind::Schema ? name : "holdfast." + name);
    }
    std::vector<std::string> statements;
    for (const auto& [group, objects] : objects_with)
        statements.push_back(concat("GRANT ", group.second, " ON ", word_of_kind(group.first), " ",
                                    join(objects, ", "), " TO ", role, ";"));
    return statements;
}

void renew_grants(Transaction& tx) {
    const bool has_roles = tx.run(
                                 R"sql(SELECT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'holdfast'
                             AND n.nspowner = to_regrole('holdfast_owner') AND pg_has_role(n.nspowner, 'USAGE')))sql")
                               [0]
                                   .boolean(0);
    if (has_roles) tx.run_script(grants_script());
}

void become_owner(Transaction& tx) {
    tx.run(
        R"sql(SELECT set_config('role', 'holdfast_owner', true) FROM pg_namespace n
              WHERE n.nspname = 'holdfast' AND n.nspowner = to_regrole('holdfast_owner')
                AND pg_has_role(n.nspowner, 'MEMBER'))sql");
}

std::vector<Finding> check_privileges(const std::string& url, std::vector<Role> roles) {
    return lane_for_roles(url, work_patience).inspect([&](Transaction& tx) {
        const auto user = tx.run("SELECT quote_ident(current_user)")[0].string(0);
        if (roles.empty()) roles = memberships(tx);
        if (roles.empty()) roles = {Role::Worker, Role::Server};
        std::vector<Finding> findings;
        for (const Role role : roles)
            findings.push_back(role == Role::Owner ? owner_finding(tx, user) : needs_finding(tx, role, user));
        return findings;
    });
}

std::string make_roles(const std::string& url) {
    try {
        lane_for_roles(url, upkeep_patience).transact([](Transaction& tx) {
            try {
                tx.run_script(roles_script());
            } catch (const Refusal& refusal) {
                if (refusal.state == "42501" /* insufficient_privilege */) throw RolesRefused(refusal.what());
                throw;
            }
            return true;
        });
    } catch (const RolesRefused& refused) {
        return refused.what();
    }
    return "";
}

std::string roles_sql() {
    return concat("BEGIN;\n", roles_script(), "COMMIT;\n");
}

}  // namespace holdfast::postgres
