#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "integration/place.h"
#include "platform/files.h"
#include "platform/identity.h"
#include "proof/crew/patience.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliRunAs : public SqliteProgramTest {
protected:
    /// A worker with these settings, when the store knows it.
    [[nodiscard]] RunningProgram start_worker(const std::map<std::string, std::string>& environment,
                                              bool as_nobody = false) {
        RunParams params = command({"worker"});
        params.environment.insert(environment.begin(), environment.end());
        params.as_nobody = as_nobody;
        RunningProgram worker(params);
        crew::wait_until([this] { return !holdfast({"workers", "list", "--json"}).out.empty(); }, "a worker");
        return worker;
    }
    [[nodiscard]] static bool is_hidden(int pid) {
        struct stat status {};
        return stat(concat("/proc/", pid, "/environ").c_str(), &status) == 0 && status.st_uid == 0;
    }
    [[nodiscard]] static Ran stop(RunningProgram& worker) {
        worker.send(SIGTERM);
        return worker.finish();
    }
    /// That no other program of this machine is likely to have.
    [[nodiscard]] static std::string own_users() {
        const int first = 62000 + getpid() % 200 * 10;
        return concat("uids=", first, "-", first + 9);
    }
};

TEST_F(CliRunAs, IsRefusedAtTheStartOfAWorkerThatMayNotChangeUsers) {
    RunParams params = command({"worker"});
    params.environment["HOLDFAST_WORKER_RUN_AS"] = "uids=60000-60009";
    params.as_nobody = true;
    const Ran ran = run_program(params);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("worker.run_as needs a worker that is root or has the capabilities"),
                               HasSubstr("CAP_SETUID, CAP_SETGID, CAP_KILL, CAP_CHOWN")));
}

TEST_F(CliRunAs, LetsTasksRunAsAnotherUser) {
    if (!platform::missing_capabilities(false).empty()) GTEST_SKIP() << "needs root";
    RunningProgram worker = start_worker({{"HOLDFAST_WORKER_RUN_AS", own_users()}});
    const auto ended =
        holdfast({"submit", "who", "--script", "id -u >$HOLDFAST_RESULT", "--wait", "--json"}).json()["task"];
    EXPECT_EQ(ended["state"], "COMPLETED") << ended.dump();
    EXPECT_GE(ended["result"].get<int>(), 62000);
    EXPECT_THAT(stop(worker).err, Not(HasSubstr("has no run_as")));
}

TEST_F(CliRunAs, IsMissedByAWorkerOfRootAndByDoctor) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    RunningProgram worker = start_worker({});
    const std::string log = stop(worker).err;
    const std::size_t first = log.find("This worker is root and has no run_as");
    ASSERT_NE(first, std::string::npos) << log;
    EXPECT_EQ(log.find("has no run_as", first + 40), std::string::npos) << log;
    EXPECT_THAT(holdfast({"doctor"}).out, HasSubstr("set worker.run_as"));
}

TEST_F(CliRunAs, IsNotNeededToHideWorkerAndKeeperFromTheirTasks) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to see the difference";
    RunningProgram worker = start_worker({{"HOLDFAST_TOKEN", "token"}}, true);
    const auto host = store().workers().front().registration.host;
    EXPECT_TRUE(is_hidden(host.pid));
    EXPECT_TRUE(is_hidden(host.keeper_pid));
    const auto read = concat("cat /proc/", host.pid, "/environ /proc/", host.keeper_pid, "/environ /proc/", host.pid,
                             "/fd/* && echo read");
    const auto task = holdfast({"submit", "read", "--script", read, "--wait", "--json"}).json()["task"];
    EXPECT_EQ(task["state"], "FAILED") << task.dump();
    EXPECT_EQ(stop(worker).exit_code, 0);
}

TEST_F(CliRunAs, IsNotNeededToHideThePasswordOfTheStoreAndTheToken) {
    const crew::Process worker({.command = {"holdfast", "worker", "--store",
                                            "postgresql://app:swordfish@127.0.0.1:1/app", "--token", "salmon"},
                                .program = program_path(),
                                .log = folder.path() + "/log",
                                .errors = crew::Stream::Logged});
    std::string arguments;
    crew::wait_until(
        [&] {
            arguments = platform::content_of(concat("/proc/", worker.pid(), "/cmdline"));
            return arguments.find("swordfish") == std::string::npos && arguments.find("salmon") == std::string::npos;
        },
        "arguments without the password");
    EXPECT_THAT(arguments, HasSubstr("postgresql://app:***@127.0.0.1:1/app"));
}

}  // namespace
}  // namespace holdfast::integration
