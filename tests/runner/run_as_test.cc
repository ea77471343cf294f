#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "holdfast/errors.h"
#include "platform/files.h"
#include "platform/identity.h"
#include "platform/process_table.h"
#include "platform/sockets.h"
#include "runner/run_socket.h"
#include "tests/runner/pool_bench.h"
#include "tests/runner/slot_users_bench.h"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;
using engine::RunEnded;
using engine::RunnerGone;
using engine::RunnerId;
using engine::RunProgress;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

core::TaskSpec spec_of(const std::string& script) {
    core::TaskSpec spec;
    spec.script = script;
    return spec;
}

class RunsOfSlotUsers : public ::testing::Test {
protected:
    void SetUp() override {
        if (!may_change_users()) GTEST_SKIP() << "needs root, or the capabilities that run_as needs";
        users.emplace(4);
        limits.run_as = users->run_as();
    }
    PoolBench& bench() {
        if (!bench_) bench_.emplace(limits);
        return *bench_;
    }
    RunEnded run(RunnerId runner, const core::TaskSpec& spec) {
        engine::RunOrder order;
        order.name = "script";
        order.args = "null";
        order.spec = core::to_json_text(spec);
        bench().begin(runner, order);
        return bench().expect<RunEnded>(runner);
    }
    RunEnded run(RunnerId runner, const std::string& script) { return run(runner, spec_of(script)); }
    RunEnded run(const std::string& script) { return run(bench().spawn(), script); }
    /// A process of this user that is no descendant of a runner.
    [[nodiscard]] static pid_t start_process_of(uid_t user) {
        const pid_t child = fork();
        if (child == 0) {
            if (platform::become({.user = user, .group = user}))
                while (true) pause();
            _exit(1);
        }
        while (platform::find_process_of_users(user, user).pid != child) usleep(1000);
        return child;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder.path() + "/" + name; }

    std::optional<TestUsers> users;
    PoolLimits limits;
    platform::PrivateFolder folder{"holdfast-run-as-test."};

private:
    std::optional<PoolBench> bench_;
};

TEST_F(RunsOfSlotUsers, HaveTheirOwnUserAndFolderAndNoPrivilege) {
    const RunEnded ended =
        run("id -u; id -g; id -G; umask; stat -c '%a %u' .. ../script; test \"$HOME\" = \"$PWD\" && echo home\n"
            "grep -E 'NoNewPrivs|CapPrm|CapEff|CapInh|CapAmb' /proc/self/status");
    const std::string user = concat(users->first());
    ASSERT_TRUE(ended.completed) << ended.error.message;
    EXPECT_EQ(bench().printed(1, "stdout"),
              concat(user, "\n", user, "\n", user, "\n0077\n700 ", user, "\n700 ", user,
                     "\nhome\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
                     "CapAmb:\t0000000000000000\nNoNewPrivs:\t1\n"));
}

TEST_F(RunsOfSlotUsers, DoEverythingThatOtherRunsDo) {
    const RunEnded ended =
        run("#!/usr/bin/env python3\n"
            "import json, os, socket, sys\n"
            "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HOLDFAST_SOCKET'])\n"
            "s.sendall(b'{\"checkpoint\": {\"at\": 7}}\\n'); s.recv(100)\n"
            "open('/dev/stderr', 'w').write('opened\\n')\n"
            "open('file', 'w').write('x')\n"
            "json.dump({'args': json.load(sys.stdin)}, open(os.environ['HOLDFAST_RESULT'], 'w'))\n");
    ASSERT_TRUE(ended.completed) << ended.error.message;
    EXPECT_EQ(ended.result, "{\"args\": null}");
    EXPECT_EQ(bench().printed(1, "stderr"), "opened\n");
    EXPECT_EQ(bench().expect<RunProgress>(1).checkpoint, "{\"at\":7}");
}

TEST_F(RunsOfSlotUsers, HaveAUserThatNoOtherRunHasAtTheSameTime) {
    const RunnerId one = bench().spawn(), other = bench().spawn();
    run(one, "id -u");
    run(other, "id -u");
    EXPECT_NE(bench().printed(one, "stdout"), bench().printed(other, "stdout"));
    bench().pool().kill(one);
    bench().expect<RunnerGone>(one);
    const RunnerId next = bench().spawn();
    run(next, "id -u");
    EXPECT_EQ(bench().printed(next, "stdout"), bench().printed(one, "stdout"));
}

TEST_F(RunsOfSlotUsers, LeaveNoProcessOfTheirUserBehind) {
    const RunnerId runner = bench().spawn();
    const pid_t stranger = start_process_of(users->first());
    run(runner, "setsid sleep 1000 & true");
    int status = 0;
    ASSERT_EQ(waitpid(stranger, &status, 0), stranger);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    EXPECT_EQ(platform::find_process_of_users(users->first(), users->first()).pid, 0);
}

TEST_F(RunsOfSlotUsers, LeaveNoProcessOfTheirUserBehindWhenTheirRunnerDies) {
    const RunnerId runner = bench().spawn();
    const pid_t stranger = start_process_of(users->first());
    bench().pool().kill(runner);
    bench().expect<RunnerGone>(runner);
    int status = 0;
    ASSERT_EQ(waitpid(stranger, &status, WNOHANG), stranger);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(RunsOfSlotUsers, CannotKillTheirRunner) {
    const RunnerId runner = bench().spawn();
    const RunEnded ended =
        run(runner, "kill -9 $PPID || echo refused; kill -9 -1; echo alive; echo 1 >$HOLDFAST_RESULT");
    EXPECT_TRUE(ended.completed) << ended.error.message;
    EXPECT_EQ(ended.result, "1");
    EXPECT_EQ(bench().printed(runner, "stdout"), "refused\nalive\n");
    EXPECT_TRUE(run(runner, "true").completed);
}

TEST_F(RunsOfSlotUsers, CannotHaveTheWorkerReadOrRemoveFilesOfOthers) {
    std::ofstream(path("secret")) << "\"secret\"";
    fs::create_directory(path("precious"));
    std::ofstream(path("precious/file")) << "x";
    chmod(folder.path().c_str(), 0711);
    const RunEnded ended = run(concat("ln -s ", path("secret"), " $HOLDFAST_RESULT; ln -s ", path("precious"),
                                      " link; rmdir ../work; ln -s ", path("precious"), " ../work"));
    EXPECT_EQ(ended.result, "null");
    EXPECT_TRUE(fs::exists(path("precious/file")));
}

TEST_F(RunsOfSlotUsers, CannotGiveAFileOfAnotherUserAsTheirResult) {
    const std::string file = path("file");
    std::ofstream(file) << "1";
    EXPECT_EQ(platform::read_regular_file(file, 10, 0, getuid()), "1");
    EXPECT_EQ(platform::read_regular_file(file, 10, 0, users->first()), std::nullopt);
}

TEST_F(RunsOfSlotUsers, CannotKeepTheirFolderFromBeingRemoved) {
    const RunnerId runner = bench().spawn();
    const RunEnded ended = run(runner,
                               "#!/usr/bin/env python3\n"
                               "import os\n"
                               "print(os.getcwd())\n"
                               "for i in range(5000):\n"
                               "    os.mkdir('d'); os.chdir('d')\n"
                               "os.chmod('.', 0)\n");
    ASSERT_TRUE(ended.completed) << ended.error.message;
    const std::string work = bench().printed(runner, "stdout");
    EXPECT_FALSE(fs::exists(work.substr(0, work.find("/run/"))));
}

TEST_F(RunsOfSlotUsers, CannotReadFoldersOfOtherRuns) {
    const RunnerId one = bench().spawn(), other = bench().spawn();
    engine::RunOrder order;
    order.spec = core::to_json_text(spec_of("echo $PWD; while ! test -e go; do sleep 0.01; done; cat go"));
    bench().begin(one, order);
    bench().turn_until([&] { return bench().printed(one, "stdout").ends_with("\n"); });
    const std::string work = std::string(trimmed(bench().printed(one, "stdout")));
    run(other, concat("ls ", work, "; ls ", work, "/../..; echo forged >", work, "/go; cat ", work, "/../script"));
    EXPECT_EQ(bench().printed(other, "stdout"), "");
    std::ofstream(work + "/go") << "honest";
    chmod((work + "/go").c_str(), 0644);
    bench().expect<RunEnded>(one);
    EXPECT_THAT(bench().printed(one, "stdout"), HasSubstr("honest"));
}

TEST_F(RunsOfSlotUsers, AreHeardOnTheirSocketAndNoOtherUserIs) {
    const std::string place = path("socket");
    chmod(folder.path().c_str(), 0711);
    RunSocket socket(place, 1000, users->first());
    chmod(place.c_str(), 0777);
    RunUpdate update;
    update.fraction = 0.5;
    const auto speak_as = [&](uid_t user) {
        const pid_t child = fork();
        if (child == 0) _exit(platform::become({.user = user, .group = user}) && !send_to_run(place, update) ? 0 : 1);
        int heard = 0, status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) socket.serve([&](const RunUpdate&) { ++heard; });
        return std::pair(heard, WEXITSTATUS(status));
    };
    EXPECT_EQ(speak_as(users->first()), std::pair(1, 0));
    EXPECT_EQ(speak_as(users->first() + 1), std::pair(0, 1));
}

TEST_F(RunsOfSlotUsers, GetOnlySecretsThatTheWorkersConfigurationNames) {
    std::ofstream(path("allowed")) << "swordfish\n";
    std::ofstream(path("other")) << "other\n";
    limits.secret_sources = {"file:" + path("allowed")};
    core::TaskSpec spec = spec_of("test \"$KEY\" = swordfish && echo it is $KEY");
    spec.secrets = {{"KEY", "file:" + path("allowed")}};
    const RunnerId runner = bench().spawn();
    EXPECT_TRUE(run(runner, spec).completed);
    EXPECT_EQ(bench().printed(runner, "stdout"), "it is ***\n");
    spec.secrets = {{"KEY", "file:" + path("other")}};
    const RunEnded refused = run(runner, spec);
    EXPECT_EQ(refused.error.code, "SECRET_NOT_AVAILABLE");
    EXPECT_THAT(refused.error.message, AllOf(StartsWith("secret KEY: this worker has run_as"), HasSubstr("other")));
}

TEST_F(RunsOfSlotUsers, AreNotContainers) {
    core::TaskSpec spec;
    spec.kind = core::TaskKind::Docker;
    spec.image = "image";
    EXPECT_THAT(run(bench().spawn(), spec).error.message,
                StartsWith("this worker has run_as and runs no containers"));
}

TEST_F(RunsOfSlotUsers, AreStoppedByTheKernelAtTheirNumberOfProcesses) {
    limits.max_processes = 20;
    const RunnerId runner = bench().spawn();
    core::TaskSpec spec = spec_of(
        "#!/usr/bin/env python3\n"
        "import os, sys, time\n"
        "n = 0\n"
        "try:\n"
        "    while n < 100:\n"
        "        if os.fork() == 0: time.sleep(1000)\n"
        "        n += 1\n"
        "except BlockingIOError: pass\n"
        "print(n)\n");
    spec.max_processes = 1000;  // a task must not raise the worker's limit
    run(runner, spec);
    const std::string printed = bench().printed(runner, "stdout");
    EXPECT_TRUE(printed.empty() || std::stoi(printed) < 20) << printed;
    EXPECT_TRUE(run(bench().spawn(), "true").completed);
}

TEST_F(RunsOfSlotUsers, OfFunctionsHaveThatUserAndARunnerOfTheirOwn) {
    const RunnerId runner = bench().spawn();
    const RunEnded ended = bench().run(runner, "user");
    ASSERT_TRUE(ended.completed) << ended.error.message;
    EXPECT_EQ(json::parse(ended.result), json(users->first()));
    EXPECT_TRUE(ended.leaves);
    bench().expect<RunnerGone>(runner);
}

TEST_F(RunsOfSlotUsers, FillTheirScratchSpaceAndNotTheDisk) {
    if (!platform::missing_capabilities(true).empty()) GTEST_SKIP() << "may not mount";
    limits.scratch_bytes = 1024 * 1024;
    const RunnerId runner = bench().spawn();
    run(runner, "head -c 5000000 /dev/zero >file; stat -c %s file; pwd");
    EXPECT_THAT(bench().printed(runner, "stderr"), HasSubstr("No space left"));
    EXPECT_LE(std::stoi(bench().printed(runner, "stdout")), 1024 * 1024);
    EXPECT_THAT(platform::content_of("/proc/self/mountinfo"), testing::Not(HasSubstr("holdfast-keeper")));
    EXPECT_EQ(run(runner, "echo '\"fits\"' >$HOLDFAST_RESULT").result, "\"fits\"");
}

// ---- Without users of slots
// ---------------------------------------------------------------------------------------------

TEST(RunsOfAnAccount, HaveItsUserAndItsHome) {
    if (!may_change_users()) GTEST_SKIP() << "needs root, or the capabilities that run_as needs";
    PoolBench bench({.run_as = core::RunAs{.user = "daemon"}});
    const RunnerId runner = bench.spawn();
    engine::RunOrder order;
    order.spec = core::to_json_text(spec_of("id -un; echo $HOME"));
    bench.begin(runner, order);
    bench.expect<RunEnded>(runner);
    EXPECT_THAT(bench.printed(runner, "stdout"), StartsWith("daemon\n/"));
}

TEST(RunsOfAnAccount, AreRefusedWhenItDoesNotExist) {
    EXPECT_THROW(PoolBench({.run_as = core::RunAs{.user = "no-such-user"}}), BadInput);
}

TEST(SharedStreams, AreNotChangedByAnEarlierRun) {
    PoolBench bench;
    const RunnerId runner = bench.spawn();
    const auto run = [&](const std::string& script) {
        engine::RunOrder order;
        order.spec = core::to_json_text(spec_of(script));
        bench.begin(runner, order);
        return bench.expect<RunEnded>(runner);
    };
    run("#!/usr/bin/env python3\nimport os\nos.set_blocking(1, False)\n");
    run("#!/usr/bin/env python3\nimport os\nprint(os.get_blocking(1))\n");
    EXPECT_EQ(bench.printed(runner, "stdout"), "True\n");
}

TEST(UsersOfSlots, AreRefusedWhenAnotherWorkerOrProcessHasThem) {
    if (!may_change_users()) GTEST_SKIP() << "needs root, or the capabilities that run_as needs";
    const TestUsers users(4);
    EXPECT_NO_THROW(check_privileges(users.run_as(), 0));
    EXPECT_THROW(static_cast<void>(lock_users(core::RunAs{.first = users.first() + 3, .last = users.first() + 9})),
                 BadInput);
    const pid_t child = fork();
    if (child == 0) {
        if (platform::become({.user = users.first() + 1, .group = users.first()}))
            while (true) pause();
        _exit(1);
    }
    while (platform::find_process_of_users(users.first(), users.first() + 3).pid == 0) usleep(1000);
    EXPECT_THROW(check_privileges(users.run_as(), 0), BadInput);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace holdfast::runner
