#include "config/catalog.h"

#include "base/text.h"
#include "config/keys.h"
#include "core/task/task_options.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CatalogFile : public Loading {
protected:
    /// A file with one definition, given in braces.
    void define(const std::string& definition) { write(concat("tasks:\n  backup: ", definition, "\n")); }
    [[nodiscard]] TaskDefinition backup() const {
        const Config config = accepted();
        const auto found = config.tasks.find("backup");
        EXPECT_NE(found, config.tasks.end());
        return found == config.tasks.end() ? TaskDefinition{} : found->second;
    }
};

TEST_F(CatalogFile, IsEmptyWithoutTheSection) {
    EXPECT_THAT(accepted().tasks, IsEmpty());
    write("tasks:\n");
    EXPECT_THAT(accepted().tasks, IsEmpty());
}

TEST_F(CatalogFile, SectionThatIsAListIsReportedWhereTheListBegins) {
    write("tasks: [backup]\n");
    EXPECT_THAT(complaints(), ElementsAre(HasSubstr("holdfast.yaml:1:8: tasks: a list instead of a mapping")));
}

TEST_F(CatalogFile, AScriptIsAllThatADefinitionNeeds) {
    define("{script: pg_dump}");
    TaskDefinition expected{.name = "backup"};
    expected.spec.emplace().script = "pg_dump";
    expected.origin = {OriginKind::File, (directory / "holdfast.yaml").string(), {2, 3}};
    EXPECT_EQ(backup(), expected);
}

TEST_F(CatalogFile, EveryKeyReachesTheDefinition) {
    define(R"({type: docker, image: "debian:12", command: [ls, "-l"], env: {A: 1, B: "x y"}, dir: /srv,
      volumes: ["/a:/b:ro"], memory: 64MiB, cpus: 1.5, max_processes: 7, network: none,
      queue: nightly, priority: 9, tags: [db, big], timeout: 10m, deadline: 2h,
      max_attempts: 4, retry_delays: [1s, 1m], retry_base: 3s, retry_factor: 1.5, retry_cap: 1h, retry_jitter: 0.25,
      retry_on: [TASK_TIMEOUT], on_crash: requeue, max_crashes: 5, fence: stop, unmatched: fail,
      concurrency_key: "k {{ input.x }}", concurrency_limit: 6})");
    const TaskDefinition task = backup();
    const core::TaskSpec& spec = task.spec.value();
    EXPECT_EQ(spec.kind, core::TaskKind::Docker);
    EXPECT_EQ(spec.image, "debian:12");
    EXPECT_THAT(spec.command, ElementsAre("ls", "-l"));
    EXPECT_THAT(spec.env, ElementsAre(Pair("A", "1"), Pair("B", "x y")));
    EXPECT_EQ(spec.dir, "/srv");
    EXPECT_THAT(spec.volumes, ElementsAre("/a:/b:ro"));
    EXPECT_EQ(spec.memory_bytes, 64 << 20);
    EXPECT_EQ(spec.cpus, 1.5);
    EXPECT_EQ(spec.max_processes, 7);
    EXPECT_EQ(spec.network, "none");
    EXPECT_EQ(task.options.queue, "nightly");
    EXPECT_EQ(task.options.priority, 9);
    EXPECT_THAT(task.options.tags, ElementsAre("db", "big"));
    EXPECT_EQ(task.deadline, hours(2));
    const TaskPolicy& policy = task.options.policy;
    EXPECT_EQ(policy.timeout, minutes(10));
    EXPECT_EQ(policy.retry,
              (RetryPolicy{4, {seconds(1), minutes(1)}, seconds(3), 1.5, hours(1), 0.25, {"TASK_TIMEOUT"}}));
    EXPECT_EQ(policy.on_crash, OnCrash::Requeue);
    EXPECT_EQ(policy.max_crashes, 5);
    EXPECT_EQ(policy.fence, Fence::Stop);
    EXPECT_EQ(policy.unmatched, Unmatched::Fail);
    EXPECT_EQ(task.options.concurrency, (ConcurrencyKey{"k {{ input.x }}", 6}));
}

TEST_F(CatalogFile, TheKindsOfTasksNeedTheTagsOfTheirKind) {
    const std::map<std::string, std::vector<std::string>> tags = {
        {"{script: ls}", {"script"}},
        {"{script: ls, type: script, runner: local}", {"script"}},
        {"{script: ls, runner: docker, image: i}", {"script", "docker"}},
        {"{script: ls, runner: pod, image: i}", {"script", "kubernetes"}},
        {"{type: docker, image: i}", {"docker"}},
        {"{type: pod, image: i}", {"kubernetes"}},
    };
    for (const auto& [definition, expected] : tags) {
        define(definition);
        EXPECT_EQ(core::required_tags(backup().spec.value()), expected) << definition;
    }
}

TEST_F(CatalogFile, AFunctionHasOnlyWhatSaysHowItIsTreated) {
    define("{queue: pictures, type: function, on_crash: requeue}");
    EXPECT_EQ(backup().spec, std::nullopt);
    EXPECT_EQ(backup().options.queue, "pictures");
    define("{script: ls, type: function, memory: 64MiB}");
    EXPECT_THAT(complaints(), ElementsAre("holdfast.yaml:2:12: tasks.backup.script: has no meaning for a function",
                                          "holdfast.yaml:2:40: tasks.backup.memory: has no meaning for a function"));
}

TEST_F(CatalogFile, EveryFaultOfEveryDefinitionIsToldAtOnceWithLineAndKey) {
    write(
        "tasks:\n"
        "  a: {scrip: ls}\n"
        "  b:\n    script: ls\n    timeout: soon\n    priority: 101\n    image: debian\n"
        "  c: ls\n"
        "  d: {type: docker}\n"
        "  e: {script: ls, concurrency_limit: 2}\n"
        "  f: {script: ls, dir: relative, env: {A: '{{ input.x'}}\n"
        "worker: {max_concurrent_tasks: 0}\n");
    EXPECT_THAT(
        complaints(),
        ElementsAre(
            "holdfast.yaml:2:3: tasks.a.script: is missing: a script with runner local needs it",
            HasSubstr("holdfast.yaml:2:7: tasks.a.scrip: unknown key: found \"ls\"; allowed: type, runner, script,"),
            "holdfast.yaml:5:5: tasks.b.timeout: not a duration: found \"soon\"; allowed: 1ms to 7d; a plain number "
            "counts in seconds",
            "holdfast.yaml:6:5: tasks.b.priority: too high: found \"101\"; allowed: a whole number, 1 to 100",
            "holdfast.yaml:7:5: tasks.b.image: has no meaning for a script with runner local",
            "holdfast.yaml:8:6: tasks.c: a value instead of a mapping; write c: {script: ...}",
            "holdfast.yaml:9:3: tasks.d.image: is missing: a task of type docker needs it",
            "holdfast.yaml:10:19: tasks.e.concurrency_limit: needs concurrency_key",
            HasSubstr("holdfast.yaml:11:19: tasks.f.dir: must be an absolute path"),
            "holdfast.yaml:11:34: tasks.f.env: has a {{ without its }}",
            HasSubstr("holdfast.yaml:12:10: worker.max_concurrent_tasks: too low")));
}

TEST_F(CatalogFile, AValueThatDoesNotFitIsNotAlsoCalledMissing) {
    define("{script: [ls]}");
    EXPECT_EQ(only_error().title, "a list instead of a single value");
    define("{type: skript, image: x}");
    EXPECT_EQ(only_error().suggestion, "did you mean script?");
}

TEST_F(CatalogFile, WhatIsNoMappingOfNamesIsRefused) {
    for (const std::string section : {"[a, b]", "ls", "7"}) {
        write(concat("tasks: ", section, "\n"));
        EXPECT_EQ(only_error().key, "tasks") << section;
    }
    write(concat("tasks:\n  ? ", std::string(256, 'x'), "\n  : {script: ls}\n"));
    EXPECT_THAT(only_error().title, HasSubstr("1 to 255 bytes"));
}

TEST_F(CatalogFile, AnyTypeUnderAnyKeyIsEitherReadOrRefusedInASentenceThatNamesTheKey) {
    for (const TaskKey& key : task_keys())
        for (const std::string value : {"null", "true", "-1", "1e3", "''", "x", "[]", "[1]", "[[]]", "{}", "{a: {}}",
                                        "'{{'", "99999999999999999999"}) {
            define(concat("{", key.name, ": ", value, "}"));
            const auto loaded = load();
            if (loaded.ok()) continue;
            for (const ConfigError& error : loaded.error()) {
                EXPECT_THAT(error.key, HasSubstr("tasks.backup.")) << key.name << ": " << value;
                EXPECT_NE(error.title, "");
            }
        }
}

/// What else a definition with this key needs, or nothing would be valid.
std::string company_of(const TaskKey& key) {
    const std::string_view name = key.name;
    if (name == "script") return "";
    if (name == "type") return "    image: i\n";
    if (name == "image") return "    type: docker\n";
    if (name == "runner") return "    script: ls\n    image: i\n";
    if (key.of_spec) return "    type: docker\n    image: i\n";
    return name == "concurrency_limit" ? "    script: ls\n    concurrency_key: k\n" : "    script: ls\n";
}

TEST_F(CatalogFile, TheExampleOfEveryKeyIsValid) {
    for (const TaskKey& key : task_keys()) {
        write(concat("tasks:\n  backup:\n    ", key.name, ": ", key.example, "\n", company_of(key)));
        EXPECT_TRUE(load().ok()) << key.name << join(complaints(), "\n");
    }
}

TEST_F(CatalogFile, RangesAreThoseOfThePolicy) {
    for (const std::string entry :
         {"timeout: 1ms", "timeout: 7d", "max_attempts: 1000", "max_crashes: 1000", "retry_base: 30d",
          "retry_cap: 30d", "retry_factor: 100", "retry_jitter: 1", "retry_delays: [0s, 30d]"}) {
        define(concat("{script: ls, ", entry, "}"));
        EXPECT_EQ(core::policy_defect(backup().options.policy), "") << entry;
    }
    for (const std::string entry :
         {"timeout: 0s", "timeout: 8d", "max_attempts: 0", "max_attempts: 1001", "retry_base: 31d",
          "retry_factor: 0.99", "retry_factor: 100.1", "retry_jitter: 1.01", "retry_delays: [31d]",
          "retry_delays: []", "retry_factor: .inf"}) {
        define(concat("{script: ls, ", entry, "}"));
        EXPECT_THAT(errors(), SizeIs(1)) << entry;
    }
}

TEST_F(CatalogFile, RetriesOnCrashesAreRefusedForWhatDecidesAboutThem) {
    define("{script: ls, retry_on: [BUSY, WORKER_CRASHED]}");
    EXPECT_THAT(complaints(),
                ElementsAre(HasSubstr("tasks.backup.retry_on: cannot name WORKER_CRASHED: write on_crash: "
                                      "requeue")));
    define("{script: ls, retry_on: [ARGS_NOT_READABLE]}");
    EXPECT_EQ(only_error().key, "tasks.backup.retry_on");
}

TEST_F(CatalogFile, IsFilledWithValuesOfTheArguments) {
    define(R"({type: docker, image: i, command: [go, "{{input.day}}"], env: {N: "{{ input.a.n }} of {{ input.all }}"},
      concurrency_key: "db-{{ input.day }}"})");
    const nlohmann::json args = {{"day", "monday"}, {"a", {{"n", 7}}}, {"all", {1, 2}}};
    const auto task = filled(backup(), args);
    ASSERT_TRUE(task.ok()) << task.error();
    EXPECT_THAT(task->spec->command, ElementsAre("go", "monday"));
    EXPECT_EQ(task->spec->env.at("N"), "7 of [1,2]");
    EXPECT_EQ(task->options.concurrency->key, "db-monday");
}

TEST_F(CatalogFile, SaysWhatTheArgumentsLack) {
    define(R"({script: ls, concurrency_key: "db-{{ input.db.name }}"})");
    for (const nlohmann::json& args : {nlohmann::json(), nlohmann::json({{"db", "x"}}), nlohmann::json({1})})
        EXPECT_EQ(filled(backup(), args).error(),
                  "concurrency_key needs input.db.name, which the arguments do not have");
}

TEST_F(CatalogFile, RefusesReferencesToAnythingButTheInput) {
    for (const std::string reference : {"{{ steps.x.output }}", "{{ }}", "{{ inputs.x }}", "{{ input. }}",
                                        "{{ input..x }}", "{{ input.x | upper }}"}) {
        define(concat("{script: ls, concurrency_key: \"", reference, "\"}"));
        EXPECT_THAT(only_error().title, HasSubstr("write {{ input.NAME }}")) << reference;
    }
    define("{script: ls, concurrency_key: \"{{ input }}\"}");
    EXPECT_EQ(filled(backup(), "x")->options.concurrency->key, "x");
}

}  // namespace

}  // namespace holdfast::config
