#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct BadLine {
    std::string title;
    std::vector<std::string> arguments;
    int exit_code;
    std::string complaint;  // a part of it
};

void PrintTo(const BadLine& line, std::ostream* out) {
    *out << line.title;
}

class CliBadInput : public SqliteProgramTest, public testing::WithParamInterface<BadLine> {};

TEST_P(CliBadInput, GivesOneSentenceAndTheRightExitCodeAndChangesNothing) {
    const std::string before = submit({"resize", "--id", own_id(1)});
    const std::string state_before = holdfast({"tasks", "list", "--json"}).out;
    const Ran ran = holdfast(GetParam().arguments);
    EXPECT_EQ(ran.exit_code, GetParam().exit_code);
    EXPECT_THAT(ran.err, HasSubstr(GetParam().complaint));
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("holdfast: ")) << ran.err;
    EXPECT_EQ(holdfast({"tasks", "list", "--json"}).out, state_before);
}

const std::vector<BadLine> bad_lines = {
    {"MisspeltCommand", {"submitt"}, 2, "'submitt' is not a command of 'holdfast' (did you mean 'submit'?)"},
    {"MisspeltWord", {"tasks", "lst"}, 2, "'lst' is not a command of 'holdfast tasks' (did you mean 'list'?)"},
    {"NoWord", {"tasks"}, 2, "'holdfast tasks' needs one of: list, show"},
    {"MisspeltOption", {"submit", "x", "--priorty", "3"}, 2, "has no option --priorty (did you mean '--priority'?)"},
    {"OneWordTooMany", {"tasks", "list", "all"}, 2, "'holdfast tasks list' does not take 'all'"},
    {"NoName", {"submit"}, 2, "needs the name of a task, --script or --image"},
    {"NoValue", {"submit", "x", "--queue"}, 2, "--queue"},
    {"RetryOnCrashes", {"submit", "x", "--retry-on", "WORKER_CRASHED"}, 2, "--retry-on cannot name WORKER_CRASHED"},
    {"EmptyName", {"submit", ""}, 2, "name"},
    {"BrokenJson", {"submit", "x", "--args", "{\"a\": }"}, 2, "is not JSON: parse error at line 1, column 7"},
    {"MemberGivenTwice", {"submit", "x", "--args", R"({"a": {"b": 1, "b": 2}})"}, 2, "--args: a.b is given twice"},
    {"NumberTooLarge", {"submit", "x", "--args", "[1e999]"}, 2, "number"},
    {"ControlCharacterInAName", {"submit", "a\x1b[2J"}, 2, "name contains the control character U+001B"},
    {"ControlCharacterInAQueue", {"queues", "pause", "a\tb"}, 2, "contains the control character U+0009"},
    {"DirectionMarkInATag", {"submit", "x", "--tag", "\u202e"}, 2, "a tag contains U+202E"},
    {"ControlCharacterInATokensName",
     {"tokens", "create", "a\nb", "--scope", "read"},
     2,
     "the token's name contains the control character U+000A"},
    {"IdFromTheFuture", {"submit", "x", "--id", "7e000000-0000-7000-8000-000000000001"}, 2, "in the future"},
    {"MissingArgsFile", {"submit", "x", "--args", "@gone.json"}, 2, "--args: cannot read gone.json: No such file"},
    {"WordForANumber", {"submit", "x", "--priority", "high"}, 2, "--priority: 'high' is not a whole number"},
    {"FractionForAWholeNumber",
     {"submit", "x", "--max-attempts", "1.5"},
     2,
     "--max-attempts: '1.5' is not a whole number"},
    {"PriorityOutOfRange",
     {"submit", "x", "--priority", "101"},
     2,
     "--priority must be a whole number from 1 to 100, not 101"},
    {"TooFewAttempts",
     {"submit", "x", "--max-attempts", "0"},
     2,
     "--max-attempts must be a whole number from 1 to 1000, not 0"},
    {"JitterOutOfRange",
     {"submit", "x", "--retry-jitter", "2"},
     2,
     "--retry-jitter must be a number from 0 to 1, not 2"},
    {"TimeoutOutOfRange",
     {"submit", "x", "--attempt-timeout", "8d"},
     2,
     "--attempt-timeout must be from 1ms to 7d in whole milliseconds, not 8d"},
    {"NoDuration", {"submit", "x", "--delay", "soon"}, 2, "--delay: 'soon' is not a duration"},
    {"EndlessDelay",
     {"submit", "x", "--delay", "9223372036854s"},
     2,
     "--delay: '9223372036854s' is too long: at most 36500d"},
    {"TimeBeyondAllClocks", {"submit", "x", "--run-at", "+9223372036854s"}, 2, "is too long: at most 36500d"},
    {"NoTime", {"submit", "x", "--run-at", "tomorrow"}, 2, "--run-at: 'tomorrow' is not a time"},
    {"TwoStarts", {"submit", "x", "--run-at", "+1m", "--delay", "1m"}, 2, "--run-at"},
    {"NoSuchWord",
     {"submit", "x", "--on-crash", "requeu"},
     2,
     "is not one of fail, requeue (did you mean 'requeue'?)"},
    {"NoUuid", {"submit", "x", "--id", "17"}, 2, "--id: '17' is not a UUID"},
    {"LimitWithoutKey",
     {"submit", "x", "--concurrency-limit", "2"},
     2,
     "--concurrency-limit needs --concurrency-key"},
    {"TimeoutWithoutWait", {"submit", "x", "--timeout", "3s"}, 2, "--attempt-timeout"},
    {"NulByteEscaped", {"submit", "x", "--tag", "\xff"}, 2, "UTF-8"},
    {"NoSuchState", {"tasks", "list", "--state", "runing"}, 2, "(did you mean 'running'?)"},
    {"LimitOutOfRange", {"tasks", "list", "--limit", "0"}, 2, "--limit: '0' is not within 1 to 1000"},
    {"NoId", {"tasks", "show", "xyz"}, 2, "'xyz' is not a task id"},
    {"UnknownId", {"tasks", "show", own_id(0xff)}, 1, "there is no task with the id"},
    {"UnknownPrefix", {"tasks", "cancel", "0fff"}, 1, "there is no task whose id begins with '0fff'"},
    {"ReasonThatIsNoText",
     {"tasks", "cancel", own_id(1).substr(0, 8), "--reason", "\xff"},
     2,
     "the reason is not valid UTF-8"},
    {"OneOfTwoIdsUnknown", {"tasks", "cancel", own_id(1).substr(0, 8), "0fff"}, 1, "begins with '0fff'"},
    {"BarePathAsStore", {"tasks", "list", "--store", "app.db"}, 2, "write sqlite:app.db"},
    {"UnknownScheme", {"tasks", "list", "--store", "mysql://h/db"}, 2, "store"},
    {"MissingConfigFile", {"tasks", "list", "--config", "gone.yaml"}, 2, "gone.yaml"},
    {"NoWorkersWord", {"workers"}, 2, "'holdfast workers' needs one of: list, show, drain, cordon"},
    {"NoWorker", {"workers", "drain"}, 2, "WORKER is required"},
    {"UnknownWorker", {"workers", "show", "web-9"}, 1, "there is no worker 'web-9'"},
    {"OneOfTwoWorkersUnknown", {"workers", "cordon", "x", "y"}, 1, "there is no worker 'x'"},
    {"EmptyWorker", {"workers", "remove", ""}, 1, "there is no worker ''"},
    {"LogsOfNothing", {"tasks", "logs"}, 2, "ID is required"},
    {"LogsOfAnUnknownTask", {"tasks", "logs", "-f", "0fff"}, 1, "there is no task whose id begins with '0fff'"},
    {"ProgressOutsideOfATask", {"progress", "0.5"}, 2, "only inside of a running task"},
    {"ProgressOfNothing", {"progress"}, 2, "FRACTION is required"},
    {"ProgressBeyondTheEnd", {"progress", "1.5"}, 2, "FRACTION: '1.5' is not within 0 to 1"},
    {"ProgressThatIsNoNumber", {"progress", "half"}, 2, "FRACTION: 'half' is not a number"},
    {"CheckpointOutsideOfATask", {"checkpoint", "1"}, 2, "only inside of a running task"},
    {"CheckpointThatIsNoJson", {"checkpoint", "{"}, 2, "JSON: the value is not JSON"},
    {"WorkerWithoutConcurrency", {"worker", "--concurrency", "0"}, 2, "worker.max_concurrent_tasks: too low"},
    {"WorkerInUnknownIsolation", {"worker", "--isolation", "vm"}, 2, "allowed: process or thread"},
    {"WorkerWithOneQueueTwice", {"worker", "--queue", "a", "--queue", "a"}, 2, "worker.queues: names a twice"},
    {"BadQueueName", {"queues", "pause", ""}, 2, "queue"},
};

INSTANTIATE_TEST_SUITE_P(Lines, CliBadInput, testing::ValuesIn(bad_lines),
                         [](const auto& line) { return line.param.title; });

using CliBadPayload = SqliteProgramTest;

TEST_F(CliBadPayload, ArgumentsOverTheLimitAreRefusedByName) {
    folder.write("big.json", "\"" + std::string(2 << 20, 'x') + "\"");
    const Ran ran = holdfast({"submit", "x", "--args", "@big.json"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("args"));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(0));
}

TEST_F(CliBadPayload, TheLimitIsThatOfTheConfiguration) {
    folder.write("holdfast.yaml", "store: { max_payload_bytes: 1024 }\n");
    EXPECT_EQ(holdfast({"submit", "x", "--args", "\"" + std::string(1000, 'x') + "\""}).exit_code, 0);
    EXPECT_EQ(holdfast({"submit", "x", "--args", "\"" + std::string(1030, 'x') + "\""}).exit_code, 2);
}

TEST_F(CliBadPayload, ABadOptionLeavesNoDatabaseBehind) {
    EXPECT_EQ(holdfast({"submit", "x", "--delay", "soon"}).exit_code, 2);
    EXPECT_EQ(holdfast({"submit", "x", "--args", "{"}).exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace holdfast::integration
