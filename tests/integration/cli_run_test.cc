#include <signal.h>

#include <filesystem>

#include "integration/workflow_program.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class CliRun : public WorkflowProgramTest {};
INSTANTIATE_TEST_SUITE_P(Stores, CliRun, testing::ValuesIn(all_kinds()), name_of);

constexpr const char* sum_flow = R"(
workflows:
  sum:
    input:
      start: { type: integer, required: true }
      name: { type: text, default: Ada }
    steps:
      add: { script: 'echo $((START + 1)) > $HOLDFAST_RESULT', env: { START: "{{ input.start }}" } }
      tell: { script: 'echo "\"$NAME\"" > $HOLDFAST_RESULT', env: { NAME: "{{ input.name }}" }, depends_on: add }
    output: { sum: "{{ steps.add.output }}", name: "{{ steps.tell.output }}" }
)";

TEST_P(CliRun, WaitTellsEachStepAndEndsWithTheOutput) {
    define(sum_flow);
    const RunningProgram worker = start_worker();
    const Ran ran = holdfast({"run", "sum", "-i", "start=41", "--wait"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    ASSERT_THAT(ran.lines(), SizeIs(2));
    EXPECT_THAT(ran.lines()[0], SizeIs(36));
    EXPECT_EQ(ran.lines()[1], R"({"name":"Ada","sum":42})");
    EXPECT_THAT(timeless_lines(ran.err), ElementsAre("step add is RUNNING", "step add is COMPLETED",
                                                     "step tell is RUNNING", "step tell is COMPLETED"));
}

TEST_P(CliRun, WaitEndsWithTheErrorsOfAJobThatFailed) {
    define(R"(
workflows:
  w:
    steps:
      good: { script: 'true' }
      bad: { script: 'echo no disk >&2; exit 3', depends_on: good }
      never: { script: 'true', depends_on: bad }
)");
    const RunningProgram worker = start_worker();
    const Ran ran = holdfast({"run", "w", "--wait"});
    EXPECT_EQ(ran.exit_code, 1);
    ASSERT_THAT(ran.lines(), SizeIs(1));
    const std::string id = ran.lines()[0];
    const auto told = timeless_lines(ran.err);
    ASSERT_THAT(told, SizeIs(6)) << ran.err;
    EXPECT_THAT(told[3], StartsWith("step bad is FAILED: SCRIPT_FAILED: "));
    EXPECT_THAT(told[4], StartsWith("step never is SKIPPED"));
    EXPECT_THAT(told[5],
                AllOf(StartsWith("holdfast: job " + id + " is FAILED with STEP_FAILED: Step bad failed"),
                      HasSubstr("'holdfast jobs show " + id + "'"), HasSubstr("'holdfast jobs retry " + id + "'")));
}

TEST_P(CliRun, JsonTellsIdStatusAndTheWholeJob) {
    define(sum_flow);
    const RunningProgram worker = start_worker();
    const Ran ran = holdfast({"run", "sum", "--input", R"({"start": 1})", "--wait", "--json"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.err, "");
    const auto answer = ran.json();
    EXPECT_EQ(answer["status"], "accepted");
    EXPECT_EQ(answer["timed_out"], false);
    EXPECT_EQ(answer["job"]["id"], answer["id"]);
    EXPECT_EQ(answer["job"]["state"], "COMPLETED");
    EXPECT_EQ(answer["job"]["output"]["sum"], 2);
    EXPECT_EQ(answer["job"]["steps"]["completed"], 2);
}

TEST_P(CliRun, TakesTheWorkflowFromAFileOfItsOwn) {
    (void)folder.write("flow.yaml", "steps: { hello: { script: 'echo 7 > $HOLDFAST_RESULT' } }\n");
    const RunningProgram worker = start_worker();
    const Ran ran = holdfast({"run", "-f", "flow.yaml", "--wait"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.lines().at(1), "7");
}

TEST_P(CliRun, TheSameIdAgainIsHarmlessUnlessTheInputIsAnother) {
    define(sum_flow);
    const std::string id = own_id(0xa);
    const std::vector<std::string> first = {"run", "sum", "-i", "start=1", "--id", id, "--json"};
    EXPECT_EQ(holdfast(first).json(), (nlohmann::json{{"id", id}, {"status", "accepted"}}));
    EXPECT_EQ(holdfast(first).json(), (nlohmann::json{{"id", id}, {"status", "existing"}}));
    const Ran other = holdfast({"run", "sum", "-i", "start=2", "--id", id});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.err, HasSubstr("PAYLOAD_MISMATCH: job " + id));
    EXPECT_THAT(holdfast({"jobs", "list", "--json"}).json_lines(), SizeIs(1));
}

TEST_P(CliRun, GivesUpWaitingAndSaysHowToGoOn) {
    define(sum_flow);
    const Ran ran = holdfast({"run", "sum", "-i", "start=1", "--wait", "--timeout", "50ms"});
    EXPECT_EQ(ran.exit_code, 1);
    const std::string id = ran.lines().at(0);
    EXPECT_EQ(ran.err,
              "holdfast: job " + id + " has not ended yet; 'holdfast jobs wait " + id + "' goes on waiting\n");
}

TEST_P(CliRun, InterruptedItLeavesTheJobToItself) {
    define(sum_flow);
    RunningProgram waiting(command({"run", "sum", "-i", "start=1", "--wait"}));
    const std::string id = waiting.read_line();
    waiting.send(SIGINT);
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err, "holdfast: job " + id + " goes on; 'holdfast jobs wait " + id +
                           "' follows it, 'holdfast jobs cancel " + id + "' ends it\n");
    const RunningProgram worker = start_worker();
    EXPECT_EQ(holdfast({"jobs", "wait", id}).out, "{\"name\":\"Ada\",\"sum\":2}\n");
}

TEST_P(CliRun, AStepThatMayRunAgainSurvivesTheDeathOfItsWorker) {
    define(R"(
workflows:
  w:
    steps:
      long:
        script: '[ -e ran ] && exit; touch ran; sleep 1000'
        dir: )" +
           folder.path() + R"(
        on_crash: requeue
)");
    RunningProgram victim = start_worker("victim");
    RunningProgram waiting(command({"run", "w", "--wait"}));
    const std::string id = waiting.read_line();
    await_step(id, "long", "RUNNING");
    while (!std::filesystem::exists(folder.path() + "/ran")) {  // the script itself has begun
    }
    victim.send(SIGKILL);
    (void)victim.finish();
    const RunningProgram other = start_worker("other");
    const Ran ran = waiting.finish();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(timeless_lines(ran.err), ElementsAre("step long is RUNNING", "step long is COMPLETED"));
    EXPECT_EQ(step(id, "long")["attempts"], 2);
    EXPECT_THAT(holdfast({"jobs", "logs", id, "--step", "_server"}).out, HasSubstr("requeued: "));
}

TEST_P(CliRun, TellsStepsOfChildJobsByTheirPathAndCountsItems) {
    define(R"(
workflows:
  parent:
    steps:
      each: { script: 'true', for_each: [1, 2, 3] }
      report: { workflow: child, depends_on: each }
  child:
    steps:
      render: { script: 'true' }
)");
    const RunningProgram worker = start_worker();
    const Ran ran = holdfast({"run", "parent", "--wait"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(
        timeless_lines(ran.err),
        ElementsAre("step each is RUNNING", "step each is COMPLETED (3 of 3 COMPLETED)", "step report is RUNNING",
                    "step report/render is RUNNING", "step report/render is COMPLETED", "step report is COMPLETED"));
}

class CliRunRefuses : public SqliteProgramTest {
protected:
    [[nodiscard]] Ran refused(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "run");
        Ran ran = holdfast(std::move(arguments));
        EXPECT_EQ(ran.exit_code, 2);
        EXPECT_EQ(ran.out, "");
        EXPECT_EQ(access(file().c_str(), F_OK), -1) << "nothing was tried: there is no store";
        return ran;
    }
};

TEST_F(CliRunRefuses, InputThatDoesNotFitWithEveryFault) {
    (void)folder.write("holdfast.yaml", sum_flow);
    EXPECT_EQ(
        refused({"sum", "-i", "strat=1", "-i", "name=Eve", "--input", R"({"start": "x"})"}).err,
        "holdfast: input of workflow sum: \"start\" must be a whole number, not \"x\"\n"
        "holdfast: input of workflow sum: \"strat\" is not an input of this workflow; did you mean \"start\"?\n");
    EXPECT_THAT(refused({"sum", "-i", "start"}).err, HasSubstr("-i: 'start' is not of the form KEY=VALUE"));
    EXPECT_THAT(refused({"sum", "--input", "{"}).err, HasSubstr("--input: the value is not JSON"));
}

TEST_F(CliRunRefuses, AWorkflowThatIsNotThereWithWhatThereIs) {
    EXPECT_THAT(refused({"sum"}).err, AllOf(HasSubstr("no configuration file was read"), HasSubstr("-f")));
    (void)folder.write("holdfast.yaml", sum_flow);
    EXPECT_THAT(refused({"smu"}).err, AllOf(HasSubstr("there is no workflow 'smu' in holdfast.yaml"),
                                            HasSubstr("did you mean 'sum'?"), HasSubstr("there are: sum")));
    EXPECT_THAT(refused({}).err, HasSubstr("the name of a workflow is missing"));
    EXPECT_THAT(refused({"-f", "nowhere.yaml"}).err, HasSubstr("cannot read nowhere.yaml"));
}

TEST_F(CliRunRefuses, AFaultyFileWithEveryFaultAndItsLine) {
    (void)folder.write("flow.yaml", "steps:\n  a: { script: 'true', depends_on: b }\n  c: { scirpt: 'true' }\n");
    EXPECT_THAT(refused({"-f", "flow.yaml"}).err,
                AllOf(HasSubstr("flow.yaml:2:"), HasSubstr("flow.yaml:3:"), HasSubstr("script")));
}

TEST_F(CliRunRefuses, MembersThatTheWorkflowCallsTextsAreTakenAsTheyAre) {
    (void)folder.write("holdfast.yaml", sum_flow);
    const std::string id = holdfast({"run", "sum", "-i", "start=1", "-i", "name=7"}).lines().at(0);
    EXPECT_EQ(holdfast({"jobs", "show", id, "--json"}).json()["job"]["input"],
              (nlohmann::json{{"start", 1}, {"name", "7"}}));
}

class CliRunOnATerminal : public SqliteProgramTest {};

TEST_F(CliRunOnATerminal, RedrawsATreeOfStepsInPlace) {
    (void)folder.write("holdfast.yaml", R"(
worker: { heartbeat_interval: 200ms }
workflows:
  w:
    steps:
      busy: { script: 'echo loading rows; holdfast progress 0.5 half; sleep 6; echo 7 > $HOLDFAST_RESULT' }
      after: { script: 'true', depends_on: busy }
    output: "{{ steps.busy.output }}"
)");
    const RunningProgram worker(command({"worker"}));
    RunParams params = command({"run", "w", "--wait"});
    params.environment["TERM"] = "xterm-256color";
    params.environment["LANG"] = "en_US.UTF-8";
    params.terminal_size = {24, 100};
    const Ran ran = run_on_terminal(params);
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, StartsWith("started job \033[1m"));
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\033[36mRUNNING"), HasSubstr("█████"), HasSubstr(" 50% half"),
                               HasSubstr("loading rows"), HasSubstr("└─ "), HasSubstr("\033[32mCOMPLETED")));
    EXPECT_THAT(ran.out, HasSubstr("\033[3A")) << "goes back to the first of its three lines";
    EXPECT_THAT(ran.out, HasSubstr("\033[?25h")) << "the cursor is back";
    EXPECT_THAT(ran.out, testing::EndsWith("7\r\n"));
}

TEST_F(CliRunOnATerminal, WithoutRoomItTellsLines) {
    (void)folder.write("holdfast.yaml", "workflows: { w: { steps: { a: { script: 'true' } } } }\n");
    const RunningProgram worker(command({"worker"}));
    RunParams params = command({"run", "w", "--wait"});
    params.environment["TERM"] = "dumb";
    const Ran ran = run_on_terminal(params);
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("step a is RUNNING"), Not(HasSubstr("\033"))));
}

}  // namespace
}  // namespace holdfast::integration
