#include <gmock/gmock.h>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class CliTasks : public AnyStoreProgramTest {
protected:
    std::vector<std::string> listed_ids(std::vector<std::string> options) const {
        options.insert(options.begin(), {"tasks", "list", "--json"});
        std::vector<std::string> ids;
        for (const auto& task : holdfast(options).json_lines()) ids.push_back(task["id"]);
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliTasks, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliTasks, ListShowsTheNewestFirstAndFilters) {
    const std::string first = submit({"resize"});
    const std::string second = submit({"mail", "--queue", "post"});
    ASSERT_EQ(holdfast({"tasks", "cancel", first}).exit_code, 0);
    EXPECT_THAT(listed_ids({}), ElementsAre(second, first));
    EXPECT_THAT(listed_ids({"--name", "mail"}), ElementsAre(second));
    EXPECT_THAT(listed_ids({"--queue", "default"}), ElementsAre(first));
    EXPECT_THAT(listed_ids({"--state", "cancelled"}), ElementsAre(first));
    EXPECT_THAT(listed_ids({"--state", "PENDING", "--state", "CANCELLED"}), ElementsAre(second, first));
    EXPECT_THAT(listed_ids({"--limit", "1"}), ElementsAre(second));
    EXPECT_THAT(listed_ids({"--limit", "1", "--after", second}), ElementsAre(first));
}

TEST_P(CliTasks, ListIsATableWithoutColoursInAPipe) {
    const std::string id = submit({"resize"});
    const auto lines = holdfast({"tasks", "list"}).lines();
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_THAT(lines[0], StartsWith("ID "));
    EXPECT_THAT(lines[1], AllOf(StartsWith(id + "  PENDING  resize"), testing::Not(HasSubstr("\033"))));
}

TEST_P(CliTasks, ShowTellsTheWholeLifeOfATask) {
    const std::string id = submit({"resize", "--max-attempts", "2", "--retry-delay", "0s"});
    StandInWorker worker(store(), {"task:resize"});
    worker.fail(worker.take(), {"BUSY", "try later", R"({"load": 9})"});
    worker.complete(worker.take(), "\"done\"");
    const Ran ran = holdfast({"tasks", "show", id});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    for (const char* part : {"submitted to queue default", "attempt 1 started on worker", "attempt 1 FAILED after",
                             "BUSY: try later", "attempt 2 COMPLETED after", "result      \"done\""})
        EXPECT_THAT(ran.out, HasSubstr(part));
    EXPECT_LT(ran.out.find("attempt 1 FAILED"), ran.out.find("attempt 2 COMPLETED"));

    const auto story = show(id);
    EXPECT_EQ(story["task"]["state"], "COMPLETED");
    EXPECT_EQ(story["task"]["result"], "done");
    ASSERT_THAT(story["attempts"], SizeIs(2));
    EXPECT_EQ(story["attempts"][0]["end"], "FAILED");
    EXPECT_EQ(story["attempts"][0]["error"]["data"]["load"], 9);
    EXPECT_EQ(story["attempts"][1]["end"], "COMPLETED");
    EXPECT_EQ(story["attempts"][1]["error"], nullptr);
}

TEST_P(CliTasks, ShowTellsTheTraceThatATaskBelongsTo) {
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const std::string id = submit({"resize", "--traceparent", trace});
    EXPECT_THAT(holdfast({"tasks", "show", id}).out, HasSubstr("trace       " + trace + "\n"));
    EXPECT_EQ(show(id)["task"]["traceparent"], trace);
}

TEST_P(CliTasks, ShowSaysWhatAWaitingTaskWaitsFor) {
    EXPECT_THAT(holdfast({"tasks", "show", submit({"a"})}).out,
                HasSubstr("waits for a worker: none has queue default, tags [task:a]"));
    EXPECT_THAT(holdfast({"tasks", "show", submit({"b", "--delay", "1h"})}).out, HasSubstr("waits until "));
    (void)submit({"c", "--concurrency-key", "disk"});
    const std::string second = submit({"c", "--concurrency-key", "disk"});
    StandInWorker worker(store(), {"task:c"});
    (void)worker.take();
    EXPECT_FALSE(worker.take_if_any());
    EXPECT_THAT(holdfast({"tasks", "show", second}).out,
                HasSubstr("waits for one of the 1 slot(s) of the concurrency key 'disk'"));
}

TEST_P(CliTasks, AnIdMayBeAbbreviatedToAUniquePrefix) {
    (void)submit({"resize", "--id", own_id(0xa)});
    (void)submit({"resize", "--id", own_id(0xb)});
    (void)submit({"mail", "--id", own_id(0xc, true)});
    EXPECT_EQ(show(own_id(0xc, true).substr(0, 8))["task"]["name"], "mail");
    EXPECT_EQ(show(own_id(0xc, true).substr(0, 13))["task"]["name"], "mail");
    const Ran ambiguous = holdfast({"tasks", "cancel", own_id(0xa).substr(0, 8)});
    EXPECT_EQ(ambiguous.exit_code, 2);
    EXPECT_THAT(ambiguous.err,
                AllOf(HasSubstr(own_id(0xa) + " (resize, PENDING)"), HasSubstr(own_id(0xb) + " (resize, PENDING)")));
    EXPECT_THAT(listed_ids({"--state", "cancelled"}), IsEmpty());
}

TEST_P(CliTasks, WaitReturnsWhenAnotherProcessEndsTheTask) {
    const std::string id = submit({"resize"});
    RunningProgram waiting(command({"tasks", "wait", id, "--json"}));
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), "[1,2]");
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json()["id"], id);
    EXPECT_EQ(ran.json()["timed_out"], false);
    EXPECT_EQ(ran.json()["task"]["result"], nlohmann::json({1, 2}));
}

TEST_P(CliTasks, WaitForSeveralExitsWithOneWhenOneDidNotComplete) {
    const std::string good = submit({"resize"});
    const std::string bad = submit({"mail"});
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), "7");
    ASSERT_EQ(holdfast({"tasks", "cancel", bad}).exit_code, 0);
    const Ran ran = holdfast({"tasks", "wait", good, bad});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.out, "7\n");
    EXPECT_THAT(ran.err, HasSubstr("task " + bad + " is CANCELLED with TASK_CANCELLED"));
}

TEST_P(CliTasks, WaitTimesOut) {
    const std::string id = submit({"resize"});
    const Ran ran = holdfast({"tasks", "wait", id, "--timeout", "50ms"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err,
              "holdfast: task " + id + " has not ended yet; 'holdfast tasks wait " + id + "' goes on waiting\n");
}

TEST_P(CliTasks, CancelEndsAWaitingTaskAndRecordsWhoAndWhy) {
    const std::string id = submit({"resize"});
    EXPECT_EQ(holdfast({"tasks", "cancel", id, "--reason", "wrong picture", "--json"}).json(),
              (nlohmann::json{{"id", id}, {"status", "cancelled"}}));
    const auto story = show(id);
    EXPECT_EQ(story["task"]["state"], "CANCELLED");
    EXPECT_EQ(story["task"]["error"]["code"], "TASK_CANCELLED");
    ASSERT_THAT(story["events"], SizeIs(1));
    EXPECT_THAT(std::string(story["events"][0]["who"]), StartsWith(who()));
    EXPECT_THAT(std::string(story["events"][0]["message"]), HasSubstr("wrong picture"));
    EXPECT_EQ(holdfast({"tasks", "cancel", id, "--json"}).json()["status"], "already");
}

TEST_P(CliTasks, CancelAsksTheWorkerOfARunningTask) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto run = worker.take();
    EXPECT_EQ(holdfast({"tasks", "cancel", id, "--json"}).json()["status"], "requested");
    const auto task = show(id)["task"];
    EXPECT_EQ(task["state"], "RUNNING");
    EXPECT_EQ(task["cancel_requested"], true);
}

TEST_P(CliTasks, CancelOfAnEndedTaskFailsAndSaysSo) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), "1");
    const Ran ran = holdfast({"tasks", "cancel", id});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err, "holdfast: task " + id + " had ended before; nothing was changed\n");
}

TEST_P(CliTasks, RetryMakesANewTaskThatNamesTheOldOne) {
    const std::string old_id = submit({"resize", "--args", "[3]", "--idempotency-key", "once", "--deadline", "+1h"});
    ASSERT_EQ(holdfast({"tasks", "cancel", old_id}).exit_code, 0);
    const auto answer = holdfast({"tasks", "retry", old_id, "--json"}).json();
    EXPECT_EQ(answer["retry_of"], old_id);
    const auto copy = show(answer["id"])["task"];
    EXPECT_EQ(copy["retry_of"], old_id);
    EXPECT_EQ(copy["state"], "PENDING");
    EXPECT_EQ(copy["args"], nlohmann::json({3}));
    EXPECT_EQ(copy["idempotency_key"], nullptr);
    EXPECT_EQ(copy["deadline"], nullptr);
    EXPECT_EQ(show(old_id)["task"]["state"], "CANCELLED");
}

TEST_P(CliTasks, RetryRefusesATaskThatHasNotEndedAndRetriesNoneOfTheOthers) {
    const std::string ended = submit({"resize"});
    ASSERT_EQ(holdfast({"tasks", "cancel", ended}).exit_code, 0);
    const std::string waiting = submit({"resize"});
    const Ran ran = holdfast({"tasks", "retry", ended, waiting});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err, "holdfast: task " + waiting + " is PENDING; only a task that has ended can be retried\n");
    EXPECT_THAT(listed_ids({}), SizeIs(2));
}

TEST_P(CliTasks, ForceEndsARunningTaskOverTheHeadOfItsWorker) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    const auto run = worker.take();
    EXPECT_EQ(holdfast({"tasks", "force", id, "--reason", "stuck", "--json"}).json(),
              (nlohmann::json{{"id", id}, {"status", "applied"}}));
    EXPECT_EQ(show(id)["task"]["state"], "FAILED");
    EXPECT_EQ(show(id)["task"]["error"]["code"], "FORCED");
    EXPECT_EQ(holdfast({"tasks", "force", id, "--reason", "again"}).exit_code, 1);
}

TEST_P(CliTasks, ForceNeedsAReasonAndAStateThatItCanGive) {
    const std::string id = submit({"resize"});
    EXPECT_EQ(holdfast({"tasks", "force", id}).exit_code, 2);
    const Ran completed = holdfast({"tasks", "force", id, "--reason", "x", "--state", "completed"});
    EXPECT_EQ(completed.exit_code, 2);
    EXPECT_EQ(completed.err, "holdfast: --state: 'completed' is not one of failed, cancelled\n");
    EXPECT_EQ(holdfast({"tasks", "force", id, "--reason", "x", "--state", "cancelled"}).exit_code, 0);
    EXPECT_EQ(show(id)["task"]["state"], "CANCELLED");
}

}  // namespace
}  // namespace holdfast::integration
