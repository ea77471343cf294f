#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using integration::Ran;
using integration::RunningProgram;
using testing::AllOf;
using testing::HasSubstr;

/// Real programs whose users have nothing but the roles that `holdfast migrate --roles` makes.
class ProgramRoles : public integration::ProgramTest {
protected:
    ProgramRoles() : ProgramTest(StoreKind::Postgres) {}

    void SetUp() override {
        folder.write("holdfast.yaml",
                     "tasks: {greet: {script: 'echo 1 > $HOLDFAST_RESULT'}}\n"
                     "workflows: {flow: {steps: {greet: {task: greet}}}}\n"
                     "schedules: {daily: {workflow: flow, every: 24h}}\n");
        const Ran made = holdfast({"migrate", "--roles"});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        ASSERT_THAT(made.out, HasSubstr("its roles are up to date"));
        ASSERT_EQ(holdfast({"migrate", "--roles"}).out, made.out) << "again";
    }
    void TearDown() override {
        for (const std::string& login : logins) execute("DROP OWNED BY " + login + "; DROP ROLE " + login);
    }

    void execute(const std::string& sql) const {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(place->url().c_str()), PQfinish);
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
        ASSERT_EQ(PQresultStatus(result.get()), PGRES_COMMAND_OK) << PQerrorMessage(connection.get());
    }
    /// A user that can log in, with the statements' "%" replaced by its name.
    std::string login(const std::string& grants) {
        static std::atomic<int> counter = 0;
        const std::string name = "program_" + std::to_string(getpid()) + "_" + std::to_string(++counter);
        execute("CREATE ROLE " + name + " LOGIN");
        logins.push_back(name);
        std::string statements = grants;
        for (auto at = statements.find('%'); at != std::string::npos; at = statements.find('%'))
            statements.replace(at, 1, name);
        execute(statements);
        return name;
    }
    std::string member_of(const std::string& role) { return login("GRANT holdfast_" + role + " TO %"); }

    [[nodiscard]] RunParams command_as(const std::string& user, std::vector<std::string> arguments) const {
        RunParams params = command(std::move(arguments));
        std::string& url = params.environment["HOLDFAST_STORE"];
        const std::string superuser = "postgres@";
        url.replace(url.find(superuser), superuser.size(), user + "@");
        return params;
    }
    [[nodiscard]] Ran run_as(const std::string& user, std::vector<std::string> arguments) const {
        return integration::run_program(command_as(user, std::move(arguments)));
    }

    std::vector<std::string> logins;
};

TEST_F(ProgramRoles, AWorkerRunsAndSweepsWhatAClientSubmitsAndAReaderSeesIt) {
    const std::string client = member_of("client"), reader = member_of("reader");
    RunningProgram worker(command_as(member_of("worker"), {"worker", "--name", "w"}));
    const Ran ran = run_as(client, {"submit", "greet", "--wait", "--timeout", "60s", "--json"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json()["task"]["state"], "COMPLETED") << ran.out;
    wait_until([&] { return !store().sweep_notes().empty(); }, "the worker to sweep");
    for (const auto& note : store().sweep_notes()) EXPECT_EQ(note.failure, "") << note.service;
    EXPECT_THAT(run_as(reader, {"tasks", "list"}).out, HasSubstr("COMPLETED"));
    EXPECT_THAT(run_as(reader, {"workers", "list"}).out, HasSubstr("w"));
    EXPECT_EQ(run_as(client, {"run", "flow", "--wait", "--timeout", "60s"}).exit_code, 0);
    EXPECT_THAT(run_as(reader, {"schedules", "list"}).out, HasSubstr("daily")) << "the worker has put it there";
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"jobs", "list"}, {"recovery", "status"}, {"queues", "list"}, {"keys", "list"}})
        EXPECT_EQ(run_as(reader, words).exit_code, 0) << words.front();
    const Ran refused = run_as(reader, {"submit", "greet"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("permission denied"));
    worker.send(SIGTERM);
    EXPECT_EQ(worker.finish().exit_code, 0);
}

TEST_F(ProgramRoles, AServerServesAndOperates) {
    const std::string user = member_of("server");
    ServingProgram server(command_as(user, {"server", "--port", "0"}));
    wait_until([&] { return server.get("/readyz").status == 200; }, "readiness");
    const std::string task = server.post("/api/tasks", {{"name", "greet"}})["id"];
    EXPECT_EQ(server.post("/api/tasks/" + task + "/cancel", nlohmann::json::object())["id"], task);
    EXPECT_EQ(server.get_json("/api/tasks/" + task)["task"]["state"], "CANCELLED");
    EXPECT_EQ(server.get("/api/overview").status, 200);
    EXPECT_THAT(server.get("/metrics").body, HasSubstr("holdfast_store_up 1"));
    EXPECT_EQ(run_as(user, {"queues", "pause", "default"}).exit_code, 0);
    EXPECT_EQ(run_as(user, {"recovery", "sweep"}).exit_code, 0);
    EXPECT_EQ(run_as(user, {"tokens", "create", "ann", "--scope", "admin"}).exit_code, 0);
    EXPECT_EQ(server.stop(SIGTERM).exit_code, 0);
}

TEST_F(ProgramRoles, DoctorApprovesEveryRoleAndNamesAMissingGrant) {
    for (const char* const role : {"owner", "worker", "server", "client", "reader"}) {
        const std::string user = member_of(role);
        const Ran ran = run_as(user, {"doctor", "--role", role});
        EXPECT_EQ(ran.exit_code, 0) << role << ": " << ran.out;
    }
    EXPECT_EQ(run_as(member_of("reader"), {"doctor"}).exit_code, 0) << "it is asked to be what it was granted";
    const Ran other = run_as(member_of("reader"), {"doctor", "--role", "worker"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.out, AllOf(HasSubstr("problem"), HasSubstr("GRANT holdfast_worker TO ")));
    const std::string tables = login(
        "GRANT USAGE ON SCHEMA holdfast TO %; GRANT ALL ON ALL TABLES IN SCHEMA holdfast TO %; "
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast TO %");
    const Ran without_sequence = run_as(tables, {"doctor"});
    EXPECT_EQ(without_sequence.exit_code, 1);
    EXPECT_THAT(without_sequence.out, HasSubstr("ON SEQUENCE holdfast.lease_number TO " + tables));
    const Ran stranger = run_as(login("ALTER ROLE % NOINHERIT"), {"doctor", "--role", "client"});
    EXPECT_EQ(stranger.exit_code, 3);
    EXPECT_THAT(stranger.out, HasSubstr("GRANT holdfast_client TO "));
}

TEST_F(ProgramRoles, AUserWhoMayNotMakeRolesGetsTheSql) {
    const std::string user = member_of("worker");
    const Ran ran = run_as(user, {"migrate", "--roles"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("may not make the roles"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr("BEGIN;"), HasSubstr("CREATE ROLE"), HasSubstr("GRANT SELECT"),
                               HasSubstr("COMMIT;")));
    execute(ran.out);
}

}  // namespace

TEST(ProgramRolesOfSqlite, AreRefused) {
    const integration::TempFolder folder;
    const auto ran = integration::run_program(
        {.arguments = {"migrate", "--roles", "--store", "sqlite:test.db"}, .folder = folder.path()});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, testing::HasSubstr("PostgreSQL"));
}

}  // namespace holdfast::server_test
