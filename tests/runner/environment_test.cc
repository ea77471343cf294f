#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/files.h"
#include "runner/worker_environment.h"
#include "tests/runner/pool_bench.h"

namespace holdfast::runner {
namespace {

using engine::RunEnded;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

/// Of the processes that this one starts from now on, until the end of the test.
class EnvironmentOfRuns : public ::testing::Test {
protected:
    ~EnvironmentOfRuns() override {
        for (const std::string& name : names_) unsetenv(name.c_str());
    }
    void set(const std::string& name, const std::string& value) {
        setenv(name.c_str(), value.c_str(), 1);
        names_.push_back(name);
    }
    /// A worker's variables.
    void set_usual() {
        set("HOLDFAST_STORE", "postgresql://app:pw@db/app");
        set("HOLDFAST_TOKEN", "token");
        set("PGPASSWORD", "pw");
        set("OF_ANOTHER_TASK", "secret");
        set("PLAIN", "plain");
        set("PASSED", "passed");
    }
    /// Runs a script on a pool that withholds OF_ANOTHER_TASK and passes PASSED.
    RunEnded run_script(const core::TaskSpec& spec, const std::string& args = "null") {
        PoolBench bench({.pass_env = {"PASSED", "NOT_THERE"}}, true, withheld_names({"OF_ANOTHER_TASK"}, {"PASSED"}));
        const auto runner = bench.spawn();
        engine::RunOrder order;
        order.name = "script";
        order.args = args;
        order.spec = core::to_json_text(spec);
        order.checkpoint = "7";
        bench.begin(runner, order);
        RunEnded ended = bench.expect<RunEnded>(runner);
        worker = bench.worker();
        out = bench.printed(runner, "stdout");
        log = bench.printed(runner, "log");
        return ended;
    }
    [[nodiscard]] Variables variables_printed() const {
        Variables variables;
        std::istringstream lines(out);
        for (std::string line; std::getline(lines, line);)
            variables[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
        return variables;
    }

    std::string worker, out, log;

private:
    std::vector<std::string> names_;
};

/// What the kernel gave it: the shell adds some of its own later.
const std::string print_environment = "tr '\\0' '\\n' < /proc/$$/environ";

TEST_F(EnvironmentOfRuns, ScriptHasExactlyTheDeclaredVariables) {
    set_usual();
    set("HOME", getenv("HOME") != nullptr ? getenv("HOME") : "/");
    set("LANG", "C.UTF-8");
    set("TZ", "UTC");
    core::TaskSpec spec;
    spec.script = print_environment;
    spec.env = {{"OWN", "its own"}, {"LANG", "de_DE.UTF-8"}};
    spec.secrets = {{"SECRET", "env:OF_ANOTHER_TASK"}};
    EXPECT_TRUE(run_script(spec, R"({"a":1})").completed);
    Variables seen = variables_printed();
    const std::string folder = std::filesystem::path(seen["HOLDFAST_SOCKET"]).parent_path();
    EXPECT_EQ(seen.size(), 15U) << out;
    EXPECT_THAT(Uuid::parse(seen["HOLDFAST_TASK_ID"]), ::testing::Ne(std::nullopt));
    EXPECT_EQ(seen["HOLDFAST_LEASE"], "1");
    EXPECT_EQ(seen["HOLDFAST_ATTEMPT"], "1");
    EXPECT_EQ(seen["HOLDFAST_WORKER"], worker);
    EXPECT_EQ(seen["HOLDFAST_ARGS"], R"({"a":1})");
    EXPECT_EQ(seen["HOLDFAST_SOCKET"], folder + "/socket");
    EXPECT_EQ(seen["HOLDFAST_RESULT"], folder + "/result");
    EXPECT_EQ(seen["HOLDFAST_CHECKPOINT"], folder + "/checkpoint");
    EXPECT_EQ(seen["PATH"],
              concat(getenv("PATH"), ":", std::filesystem::read_symlink("/proc/self/exe").parent_path().string()));
    EXPECT_EQ(seen["HOME"], getenv("HOME"));
    EXPECT_EQ(seen["LANG"], "de_DE.UTF-8");
    EXPECT_EQ(seen["TZ"], "UTC");
    EXPECT_EQ(seen["OWN"], "its own");
    EXPECT_EQ(seen["SECRET"], "***") << "the secret itself, hidden in the output";
    EXPECT_EQ(seen["PASSED"], "passed");
}

TEST_F(EnvironmentOfRuns, ScriptFindsNothingWithheldInTheEnvironmentOfItsRunner) {
    set_usual();
    core::TaskSpec spec;
    spec.script = "tr '\\0' '\\n' < /proc/$PPID/environ; ls -l /proc/$PPID/fd";
    EXPECT_TRUE(run_script(spec).completed);
    const Variables seen = variables_printed();
    for (const char* name : {"HOLDFAST_STORE", "HOLDFAST_TOKEN", "PGPASSWORD", "OF_ANOTHER_TASK"})
        EXPECT_FALSE(seen.contains(name)) << name;
    EXPECT_THAT(seen, Contains(Pair("PLAIN", "plain")));
    EXPECT_THAT(out, Not(HasSubstr("withheld"))) << "the runner has closed the file once it was read";
}

TEST_F(EnvironmentOfRuns, FunctionKeepsTheEnvironmentOfItsApplicationButForWhatIsWithheld) {
    set_usual();
    PoolBench bench({}, true, withheld_names({"OF_ANOTHER_TASK"}, {"PGPASSWORD"}));
    const auto seen = nlohmann::json::parse(bench.run(bench.spawn(), "environment").result);
    EXPECT_THAT(seen, Contains("PLAIN=plain"));
    EXPECT_THAT(seen, Contains("PGPASSWORD=pw")) << "passed on";
    EXPECT_THAT(seen, Contains("HOLDFAST_WORKER=" + bench.worker()));
    for (const auto& entry : seen)
        EXPECT_THAT(entry.get<std::string>(),
                    Not(::testing::ContainsRegex("^(HOLDFAST_STORE|HOLDFAST_TOKEN|OF_AN)")));
}

TEST_F(EnvironmentOfRuns, SecretIsReadFromAVariableThatIsWithheld) {
    set_usual();
    core::TaskSpec spec;
    spec.script = "test \"$MINE\" = pw";
    spec.secrets = {{"MINE", "env:PGPASSWORD"}};
    EXPECT_TRUE(run_script(spec).completed);
}

TEST_F(EnvironmentOfRuns, StoreOfTheWorkerIsNotASecretOfATask) {
    set_usual();
    const RunEnded ended = [&] {
        core::TaskSpec spec;
        spec.script = "true";
        spec.secrets = {{"MINE", "env:HOLDFAST_STORE"}};
        return run_script(spec);
    }();
    EXPECT_FALSE(ended.completed);
    EXPECT_THAT(ended.error.message, HasSubstr("must not take MINE from the worker's own HOLDFAST_STORE"));
}

TEST_F(EnvironmentOfRuns, LogSaysWhenTheArgumentsAreTooLongForTheirVariable) {
    core::TaskSpec spec;
    spec.script = "wc -c; echo \"${HOLDFAST_ARGS-none}\"";
    run_script(spec, '"' + std::string(300'000, 'x') + '"');
    EXPECT_EQ(out, "300002\nnone\n");
    EXPECT_THAT(log, HasSubstr("HOLDFAST_ARGS is not set: the arguments have 300002 bytes"));
    EXPECT_THAT(log, HasSubstr("read them from standard input"));
    run_script(spec, '"' + std::string(100'000, 'x') + '"');
    EXPECT_EQ(out.size(), std::string("100002\n").size() + 100'003);
    EXPECT_THAT(log, IsEmpty());
}

TEST(SealedFile, IsReadFromItsBeginningByEveryReaderAndChangedByNone) {
    const Descriptor file = platform::sealed_file("test", "content");
    EXPECT_EQ(platform::content_of(file.get()), "content");
    EXPECT_EQ(platform::content_of(file.get()), "content");
    EXPECT_EQ(pwrite(file.get(), "other", 5, 0), -1);
    EXPECT_EQ(ftruncate(file.get(), 0), -1);
    EXPECT_EQ(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(WithheldNames, AreTheWorkersOwnAndThoseOfSecretsButForWhatIsPassed) {
    EXPECT_THAT(withheld_names({"A"}, {}), ElementsAre("HOLDFAST_STORE", "HOLDFAST_TOKEN", "PGPASSWORD", "A"));
    EXPECT_THAT(withheld_names({"A", "B"}, {"A", "PGPASSWORD"}),
                ElementsAre("HOLDFAST_STORE", "HOLDFAST_TOKEN", "B"));
}

TEST(WorkerEnvironmentTest, ReadsWhatIsWithheldWhateverItsBytes) {
    const std::string_view withheld("A=1\0B==x\0C\0D=cut off", 20);
    const WorkerEnvironment worker("w", {"A", "B", "C"}, withheld);
    EXPECT_THAT(worker.passed(), ElementsAre(Pair("A", "1"), Pair("B", "=x")));
    EXPECT_EQ(worker.find("D"), "cut off");
    EXPECT_EQ(worker.find("E"), std::nullopt);
}

}  // namespace
}  // namespace holdfast::runner
