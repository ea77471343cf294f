#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "base/text.h"
#include "core/workflow/workflow.h"

namespace holdfast::core {

void PrintTo(const WorkflowFault& fault, std::ostream* out) {
    *out << fault.path << ": " << fault.problem;
}

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Workflows = std::map<std::string, Workflow>;

WorkflowStep task(const std::string& name, std::vector<std::string> depends_on = {}) {
    WorkflowStep step;
    step.name = name;
    step.task = "t";
    step.depends_on = std::move(depends_on);
    return step;
}

WorkflowStep child(const std::string& name, const std::string& workflow, const json& input = nullptr) {
    return {.name = name, .kind = StepKind::Workflow, .workflow = workflow, .input = input};
}

WorkflowStep approval(const std::string& name) {
    return {.name = name, .kind = StepKind::Approval, .message = "Go?"};
}

WorkflowStep wait(const std::string& name) {
    return {.name = name, .kind = StepKind::Wait, .wait_for = "10m"};
}

Workflow of(std::vector<WorkflowStep> steps) {
    Workflow workflow;
    workflow.name = "w";
    workflow.steps = std::move(steps);
    return workflow;
}

/// "path: problem", each.
std::vector<std::string> faults(const Workflow& workflow, const Workflows& others = {}) {
    std::vector<std::string> lines;
    for (const WorkflowFault& fault : workflow_faults(workflow, others))
        lines.push_back(concat(fault.path, ": ", fault.problem));
    return lines;
}

/// The faults of a workflow of one step `a`, a task unless `change` says otherwise.
std::vector<std::string> faults_of_step(const std::function<void(WorkflowStep&)>& change,
                                        WorkflowStep step = task("a")) {
    change(step);
    return faults(of({std::move(step)}));
}

TEST(WorkflowCheck, FindsNothingInAWorkflowThatUsesEverything) {
    Workflow workflow = of({task("fetch"), task("each", {"fetch"}), approval("ok"), wait("rest"),
                            child("child", "report", {{"day", "{{ steps.fetch.output.day }}"}}),
                            task("last", {"each", "ok", "rest"})});
    workflow.input = {{.name = "day", .type = InputType::Text, .required = true},
                      {.name = "mode", .type = InputType::Text, .default_value = json("full"), .allowed = {"full"}}};
    workflow.steps[0].input = {{"day", "{{ input.day }}"}, {"list", {1, "{{ job.id }}"}}};
    workflow.steps[1].for_each = json("{{ steps.fetch.output.files }}");
    workflow.steps[1].parallel = 8;
    workflow.steps[1].input = "{{ item }} {{ index }}";
    workflow.steps[1].concurrency_key = "db-{{ item.db }}";
    workflow.steps[2].message = "Release {{ input.day }}?";
    workflow.steps[2].policy.timeout = 24h;
    workflow.steps[4].depends_on = {"fetch"};
    workflow.steps[5].join = {JoinKind::Quorum, 2};
    workflow.steps[5].allow_failed_deps = true;
    workflow.steps[5].when = "{{ steps.fetch.status == 'COMPLETED' and steps.each.error == null }}";
    workflow.steps[5].spec = TaskSpec{.kind = TaskKind::Script,
                                      .runner = ScriptRunner::Local,
                                      .script = "ls",
                                      .image = {},
                                      .command = {},
                                      .env = {{"A", "{{ steps.ok.output }}"}},
                                      .secrets = {},
                                      .dir = {},
                                      .volumes = {},
                                      .memory_bytes = {},
                                      .cpus = {},
                                      .max_processes = {},
                                      .network = {}};
    workflow.output = {{"all", "{{ steps.last.output }}"}, {"day", "{{ input.day }}"}};
    workflow.success = {{"fetch", "last"}, {"ok"}};
    workflow.optional = {"rest"};
    workflow.timeout = 1h;
    workflow.on_failure = {task("")};
    workflow.on_failure[0].input = "{{ steps.last.error }}";
    Workflow report = of({task("r")});
    report.name = "report";
    report.input = {{.name = "day", .required = true}};
    EXPECT_THAT(faults(workflow, {{"w", workflow}, {"report", report}}), IsEmpty());
}

// ---- Names --------------------------------------------------------------------------------------

TEST(WorkflowCheck, WantsStepsWithNamesOfTheirOwn) {
    EXPECT_THAT(faults(of({})), ElementsAre("steps: are missing: a workflow has at least one"));
    EXPECT_THAT(faults(of({task("a"), task("b"), task("a")})),
                ElementsAre("steps.a: is the name of an earlier step, too"));
    for (const std::string name : {"a b", "a.b", "a[0]", "", "\xC3\xA4"})
        EXPECT_THAT(faults(of({task(name)})),
                    ElementsAre(concat("steps.", name, ": is not a name: names are of letters, digits, _ and -")));
    EXPECT_THAT(faults(of({task(std::string(101, 'x'))})), ElementsAre(HasSubstr("is longer than 100 bytes")));
    for (const std::string name : {"_server", "on_error", "on_success", "on_cancel", "on_error-1"})
        EXPECT_THAT(faults(of({task(name)})), ElementsAre(HasSubstr("is a name that Holdfast keeps for itself")));
    EXPECT_THAT(faults(of({task("on_errors"), task("A-1_b")})), IsEmpty());
    Workflow unnamed = of({task("a")});
    unnamed.name = "";
    EXPECT_THAT(faults(unnamed), ElementsAre("name: is not a name: names are of letters, digits, _ and -"));
}

// ---- Dependencies -------------------------------------------------------------------------------

TEST(WorkflowCheck, NamesStepsThatDoNotExistAndWhatWasProbablyMeant) {
    EXPECT_THAT(faults(of({task("fetch"), task("b", {"fetch", "fetsh"})})),
                ElementsAre("steps.b.depends_on[1]: names the step \"fetsh\", which does not exist; did you mean "
                            "\"fetch\"?"));
    EXPECT_THAT(faults(of({task("b", {"zzz"})})),
                ElementsAre("steps.b.depends_on[0]: names the step \"zzz\", which does not exist"));
    EXPECT_THAT(faults(of({task("a"), task("b", {"a", "a"})})),
                ElementsAre("steps.b.depends_on[1]: names the step \"a\" twice"));
}

TEST(WorkflowCheck, NamesEveryCycleOnce) {
    EXPECT_THAT(faults(of({task("a", {"b"}), task("b", {"c"}), task("c", {"a"}), task("d", {"a"})})),
                ElementsAre("steps.a.depends_on[0]: makes a cycle: a -> b -> c -> a"));
    EXPECT_THAT(faults(of({task("a", {"a"})})), ElementsAre("steps.a.depends_on[0]: makes a cycle: a -> a"));
    EXPECT_THAT(faults(of({task("root"), task("x", {"root", "y"}), task("y", {"x"}), task("p", {"q"}),
                           task("q", {"root", "p"})})),
                ElementsAre("steps.x.depends_on[1]: makes a cycle: x -> y -> x",
                            "steps.p.depends_on[0]: makes a cycle: p -> q -> p"));
}

TEST(WorkflowCheck, LeavesTheMiddleOutOfALongCycle) {
    std::vector<WorkflowStep> ring;
    for (int i = 0; i < 100; ++i) ring.push_back(task(concat("s", i), {concat("s", (i + 1) % 100)}));
    EXPECT_THAT(faults(of(ring)),
                ElementsAre("steps.s0.depends_on[0]: makes a cycle: s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> (89 more) -> "
                            "s95 -> s96 -> s97 -> s98 -> s99 -> s0"));
}

TEST(WorkflowCheck, RefusesJoinsThatCannotBeMet) {
    Workflow workflow = of({task("a"), task("b"), task("c", {"a", "b"})});
    workflow.steps[2].join = {JoinKind::Quorum, 3};
    EXPECT_THAT(faults(workflow), ElementsAre("steps.c.join: asks for a quorum of 3, which is out of reach: it "
                                              "depends on 2 steps"));
    workflow.steps[2].join = {JoinKind::Quorum, 0};
    EXPECT_THAT(faults(workflow), ElementsAre("steps.c.join: asks for a quorum of 0; at least 1 is needed"));
    workflow.steps[2].join = {JoinKind::Quorum, 2};
    EXPECT_THAT(faults(workflow), IsEmpty());
    workflow.steps[2].join = {JoinKind::Any, 2};
    EXPECT_THAT(faults(workflow), ElementsAre("steps.c.join: has a quorum, but is none"));
    workflow.steps[0].join = {JoinKind::Any, 0};
    workflow.steps[0].allow_failed_deps = true;
    workflow.steps[2].join = {};
    EXPECT_THAT(faults(workflow), ElementsAre("steps.a.join: has no meaning without depends_on",
                                              "steps.a.allow_failed_deps: has no meaning without depends_on"));
}

TEST(WorkflowCheck, WantsKnownStepsInSuccessCasesAndAmongTheOptional) {
    Workflow workflow = of({task("fetch"), task("b")});
    workflow.success = {{"fetch"}, {"b", "fetsh"}, {}, {"b", "b"}};
    workflow.optional = {"fetch", "x", "fetch"};
    EXPECT_THAT(
        faults(workflow),
        ElementsAre("success[1][1]: names the step \"fetsh\", which does not exist; did you mean \"fetch\"?",
                    "success[2]: is empty: it would always be met", "success[3][1]: names the step \"b\" twice",
                    "optional[1]: names the step \"x\", which does not exist",
                    "optional[2]: names the step \"fetch\" twice"));
}

// ---- Kinds and members --------------------------------------------------------------------------

TEST(WorkflowCheck, WantsOfEachKindWhatItNeeds) {
    EXPECT_THAT(faults_of_step([](auto& step) { step.task = ""; }), ElementsAre("steps.a.task: is missing"));
    EXPECT_THAT(faults_of_step([](auto& step) { step.message = ""; }, approval("a")),
                ElementsAre("steps.a.approval: is missing"));
    EXPECT_THAT(faults_of_step([](auto& step) { step.wait_for = ""; }, wait("a")),
                ElementsAre("steps.a.wait: is missing"));
    EXPECT_THAT(faults(of({child("a", "")})), ElementsAre("steps.a.workflow: is missing"));
}

TEST(WorkflowCheck, RefusesRetriesAndWhateverElseOnlyATaskHas) {
    const std::vector<std::pair<std::string, std::function<void(WorkflowStep&)>>> of_tasks = {
        {"max_attempts", [](auto& step) { step.policy.retry.max_attempts = 2; }},
        {"on_crash", [](auto& step) { step.policy.on_crash = OnCrash::Requeue; }},
        {"max_crashes", [](auto& step) { step.policy.max_crashes = 1; }},
        {"fence", [](auto& step) { step.policy.fence = Fence::Stop; }},
        {"queue", [](auto& step) { step.queue = "q"; }},
        {"priority", [](auto& step) { step.priority = 1; }},
        {"tags", [](auto& step) { step.tags = {"x"}; }},
        {"env", [](auto& step) { step.env["A"] = "x"; }},
        {"concurrency_key", [](auto& step) { step.concurrency_key = "x"; }},
        {"task", [](auto& step) { step.task = "x"; }},
    };
    const std::map<std::string, WorkflowStep> kinds{
        {"an approval", approval("a")}, {"a wait", wait("a")}, {"a child workflow", child("a", "w2")}};
    const Workflows others{{"w2", of({task("x")})}};
    for (const auto& [what, step] : kinds)
        for (const auto& [member, change] : of_tasks) {
            WorkflowStep changed = step;
            change(changed);
            EXPECT_THAT(faults(of({changed}), others),
                        ElementsAre(concat("steps.a.", member, ": has no meaning for ", what)));
        }
    for (const auto& step : {approval("a"), wait("a")}) {
        EXPECT_THAT(faults_of_step([](auto& s) { s.input = 1; }, step),
                    ElementsAre(HasSubstr("a.input: has no mea")));
        EXPECT_THAT(faults_of_step([](auto& s) { s.for_each = json{1}; }, step),
                    ElementsAre(HasSubstr("a.for_each: has no meaning")));
    }
    EXPECT_THAT(faults_of_step([](auto& s) { s.policy.timeout = 1s; }, wait("a")),
                ElementsAre("steps.a.timeout: has no meaning for a wait"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.message = "x"; }),
                ElementsAre("steps.a.approval: has no meaning for a task"));
}

TEST(WorkflowCheck, KnowsWhatCanBeWaitedFor) {
    EXPECT_THAT(faults_of_step([](auto& s) { s.wait_for = "soon"; }, wait("a")),
                ElementsAre("steps.a.wait: is not a duration such as 10m, or exceeds 3650d: \"soon\""));
    EXPECT_THAT(faults_of_step([](auto& s) { s.wait_until = "2026-11-15T08:30:00Z"; }, wait("a")),
                ElementsAre("steps.a.wait: has a duration and a time; give one of them"));
    const auto until = [](const std::string& time) {
        return faults(of({{.name = "a", .kind = StepKind::Wait, .wait_until = time}}));
    };
    EXPECT_THAT(until("tomorrow"),
                ElementsAre("steps.a.wait.until: is not a time such as 2026-11-15T08:30:00Z: \"tomorrow\""));
    EXPECT_THAT(until("2026-11-15T08:30:00Z"), IsEmpty());
    EXPECT_THAT(until("{{ input.at }}"), IsEmpty());
}

TEST(WorkflowCheck, KeepsToTheRangesOfTasks) {
    EXPECT_THAT(faults_of_step([](auto& s) { s.priority = 101; }),
                ElementsAre("steps.a.priority: must be a whole number from 1 to 100, not 101"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.queue = ""; }), ElementsAre("steps.a.queue: is empty"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.task = std::string(256, 'x'); }),
                ElementsAre("steps.a.task: is longer than 255 bytes"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.tags = std::vector<std::string>(61, "x"); }),
                ElementsAre("steps.a.tags: must have at most 60 members, not 61"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.policy.timeout = 8 * 24h; }),
                ElementsAre(HasSubstr("steps.a.timeout: must be from 1ms to 7d")));
    EXPECT_THAT(faults_of_step([](auto& s) { s.policy.retry.max_attempts = 0; }),
                ElementsAre(HasSubstr("steps.a.max_attempts: must be a whole number")));
    EXPECT_THAT(faults_of_step([](auto& s) { s.concurrency_limit = 2; }),
                ElementsAre("steps.a.concurrency_limit: needs concurrency_key"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.env["A"] = "x"; }),
                ElementsAre("steps.a.env: has no meaning for a function of an application"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.spec.emplace().kind = TaskKind::Docker; }),
                ElementsAre("steps.a.image: is missing: a task of type docker needs it"));
    EXPECT_THAT(faults_of_step([](auto& s) {
                    s.spec.emplace().script = "ls";
                    s.env["HOLDFAST_X"] = "y";
                }),
                ElementsAre(HasSubstr("steps.a.env: has a variable \"HOLDFAST_X\"")));
    Workflow workflow = of({task("a")});
    workflow.timeout = 0s;
    workflow.queue_timeout = 1us + 1s;
    EXPECT_THAT(faults(workflow),
                ElementsAre("timeout: must be from 1ms to 365d", "queue_timeout: must be in whole milliseconds"));
}

TEST(WorkflowCheck, KeepsForEachInBounds) {
    EXPECT_THAT(faults_of_step([](auto& s) { s.parallel = 2; }),
                ElementsAre("steps.a.parallel: has no meaning without for_each"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.sequential = true; }),
                ElementsAre("steps.a.sequential: has no meaning without for_each"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.for_each = json(std::vector<int>(10'001)); }),
                ElementsAre("steps.a.for_each: has 10001 items; at most 10000 are allowed"));
    EXPECT_THAT(faults_of_step([](auto& s) { s.for_each = json(std::vector<int>(10'000)); }), IsEmpty());
    for (const json& list : {json("input.list"), json("x {{ input.list }}"), json(7), json::object()})
        EXPECT_THAT(faults_of_step([&](auto& s) { s.for_each = list; }),
                    ElementsAre("steps.a.for_each: must be a list, or one expression {{ ... }}"))
            << list.dump();
    EXPECT_THAT(faults_of_step([](auto& s) {
                    s.for_each = json{1, 2};
                    s.sequential = true;
                    s.parallel = 2;
                }),
                ElementsAre("steps.a.parallel: has no meaning for a sequential for_each"));
}

TEST(WorkflowCheck, WantsHooksToBePlainTasks) {
    Workflow workflow = of({task("a")});
    workflow.on_success = {approval("")};
    workflow.on_failure = {task("", {"a"}), task("")};
    workflow.on_failure[1].when = "true";
    workflow.on_cancel = {task("")};
    workflow.on_cancel[0].for_each = json{1};
    workflow.on_cancel[0].task = "";
    EXPECT_THAT(faults(workflow), ElementsAre("hooks.on_success[0]: is not a task: hooks are tasks",
                                              "hooks.on_error[0].depends_on: has no meaning for a hook",
                                              "hooks.on_error[1].when: has no meaning for a hook",
                                              "hooks.on_cancel[0].task: is missing",
                                              "hooks.on_cancel[0].for_each: has no meaning for a hook"));
}

// ---- Expressions --------------------------------------------------------------------------------

std::vector<std::string> faults_of_input(const json& input) {
    Workflow workflow = of({task("up"), task("a", {"up"}), task("aside")});
    workflow.steps[1].input = input;
    return faults(workflow);
}

TEST(WorkflowCheck, SaysWhereInWhichTextAnExpressionIsBad) {
    EXPECT_THAT(faults_of_input({{"list", {1, "x {{ input. }}"}}}),
                ElementsAre(HasSubstr("steps.a.input.list[1]: has a bad expression, at character ")));
    EXPECT_THAT(faults_of_input("{{ input.x"), ElementsAre(HasSubstr("steps.a.input: has a bad expression")));
    const auto when = faults_of_step([](auto& s) { s.when = "input.x =="; });
    EXPECT_THAT(when, ElementsAre(HasSubstr("steps.a.when: has a bad expression, at character 11: ")));
    const auto in_braces = faults_of_step([](auto& s) { s.when = "{{input.x ==}}"; });
    EXPECT_THAT(in_braces, ElementsAre(HasSubstr("steps.a.when: has a bad expression, at character 13: ")));
}

TEST(WorkflowCheck, RefusesAConditionOfTwoExpressionsWhichWouldAlwaysBeTrue) {
    EXPECT_THAT(faults_of_step([](auto& s) { s.when = "{{ false }} and {{ false }}"; }),
                ElementsAre(HasSubstr("steps.a.when: has a bad expression")));
}

TEST(WorkflowCheck, FindsBadExpressionsWhereverTheyMayStand) {
    const std::string bad = "{{ nothing }}";
    Workflow workflow = of({task("t"), approval("ok"), wait("rest"), task("inline"), task("each")});
    workflow.steps[0].concurrency_key = bad;
    workflow.steps[1].message = bad;
    workflow.steps[2].wait_for = bad;
    workflow.steps[3].spec.emplace();
    workflow.steps[3].spec->kind = TaskKind::Docker;
    workflow.steps[3].spec->image = "i";
    workflow.steps[3].spec->command = {"ls", bad};
    workflow.steps[3].spec->env["A"] = bad;
    workflow.steps[3].env["B"] = bad;
    workflow.steps[4].for_each = json{1, bad};
    workflow.output = {{"a", bad}};
    workflow.on_failure = {task("")};
    workflow.on_failure[0].input = bad;
    std::vector<std::string> paths;
    for (const WorkflowFault& fault : workflow_faults(workflow, {})) {
        paths.push_back(fault.path);
        EXPECT_EQ(fault.problem, "refers to \"nothing\", which is none of input, steps, item, index, job");
    }
    EXPECT_THAT(paths, ElementsAre("steps.t.concurrency_key", "steps.ok.approval", "steps.rest.wait",
                                   "steps.inline.env.B", "steps.inline.env.A", "steps.inline.command[1]",
                                   "steps.each.for_each[1]", "hooks.on_error[0].input", "output.a"));
}

TEST(WorkflowCheck, RefusesReferencesToStepsThatAreNotUpstream) {
    EXPECT_THAT(faults_of_input("{{ steps.aside.output }}"),
                ElementsAre("steps.a.input: refers to the step \"aside\", which it does not depend on; add it to "
                            "depends_on"));
    EXPECT_THAT(faults_of_input("{{ steps.a.output }}"), ElementsAre(HasSubstr("which it does not depend on")));
    EXPECT_THAT(faults_of_input("{{ steps.upp.output }}"),
                ElementsAre("steps.a.input: refers to the step \"upp\", which does not exist; did you mean \"up\"?"));
    EXPECT_THAT(
        faults_of_input("{{ steps.up.outptu }}"),
        ElementsAre("steps.a.input: refers to steps.up.outptu; a step has output, status, error; did you mean "
                    "\"output\"?"));
    EXPECT_THAT(faults_of_input("{{ inptu.x }}"), ElementsAre(HasSubstr("did you mean \"input\"?")));
    Workflow chain = of({task("a"), task("b", {"a"}), task("c", {"b"}), task("d", {"c"})});
    chain.steps[3].when = "steps.a.status == 'COMPLETED'";
    EXPECT_THAT(faults(chain), IsEmpty()) << "upstream is transitive";
    chain.steps[1].when = "steps.d.status == 'COMPLETED'";
    EXPECT_THAT(faults(chain), ElementsAre(HasSubstr("steps.b.when: refers to the step \"d\"")));
}

TEST(WorkflowCheck, KnowsTheItemOnlyInsideOfAForEach) {
    EXPECT_THAT(faults_of_input("{{ item }}"),
                ElementsAre("steps.a.input: refers to item, which only the items of a for_each have"));
    const auto each = [](const std::function<void(WorkflowStep&)>& change) {
        return faults_of_step([&](auto& step) {
            step.for_each = json{1, 2};
            change(step);
        });
    };
    EXPECT_THAT(each([](auto& s) { s.input = "{{ item }}{{ index }}"; }), IsEmpty());
    EXPECT_THAT(each([](auto& s) { s.for_each = json{"{{ index }}"}; }),
                ElementsAre(HasSubstr("steps.a.for_each[0]: refers to index, which only")));
    EXPECT_THAT(each([](auto& s) { s.when = "item > 1"; }),
                ElementsAre(HasSubstr("steps.a.when: refers to item, which only")));
}

TEST(WorkflowCheck, WantsOfTheInputWhatItsSchemaHas) {
    Workflow workflow = of({task("a")});
    workflow.steps[0].input = "{{ input.dya }}";
    EXPECT_THAT(faults(workflow), IsEmpty()) << "without a schema everything may be there";
    workflow.input = {{.name = "day"}};
    EXPECT_THAT(faults(workflow),
                ElementsAre("steps.a.input: refers to input.dya, which the workflow's input does not "
                            "have; did you mean \"day\"?"));
}

TEST(WorkflowCheck, WantsOfTheInputSchemaThatItFitsItself) {
    Workflow workflow = of({task("a")});
    workflow.input = {{.name = "n", .type = InputType::Integer, .default_value = json("x")},
                      {.name = "m", .type = InputType::Text, .default_value = json("c"), .allowed = {"a", 2}},
                      {.name = "n"},
                      {.name = "r", .required = true, .default_value = json(1)},
                      {.name = "bad name"}};
    EXPECT_THAT(
        faults(workflow),
        ElementsAre("input.n.default: must be a whole number, not \"x\"", "input.m.enum[1]: must be a text, not 2",
                    "input.m.default: must be one of \"a\", 2, not \"c\"", "input.n: is defined twice",
                    "input.r.default: has no use: the input is required",
                    "input.bad name: is not a name: names are of letters, digits, _ and -"));
}

TEST(WorkflowCheck, WantsATaskOfTheCatalogToBeGivenWhatItReads) {
    const auto with_input = [](const json& input) {
        return faults_of_step([&](auto& step) {
            step.task = "backup";
            step.spec.emplace().script = "pg_dump";
            step.spec->env["DB"] = "{{ input.db }}";
            step.spec_reads_args = step.key_reads_args = true;
            step.concurrency_key = "db-{{ input.db }}";
            step.input = input;
        });
    };
    EXPECT_THAT(with_input({{"db", "orders"}}), IsEmpty());
    EXPECT_THAT(with_input("{{ input }}"), IsEmpty()) << "what that holds is not known yet";
    EXPECT_THAT(with_input({{"base", "orders"}}),
                ElementsAre("steps.a.input: has no \"db\", which the task \"backup\" needs in concurrency_key",
                            "steps.a.input: has no \"db\", which the task \"backup\" needs in env.DB"));
    EXPECT_THAT(with_input(nullptr), SizeIs(2));
    EXPECT_THAT(faults_of_step([](auto& step) {
                    step.key_reads_args = true;
                    step.concurrency_key = "{{ job.id }}";
                }),
                ElementsAre("steps.a.concurrency_key: refers to job.id; a task of the catalog knows only its "
                            "arguments: input.NAME"));
}

TEST(WorkflowCheck, RefusesTextsThatNoStoreTakes) {
    EXPECT_THAT(faults_of_input({{"x", std::string("a\0b", 3)}}),
                ElementsAre("steps.a.input: contains a NUL byte at offset 1"));
}

// ---- Child workflows ----------------------------------------------------------------------------

Workflow named(const std::string& name, std::vector<WorkflowStep> steps) {
    Workflow workflow = of(std::move(steps));
    workflow.name = name;
    return workflow;
}

TEST(WorkflowCheck, NamesWorkflowsThatDoNotExist) {
    const Workflows others{{"report", named("report", {task("r")})}};
    EXPECT_THAT(faults(of({child("c", "reprot")}), others),
                ElementsAre("steps.c.workflow: names the workflow \"reprot\", which does not exist; did you mean "
                            "\"report\"?"));
}

TEST(WorkflowCheck, NamesACycleOfWorkflows) {
    EXPECT_THAT(faults(of({task("t"), child("c", "w")})),
                ElementsAre("steps.c.workflow: makes a cycle of workflows: w -> w"));
    const Workflows all{{"a", named("a", {child("x", "b")})},
                        {"b", named("b", {child("y", "c")})},
                        {"c", named("c", {task("t"), child("z", "a")})}};
    EXPECT_THAT(faults(all.at("a"), all),
                ElementsAre("steps.x.workflow: makes a cycle of workflows: a -> b -> c -> a"));
    EXPECT_THAT(faults(all.at("c"), all),
                ElementsAre("steps.z.workflow: makes a cycle of workflows: c -> a -> b -> c"));
    EXPECT_THAT(faults(named("top", {child("s", "a")}), all),
                ElementsAre(HasSubstr("steps.s.workflow: nests jobs deeper than 10 levels: top -> a -> b -> c -> a")))
        << "a workflow that starts a cycle is refused, too";
}

TEST(WorkflowCheck, AllowsTenLevelsOfChildJobsAndNoMore) {
    Workflows all;
    for (int i = 0; i <= 12; ++i)
        all[concat("w", i)] = named(concat("w", i), {i == 0 ? task("t") : child("c", concat("w", i - 1))});
    EXPECT_THAT(faults(all.at("w10"), all), IsEmpty());
    EXPECT_THAT(faults(all.at("w11"), all),
                ElementsAre(HasSubstr("steps.c.workflow: nests jobs deeper than 10 levels: w11 -> w10 -> w9")));
}

TEST(WorkflowCheck, WantsAChildToBeGivenWhatItRequires) {
    Workflow report = named("report", {task("r")});
    report.input = {{.name = "day", .type = InputType::Text, .required = true}, {.name = "size"}};
    const Workflows others{{"report", report}};
    EXPECT_THAT(faults(of({child("c", "report", {{"day", "{{ input.day }}"}})}), others), IsEmpty());
    EXPECT_THAT(faults(of({child("c", "report", "{{ input }}")}), others), IsEmpty());
    EXPECT_THAT(faults(of({child("c", "report")}), others),
                ElementsAre("steps.c.input: has no \"day\", which the workflow \"report\" requires"));
    EXPECT_THAT(
        faults(of({child("c", "report", {{"day", 7}, {"sise", 1}})}), others),
        ElementsAre("steps.c.input.day: must be a text, not 7",
                    "steps.c.input.sise: is not an input of the workflow \"report\"; did you mean \"size\"?"));
}

// ---- Size ---------------------------------------------------------------------------------------

constexpr int many = 10'000;

std::string name_of(int i) {
    return concat("step", i);
}

Workflow chain(int steps = many) {
    Workflow workflow = of({});
    for (int i = 0; i < steps; ++i) {
        workflow.steps.push_back(task(name_of(i), i == 0 ? std::vector<std::string>() : std::vector{name_of(i - 1)}));
        // Each refers to one far upstream, and all of those differ.
        if (i > 1) workflow.steps.back().input = {{"x", concat("{{ steps.", name_of(i / 2), ".output }}")}};
    }
    return workflow;
}

Workflow fan(int steps) {
    Workflow workflow = of({task("first")});
    std::vector<std::string> all;
    for (int i = 0; i < steps; ++i) {
        workflow.steps.push_back(task(name_of(i), {"first"}));
        all.push_back(name_of(i));
    }
    workflow.steps.push_back(task("last", all));
    workflow.steps.back().when = "steps.first.status == 'COMPLETED'";
    return workflow;
}

/// Chained as chain() is, but each step depends on one that is not there.
Workflow wrong_chain(int steps) {
    Workflow workflow = chain(steps);
    for (WorkflowStep& step : workflow.steps) step.depends_on = {"stepp" + step.name};
    return workflow;
}

Workflow ring(int steps) {
    Workflow workflow = chain(steps);
    workflow.steps[0].depends_on = {name_of(steps - 1)};
    return workflow;
}

/// What a check costs, in processor time: other processes do not count.
double seconds_for(const Workflow& workflow) {
    double best = 1e9;
    for (int tries = 0; tries < 3; ++tries) {
        const std::clock_t begin = std::clock();
        (void)faults(workflow);
        best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return best;
}

TEST(WorkflowCheck, CostsInProportionToTheStepsRightOrWrong) {
    for (Workflow (*make)(int) : {chain, fan, wrong_chain, ring}) {
        const double of_a_tenth = seconds_for(make(many / 10)), of_all = seconds_for(make(many));
        RecordProperty(concat("milliseconds_for_", many), static_cast<int>(of_all * 1000));
        EXPECT_LT(of_all, 30 * of_a_tenth);
    }
}

TEST(WorkflowCheck, FindsWhatIsWrongAmongTenThousandSteps) {
    EXPECT_THAT(faults(chain(many)), IsEmpty());
    EXPECT_THAT(faults(fan(many)), IsEmpty());
    EXPECT_GE(faults(wrong_chain(many)).size(), std::size_t{many});
    EXPECT_THAT(faults(ring(many)), SizeIs(1));
}

TEST(WorkflowCheck, ATenThousandStepBundleIsWrittenAndRead) {
    const WorkflowBundle bundle = bundle_of("w", {{"w", chain()}});
    EXPECT_EQ(parse_workflow_bundle(to_json_text(bundle)).value(), bundle);
}

}  // namespace
}  // namespace holdfast::core
