#include "integration/workflow_program.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// Steps are functions, which a stand-in for a worker carries out as the test says.
constexpr const char* pipeline = R"(
workflows:
  pipeline:
    steps:
      fetch: { task: fetch }
      check: { task: check, depends_on: fetch }
      release: { approval: "Ship it?", depends_on: check }
      tidy: { task: tidy, depends_on: release, allow_failed_deps: true }
  single:
    steps:
      only: { task: fetch }
)";

class CliJobs : public WorkflowProgramTest {
protected:
    CliJobs() { define(pipeline); }

    StandInWorker worker() { return StandInWorker(store(), {"task:fetch", "task:check", "task:tidy"}); }
    /// A job of `pipeline` that waits for its approval.
    std::string job_before_release() {
        std::string id = run({"pipeline"});
        StandInWorker stand_in = worker();
        stand_in.complete(stand_in.take(), "1");
        stand_in.complete(stand_in.take(), "2");
        return id;
    }
    std::vector<std::string> listed_ids(std::vector<std::string> options) const {
        options.insert(options.begin(), {"jobs", "list", "--json"});
        std::vector<std::string> ids;
        for (const auto& job : holdfast(options).json_lines()) ids.push_back(job["id"]);
        return ids;
    }
    nlohmann::json steer(std::vector<std::string> words) const {
        words.insert(words.begin(), "jobs");
        words.emplace_back("--json");
        return holdfast(std::move(words)).json();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliJobs, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliJobs, ListShowsTheNewestFirstAndFilters) {
    const std::string first = run({"pipeline"});
    const std::string second = run({"single"});
    ASSERT_EQ(holdfast({"jobs", "cancel", first}).exit_code, 0);
    EXPECT_THAT(listed_ids({}), ElementsAre(second, first));
    EXPECT_THAT(listed_ids({"--workflow", "pipeline"}), ElementsAre(first));
    EXPECT_THAT(listed_ids({"--state", "cancelled"}), ElementsAre(first));
    EXPECT_THAT(listed_ids({"--state", "PENDING", "--state", "running"}), ElementsAre(second));
    EXPECT_THAT(listed_ids({"--limit", "1"}), ElementsAre(second));
    EXPECT_THAT(listed_ids({"--limit", "1", "--after", second}), ElementsAre(first));
    EXPECT_THAT(holdfast({"jobs", "list", "--state", "canceled"}).err, HasSubstr("did you mean 'cancelled'?"));
    const auto lines = holdfast({"jobs", "list"}).lines();
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_THAT(lines[0], StartsWith("ID "));
    EXPECT_THAT(lines[1], StartsWith(second + "  PENDING    single    0/1"));
    EXPECT_THAT(lines[2], AllOf(StartsWith(first + "  CANCELLED  pipeline  4/4"), HasSubstr("JOB_CANCELLED")));
}

TEST_P(CliJobs, ListKeepsChildrenBackUnlessAskedForThem) {
    define("workflows: { parent: { steps: { a: { workflow: child } } }, child: { steps: { b: { task: b } } } }\n");
    const std::string parent = run({"parent"});
    EXPECT_THAT(listed_ids({}), ElementsAre(parent));
    EXPECT_THAT(listed_ids({"--all"}), SizeIs(2));
    const auto children = listed_ids({"--parent", parent});
    ASSERT_THAT(children, SizeIs(1));
    EXPECT_EQ(job(children[0])["job"]["parent_step"], "a");
    EXPECT_EQ(holdfast({"jobs", "list", "--all", "--parent", parent}).exit_code, 2);
}

TEST_P(CliJobs, ShowDrawsTheStepsAndSaysHowToDecideAnApproval) {
    const std::string id = job_before_release();
    const Ran ran = holdfast({"jobs", "show", id});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("job         " + id), HasSubstr("workflow    pipeline"),
                      HasSubstr("|- fetch    COMPLETED"), HasSubstr("|- release  RUNNING"), HasSubstr("Ship it?"),
                      HasSubstr("holdfast jobs approve " + id + " release"), HasSubstr("`- tidy     WAITING")));
    const auto shown = job(id);
    EXPECT_EQ(shown["job"]["state"], "RUNNING");
    EXPECT_EQ(shown["job"]["steps"]["completed"], 2);
    ASSERT_THAT(shown["steps"], SizeIs(4));
    EXPECT_EQ(shown["steps"][0]["output"], 1);
    EXPECT_EQ(shown["steps"][2]["kind"], "approval");
    EXPECT_EQ(shown["steps"][2]["message"], "Ship it?");
}

TEST_P(CliJobs, ShowTellsTheErrorsOfItemsAndChildJobs) {
    define(R"(
workflows:
  w:
    steps:
      each: { task: fetch, for_each: [1, 2, 3] }
      child: { workflow: single }
  single: { steps: { only: { task: fetch } } }
)");
    const std::string id = run({"w"});
    StandInWorker stand_in = worker();
    for (int i = 0; i < 4; ++i) {
        const auto task = stand_in.take();
        if (task.task.args == "null" || task.task.args == "2")
            stand_in.fail(task, {"BROKEN", "no more paper", ""});
        else
            stand_in.complete(task, "1");
    }
    const Ran ran = holdfast({"jobs", "show", id});
    EXPECT_THAT(ran.out, AllOf(HasSubstr("BROKEN: no more paper"), HasSubstr("ITEMS_FAILED"), HasSubstr("FAILED")));
    EXPECT_EQ(job(id)["job"]["state"], "FAILED");
}

TEST_P(CliJobs, AnIdMayBeAbbreviatedToAUniquePrefix) {
    (void)run({"single", "--id", own_id(0xa)});
    (void)run({"single", "--id", own_id(0xb)});
    (void)run({"pipeline", "--id", own_id(0xc, true)});
    EXPECT_EQ(job(own_id(0xc, true).substr(0, 8))["job"]["workflow"], "pipeline");
    const Ran ambiguous = holdfast({"jobs", "cancel", own_id(0xa).substr(0, 8)});
    EXPECT_EQ(ambiguous.exit_code, 2);
    EXPECT_THAT(ambiguous.err,
                AllOf(HasSubstr(own_id(0xa) + " (single, PENDING)"), HasSubstr(own_id(0xb) + " (single, PENDING)")));
    EXPECT_THAT(listed_ids({"--state", "cancelled"}), IsEmpty());
    const Ran unknown = holdfast({"jobs", "show", "01ff"});
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_THAT(unknown.err, HasSubstr("there is no job whose id begins with '01ff'"));
    EXPECT_EQ(holdfast({"jobs", "show", "nightly"}).exit_code, 2);
}

TEST_P(CliJobs, PauseHoldsTheTasksBackAndResumeLetsThemGo) {
    const std::string id = run({"pipeline"});
    EXPECT_EQ(steer({"pause", id, "--reason", "lunch"}), (nlohmann::json{{"id", id}, {"status", "paused"}}));
    EXPECT_EQ(steer({"pause", id})["status"], "already");
    StandInWorker stand_in = worker();
    EXPECT_FALSE(stand_in.take_if_any());
    const std::string task = step(id, "fetch")["task"];
    EXPECT_THAT(holdfast({"tasks", "show", task}).out,
                AllOf(HasSubstr("step        fetch of job " + id), HasSubstr("its job is paused")));
    EXPECT_EQ(show(task)["step"], (nlohmann::json{{"job", id}, {"name", "fetch"}, {"hook", false}}));
    EXPECT_EQ(steer({"resume", id})["status"], "resumed");
    EXPECT_EQ(stand_in.take().task.id.to_string(), task);
}

TEST_P(CliJobs, CancelEndsAJobOrAsksTheWorkersOfItsSteps) {
    const std::string waiting = run({"pipeline"});
    EXPECT_EQ(steer({"cancel", waiting, "--reason", "wrong day"})["status"], "cancelled");
    const auto shown = job(waiting)["job"];
    EXPECT_EQ(shown["state"], "CANCELLED");
    EXPECT_THAT(std::string(shown["error"]["message"]), HasSubstr("wrong day"));
    EXPECT_EQ(steer({"cancel", waiting})["status"], "already");

    const std::string running = run({"single"});
    StandInWorker stand_in = worker();
    const auto task = stand_in.take();
    EXPECT_EQ(steer({"cancel", running})["status"], "requested");
    EXPECT_EQ(job(running)["job"]["cancel_requested"], true);
    EXPECT_EQ(show(task.task.id.to_string())["task"]["cancel_requested"], true);
}

TEST_P(CliJobs, OrdersToEndedJobsFailAndSaySo) {
    const std::string id = run({"single"});
    StandInWorker stand_in = worker();
    stand_in.complete(stand_in.take(), "1");
    for (const char* word : {"cancel", "pause", "resume"}) {
        const Ran ran = holdfast({"jobs", word, id});
        EXPECT_EQ(ran.exit_code, 1) << word;
        EXPECT_THAT(ran.err, HasSubstr("had ended before; nothing was changed")) << word;
    }
    const Ran retried = holdfast({"jobs", "retry", id});
    EXPECT_EQ(retried.exit_code, 1);
    EXPECT_THAT(retried.err, HasSubstr("is COMPLETED: there is nothing to retry; 'holdfast run single'"));
}

TEST_P(CliJobs, RetryStartsANewJobWithWhatSucceeded) {
    const std::string id = run({"pipeline"});
    StandInWorker stand_in = worker();
    EXPECT_EQ(holdfast({"jobs", "retry", id}).exit_code, 1) << "it has not ended";
    stand_in.complete(stand_in.take(), "1");
    stand_in.fail(stand_in.take(), {"BROKEN", "no", ""});
    stand_in.complete(stand_in.take(), "3");  // tidy does not mind
    ASSERT_EQ(job(id)["job"]["state"], "FAILED");
    const auto answer = steer({"retry", id});
    EXPECT_EQ(answer["retry_of"], id);
    const std::string again = answer["id"];
    EXPECT_EQ(step(again, "fetch")["state"], "COMPLETED");
    EXPECT_EQ(step(again, "fetch")["output"], 1);
    EXPECT_EQ(stand_in.take().task.name, "check");
    EXPECT_EQ(job(again)["job"]["retry_of"], id);
}

TEST_P(CliJobs, TheTaskOfAStepIsRetriedOnlyWithItsJob) {
    define(
        "workflows:\n"
        "  inner: { steps: { only: { task: fetch } } }\n"
        "  outer: { steps: { in: { workflow: inner } }, hooks: { on_error: { task: tidy } } }\n");
    const std::string id = run({"outer"});
    StandInWorker stand_in = worker();
    const auto task = stand_in.take();
    stand_in.fail(task, {"BROKEN", "no", ""});
    const auto hook = stand_in.take();
    stand_in.complete(hook, "1");
    const std::string alone = submit({"fetch"});
    stand_in.complete(stand_in.take(), "1");
    const auto before = holdfast({"tasks", "list", "--json"}).json_lines().size();
    const Ran ran = holdfast({"tasks", "retry", alone, task.task.id.to_string()});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("belongs to step only of job "), HasSubstr("holdfast jobs retry " + id)));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(before)) << "nothing was retried";
    EXPECT_EQ(holdfast({"tasks", "retry", hook.task.id.to_string()}).exit_code, 0) << "nothing waits for a hook";
}

TEST_P(CliJobs, ApproveLetsTheJobGoOnAndRecordsWhoAndWhy) {
    const std::string id = job_before_release();
    const Ran ran = holdfast({"jobs", "approve", id, "release", "--reason", "looks good"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "step release of job " + id + " is approved\n");
    const auto output = step(id, "release")["output"];
    EXPECT_THAT(std::string(output["by"]), StartsWith(who()));
    EXPECT_EQ(output["reason"], "looks good");
    const Ran again = holdfast({"jobs", "approve", id, "release", "--reject"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, HasSubstr("had been decided, or had ended, before"));
}

TEST_P(CliJobs, RejectFailsTheStep) {
    const std::string id = job_before_release();
    EXPECT_EQ(steer({"approve", id, "release", "--reject", "--reason", "too red"}),
              (nlohmann::json{{"id", id}, {"step", "release"}, {"status", "rejected"}}));
    const auto release = step(id, "release");
    EXPECT_EQ(release["state"], "FAILED");
    EXPECT_EQ(release["error"]["code"], "APPROVAL_REJECTED");
}

TEST_P(CliJobs, ApproveOfSomethingElseSaysWhatWaits) {
    const std::string early = run({"pipeline"});
    EXPECT_THAT(holdfast({"jobs", "approve", early, "release"}).err,
                AllOf(HasSubstr("does not wait for an approval yet"), HasSubstr("it is PENDING")));
    ASSERT_EQ(holdfast({"jobs", "cancel", early}).exit_code, 0);
    const std::string id = job_before_release();
    const Ran ran = holdfast({"jobs", "approve", id, "relaese"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("has no approval 'relaese'"), HasSubstr("these wait for one: release"),
                               HasSubstr("did you mean 'release'?")));
}

TEST_P(CliJobs, WaitEndsWhenAnotherProcessEndsTheJob) {
    const std::string id = run({"single"});
    RunningProgram waiting(command({"jobs", "wait", id, "--json"}));
    StandInWorker stand_in = worker();
    stand_in.complete(stand_in.take(), R"({"rows": 3})");
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.json()["id"], id);
    EXPECT_EQ(ran.json()["timed_out"], false);
    EXPECT_EQ(ran.json()["job"]["output"], (nlohmann::json{{"rows", 3}}));
    const Ran late = holdfast({"jobs", "wait", run({"single"}), "--timeout", "50ms"});
    EXPECT_EQ(late.exit_code, 1);
    EXPECT_THAT(late.err, HasSubstr("has not ended yet"));
}

TEST_P(CliJobs, LogsAreOneStreamInTheOrderOfTimeWithTheStepsNames) {
    define("workflows: { w: { steps: { a: { task: fetch }, b: { task: fetch, for_each: [1, 2] } } } }\n");
    const std::string id = run({"w"});
    StandInWorker stand_in = worker();
    std::map<std::string, store::ClaimedTask> tasks;
    for (int i = 0; i < 3; ++i) {
        const auto task = stand_in.take();
        tasks.emplace(store().step_of_task(task.task.id)->second, task);
    }
    stand_in.print(tasks.at("a"), 0, "stdout", "one\ntw");
    stand_in.print(tasks.at("b[1]"), 0, "stderr", "oh\n");
    stand_in.print(tasks.at("a"), 1, "stdout", "o\n");
    stand_in.print(tasks.at("b[0]"), 0, "stdout", "no end");
    EXPECT_EQ(holdfast({"jobs", "logs", id}).out, "a | one\nb[1] | oh\na | two\nb[0] | no end\n");
    EXPECT_EQ(holdfast({"jobs", "logs", id, "--step", "a"}).out, "one\ntwo\n");
    EXPECT_EQ(holdfast({"jobs", "logs", id, "--step", "b"}).out, "b[1] | oh\nb[0] | no end\n");
    EXPECT_EQ(holdfast({"jobs", "logs", id, "--step", "b[1]"}).out, "oh\n");
    const auto lines = holdfast({"jobs", "logs", id, "--json"}).json_lines();
    ASSERT_THAT(lines, SizeIs(4));
    EXPECT_EQ(lines[1]["step"], "b[1]");
    EXPECT_EQ(lines[1]["stream"], "stderr");
    EXPECT_EQ(lines[1]["task"], tasks.at("b[1]").task.id.to_string());
    const Ran unknown = holdfast({"jobs", "logs", id, "--step", "c"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("has no step 'c'; it has: a, b, and _server"));
}

TEST_P(CliJobs, LogsAreFollowedUntilTheJobHasEnded) {
    const std::string id = run({"single"});
    StandInWorker stand_in = worker();
    const auto task = stand_in.take();
    stand_in.print(task, 0, "stdout", "first\n");
    RunningProgram follower(command({"jobs", "logs", "-f", id}));
    EXPECT_EQ(follower.read_line(), "only | first");
    stand_in.print(task, 1, "stdout", "second\n");
    EXPECT_EQ(follower.read_line(), "only | second");
    stand_in.print(task, 2, "stdout", "last");
    stand_in.complete(task, "1");
    const Ran ran = follower.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "only | last\n");
}

TEST_P(CliJobs, TheLogOfServerTellsWhatTheEngineDid) {
    const std::string id = job_before_release();
    ASSERT_EQ(holdfast({"jobs", "pause", id, "--reason", "lunch"}).exit_code, 0);
    ASSERT_EQ(holdfast({"jobs", "cancel", id}).exit_code, 0);
    std::vector<std::string> kinds;
    for (const auto& event : holdfast({"jobs", "logs", id, "--step", "_server", "--json"}).json_lines()) {
        kinds.push_back(event["kind"]);
        EXPECT_EQ(event["job"], id);
    }
    EXPECT_EQ(kinds.front(), "job_started");
    EXPECT_EQ(kinds.back(), "job_cancelled");
    EXPECT_THAT(kinds, Contains("job_paused"));
    EXPECT_THAT(holdfast({"jobs", "logs", id, "--step", "_server", "-f"}).out,
                AllOf(HasSubstr("job_paused: Job paused: lunch (by " + who()), HasSubstr("job_cancelled: ")));
}

TEST_P(CliJobs, GraphShowsADefinitionAndAJobWithItsStates) {
    const Ran definition = holdfast({"jobs", "graph", "pipeline"});
    EXPECT_EQ(definition.exit_code, 0) << definition.err;
    EXPECT_THAT(definition.out, AllOf(StartsWith("pipeline: 4 steps\n"), HasSubstr("check"), HasSubstr("after fetch"),
                                      Not(HasSubstr("COMPLETED"))));
    const std::string id = job_before_release();
    EXPECT_THAT(holdfast({"jobs", "graph", id}).out, AllOf(HasSubstr("COMPLETED  fetch"), HasSubstr("WAITING")));
    EXPECT_THAT(
        holdfast({"jobs", "graph", id, "--dot"}).out,
        AllOf(StartsWith("digraph \"pipeline\""), HasSubstr("\"fetch\" -> \"check\""), HasSubstr("fillcolor")));
    const auto graph = holdfast({"jobs", "graph", id.substr(0, 30), "--json"}).json();
    EXPECT_EQ(graph["job"], id);
    EXPECT_EQ(
        graph["steps"][1],
        (nlohmann::json{{"name", "check"}, {"kind", "task"}, {"depends_on", {"fetch"}}, {"state", "COMPLETED"}}));
    (void)folder.write("flow.yaml", "steps: { a: { task: a } }\n");
    EXPECT_THAT(holdfast({"jobs", "graph", "-f", "flow.yaml"}).out, StartsWith("flow: 1 step\n"));
    const Ran unknown = holdfast({"jobs", "graph", "pipelin"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean 'pipeline'?"));
}

TEST_P(CliJobs, GraphOfAJobIsThatOfItsOwnDefinition) {
    const std::string id = run({"single"});
    define("workflows: { other: { steps: { a: { task: a } } } }\n");
    EXPECT_THAT(holdfast({"jobs", "graph", id}).out, StartsWith("single: 1 step\n"));
}

}  // namespace
}  // namespace holdfast::integration
