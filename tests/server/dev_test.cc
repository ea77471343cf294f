#include <signal.h>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Dev : public ServerTest {
protected:
    [[nodiscard]] std::string state_of(const ServingProgram& server, const std::string& task) {
        return server.get_json("/api/tasks/" + task)["task"]["state"];
    }
    [[nodiscard]] int pid_of_worker() {
        for (const auto& worker : store().workers())
            if (worker.status == store::WorkerStatus::Active) return worker.registration.host.pid;
        return 0;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Dev, testing::Values(StoreKind::Sqlite), integration::name_of);

TEST_P(Dev, SaysWhereItIsAndRunsWhatIsSubmitted) {
    const auto server = dev();
    EXPECT_THAT(server->greeting().back(), HasSubstr("Holdfast is at http://127.0.0.1:"));
    std::string more;
    for (std::string line; line.find("Ctrl-C") == std::string::npos;)
        more += (line = server->program().read_line()) + '\n';
    EXPECT_THAT(more, AllOf(HasSubstr("Three things to try"), HasSubstr("submit hello"), HasSubstr("curl"),
                            HasSubstr(server->url())));
    const auto task = server->post("/api/tasks", {{"name", "hello"}, {"script", "echo hello"}});
    wait_until([&] { return state_of(*server, task["id"]) == "COMPLETED"; }, "the task");
}

TEST_P(Dev, TakesTheNextPortWhenTheUsualOneIsTaken) {
    const auto first = dev();
    const auto second = dev();
    EXPECT_NE(first->port(), second->port());
    EXPECT_EQ(second->get("/healthz").status, 200);
    // Others on this machine may have had the usual one before the first, and not any more when the second came.
    EXPECT_THAT(first->stop(SIGTERM).err + second->stop(SIGTERM).err, HasSubstr("trying the next port"));
}

TEST_P(Dev, EndsItsWorkerWithItself) {
    const auto server = dev();
    wait_until([&] { return pid_of_worker() != 0; }, "its worker");
    const int worker = pid_of_worker();
    const auto ran = server->stop(SIGINT);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(kill(worker, 0), 0);
    for (const auto& record : store().workers()) EXPECT_EQ(record.status, store::WorkerStatus::Inactive);
}

TEST_P(Dev, StartsItsWorkerAgainWhenItWasKilled) {
    const auto server = dev();
    wait_until([&] { return pid_of_worker() != 0; }, "its worker");
    const int first = pid_of_worker();
    kill(first, SIGKILL);
    wait_until([&] { return pid_of_worker() != 0 && pid_of_worker() != first; }, "another worker");
    const auto task = server->post("/api/tasks", {{"name", "hello"}, {"script", "echo hello"}});
    wait_until([&] { return state_of(*server, task["id"]) == "COMPLETED"; }, "the task");
}

TEST_P(Dev, ReadsTheCatalogAgainWhenItsFileChangesAndWhatWasAcceptedKeepsItsSpecification) {
    folder.write("holdfast.yaml", "tasks: {greet: {script: 'sleep 1; echo one', queue: nobody-serves}}\n");
    const auto server = dev();
    const auto before = server->post("/api/tasks", {{"name", "greet"}});
    folder.write("holdfast.yaml", "tasks: {greet: {script: 'echo two, longer'}, other: {script: 'true'}}\n");
    wait_until([&] { return server->get("/api/catalog/tasks/other").status == 200; }, "the new catalog");
    EXPECT_EQ(server->get_json("/api/tasks/" + before["id"].get<std::string>())["task"]["queue"], "nobody-serves");
    const auto after = server->post("/api/tasks", {{"name", "greet"}});
    wait_until([&] { return state_of(*server, after["id"]) == "COMPLETED"; }, "the task of the new catalog");
}

TEST_P(Dev, ComplainsAboutACatalogThatIsWrongAndKeepsTheOldOne) {
    folder.write("holdfast.yaml", "tasks: {first: {script: 'true'}}\n");
    const auto server = dev();
    folder.write("holdfast.yaml", "tasks: {first: {scrpt: 'true'}, second: {script: 'true', timeout: soon}}\n");
    std::this_thread::sleep_for(std::chrono::seconds(5));  // nothing tells of a file that was refused
    EXPECT_EQ(server->get("/api/catalog/tasks/first").status, 200);
    EXPECT_EQ(server->get("/api/catalog/tasks/second").status, 404);
    folder.write("holdfast.yaml", "tasks: {third: {script: 'true'}}\n");
    wait_until([&] { return server->get("/api/catalog/tasks/third").status == 200; }, "the mended catalog");
    EXPECT_THAT(server->stop(SIGTERM).err,
                AllOf(HasSubstr("The catalog stays as it was"), HasSubstr("scrpt"), HasSubstr("timeout")));
}

TEST_P(Dev, FindsACatalogThatWasNotThereAtItsStart) {
    const auto server = dev();
    folder.write("holdfast.yaml", "tasks: {first: {script: 'true'}}\n");
    wait_until([&] { return server->get("/api/catalog/tasks/first").status == 200; }, "the catalog");
}

}  // namespace
}  // namespace holdfast::server_test
