#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "base/text.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/privileges.h"
#include "store/relay_store.h"
#include "store_contract/differential_driver.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/spawned_program.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using postgres::Need;
using store::Finding;
using store::Role;
using Grade = Finding::Grade;

/// The URL with this user in place of the superuser.
std::string as_user(const std::string& url, const std::string& user) {
    const std::string superuser = "postgres@";
    std::string changed = url;
    return changed.replace(changed.find(superuser), superuser.size(), user + "@");
}

/// A user that can log in, until this is destroyed.
class Login {
public:
    explicit Login(const std::string& server, const std::string& options = "") : server_(server) {
        static std::atomic<int> counter = 0;
        name_ = concat("login_", getpid(), "_", ++counter);
        PostgresRaw(server_).execute(concat("CREATE ROLE ", name_, " LOGIN ", options));
    }
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;
    ~Login() {
        try {
            PostgresRaw(server_).execute("DROP ROLE " + name_);
        } catch (const SqlRefused&) {
            // It still has privileges in a database that goes with its server.
        }
    }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::string server_;
    std::string name_;
};

/// A database with the roles, where nobody may call a function without a grant.
class PostgresRoles : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(postgres::make_roles(database->address()), "");
        raw->execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC");
    }
    void TearDown() override {
        for (const auto& login : logins) raw->execute("DROP OWNED BY " + login->name());
        raw.reset();
        database.reset();
    }

    std::string user() {
        logins.push_back(std::make_unique<Login>(server_url()));
        return logins.back()->name();
    }
    std::string member_of(Role role) {
        const std::string name = user();
        raw->execute(concat("GRANT ", postgres::name_of(role), " TO ", name));
        return name;
    }
    [[nodiscard]] std::string url(const std::string& login) const { return as_user(database->address(), login); }
    [[nodiscard]] std::unique_ptr<store::Store> open_as(const std::string& login) const {
        return open_store({.kind = StoreKind::Postgres, .address = url(login)}, clock);
    }
    [[nodiscard]] std::vector<Finding> check(const std::string& login, std::vector<Role> roles = {}) const {
        return postgres::check_privileges(url(login), std::move(roles));
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database = make_database(StoreKind::Postgres);
    std::unique_ptr<RawSql> raw = database->raw();
    std::vector<std::unique_ptr<Login>> logins;
};

/// Carries out each verb as the users who must be able to, in turn.
class StoreOfManyUsers final : public store::RelayStore<StoreOfManyUsers> {
public:
    explicit StoreOfManyUsers(std::map<Role, std::unique_ptr<store::Store>> stores) : stores_(std::move(stores)) {}

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return stores_[Role::Worker]->watch(topic); }
    [[nodiscard]] std::string describe() const override { return stores_.at(Role::Worker)->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return stores_.at(Role::Worker)->rank(); }

    template <typename Call>
    auto relay(const char* verb, store::Effect effect, const Call& call) {
        const std::vector<Role> roles = roles_for(verb, effect);
        return call(*stores_.at(roles[calls_[verb]++ % roles.size()]));
    }
    [[nodiscard]] const std::map<std::string, std::size_t>& calls() const { return calls_; }

private:
    static std::vector<Role> roles_for(const std::string& verb, store::Effect effect) {
        using enum Role;
        static const std::set<std::string> of_workers = {
            "register_worker", "deregister_worker",     "beat", "turn", "save_progress",
            "append_logs",     "append_worker_snapshot"};
        static const std::set<std::string> of_sweepers = {
            "mark_lost", "recover",       "ask_to_stop",         "expire_overdue", "reject",      "prune",
            "fire",      "end_due_waits", "cancel_overdue_jobs", "repair_jobs",    "sweep_lease", "note_sweep"};
        if (of_workers.contains(verb)) return {Worker, Server};
        if (of_sweepers.contains(verb) || verb == "put_schedule") return {Worker, Server};
        if (verb == "submit" || verb == "start_jobs") return {Client, Server, Worker};
        if (verb == "tokens" || verb == "find_token" || verb == "sessions" || verb == "find_session") return {Server};
        if (verb == "replicas" || verb == "ended_tasks") return {Server, Reader};
        if (effect == store::Effect::Writes) return {Server};
        return {Reader, Client, Server, Worker};
    }

    std::map<Role, std::unique_ptr<store::Store>> stores_;
    std::map<std::string, std::size_t> calls_;
};

TEST_F(PostgresRoles, EveryVerbSucceedsForTheRolesThatNeedIt) {
    std::map<Role, std::unique_ptr<store::Store>> stores;
    for (const Role role : {Role::Worker, Role::Server, Role::Client, Role::Reader})
        stores[role] = open_as(member_of(role));
    StoreOfManyUsers split(std::move(stores));
    const auto sqlite_database = make_database(StoreKind::Sqlite);
    const auto sqlite = open_store({.kind = StoreKind::Sqlite, .address = sqlite_database->address()}, clock);
    DifferentialDriver driver(*sqlite, split, clock, 17);
    // A refused call throws. What a store does about a job that it cannot advance is written down instead. Whether
    // the answers are right is the concern of another test.
    for (int step = 1; step <= 3'000; ++step) (void)driver.step();
    (void)driver.compare_dumps();
    EXPECT_EQ(raw->number("SELECT count(*) FROM event e WHERE e::text LIKE '%permission denied%'"), 0);
    for (const char* const verb : {"turn", "beat", "recover", "prune", "fire", "start_jobs", "cancel_jobs", "force"})
        EXPECT_GT(split.calls().count(verb), 0U) << verb;
}

TEST_F(PostgresRoles, VerbsOfServersThatTheDriverLeavesOutSucceed) {
    const auto store = open_as(member_of(Role::Server));
    store->beat_replica({.id = a_worker().id, .hostname = "here", .pid = 1, .version = "1", .address = "http://x"});
    EXPECT_THAT(store->replicas(), SizeIs(1));
    EXPECT_EQ(store->prune_replicas(1h), 0U);
    store->remove_replica(store->replicas().at(0).replica.id);
    store->note_disconnected({join(*store)});
    (void)store->note_exited(random_uuid());
    (void)store->event_writers();
    (void)store->count_jobs();
    (void)store->stats({});
    (void)store->vitals();
    (void)store->count({"mail"});
    (void)store->count_jobs({"mail"});
    (void)store->stats({.queues = {"mail"}});
    (void)store->vitals({"mail"});
    (void)store->list_jobs({}, {"mail"});
    (void)store->last_events(1, {"mail"});
    const store::NewSession session{.id = random_uuid(), .hash = std::string(64, 'a'), .token = random_uuid()};
    store->create_session(session, "ann");
    store->note_session_use(session.id, "10.0.0.1");
    EXPECT_TRUE(store->end_session(session.id, "ann"));
    EXPECT_FALSE(store->find_session(session.hash));
    EXPECT_THAT(store->sessions(), IsEmpty());
    (void)store->ended_tasks(clock.now() - 1h, clock.now());
}

TEST_F(PostgresRoles, EveryRoleCanBeCheckedUp) {
    for (const Role role : {Role::Worker, Role::Server, Role::Client, Role::Reader})
        for (const Finding& finding : open_as(member_of(role))->check_up())
            EXPECT_NE(finding.grade, Grade::Problem)
                << word_of(role) << ": " << finding.what << ": " << finding.found;
}

TEST_F(PostgresRoles, AReaderCannotSubmitAndAClientCannotSteer) {
    const auto reader = open_as(member_of(Role::Reader)), client = open_as(member_of(Role::Client));
    const store::NewTask task = a_task(clock.now());
    EXPECT_THROW(reader->submit({task}), store::Unusable);
    EXPECT_EQ(client->submit({task}).at(0).status, store::SubmitStatus::Accepted);
    EXPECT_EQ(reader->count().pending, 1);
    EXPECT_THROW((void)client->cancel({.tasks = {task.id}, .who = "ann", .reason = ""}), store::Unusable);
    EXPECT_THROW((void)client->tokens(), store::Unusable);
    EXPECT_THROW((void)reader->sweep_lease("a reader", 1s), store::Unusable);
    EXPECT_EQ(reader->sweep_lease("a reader", Duration::zero()).holder, "") << "it may ask who sweeps";
    EXPECT_EQ(reader->count().pending, 1);
}

/// Tables, views, sequences that are not part of a column, and functions.
std::set<Need> objects_in(RawSql& raw) {
    const std::string listed = raw.value(
        R"sql(SELECT string_agg(o, E'\n') FROM (
              SELECT CASE c.relkind WHEN 'S' THEN 'S ' ELSE 'T ' END || c.relname AS o FROM pg_class c
              WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i' AND c.relkind = 'S')
              UNION ALL SELECT 'F ' || proname FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace) x)sql");
    std::set<Need> objects;
    for (const std::string_view line : split(listed, '\n')) {
        const Need::Kind kind = line[0] == 'T'   ? Need::Kind::Table
                                : line[0] == 'S' ? Need::Kind::Sequence
                                                 : Need::Kind::Function;
        objects.insert({kind, std::string(line.substr(2)), ""});
    }
    return objects;
}

TEST_F(PostgresRoles, HaveARowForEveryObjectOfTheSchemaAndForNoOther) {
    const std::set<Need> listed = postgres::listed_objects(), existing = objects_in(*raw);
    for (const Need& object : existing)
        EXPECT_TRUE(listed.contains(object))
            << object.name << " is missing in src/store/postgres/privileges.cc: say there "
            << "which roles need it";
    for (const Need& object : listed)
        EXPECT_TRUE(existing.contains(object)) << object.name << " is listed but does not exist";
}

TEST_F(PostgresRoles, TheCheckOfAUserFollowsItsMemberships) {
    for (const Role role : {Role::Worker, Role::Server, Role::Client, Role::Reader}) {
        const auto findings = check(member_of(role));
        ASSERT_THAT(findings, SizeIs(1));
        EXPECT_EQ(findings[0].grade, Grade::Ok) << findings[0].found;
        EXPECT_THAT(findings[0].what, HasSubstr(std::string(word_of(role))));
    }
    EXPECT_EQ(check(member_of(Role::Reader), {Role::Client}).at(0).grade, Grade::Problem);
}

TEST_F(PostgresRoles, TheCheckFindsEachMissingPrivilegeAndNamesItsGrant) {
    for (const Role role : {Role::Worker, Role::Server, Role::Client, Role::Reader}) {
        const std::string login = user();
        const std::vector<Need> needs = postgres::needs_of(role);
        for (const std::string& grant : postgres::grants_of(needs, login)) raw->execute(grant);
        ASSERT_EQ(check(login, {role}).at(0).grade, Grade::Ok);
        for (const Need& need : needs) {
            const std::string grant = postgres::grants_of({need}, login).at(0);
            std::string revoke = grant;
            revoke.replace(0, std::string("GRANT").size(), "REVOKE");
            revoke.replace(revoke.rfind(" TO "), 4, " FROM ");
            raw->execute(revoke);
            const Finding finding = check(login, {role}).at(0);
            EXPECT_EQ(finding.grade, Grade::Problem) << word_of(role) << " without " << grant;
            EXPECT_THAT(finding.advice, HasSubstr(grant));
            raw->execute(grant);
        }
        EXPECT_EQ(check(login, {role}).at(0).grade, Grade::Ok);
    }
}

TEST_F(PostgresRoles, AUserWithAllTablesButWithoutTheSequenceIsNotApproved) {
    const std::string login = user();
    raw->execute(concat("GRANT USAGE ON SCHEMA holdfast TO ", login));
    raw->execute(concat("GRANT ALL ON ALL TABLES IN SCHEMA holdfast TO ", login));
    raw->execute(concat("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast TO ", login));
    const auto findings = check(login);
    ASSERT_THAT(findings, SizeIs(2)) << "a worker and a server";
    EXPECT_EQ(findings[0].grade, Grade::Problem);
    EXPECT_THAT(findings[0].advice, HasSubstr("GRANT USAGE, SELECT ON SEQUENCE holdfast.lease_number TO " + login));
}

TEST_F(PostgresRoles, AUserWithoutAnyPrivilegeIsToldWhichRoleItNeeds) {
    const std::string login = user();
    const auto findings = check(login, {Role::Client});
    EXPECT_EQ(findings.at(0).grade, Grade::Problem);
    EXPECT_THAT(findings.at(0).advice, HasSubstr("GRANT holdfast_client TO " + login));
    EXPECT_EQ(check(login, {Role::Owner}).at(0).grade, Grade::Problem);
}

TEST_F(PostgresRoles, APrivilegeThatIsNoLongerNeededIsTakenBack) {
    raw->execute("GRANT DELETE ON holdfast.event TO holdfast_reader");
    ASSERT_EQ(postgres::make_roles(database->address()), "");
    EXPECT_EQ(raw->value("SELECT has_table_privilege('holdfast_reader', 'holdfast.event', 'DELETE')"), "f");
}

TEST_F(PostgresRoles, AMemberOfTheOwnerUpgradesTheSchemaAndItsObjectsAreTheOwners) {
    const std::string login = member_of(Role::Owner);
    EXPECT_EQ(check(login, {Role::Owner}).at(0).grade, Grade::Ok);
    raw->execute("DROP SCHEMA holdfast CASCADE; CREATE SCHEMA holdfast AUTHORIZATION holdfast_owner");
    (void)open_as(login);
    EXPECT_EQ(raw->number("SELECT count(*) FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace "
                          "AND relowner <> 'holdfast_owner'::regrole"),
              0);
    EXPECT_EQ(check(member_of(Role::Worker)).at(0).grade, Grade::Ok) << "the grants came with the upgrade";
}

/// A server of its own: roles belong to the whole server.
class PostgresRolesOfAServer : public testing::Test {
protected:
    SpawnedProgram server{
        {HOLDFAST_SCRIPTS "/private-postgres", "sh", "-c", "echo $HOLDFAST_TEST_POSTGRES; exec sleep 300"}};
    const std::string url = server.read_line().value_or("");
    FakeClock clock;
};

TEST_F(PostgresRolesOfAServer, AreMadeByManyProcessesAndDatabasesAtOnce) {
    std::vector<std::string> urls;
    for (const char* const name : {"one", "two", "three"}) {
        PostgresRaw(url).execute(concat("CREATE DATABASE ", name));
        urls.push_back(with_database(url, name));
        (void)open_store({.kind = StoreKind::Postgres, .address = urls.back()}, clock);
    }
    std::vector<std::string> refusals(12);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < refusals.size(); ++i)
            threads.emplace_back([&, i] {
                try {
                    refusals[i] = postgres::make_roles(urls[i % urls.size()]);
                } catch (const std::exception& failure) {
                    refusals[i] = failure.what();
                }
            });
    }
    EXPECT_THAT(refusals, testing::Each(""));
    PostgresRaw(url).execute("CREATE ROLE ann LOGIN; GRANT holdfast_worker TO ann");
    for (const std::string& each : urls)
        EXPECT_EQ(postgres::check_privileges(as_user(each, "ann"), {}).at(0).grade, Grade::Ok);
}

TEST_F(PostgresRolesOfAServer, AUserWhoMayNotMakeRolesIsToldSoAndTheSqlOfAnAdministratorDoesIt) {
    PostgresRaw(url).execute("CREATE ROLE app LOGIN");
    PostgresRaw(url).execute("CREATE DATABASE app OWNER app");
    const std::string of_database = with_database(url, "app"), as_app = as_user(of_database, "app");
    const auto store = open_store({.kind = StoreKind::Postgres, .address = as_app}, clock);
    EXPECT_THAT(postgres::make_roles(as_app), HasSubstr("permission denied to create role"));
    EXPECT_EQ(PostgresRaw(url).number("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'holdfast%'"), 0);
    PostgresRaw(of_database).execute(postgres::roles_sql());
    EXPECT_EQ(PostgresRaw(of_database)
                  .number("SELECT count(*) FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace "
                          "AND relowner <> 'holdfast_owner'::regrole"),
              0);
    EXPECT_EQ(store->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted)
        << "the earlier owner keeps its privileges";
    EXPECT_EQ(postgres::check_privileges(as_app, {Role::Owner}).at(0).grade, Grade::Ok);
    EXPECT_EQ(postgres::make_roles(as_app), "") << "once they exist, the owner may renew the grants";
}

TEST_F(PostgresRolesOfAServer, AUserWhoMayCreateRolesAndOwnsTheDatabaseMakesThem) {
    PostgresRaw(url).execute("CREATE ROLE app LOGIN CREATEROLE");
    PostgresRaw(url).execute("CREATE DATABASE app OWNER app");
    const std::string as_app = as_user(with_database(url, "app"), "app");
    const auto store = open_store({.kind = StoreKind::Postgres, .address = as_app}, clock);
    EXPECT_EQ(postgres::make_roles(as_app), "");
    EXPECT_EQ(store->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
}

}  // namespace
}  // namespace holdfast::contract
