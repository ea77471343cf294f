#include <signal.h>

#include <filesystem>
#include <future>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Server : public ServerTest {};
INSTANTIATE_TEST_SUITE_P(Stores, Server, testing::ValuesIn(integration::store_kinds()), integration::name_of);

class ServerOnAFile : public ServerTest {};

INSTANTIATE_TEST_SUITE_P(Stores, ServerOnAFile, testing::Values(StoreKind::Sqlite), integration::name_of);

TEST_P(Server, SaysThatItLivesAndWhenItIsReady) {
    const auto server = serve();
    EXPECT_EQ(server->get_json("/healthz"), nlohmann::json({{"status", "ok"}}));
    wait_until([&] { return server->get("/readyz").status == 200; }, "readiness");
    const auto ready = server->get_json("/readyz");
    EXPECT_EQ(ready["status"], "ready");
    std::vector<std::string> names;
    for (const auto& check : ready["checks"]) {
        names.push_back(check["name"]);
        EXPECT_EQ(check["ok"], true) << check;
    }
    EXPECT_THAT(names, ElementsAre("store", "schema", "sweeper", "live"));
}

TEST_P(Server, IsNotAskedForASweeperThatItWasToldNotToBe) {
    const auto server = serve({"--no-sweep"});
    wait_until([&] { return server->get("/readyz").status == 200; }, "readiness");
    EXPECT_THAT(server->get_json("/readyz")["checks"], SizeIs(3));
    EXPECT_EQ(store().sweep_lease("a test", Duration::zero()).holder, "");
}

TEST_P(Server, HasARowWhileItRunsAndSweeps) {
    const auto server = serve();
    wait_until([&] { return store().replicas().size() == 1; }, "its row");
    const store::Replica replica = store().replicas().front().replica;
    EXPECT_EQ(replica.address, server->url());
    EXPECT_GT(replica.pid, 0);
    wait_until([&] { return !store().sweep_lease("a test", Duration::zero()).holder.empty(); }, "its sweeping");
    EXPECT_THAT(store().sweep_lease("a test", Duration::zero()).holder, HasSubstr(replica.id.to_string()));
    wait_until([&] { return store().replicas().front().replica.sweeping; }, "a beat that says so");
}

TEST_P(Server, LeavesInOrderWhenItIsAskedToStop) {
    const auto server = serve();
    wait_until([&] { return !store().sweep_lease("a test", Duration::zero()).holder.empty(); }, "its sweeping");
    wait_until([&] { return store().replicas().size() == 1; }, "its row");
    const auto ran = server->stop(SIGTERM);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(store().replicas(), IsEmpty());
    EXPECT_EQ(store().sweep_lease("a test", Duration::zero()).holder, "") << "its sweep row stays";
}

TEST_P(Server, EndsOpenStreamsWithAReasonWhenItStops) {
    const auto server = serve();
    std::promise<void> opened;
    auto stream = std::async(std::launch::async, [&] {
        std::vector<std::pair<std::string, std::string>> events;
        http::Client client({.url = server->url()});
        (void)client.stream(
            "/api/events",
            [&](const http::ServerSentEvent& event) {
                if (event.event == "hello") opened.set_value();
                events.emplace_back(event.event, event.data);
                return true;
            },
            [] { return false; }, {{"accept", "text/event-stream"}});
        return events;
    });
    opened.get_future().wait();
    const auto ran = server->stop(SIGINT);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto events = stream.get();
    EXPECT_EQ(events.back().first, "bye");
    EXPECT_THAT(events.back().second, HasSubstr("the server stops"));
}

TEST_P(Server, AnswersARequestThatIsUnderWayWhenItStops) {
    const auto server = serve();
    const auto task = server->post("/api/tasks", {{"name", "nobody-runs-this"}});
    auto waiting = std::async(std::launch::async, [&] {
        return server->get("/api/tasks/" + task["id"].get<std::string>() + "/wait?timeout=30s").status;
    });
    wait_until([&] { return server->get("/metrics").body.find("holdfast_http_connections 2") != std::string::npos; },
               "the waiting request");
    const auto ran = server->stop(SIGTERM);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_GE(waiting.get(), 200);
}

// ---- Where it listens ---------------------------------------------------------------------------

TEST_P(Server, DoesNotListenForOthersWithoutATokenAndSaysWhatToDo) {
    const auto ran = holdfast({"server", "--port", "0", "--address", "0.0.0.0"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("does not listen on 0.0.0.0"), HasSubstr("holdfast tokens create"),
                               HasSubstr("--insecure")));
}

TEST_P(Server, ListensForOthersOnceThereIsATokenAndAsksThemForIt) {
    const auto made = holdfast({"tokens", "create", "ops", "--scope", "operate", "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto server = serve({"--address", "0.0.0.0"});
    http::Client stranger({.url = "http://127.0.0.1:" + std::to_string(server->port())});
    EXPECT_EQ(stranger.send("GET", "/api/tasks").status, 401);
    http::Client ops({.url = "http://127.0.0.1:" + std::to_string(server->port()),
                      .token = made.json()["token"].get<std::string>()});
    EXPECT_EQ(ops.send("GET", "/api/tasks").status, 200);
}

TEST_P(Server, ARevokedTokenDoesNotCountAsOne) {
    ASSERT_EQ(holdfast({"tokens", "create", "ops", "--scope", "operate"}).exit_code, 0);
    ASSERT_EQ(holdfast({"tokens", "revoke", "ops"}).exit_code, 0);
    EXPECT_EQ(holdfast({"server", "--port", "0", "--address", "0.0.0.0"}).exit_code, 2);
}

TEST_P(Server, ListensForEverybodyWhenItIsToldThatThisIsInsecure) {
    const auto server = serve({"--address", "0.0.0.0", "--insecure"});
    http::Client anybody({.url = "http://127.0.0.1:" + std::to_string(server->port())});
    EXPECT_EQ(anybody.send("GET", "/api/tasks").status, 200);
    EXPECT_THAT(server->stop(SIGTERM).err, HasSubstr("anyone who reaches this server has full access"));
}

TEST_P(Server, SaysWhichPortIsTaken) {
    const auto first = serve();
    const auto second = holdfast({"server", "--port", std::to_string(first->port())});
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_THAT(second.err, HasSubstr("cannot listen on 127.0.0.1:" + std::to_string(first->port())));
}

TEST_P(Server, TouchesNoStoreWhenItsPortIsTaken) {
    const auto first = serve();
    for (const char* command : {"server", "dev"}) {
        const auto ran =
            holdfast({"--store", "sqlite:untouched.db", command, "--port", std::to_string(first->port())});
        EXPECT_EQ(ran.exit_code, 2) << command;
        EXPECT_THAT(ran.err, HasSubstr("another program uses that port")) << command;
        for (const auto& file : std::filesystem::directory_iterator(folder.path()))
            EXPECT_THAT(file.path().string(), testing::Not(HasSubstr("untouched.db"))) << command;
    }
}

TEST_P(ServerOnAFile, MakesNoDatabaseAnewThatWasRemoved) {
    const auto server = serve();
    const std::string database = folder.path() + "/test.db";
    ASSERT_TRUE(std::filesystem::remove(database));
    const auto answer = server->get("/api/tasks");  // the first one: a connection is opened for it
    EXPECT_EQ(answer.status, 503);
    EXPECT_FALSE(std::filesystem::exists(database));
}

// ---- SIGHUP -------------------------------------------------------------------------------------

TEST_P(Server, ReadsItsCatalogAgainOnSighup) {
    const std::string file = folder.write("holdfast.yaml", "tasks: {first: {script: 'true'}}\n");
    const auto server = serve({"--config", file});
    EXPECT_EQ(server->get("/api/catalog/tasks/first").status, 200);
    EXPECT_EQ(server->get("/api/catalog/tasks/second").status, 404);
    folder.write("holdfast.yaml", "tasks: {second: {script: 'true'}}\n");
    server->program().send(SIGHUP);
    wait_until([&] { return server->get("/api/catalog/tasks/second").status == 200; }, "the new catalog");
    EXPECT_EQ(server->get("/api/catalog/tasks/first").status, 404);
}

TEST_P(Server, KeepsItsCatalogWhenTheNewOneIsWrongAndNamesEveryError) {
    const std::string file = folder.write("holdfast.yaml", "tasks: {first: {script: 'true'}}\n");
    const auto server = serve({"--config", file});
    folder.write("holdfast.yaml", "tasks: {second: {scrpt: 'true'}}\nworker: {queues: 3}\n");
    server->program().send(SIGHUP);
    const auto ran = server->stop(SIGTERM);  // signals are handled in their order
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("The catalog stays as it was"), HasSubstr("scrpt"), HasSubstr("worker.queues")));
}

}  // namespace
}  // namespace holdfast::server_test
