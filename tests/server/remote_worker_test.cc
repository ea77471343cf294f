#include <signal.h>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using integration::RunningProgram;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// `holdfast worker --server`, with real servers and real workers.
class RemoteWorker : public ServerTest {
protected:
    void SetUp() override {
        const auto made = holdfast({"tokens", "create", "farm", "--scope", "work", "--json"});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        token = made.json()["token"];
        const auto boss = holdfast({"tokens", "create", "boss", "--scope", "admin", "--json"});
        admin = boss.json()["token"];
    }
    /// Its folder has no configuration, and its environment no store.
    [[nodiscard]] RunParams worker_params(const std::string& servers, const std::string& with_token) const {
        RunParams params = command({});
        params.environment.erase("HOLDFAST_STORE");
        params.environment["HOLDFAST_TOKEN"] = with_token;
        params.folder = elsewhere.path();
        (void)elsewhere.write("holdfast.yaml", "worker: { heartbeat_interval: 500ms }\n");
        params.arguments = {"worker", "--server", servers, "--concurrency", "2"};
        return params;
    }
    [[nodiscard]] std::unique_ptr<RunningProgram> start_worker(const std::string& servers) {
        return std::make_unique<RunningProgram>(worker_params(servers, token));
    }
    [[nodiscard]] std::string submit_script(const std::string& script, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments = {"--script", script};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return submit(arguments);
    }
    [[nodiscard]] std::string state_of(const std::string& id) const { return show(id)["task"]["state"]; }
    [[nodiscard]] std::string events_of_worker() {
        const Uuid worker = store().workers().at(0).registration.id;
        std::string told;
        for (const auto& event : store().events({.task = {}, .worker = worker, .after_id = 0, .limit = 100}))
            told += event.message + " " + event.data + "\n";
        return told;
    }
    void wait_for_state(const std::string& id, const std::string& state) const {
        wait_until([&] { return state_of(id) == state; }, id + " to be " + state);
    }

    integration::TempFolder elsewhere;
    std::string token, admin;
};
INSTANTIATE_TEST_SUITE_P(Stores, RemoteWorker, testing::ValuesIn(integration::store_kinds()), integration::name_of);

TEST_P(RemoteWorker, RunsTasksWithoutEverSeeingTheStore) {
    const auto server = serve();
    const auto worker = start_worker(server->url());
    const std::string id = submit_script("echo hello; env");
    wait_for_state(id, "COMPLETED");
    const auto record = store().workers().at(0);
    EXPECT_EQ(record.registration.via, store::Via::Server);
    EXPECT_FALSE(record.proves_session);
    const auto logs = holdfast({"tasks", "logs", id}).out;
    EXPECT_THAT(logs, AllOf(HasSubstr("hello"), Not(HasSubstr(token))));
    worker->send(SIGTERM);
    EXPECT_EQ(worker->finish().exit_code, 0);
    EXPECT_EQ(store().workers().at(0).status, store::WorkerStatus::Inactive);
}

TEST_P(RemoteWorker, IsAskedToStopARunThroughItsStream) {
    const auto server = serve();
    const auto worker = start_worker(server->url());
    const std::string id = submit_script("sleep 600");
    wait_for_state(id, "RUNNING");
    EXPECT_EQ(holdfast({"tasks", "cancel", id}).exit_code, 0);
    wait_for_state(id, "CANCELLED");
}

TEST_P(RemoteWorker, ThatIsKilledIsSettledByTheTestimonyOfItsKeeper) {
    const auto server = serve();
    const auto worker = start_worker(server->url());
    const std::string id = submit_script("sleep 600");
    wait_for_state(id, "RUNNING");
    worker->send(SIGKILL);
    wait_for_state(id, "FAILED");
    EXPECT_EQ(show(id)["task"]["error"]["code"], "WORKER_CRASHED");
    EXPECT_THAT(events_of_worker(), HasSubstr("its keeper has testified that nothing of it is left"));
}

TEST_P(RemoteWorker, ThatIsKilledWithItsKeeperIsSettledByTheEndOfItsStream) {
    const auto server = serve();
    const auto worker = start_worker(server->url());
    const std::string id = submit_script("sleep 600");
    wait_for_state(id, "RUNNING");
    // A server reports only what it sees after its first seconds.
    wait_until([&] { return store().workers().at(0).beat >= 12; }, "some seconds of beats");
    worker->send(SIGSTOP);
    kill(store().workers().at(0).registration.host.keeper_pid, SIGKILL);
    worker->send(SIGKILL);
    wait_for_state(id, "FAILED");
    EXPECT_THAT(events_of_worker(), HasSubstr("disconnected for"));
}

TEST_P(RemoteWorker, ThatLeavesNeedsNoTestimony) {
    const auto server = serve();
    const auto worker = start_worker(server->url());
    wait_until([&] { return !store().workers().empty() && store().workers().at(0).beat > 0; }, "its first beat");
    worker->send(SIGTERM);
    EXPECT_EQ(worker->finish().exit_code, 0);
    EXPECT_THAT(events_of_worker(), Not(HasSubstr("testified")));
}

TEST_P(RemoteWorker, ChangesOverWhenItsServerIsKilledAndLosesNothing) {
    auto first = serve();
    const auto second = serve();
    const auto worker = start_worker(first->url() + "," + second->url());
    const std::string running = submit_script("sleep 2; echo done");
    wait_for_state(running, "RUNNING");
    first->program().send(SIGKILL);
    const std::string next = submit_script("echo next");
    wait_for_state(running, "COMPLETED");
    wait_for_state(next, "COMPLETED");
    EXPECT_EQ(show(running)["attempts"].size(), 1U);
    worker->send(SIGTERM);
    EXPECT_THAT(worker->finish().err,
                HasSubstr("Changing over from the server " + first->url() + " to " + second->url()));
}

TEST_P(RemoteWorker, GoesOnWithItsRunsWhenTheOnlyServerRestarts) {
    auto server = serve();
    const std::string port = std::to_string(server->port());
    const auto worker = start_worker(server->url());
    const std::string id = submit_script("sleep 2; echo done");
    wait_for_state(id, "RUNNING");
    server->program().send(SIGKILL);
    server.reset();
    server = std::make_unique<ServingProgram>(command({"server", "--port", port}));
    wait_for_state(id, "COMPLETED");
    EXPECT_EQ(show(id)["attempts"].size(), 1U);
}

TEST_P(RemoteWorker, SaysInOneSentenceWhyItCannotWork) {
    const auto server = serve();
    const auto refusal = [&](const std::string& url, const std::string& with_token) {
        const auto ran = integration::run_program(worker_params(url, with_token));
        EXPECT_NE(ran.exit_code, 0);
        return ran.err;
    };
    EXPECT_THAT(refusal(server->url(), "hf_wrong"), HasSubstr("the token is unknown, has expired or was revoked"));
    const auto read = holdfast({"tokens", "create", "eyes", "--scope", "read", "--json"});
    EXPECT_THAT(refusal(server->url(), read.json()["token"]),
                HasSubstr("needs the scope work; eyes has the scope read"));
    EXPECT_THAT(refusal("ftp://example.org", token), HasSubstr("ftp://example.org"));
    EXPECT_THAT(refusal(server->url() + "/else", token), HasSubstr("/else"));
}

}  // namespace
}  // namespace holdfast::server_test
