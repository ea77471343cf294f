#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// The service manager's side of a NOTIFY_SOCKET.
class Manager {
public:
    explicit Manager(std::string path) : path_(std::move(path)), socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.data(), path_.size());
        if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("bind");
    }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;
    ~Manager() { close(socket_); }

    [[nodiscard]] const std::string& path() const { return path_; }
    /// The next thing that it is told.
    [[nodiscard]] std::string hear() const {
        std::array<char, 1000> buffer{};
        pollfd told{.fd = socket_, .events = POLLIN, .revents = 0};
        if (poll(&told, 1, 60'000) != 1) throw std::runtime_error("the service told nothing");
        return {buffer.data(), static_cast<std::size_t>(recv(socket_, buffer.data(), buffer.size(), 0))};
    }

    /// The next thing but signs of life.
    [[nodiscard]] std::string hear_news() const {
        std::string told = hear();
        while (told == "WATCHDOG=1") told = hear();
        return told;
    }

private:
    std::string path_;
    int socket_;
};

class CliWorker : public AnyStoreProgramTest {
protected:
    CliWorker() : manager(folder.path() + "/notify") {}

    /// A worker that has said that it is ready.
    [[nodiscard]] RunningProgram start_worker(std::vector<std::string> options = {},
                                              std::map<std::string, std::string> environment = {}) {
        options.insert(options.begin(), {"worker", "--name", "w"});
        RunParams params = command(std::move(options));
        params.environment.merge(environment);
        params.environment["NOTIFY_SOCKET"] = manager.path();
        RunningProgram worker(params);
        EXPECT_THAT(manager.hear_news(), StartsWith("READY=1\n"));
        return worker;
    }
    [[nodiscard]] Ran submit_and_wait(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"submit", "--wait", "--timeout", "60s", "--json"});
        return holdfast(std::move(arguments));
    }
    /// The names of the variables that a task prints with a NUL after each, as its log spells them.
    [[nodiscard]] std::vector<std::string> variables_printed_by(const std::string& task) const {
        const auto ended = submit_and_wait({task}).json()["task"];
        EXPECT_EQ(ended["state"], "COMPLETED") << ended.dump();
        const std::string printed = holdfast({"tasks", "logs", ended["id"]}).out;
        std::vector<std::string> names;
        for (std::size_t at = 0; at < printed.size();) {
            names.push_back(printed.substr(at, printed.find('=', at) - at));
            at = std::min(printed.find("\\x00", at), printed.size()) + 4;
        }
        return names;
    }
    [[nodiscard]] Ran stop(RunningProgram& worker) const {
        worker.send(SIGTERM);
        return worker.finish();
    }

    Manager manager;
};
INSTANTIATE_TEST_SUITE_P(Stores, CliWorker, testing::ValuesIn(store_kinds()), name_of);

TEST_P(CliWorker, RunsScriptsOfTheFileWithTheirVariablesAndArguments) {
    folder.write(
        "holdfast.yaml",
        "tasks: {greet: {script: 'echo \"{\\\"said\\\": \\\"$WORD $NAME\\\"}\" > $HOLDFAST_RESULT', env: {WORD: "
        "Hello, NAME: '{{ input.name }}'}}}\n");
    RunningProgram worker = start_worker();
    const auto answer = submit_and_wait({"greet", "--args", R"({"name": "Ada"})"}).json();
    EXPECT_EQ(answer["task"]["state"], "COMPLETED") << answer.dump();
    EXPECT_EQ(answer["task"]["result"], nlohmann::json({{"said", "Hello Ada"}}));
    EXPECT_EQ(stop(worker).exit_code, 0);
}

TEST_P(CliWorker, ScriptsHaveExactlyTheDeclaredEnvironment) {
    folder.write("holdfast.yaml",
                 "tasks:\n"
                 "  other: {script: 'true', secrets: {SECRET: 'env:SECRET_OF_OTHER'}}\n"
                 "  own: {script: 'cat /proc/$$/environ', env: {OWN: own}}\n"
                 "  runner: {script: 'cat /proc/$PPID/environ'}\n");
    const std::map<std::string, std::string> variables = {{"HOLDFAST_TOKEN", "token"},
                                                          {"PGPASSWORD", "password"},
                                                          {"SECRET_OF_OTHER", "swordfish"},
                                                          {"LD_LIBRARY_PATH", "/nowhere"},
                                                          {"PASSED", "passed"},
                                                          {"HOME", folder.path()},
                                                          {"LANG", "C"},
                                                          {"TZ", "UTC"}};
    RunningProgram worker = start_worker({"--pass-env", "PASSED"}, variables);
    EXPECT_THAT(variables_printed_by("own"),
                testing::UnorderedElementsAre("PATH", "HOME", "LANG", "TZ", "OWN", "PASSED", "HOLDFAST_TASK_ID",
                                              "HOLDFAST_LEASE", "HOLDFAST_ATTEMPT", "HOLDFAST_SOCKET",
                                              "HOLDFAST_RESULT", "HOLDFAST_ARGS", "HOLDFAST_WORKER"));
    // A function would have these.
    EXPECT_THAT(variables_printed_by("runner"),
                testing::UnorderedElementsAre("PATH", "HOME", "LANG", "TZ", "PASSED", "LD_LIBRARY_PATH", "USER",
                                              "NOTIFY_SOCKET", "HOLDFAST_CLOCK", "HOLDFAST_WORKER"));
    (void)stop(worker);
}

TEST_P(CliWorker, ScriptsTellTheirProgressAndSaveCheckpointsThroughTheProgram) {
    RunningProgram worker = start_worker();
    const std::string script =
        "echo printed; holdfast progress 0.25 'a quarter' && echo '{\"row\": 7}' | holdfast checkpoint - && "
        "! holdfast checkpoint nonsense";
    const auto task = submit_and_wait({"--script", script}).json()["task"];
    EXPECT_EQ(task["state"], "COMPLETED") << task.dump();
    EXPECT_EQ(task["progress"]["fraction"], 0.25);
    EXPECT_EQ(task["progress"]["text"], "a quarter");
    EXPECT_EQ(task["checkpoint"], nlohmann::json({{"row", 7}}));
    EXPECT_EQ(holdfast({"tasks", "logs", task["id"]}).lines().at(0), "printed");
    (void)stop(worker);
}

TEST_P(CliWorker, SaysWhatItCanDoAndThatItHasLeft) {
    RunningProgram worker =
        start_worker({"--tag", "gpu", "--tag", "eu", "--concurrency", "3", "--queue", "a", "--queue", "b"});
    const auto listed = holdfast({"workers", "list", "--json"}).json();
    EXPECT_EQ(listed["name"], "w");
    EXPECT_EQ(listed["fresh"], true);
    EXPECT_EQ(listed["capacity"], 3);
    EXPECT_EQ(listed["queues"], nlohmann::json({"a", "b"}));
    EXPECT_THAT(listed["tags"].get<std::vector<std::string>>(),
                AllOf(Contains("script"), Contains("gpu"), Contains("eu")));
    const Ran ran = stop(worker);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(holdfast({"workers", "list", "--all", "--json"}).json()["status"], "inactive");
}

TEST_P(CliWorker, TellsItsServiceManagerThatItIsReadyLivesAndStops) {
    RunningProgram worker = start_worker({}, {{"WATCHDOG_USEC", "200000"}});
    EXPECT_EQ(manager.hear(), "WATCHDOG=1");
    EXPECT_EQ(manager.hear(), "WATCHDOG=1");
    worker.send(SIGTERM);
    EXPECT_THAT(manager.hear_news(), StartsWith("STOPPING=1\n"));
    EXPECT_EQ(worker.finish().exit_code, 0);
}

TEST_P(CliWorker, DrainsWhenItIsAskedToByCommand) {
    RunningProgram worker = start_worker();
    EXPECT_EQ(holdfast({"workers", "drain", "w"}).exit_code, 0);
    EXPECT_EQ(worker.finish().exit_code, 0);
}

TEST_P(CliWorker, LogsOneFactALineAsJsonWhenAskedTo) {
    RunningProgram worker = start_worker({}, {{"HOLDFAST_LOG_FORMAT", "json"}, {"HOLDFAST_LOG_LEVEL", "debug"}});
    (void)submit_and_wait({"--script", "exit 3"});
    const Ran ran = stop(worker);
    EXPECT_EQ(ran.out, "");
    std::istringstream lines(ran.err);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const auto fact = nlohmann::json::parse(line, nullptr, false);
        ASSERT_TRUE(fact.is_object()) << line;
        EXPECT_TRUE(fact.contains("at") && fact.contains("level") && fact.contains("message")) << line;
    }
    EXPECT_GE(count, 3);
}

TEST_P(CliWorker, RunsContainersByTheConfiguredCommandAndOptions) {
    const std::string engine = folder.write("engine.sh", "echo \"$@\" >> " + folder.path() + "/told\n");
    folder.write("holdfast.yaml",
                 "worker: {container_command: [sh, " + engine +
                     "], container_options: [--context, far], container_run_options: [--pull, never]}\n");
    RunningProgram worker = start_worker();
    EXPECT_THAT(holdfast({"workers", "list", "--json"}).json()["tags"], nlohmann::json({"script", "docker"}));
    const auto task = submit_and_wait({"--image", "debian:12", "--env", "A=1"}).json()["task"];
    EXPECT_EQ(task["state"], "COMPLETED") << task.dump();
    (void)stop(worker);
    std::ifstream file(folder.path() + "/told");
    const std::string told{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    EXPECT_THAT(told, StartsWith("--context far ps -q\n"));
    EXPECT_THAT(told, AllOf(HasSubstr("\n--context far run "), HasSubstr(" --pull never"), HasSubstr("debian:12")));
}

TEST_P(CliWorker, WithThreadsRunsNoScripts) {
    RunningProgram worker = start_worker({"--isolation", "thread"});
    EXPECT_EQ(holdfast({"workers", "list", "--json"}).json()["tags"], nlohmann::json::array());
    EXPECT_EQ(stop(worker).exit_code, 0);
}

class CliWorkerFaults : public SqliteProgramTest {};

TEST_F(CliWorkerFaults, AStoreThatCannotBeUsedIsToldAndEndsIt) {
    folder.write("test.db", "this is not a database, whatever its name says, and long enough to be looked at twice");
    const Ran ran = holdfast({"worker"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_THAT(ran.err, HasSubstr("holdfast: "));
}

TEST_F(CliWorkerFaults, ALimitOfProcessesThatIsReachedIsNamedAsTheCause) {
    chmod(folder.path().c_str(), 0777);
    RunParams line = command({"migrate"});
    line.as_nobody = true;
    ASSERT_EQ(run_program(line).exit_code, 0);
    line.arguments = command({"worker"}).arguments;
    line.max_processes = 1;
    const Ran ran = run_program(line);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("cannot start a process or thread (fork: "));
}

}  // namespace
}  // namespace holdfast::integration
