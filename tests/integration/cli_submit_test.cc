#include <gmock/gmock.h>

#include <thread>

#include "holdfast/uuid.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class CliSubmit : public AnyStoreProgramTest {};
INSTANTIATE_TEST_SUITE_P(Stores, CliSubmit, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliSubmit, CreatesTheStoreAndPrintsNothingButTheId) {
    const Ran ran = holdfast({"submit", "resize"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    ASSERT_THAT(ran.lines(), SizeIs(1));
    EXPECT_TRUE(Uuid::parse(ran.lines()[0]));
}

TEST_P(CliSubmit, StoresEveryOptionThatItTakes) {
    const std::string id = submit({"resize",
                                   "--args",
                                   R"({"width": 640})",
                                   "--id",
                                   own_id(1),
                                   "--idempotency-key",
                                   "once",
                                   "--queue",
                                   "pictures",
                                   "--priority",
                                   "7",
                                   "--tag",
                                   "gpu",
                                   "--tag",
                                   "eu",
                                   "--run-at",
                                   "2099-01-01T00:00:00Z",
                                   "--deadline",
                                   "2099-01-02T00:00:00Z",
                                   "--attempt-timeout",
                                   "90s",
                                   "--max-attempts",
                                   "4",
                                   "--retry-delay",
                                   "1s",
                                   "--retry-delay",
                                   "1m",
                                   "--retry-jitter",
                                   "0.5",
                                   "--retry-on",
                                   "BUSY",
                                   "--on-crash",
                                   "requeue",
                                   "--max-crashes",
                                   "2",
                                   "--fence",
                                   "continue",
                                   "--unmatched",
                                   "fail",
                                   "--concurrency-key",
                                   "disk",
                                   "--concurrency-limit",
                                   "2"});
    const auto task = show(id)["task"];
    EXPECT_EQ(id, own_id(1));
    EXPECT_EQ(task["name"], "resize");
    EXPECT_EQ(task["args"]["width"], 640);
    EXPECT_EQ(task["idempotency_key"], "once");
    EXPECT_EQ(task["queue"], "pictures");
    EXPECT_EQ(task["priority"], 7);
    EXPECT_THAT(task["tags"], ElementsAre("eu", "gpu", "task:resize"));
    EXPECT_EQ(task["run_at"], "2099-01-01T00:00:00Z");
    EXPECT_EQ(task["deadline"], "2099-01-02T00:00:00Z");
    EXPECT_EQ(task["concurrency"], (nlohmann::json{{"key", "disk"}, {"limit", 2}}));
    EXPECT_EQ(task["policy"], (nlohmann::json{{"timeout_ms", 90000},
                                              {"max_attempts", 4},
                                              {"retry_delays_ms", {1000, 60000}},
                                              {"retry_jitter", 0.5},
                                              {"retry_on", {"BUSY"}},
                                              {"on_crash", "requeue"},
                                              {"max_crashes", 2},
                                              {"fence", "continue"},
                                              {"unmatched", "fail"}}));
    EXPECT_EQ(task["state"], "PENDING");
    EXPECT_EQ(task["waits_for"], "future");
}

TEST_P(CliSubmit, StoresExponentialBackOff) {
    const std::string id = submit(
        {"resize", "--max-attempts", "9", "--retry-base", "250ms", "--retry-factor", "3", "--retry-cap", "1h"});
    EXPECT_EQ(show(id)["task"]["policy"],
              (nlohmann::json{
                  {"max_attempts", 9}, {"retry_base_ms", 250}, {"retry_factor", 3.0}, {"retry_cap_ms", 3600000}}));
}

TEST_P(CliSubmit, CountsDelayAndDeadlineFromNow) {
    const auto task = show(submit({"resize", "--delay", "1h", "--deadline", "+2h"}))["task"];
    EXPECT_EQ(task["waits_for"], "future");
    EXPECT_LT(task["created_at"], task["run_at"]);
    EXPECT_LT(task["run_at"], task["deadline"]);
}

TEST_P(CliSubmit, TakesArgumentsFromAFileAndFromStandardInput) {
    folder.write("args.json", "{\n  \"from\": \"file\"\n}\n");
    EXPECT_EQ(show(submit({"resize", "--args", "@args.json"}))["task"]["args"]["from"], "file");
    RunParams piped = command({"submit", "resize", "--args", "-"});
    piped.input = R"({"from": "pipe"})";
    EXPECT_EQ(show(run_program(piped).lines().at(0))["task"]["args"]["from"], "pipe");
}

TEST_P(CliSubmit, TheSameIdAgainReturnsTheFirstTask) {
    const std::vector<std::string> line = {"submit", "resize", "--id", own_id(2), "--json"};
    EXPECT_EQ(holdfast(line).json()["status"], "accepted");
    const Ran again = holdfast(line);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.json(),
              (nlohmann::json{{"id", own_id(2)}, {"status", "existing"}, {"concurrency_limit", nullptr}}));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(1));
}

TEST_P(CliSubmit, TheSameKeyWithOtherArgumentsIsAMismatchAndChangesNothing) {
    const std::string first = submit({"resize", "--idempotency-key", "once", "--args", "1"});
    const Ran other = holdfast({"submit", "resize", "--idempotency-key", "once", "--args", "2"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.err, HasSubstr("PAYLOAD_MISMATCH"));
    EXPECT_THAT(other.err, HasSubstr(first));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(1));
}

TEST_P(CliSubmit, WaitPrintsTheResultOnceTheTaskHasEnded) {
    RunningProgram waiting(command({"submit", "resize", "--wait"}));
    const std::string id = waiting.read_line();
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), R"({"bytes": 42})");
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json(), nlohmann::json({{"bytes", 42}}));
    EXPECT_EQ(show(id)["task"]["state"], "COMPLETED");
}

TEST_P(CliSubmit, WaitSaysHowATaskFailedAndExitsWithOne) {
    RunningProgram waiting(command({"submit", "resize", "--wait"}));
    const std::string id = waiting.read_line();
    StandInWorker worker(store(), {"task:resize"});
    worker.fail(worker.take(), {"NO_SUCH_PICTURE", "there is no cat.png", ""});
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 1);
    // On a slow machine it has said before what the task waited for.
    EXPECT_THAT(ran.err, EndsWith("holdfast: task " + id +
                                  " is FAILED with NO_SUCH_PICTURE: there is no cat.png; 'holdfast tasks show " + id +
                                  "' tells more\n"));
}

TEST_P(CliSubmit, WaitSaysAfterASecondWhatItWaitsFor) {
    const Ran ran = holdfast({"submit", "resize", "--wait", "--timeout", "2s"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, StartsWith("holdfast: the task waits for a worker"));
}

TEST_P(CliSubmit, WaitGoesOnWhenItCannotFindOutWhatItWaitsFor) {
    RunningProgram waiting(command({"submit", "resize", "--wait", "--timeout", "2s"}));
    (void)waiting.read_line();
    folder.write("holdfast.yaml", "nonsense: 1\n");  // which the reason needs
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("has not ended yet"));
}

TEST_P(CliSubmit, LogsPrintsWhatTheTaskPrintsInsteadOfItsResult) {
    RunningProgram following(command({"submit", "resize", "--logs"}));
    StandInWorker worker(store(), {"task:resize"});
    std::optional<store::ClaimedTask> task;
    while (!(task = worker.take_if_any())) std::this_thread::yield();
    worker.print(*task, 1, "stdout", "half done\n");
    EXPECT_EQ(following.read_line(), "half done") << "while it still runs";
    worker.print(*task, 2, "stdout", "done\n");
    worker.complete(*task, "null");
    const Ran ran = following.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "done\n");
}

TEST_P(CliSubmit, ANameThatIsAlmostOneOfADefinitionIsNotedAndSubmitted) {
    folder.write("holdfast.yaml", "tasks: { resize: { script: 'true' } }\n");
    const Ran ran = holdfast({"submit", "resise"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.err, HasSubstr("did you mean 'resize'?"));
    EXPECT_EQ(holdfast({"submit", "elsewhere"}).err, "");
}

TEST_P(CliSubmit, WaitGivesUpAfterItsTimeoutAndLeavesTheTaskAlone) {
    const Ran ran = holdfast({"submit", "resize", "--wait", "--timeout", "50ms", "--json"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.json()["status"], "accepted");
    EXPECT_EQ(ran.json()["timed_out"], true);
    EXPECT_EQ(ran.json()["task"], nullptr);
    EXPECT_EQ(show(ran.json()["id"])["task"]["state"], "PENDING");
}

TEST_P(CliSubmit, EightAtOnceIntoAStoreThatIsNotThereYetAllSucceed) {
    std::vector<RunningProgram> programs;
    for (int i = 0; i < 8; ++i) programs.emplace_back(command({"submit", "resize", "--args", std::to_string(i)}));
    for (auto& program : programs) {
        const Ran ran = program.finish();
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(8));
}

TEST_P(CliSubmit, KeepsEveryDigitOfArgumentsAndResults) {
    const std::string digits = R"({"n":123456789012345678901234567890,"x":0.1000000000000000055})";
    const std::string id = submit({"resize", "--args", digits});
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), digits);
    const Ran shown = holdfast({"tasks", "show", id, "--json"});
    EXPECT_THAT(shown.out, AllOf(HasSubstr("\"args\":" + digits), HasSubstr("\"result\":" + digits)));
    EXPECT_THAT(holdfast({"tasks", "show", id}).out, HasSubstr(digits));
    EXPECT_THAT(holdfast({"tasks", "wait", id, "--json"}).out, HasSubstr(digits));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).out, HasSubstr(digits));
}

TEST_P(CliSubmit, PrintsJsonOfOneLineWhateverTheLinesOfTheArguments) {
    folder.write("args.json", "{\n  \"n\": 1.50,\n  \"s\": \"a\\nb\"\n}\n");
    const std::string id = submit({"resize", "--args", "@args.json"});
    const Ran shown = holdfast({"tasks", "show", id, "--json"});
    EXPECT_THAT(shown.lines(), SizeIs(1));
    EXPECT_EQ(shown.json()["task"]["args"], (nlohmann::json{{"n", 1.5}, {"s", "a\nb"}}));
}

}  // namespace
}  // namespace holdfast::integration
