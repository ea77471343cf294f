#include <gmock/gmock.h>

#include "base/ids.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::SizeIs;

class CliLogs : public AnyStoreProgramTest {};
INSTANTIATE_TEST_SUITE_P(Stores, CliLogs, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliLogs, AreWhatTheRunsPrintedAsTheyPrintedIt) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto task = worker.take();
    worker.print(task, 0, "stdout", "one\ntw");
    worker.print(task, 1, "stdout", "o\n");
    worker.print(task, 2, "stderr", "oh\n");
    const Ran ran = holdfast({"tasks", "logs", id});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "one\ntwo\noh\n");
    const auto lines = holdfast({"tasks", "logs", id, "--json"}).json_lines();
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_EQ(lines[0]["stream"], "stdout");
    EXPECT_EQ(lines[0]["text"], "one\ntw");
    EXPECT_EQ(lines[2]["stream"], "stderr");
    EXPECT_EQ(lines[2]["lease"], task.lease);
    EXPECT_GT(lines[2]["offset"], lines[0]["offset"]);
}

TEST_P(CliLogs, AreEmptyForATaskThatPrintedNothing) {
    EXPECT_EQ(holdfast({"tasks", "logs", submit({"resize"})}).out, "");
}

TEST_P(CliLogs, AreFollowedAsTheyComeUntilTheTaskHasEnded) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto task = worker.take();
    worker.print(task, 0, "stdout", "first\n");
    RunningProgram follower(command({"tasks", "logs", "-f", id}));
    EXPECT_EQ(follower.read_line(), "first");
    worker.print(task, 1, "stdout", "second\n");
    EXPECT_EQ(follower.read_line(), "second");
    worker.print(task, 2, "log", "last\n");
    worker.complete(task, "1");
    const Ran ran = follower.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "last\n");
}

TEST_P(CliLogs, OfAnEndedTaskAreFollowedToTheirEndAtOnce) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto task = worker.take();
    worker.print(task, 0, "stdout", "all\n");
    worker.complete(task, "1");
    EXPECT_EQ(holdfast({"tasks", "logs", "--follow", id}).out, "all\n");
}

TEST_P(CliLogs, OfManyPagesAreWhole) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto task = worker.take();
    std::vector<store::LogChunk> chunks;
    for (int i = 0; i < 2500; ++i)
        chunks.push_back({task.task.id, task.lease, i, "stdout", std::to_string(i) + "\n", store().now()});
    worker.print(chunks);
    const auto lines = holdfast({"tasks", "logs", id}).lines();
    ASSERT_THAT(lines, SizeIs(2500));
    EXPECT_EQ(lines.back(), "2499");
}

}  // namespace
}  // namespace holdfast::integration
