#include <algorithm>
#include <ctime>
#include <sstream>

#include "base/text.h"
#include "config/config.h"
#include "config/keys.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using namespace std::chrono_literals;
using core::StepKind;
using core::Workflow;
using core::WorkflowStep;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;
using ::testing::SizeIs;

class WorkflowsFile : public Loading {
protected:
    /// A file with one workflow `w` whose steps are given, indented by nothing.
    void define_steps(const std::string& steps) {
        std::string text = "workflows:\n  w:\n    steps:\n";
        std::istringstream lines(steps);
        for (std::string line; std::getline(lines, line);) text += concat("      ", line, "\n");
        write(text);
    }
    /// A file with one workflow `w` of one step `a`, given in braces.
    void define_step(const std::string& step) { define_steps("a: " + step); }

    [[nodiscard]] Workflow workflow(const std::string& name = "w") const {
        const Config config = accepted();
        const auto found = config.workflows.find(name);
        EXPECT_NE(found, config.workflows.end());
        return found == config.workflows.end() ? Workflow{} : found->second;
    }
    [[nodiscard]] WorkflowStep step() const {
        const Workflow found = workflow();
        return found.steps.empty() ? WorkflowStep{} : found.steps.front();
    }
    /// The only error, as a person reads it.
    [[nodiscard]] std::string complaint() const {
        const auto all = complaints();
        EXPECT_THAT(all, SizeIs(1)) << join(all, "\n");
        return all.empty() ? "" : all.front();
    }
};

// ---- What is read -------------------------------------------------------------------------------

TEST_F(WorkflowsFile, AreNoneWithoutTheSection) {
    EXPECT_THAT(accepted().workflows, IsEmpty());
    write("workflows:\n");
    EXPECT_THAT(accepted().workflows, IsEmpty());
}

TEST_F(WorkflowsFile, EveryKeyOfAWorkflowReachesTheDefinition) {
    write(R"(
workflows:
  nightly:
    description: Every night
    input:
      day: {type: text, required: true, description: the day}
      mode: {type: text, enum: [full, quick], default: full}
      year: {type: text, default: 2026}
      count: {type: integer, default: 3}
      anything:
    timeout: 1h
    queue_timeout: 10m
    on_error: pause
    success: [[fetch, last], [cached]]
    optional: [cached]
    steps:
      fetch: {task: fetch}
      cached: {task: cached}
      last: {task: last, depends_on: fetch}
    output: {all: "{{ steps.last.output }}", n: 1, list: [true, null, 1.5, "1"]}
    hooks:
      on_success: {task: cheer}
      on_error: [{task: notify, input: {a: 1}}, {script: "echo failed"}]
)");
    const Workflow nightly = workflow("nightly");
    EXPECT_EQ(nightly.name, "nightly");
    EXPECT_EQ(nightly.description, "Every night");
    EXPECT_THAT(nightly.input,
                ElementsAre(
                    core::InputField{
                        .name = "day", .type = core::InputType::Text, .required = true, .description = "the day"},
                    core::InputField{.name = "mode",
                                     .type = core::InputType::Text,
                                     .default_value = json("full"),
                                     .allowed = {"full", "quick"}},
                    core::InputField{.name = "year", .type = core::InputType::Text, .default_value = json("2026")},
                    core::InputField{.name = "count", .type = core::InputType::Integer, .default_value = json(3)},
                    core::InputField{.name = "anything"}));
    EXPECT_EQ(nightly.timeout, 1h);
    EXPECT_EQ(nightly.queue_timeout, 10min);
    EXPECT_EQ(nightly.on_error, core::OnError::Pause);
    EXPECT_THAT(nightly.success, ElementsAre(ElementsAre("fetch", "last"), ElementsAre("cached")));
    EXPECT_THAT(nightly.optional, ElementsAre("cached"));
    EXPECT_EQ(nightly.steps.at(2).name, "last") << "in the order of the file";
    EXPECT_THAT(nightly.steps.at(2).depends_on, ElementsAre("fetch"));
    EXPECT_EQ(nightly.output,
              (json{{"all", "{{ steps.last.output }}"}, {"n", 1}, {"list", {true, nullptr, 1.5, "1"}}}));
    ASSERT_THAT(nightly.on_success, SizeIs(1));
    EXPECT_EQ(nightly.on_success[0].task, "cheer");
    ASSERT_THAT(nightly.on_failure, SizeIs(2));
    EXPECT_EQ(nightly.on_failure[0].input, json({{"a", 1}}));
    EXPECT_EQ(nightly.on_failure[1].task, "nightly.on_error");
    EXPECT_EQ(nightly.on_failure[1].spec->script, "echo failed");
    EXPECT_THAT(nightly.on_cancel, IsEmpty());
}

TEST_F(WorkflowsFile, OneListOfStepsIsOneCaseOfSuccess) {
    write("workflows: {w: {steps: {a: {task: t}, b: {task: t}}, success: [a, b]}}\n");
    EXPECT_THAT(workflow().success, ElementsAre(ElementsAre("a", "b")));
}

TEST_F(WorkflowsFile, AStepIsAFunctionUnlessTheCatalogKnowsItsTask) {
    define_step("{task: resize, input: {file: x}, queue: pictures, timeout: 5m, max_attempts: 3}");
    const WorkflowStep found = step();
    EXPECT_EQ(found.kind, StepKind::Task);
    EXPECT_EQ(found.task, "resize");
    EXPECT_EQ(found.spec, std::nullopt);
    EXPECT_EQ(found.input, json({{"file", "x"}}));
    EXPECT_EQ(found.queue, "pictures");
    EXPECT_EQ(found.policy.timeout, 5min);
    EXPECT_EQ(found.policy.retry.max_attempts, 3);
    EXPECT_EQ(found.policy.unmatched, Unmatched::Auto);
    EXPECT_FALSE(found.spec_reads_args);
}

TEST_F(WorkflowsFile, AStepSaysItselfWhatBecomesOfItWithoutAWorker) {
    define_step("{task: resize, unmatched: wait}");
    EXPECT_EQ(step().policy.unmatched, Unmatched::Wait);
    define_step("{script: ls, unmatched: fail}");
    EXPECT_EQ(step().policy.unmatched, Unmatched::Fail);
    define_step("{script: ls, unmatched: auto}");
    EXPECT_THAT(complaint(), HasSubstr("allowed: wait or fail"));
}

TEST_F(WorkflowsFile, ATaskOfTheCatalogIsCopiedAndOverridden) {
    write(R"(
workflows:
  w:
    steps:
      a: {task: backup, input: {db: orders}, env: {LEVEL: "{{ job.id }}"}, queue: late, max_attempts: 5}
      b: {task: backup, input: {db: orders}, concurrency_key: "{{ job.id }}", memory: 64MiB}
      c: {task: resize}
tasks:
  backup: {script: pg_dump, env: {DB: "{{ input.db }}"}, tags: [db], timeout: 10m, priority: 7, deadline: 1h,
           concurrency_key: "db-{{ input.db }}", concurrency_limit: 2, unmatched: wait}
  resize: {type: function, queue: pictures}
)");
    const Workflow found = workflow();
    const WorkflowStep &a = found.steps.at(0), &b = found.steps.at(1), &c = found.steps.at(2);
    EXPECT_EQ(a.task, "backup");
    EXPECT_EQ(a.spec->script, "pg_dump");
    EXPECT_TRUE(a.spec_reads_args);
    EXPECT_THAT(a.spec->env, ElementsAre(Pair("DB", "{{ input.db }}")));
    EXPECT_THAT(a.env, ElementsAre(Pair("LEVEL", "{{ job.id }}")));
    EXPECT_EQ(a.concurrency_key, "db-{{ input.db }}");
    EXPECT_EQ(a.concurrency_limit, 2);
    EXPECT_TRUE(a.key_reads_args);
    EXPECT_THAT(a.tags, ElementsAre("db"));
    EXPECT_EQ(a.policy.timeout, 10min);
    EXPECT_EQ(a.policy.retry.max_attempts, 5);
    EXPECT_EQ(a.policy.unmatched, Unmatched::Auto) << "what the catalog says is of the task on its own";
    EXPECT_EQ(a.queue, "late");
    EXPECT_EQ(a.priority, 7);
    EXPECT_EQ(b.concurrency_key, "{{ job.id }}");
    EXPECT_FALSE(b.key_reads_args) << "written in the step, it reads what the step knows";
    EXPECT_EQ(b.spec->memory_bytes, 64 << 20);
    EXPECT_EQ(c.spec, std::nullopt);
    EXPECT_EQ(c.queue, "pictures");
}

TEST_F(WorkflowsFile, ScriptsAndContainersMayStandInTheStep) {
    define_steps(
        "a: {script: \"make all\", env: {DAY: \"{{ input.day }}\"}}\n"
        "b: {script: ls, runner: docker, image: \"debian:12\"}\n"
        "c: {docker: \"debian:12\", command: [ls, \"{{ steps.a.output }}\"], depends_on: [a]}\n"
        "d: {type: docker, image: i, cpus: 1.5, volumes: [\"/a:/b\"]}\n"
        "e: {type: script, script: ls, dir: /srv, on_crash: requeue}\n");
    const Workflow found = workflow();
    EXPECT_EQ(found.steps.at(0).task, "w.a");
    EXPECT_EQ(found.steps.at(0).spec->script, "make all");
    EXPECT_THAT(found.steps.at(0).spec->env, ElementsAre(Pair("DAY", "{{ input.day }}")));
    EXPECT_FALSE(found.steps.at(0).spec_reads_args);
    EXPECT_EQ(found.steps.at(1).spec->runner, core::ScriptRunner::Docker);
    EXPECT_EQ(found.steps.at(2).spec->kind, core::TaskKind::Docker);
    EXPECT_EQ(found.steps.at(2).spec->image, "debian:12");
    EXPECT_EQ(found.steps.at(3).spec->kind, core::TaskKind::Docker);
    EXPECT_EQ(found.steps.at(3).spec->cpus, 1.5);
    EXPECT_EQ(found.steps.at(4).policy.on_crash, OnCrash::Requeue);
}

TEST_F(WorkflowsFile, ApprovalsWaitsChildrenAndItemsAreSteps) {
    write(R"(
workflows:
  report: {steps: {r: {task: r}}}
  w:
    steps:
      ok: {approval: "Release {{ input.day }}?", timeout: 24h}
      rest: {wait: 10m}
      plain: {wait: 30}
      until: {wait: {until: "{{ input.at }}"}}
      child: {workflow: report, input: {a: 1}, timeout: 1h}
      each: {task: t, for_each: " {{ steps.ok.output }} ", parallel: 8, input: {file: "{{ item }}"}, depends_on: [ok]}
      seq: {script: ls, for_each: [a, 2], sequential: true}
      any: {task: t, depends_on: [ok, rest], join: any, when: " {{ input.x }} "}
      two: {task: t, depends_on: [ok, rest, seq], join: {quorum: 2}, allow_failed_deps: true, when: input.x}
)");
    const Workflow found = workflow();
    EXPECT_EQ(found.steps.at(0).message, "Release {{ input.day }}?");
    EXPECT_EQ(found.steps.at(0).policy.timeout, 24h);
    EXPECT_EQ(found.steps.at(1).wait_for, "10m");
    EXPECT_EQ(found.steps.at(2).wait_for, "30");
    EXPECT_EQ(found.steps.at(3).wait_until, "{{ input.at }}");
    EXPECT_EQ(found.steps.at(3).kind, StepKind::Wait);
    EXPECT_EQ(found.steps.at(4).workflow, "report");
    EXPECT_EQ(found.steps.at(4).kind, StepKind::Workflow);
    EXPECT_EQ(found.steps.at(5).for_each, json("{{ steps.ok.output }}"));
    EXPECT_EQ(found.steps.at(5).parallel, 8);
    EXPECT_EQ(found.steps.at(6).for_each, json({"a", 2}));
    EXPECT_TRUE(found.steps.at(6).sequential);
    EXPECT_EQ(found.steps.at(7).join.kind, core::JoinKind::Any);
    EXPECT_EQ(found.steps.at(7).when, "{{ input.x }}");
    EXPECT_EQ(found.steps.at(8).join, (core::Join{core::JoinKind::Quorum, 2}));
    EXPECT_TRUE(found.steps.at(8).allow_failed_deps);
    EXPECT_EQ(found.steps.at(8).when, "input.x");
}

// ---- What is refused, with file, line and key ---------------------------------------------------

TEST_F(WorkflowsFile, EveryFaultOfEveryWorkflowIsToldAtOnceWithLineAndKey) {
    write(
        "tasks:\n"
        "  backup: {script: pg_dump, env: {DB: '{{ input.db }}'}}\n"
        "workflows:\n"
        "  first:\n"
        "    timeout: soon\n"
        "    on_eror: fail\n"
        "    success: [[a], [zz]]\n"
        "    steps:\n"
        "      a: {task: t, depends_on: [c]}\n"
        "      b: {task: t, depends_on: [a]}\n"
        "      c: {task: t, depends_on: [x, b]}\n"
        "      d:\n"
        "        task: t\n"
        "        input:\n"
        "          list:\n"
        "            - '{{ steps.a.output }}'\n"
        "            - '{{ input. }}'\n"
        "      e: {task: backup, input: {base: 1}}\n"
        "      f: {approval: Go, max_attempts: 3}\n"
        "      g: {task: t, depend_on: [a], input: '{{ steps.a.output }}'}\n"
        "    hooks: {on_error: {task: t, input: '{{ foo }}'}}\n"
        "  second: {steps: {s: {workflow: frist}, l: {workflow: second}}, output: '{{ steps.t.output }}'}\n");
    EXPECT_THAT(
        complaints(),
        ElementsAre(
            "holdfast.yaml:5:5: workflows.first.timeout: not a duration: found \"soon\"; allowed: 1ms to 365d; a "
            "plain "
            "number counts in seconds",
            AllOf(HasSubstr("holdfast.yaml:6:5: workflows.first.on_eror: unknown key: found \"fail\"; allowed: "),
                  HasSubstr("did you mean on_error?")),
            "holdfast.yaml:7:21: workflows.first.success[1][0]: names the step \"zz\", which does not exist",
            "holdfast.yaml:9:33: workflows.first.steps.a.depends_on[0]: makes a cycle: a -> c -> b -> a",
            "holdfast.yaml:11:33: workflows.first.steps.c.depends_on[0]: names the step \"x\", which does not exist",
            HasSubstr(
                "holdfast.yaml:17:15: workflows.first.steps.d.input.list[1]: has a bad expression, at character "),
            "holdfast.yaml:18:25: workflows.first.steps.e.input: has no \"db\", which the task \"backup\" needs in "
            "env.DB",
            "holdfast.yaml:19:25: workflows.first.steps.f.max_attempts: has no meaning for a step with approval",
            HasSubstr("holdfast.yaml:20:20: workflows.first.steps.g.depend_on: unknown key"),
            HasSubstr(
                "holdfast.yaml:21:33: workflows.first.hooks.on_error[0].input: refers to \"foo\", which is none"),
            "holdfast.yaml:22:24: workflows.second.steps.s.workflow: names the workflow \"frist\", which does not "
            "exist; did you mean \"first\"?",
            "holdfast.yaml:22:46: workflows.second.steps.l.workflow: makes a cycle of workflows: second -> second",
            HasSubstr("holdfast.yaml:22:66: workflows.second.output: refers to the step \"t\"")));
}

TEST_F(WorkflowsFile, AStepSaysExactlyOnceWhatToDo) {
    define_step("{depends_on: []}");
    EXPECT_EQ(
        complaint(),
        "holdfast.yaml:4:7: workflows.w.steps.a: does not say what to do: one of task, script, docker, workflow, "
        "approval, wait, type");
    for (const std::string both :
         {"task: t, script: ls", "script: ls, docker: i", "workflow: x, approval: y", "wait: 10m, task: t",
          "type: docker, image: i, docker: i", "task: t, type: script"}) {
        define_step(concat("{", both, "}"));
        EXPECT_THAT(complaint(), HasSubstr(": cannot stand beside ")) << both;
    }
    define_step("ls");
    EXPECT_EQ(complaint(),
              "holdfast.yaml:4:7: workflows.w.steps.a: a value instead of a mapping: found \"ls\"; write "
              "{task: NAME} or {script: ...}");
    define_step("{type: function}");
    EXPECT_THAT(complaint(), HasSubstr("write task: NAME"));
}

TEST_F(WorkflowsFile, KeysThatAStepDoesNotHaveAreRefused) {
    const std::map<std::string, std::string> refused{
        {"{task: t, dependson: [b]}", "did you mean depends_on?"},
        {"{task: t, deadline: 1h}", "deadline: is a key of tasks, but not of steps"},
        {"{wait: 10m, unmatched: wait}", "unmatched: has no meaning for a step with wait"},
        {"{task: t, memory: 64MiB}", "memory: has no meaning for a function of an application"},
        {"{task: t, env: {A: x}}", "env: has no meaning for a function of an application"},
        {"{wait: 10m, timeout: 1h}", "timeout: has no meaning for a wait"},
        {"{wait: 10m, queue: x}", "queue: has no meaning for a step with wait"},
        {"{wait: {till: x}}", "wait.till: unknown key"},
        {"{wait: {}}", "wait: an empty mapping"},
        {"{wait: soon}", "wait: is not a duration"},
        {"{approval: [x]}", "approval: a list instead of a single value"},
        {"{task: [t]}", "task: a list instead of a single value"},
        {"{task: t, join: some}", "join: not a join: found \"some\"; allowed: all, any or {quorum: N}"},
        {"{task: t, join: {quorum: x}}", "join.quorum: not a whole number"},
        {"{task: t, join: {quorum: 0}}", "join.quorum: too low"},
        {"{task: t, join: {count: 1}}", "join.count: unknown key"},
        {"{task: t, join: any}", "join: has no meaning without depends_on"},
        {"{task: t, depends_on: {a: b}}", "depends_on: a mapping instead of a list"},
        {"{task: t, depends_on: [[b]]}", "depends_on[0]: a list instead of a step's name"},
        {"{task: t, depends_on: a}", "depends_on[0]: makes a cycle: a -> a"},
        {"{task: t, for_each: {a: b}}", "for_each: a mapping instead of a list"},
        {"{task: t, for_each: input.x}", "for_each: must be a list, or one expression"},
        {"{task: t, for_each: [1], parallel: 0}", "parallel: too low"},
        {"{task: t, sequential: maybe}", "sequential: not true or false"},
        {"{task: t, when: \"\"}", "when: empty"},
        {"{task: t, when: \"a b\"}", "when: has a bad expression, at character 3"},
        {"{task: t, input: \"{{ item }}\"}", "input: refers to item, which only"},
        {"{task: t, retry_on: x}", "retry_on: not a list"},
        {"{task: t, retry_on: [WORKER_CRASHED]}", "retry_on: cannot name WORKER_CRASHED: write on_crash: requeue"},
        {"{docker: i, runner: local, script: x}", "cannot stand beside"},
        {"{script: ls, image: i}", "image: has no meaning for a script with runner local"},
        {"{script: [ls]}", "script: a list instead of a single value"},
        {"{workflow: nothing}", "workflow: names the workflow \"nothing\", which does not exist"},
        {"{script: ls, concurrency_limit: 2}", "concurrency_limit: needs concurrency_key"},
    };
    for (const auto& [definition, problem] : refused) {
        define_step(definition);
        EXPECT_THAT(complaint(), AllOf(HasSubstr("holdfast.yaml:4:"), HasSubstr(problem))) << definition;
    }
}

TEST_F(WorkflowsFile, KeysThatAWorkflowDoesNotHaveAreRefused) {
    const std::map<std::string, std::string> refused{
        {"step: {}", "step: unknown key"},
        {"input: [a]", "input: a list instead of a mapping"},
        {"input: {day: text}", "input.day: a value instead of a mapping"},
        {"input: {day: {typ: text}}", "input.day.typ: unknown key"},
        {"input: {day: {type: txt}}", "input.day.type: not one of the words"},
        {"input: {day: {enum: x}}", "input.day.enum: a value instead of a list"},
        {"input: {day: {type: integer, default: x}}", "input.day.default: must be a whole number, not \"x\""},
        {"input: {day: {required: 1}}", "input.day.required: not true or false"},
        {"on_error: retry", "on_error: not one of the words"},
        {"success: a", "success: a value instead of a list"},
        {"success: [a, [a]]", "success: steps and lists of steps together"},
        {"optional: [b]", "optional[0]: names the step \"b\", which does not exist"},
        {"hooks: [x]", "hooks: a list instead of a mapping"},
        {"hooks: {on_fail: {task: t}}", "hooks.on_fail: unknown key"},
        {"hooks: {on_error: ls}", "hooks.on_error: a value instead of a mapping"},
        {"hooks: {on_error: {wait: 10m}}", "hooks.on_error[0]: is not a task: hooks are tasks"},
        {"hooks: {on_error: [{task: t, when: x}]}", "hooks.on_error[0].when: "},
        {"timeout: 0s", "timeout: too low"},
        {"output: \"{{ steps.b.output }}\"", "output: refers to the step \"b\", which does not exist"},
    };
    for (const auto& [entry, problem] : refused) {
        write(concat("workflows:\n  w:\n    steps: {a: {task: t}}\n    ", entry, "\n"));
        EXPECT_THAT(complaints(), Contains(AllOf(HasSubstr("holdfast.yaml:4:"), HasSubstr(problem)))) << entry;
    }
    write("workflows: {w: {description: x}}\n");
    EXPECT_EQ(complaint(), "holdfast.yaml:1:13: workflows.w.steps: are missing: a workflow has at least one");
    write("workflows: {w: {steps: [{task: t}]}}\n");
    EXPECT_THAT(complaint(), HasSubstr("holdfast.yaml:1:17: workflows.w.steps: a list instead of a mapping"));
    write("workflows: {w: {steps: {a: {task: t}, a: {task: t}}}}\n");
    EXPECT_THAT(complaint(), HasSubstr("workflows.w.steps.a: given twice"));
    write("workflows: {w: ls, 'a b': {steps: {a: {task: t}}}}\n");
    EXPECT_THAT(complaints(), ElementsAre(HasSubstr("workflows.w: a value instead of a mapping"),
                                          HasSubstr("workflows.a b.name: is not a name")));
    write("workflows: [a]\n");
    EXPECT_THAT(complaint(), HasSubstr("workflows: a list instead of a mapping"));
}

TEST_F(WorkflowsFile, NothingIsConcludedFromATaskThatCannotBeRead) {
    write(
        "tasks: {backup: {script: pg_dump, timeout: soon}}\n"
        "workflows: {w: {steps: {a: {task: backup, env: {A: x}, memory: 64MiB}}}}\n");
    EXPECT_THAT(complaint(), HasSubstr("tasks.backup.timeout"));
}

TEST_F(WorkflowsFile, AnyTypeUnderAnyKeyIsEitherReadOrRefusedInASentenceThatNamesTheKey) {
    for (const std::string& key : all_step_key_names())
        for (const std::string value : {"null", "true", "-1", "1e3", "''", "x", "[]", "[1]", "[[]]", "{}", "{a: {}}",
                                        "'{{'", "99999999999999999999"})
            for (const std::string company : {"", "task: t, ", "script: ls, ", "wait: 10m, "}) {
                if (company.starts_with(key)) continue;
                define_step(concat("{", company, key, ": ", value, "}"));
                const auto loaded = load();
                if (loaded.ok()) continue;
                for (const ConfigError& error : loaded.error())
                    EXPECT_THAT(error.key, HasSubstr("workflows.w.steps.a")) << company << key << ": " << value;
            }
}

// ---- Files of their own -------------------------------------------------------------------------

class WorkflowDirectory : public WorkflowsFile {
protected:
    WorkflowDirectory() { std::filesystem::create_directory(directory / "flows"); }
};

TEST_F(WorkflowDirectory, IsReadFileByFile) {
    write("workflows: flows\ntasks: {backup: {script: pg_dump}}\n");
    write("steps: {a: {task: backup}, b: {workflow: two}}\n", "flows/one.yaml");
    write("name: two\nsteps: {a: {task: mine}}\ntasks: {mine: {script: mine}}\n", "flows/other.yml");
    write("workflows: {three: {steps: {a: {task: mine}}}, four: {steps: {a: {task: t}}}}\n", "flows/more.yaml");
    write("not yaml: [", "flows/notes.txt");
    const Config config = accepted();
    EXPECT_THAT(config.workflows, ElementsAre(Key("four"), Key("one"), Key("three"), Key("two")));
    EXPECT_EQ(config.workflows.at("one").steps.at(0).spec->script, "pg_dump");
    EXPECT_EQ(config.workflows.at("two").steps.at(0).spec->script, "mine");
    EXPECT_EQ(config.workflows.at("three").steps.at(0).spec, std::nullopt) << "another file's task";
}

TEST_F(WorkflowDirectory, NamesTheFileOfEachFault) {
    write("workflows: flows\nworker: {max_concurrent_tasks: 0}\n");
    write("steps: {a: {task: t, depends_on: [b]}}\nnmae: x\n", "flows/a.yaml");
    write("\nworkflows: {a: {steps: {a: {task: t}}}}\nstore: x\n", "flows/b.yaml");
    write("steps: {a: [", "flows/c.yaml");
    EXPECT_THAT(complaints(),
                ElementsAre(HasSubstr("holdfast.yaml:2:10: worker.max_concurrent_tasks: too low"),
                            "flows/a.yaml:1:35: steps.a.depends_on[0]: names the step \"b\", which does not exist",
                            HasSubstr("flows/a.yaml:2:1: nmae: unknown key"),
                            "flows/b.yaml:2:13: workflows.a: a second workflow with the name a; the first one is in "
                            "flows/a.yaml:1",
                            HasSubstr("flows/b.yaml:3:1: store: unknown key"), HasSubstr("flows/c.yaml:")));
}

TEST_F(WorkflowDirectory, ThatCannotBeReadIsAnError) {
    write("workflows: nowhere\n");
    EXPECT_THAT(complaint(), HasSubstr("holdfast.yaml:1:1: workflows: cannot read the directory: No such file"));
}

class WorkflowFile : public WorkflowsFile {
protected:
    [[nodiscard]] std::vector<std::string> faults_of(const std::string& content) {
        const auto read = read_workflow_file(write(content, "flow.yaml"), {});
        std::vector<std::string> texts;
        if (read.ok()) return texts;
        for (const ConfigError& error : read.error())
            texts.push_back(to_text(error).substr(directory.string().size() + 1));
        return texts;
    }
};

TEST_F(WorkflowFile, HoldsOneWorkflowWithTheFilesName) {
    const auto read = read_workflow_file(write("steps: {a: {script: ls}}\n", "flow.yaml"), {});
    ASSERT_TRUE(read.ok());
    EXPECT_THAT(*read, ElementsAre(Key("flow")));
    EXPECT_EQ(read->at("flow").steps.at(0).task, "flow.a");
    const auto named = read_workflow_file(write("name: mine\nsteps: {a: {script: ls}}\n", "flow.yaml"), {});
    EXPECT_THAT(named.value(), ElementsAre(Key("mine")));
}

TEST_F(WorkflowFile, KnowsTheTasksAndWorkflowsOfTheConfigurationAndPutsItsOwnFirst) {
    Catalog catalog;
    catalog["backup"].spec.emplace().script = "theirs";
    catalog["other"].spec.emplace().script = "other";
    Workflow child;
    child.name = "child";
    child.steps = {{.name = "x", .task = "t"}};
    const std::string path =
        write("tasks: {backup: {script: mine}}\nsteps: {a: {task: backup}, b: {task: other}, c: {workflow: child}}\n",
              "flow.yaml");
    const auto read = read_workflow_file(path, catalog, {{"child", child}});
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->at("flow").steps.at(0).spec->script, "mine");
    EXPECT_EQ(read->at("flow").steps.at(1).spec->script, "other");
    EXPECT_THAT(*read, SizeIs(1)) << "only what the file holds";
    EXPECT_FALSE(read_workflow_file(path, catalog).ok());
}

TEST_F(WorkflowFile, IsToldAllItsFaults) {
    EXPECT_THAT(faults_of("steps:\n  a: {task: t, depends_on: [b]}\ntasks:\n  x: {scrip: ls}\n"),
                ElementsAre("flow.yaml:2:29: steps.a.depends_on[0]: names the step \"b\", which does not exist",
                            HasSubstr("flow.yaml:4:3: tasks.x.script: is missing"),
                            HasSubstr("flow.yaml:4:7: tasks.x.scrip: unknown key")));
    EXPECT_THAT(faults_of("- a\n"), ElementsAre(HasSubstr("flow.yaml:1:1: a list instead of a mapping")));
    EXPECT_THAT(faults_of(""), ElementsAre(HasSubstr(": nothing instead of a mapping")));
    EXPECT_THAT(faults_of("name: a b\nsteps: {a: {task: t}}\n"),
                ElementsAre(HasSubstr("flow.yaml:1:1: name: is not a name")));
    const auto missing = read_workflow_file((directory / "gone.yaml").string(), {});
    ASSERT_FALSE(missing.ok());
    EXPECT_THAT(missing.error().front().title, HasSubstr("No such file"));
}

TEST_F(WorkflowsFile, TimesAsManyStepsAreReadInTimesTheTimeAndNotItsSquare) {
    const auto seconds_for = [this](int steps) {
        std::string text = "workflows:\n  w:\n    steps:\n      s0: {task: t}\n";
        for (int i = 1; i < steps; ++i)
            text += concat("      s", i, ": {task: t, depends_on: [s", i - 1, "], input: \"{{ steps.s", i / 2,
                           ".output }}\"}\n");
        write(text);
        const std::clock_t begin = std::clock();
        EXPECT_THAT(workflow().steps, SizeIs(steps));
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    const double few = std::min({seconds_for(1000), seconds_for(1000), seconds_for(1000)});
    EXPECT_LT(seconds_for(10'000), 40 * few);
}

}  // namespace

}  // namespace holdfast::config
