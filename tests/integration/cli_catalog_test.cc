#include <gmock/gmock.h>

#include <filesystem>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class CliCatalog : public AnyStoreProgramTest {
protected:
    void define(const std::string& yaml) { folder.write("holdfast.yaml", yaml); }
    [[nodiscard]] store::TaskRecord stored(const std::string& id) {
        return store().find({Uuid::parse(id).value()}).front().value();
    }
    [[nodiscard]] nlohmann::json spec(const std::string& id) { return nlohmann::json::parse(stored(id).task.spec); }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliCatalog, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliCatalog, ADefinitionIsStoredWholeWithTheTask) {
    define(R"(
tasks:
  backup:
    script: pg_dump "$DB"
    env: {DB: "{{ input.db }}"}
    tags: [db]
    queue: nightly
    priority: 9
    timeout: 10m
    max_attempts: 3
    on_crash: requeue
    concurrency_key: "db-{{ input.db }}"
    concurrency_limit: 2
)");
    const std::string id = submit({"backup", "--args", R"({"db": "orders"})"});
    const store::NewTask task = stored(id).task;
    EXPECT_EQ(task.name, "backup");
    EXPECT_EQ(nlohmann::json::parse(task.args), nlohmann::json({{"db", "orders"}}));
    EXPECT_EQ(task.spec, R"({"env":{"DB":"orders"},"script":"pg_dump \"$DB\""})");
    EXPECT_EQ(task.queue, "nightly");
    EXPECT_THAT(task.tags, UnorderedElementsAre("script", "db"));
    EXPECT_EQ(task.priority, 9);
    EXPECT_EQ(task.policy.timeout, std::chrono::minutes(10));
    EXPECT_EQ(task.policy.retry.max_attempts, 3);
    EXPECT_EQ(task.policy.on_crash, OnCrash::Requeue);
    EXPECT_EQ(task.concurrency, (ConcurrencyKey{"db-orders", 2}));
}

TEST_P(CliCatalog, FlagsOverrideADefinitionOneByOne) {
    define(
        "tasks: {backup: {script: ls, queue: nightly, priority: 9, tags: [db], max_attempts: 3, timeout: 1m, "
        "env: {A: a, B: b}, deadline: 1h, concurrency_key: k, concurrency_limit: 3, retry_delays: [1s]}}\n");
    const std::string id = submit({"backup",
                                   "--priority",
                                   "7",
                                   "--tag",
                                   "big",
                                   "--env",
                                   "B=x=y",
                                   "--env",
                                   "C=",
                                   "--dir",
                                   "/srv",
                                   "--max-attempts",
                                   "5",
                                   "--concurrency-key",
                                   "other",
                                   "--deadline",
                                   "2099-01-01T00:00:00Z",
                                   "--script",
                                   "echo hi",
                                   "--retry-delay",
                                   "9s"});
    const store::NewTask task = stored(id).task;
    EXPECT_EQ(task.queue, "nightly");
    EXPECT_EQ(task.priority, 7);
    EXPECT_THAT(task.tags, UnorderedElementsAre("script", "db", "big"));
    EXPECT_EQ(task.policy.retry.max_attempts, 5);
    EXPECT_THAT(task.policy.retry.delays, ElementsAre(std::chrono::seconds(9)));
    EXPECT_EQ(task.policy.timeout, std::chrono::minutes(1));
    EXPECT_EQ(task.concurrency, (ConcurrencyKey{"other", 3}));
    EXPECT_EQ(task.spec, R"({"dir":"/srv","env":{"A":"a","B":"x=y","C":""},"script":"echo hi"})");
    EXPECT_EQ(show(id)["task"]["deadline"], "2099-01-01T00:00:00Z");
}

TEST_P(CliCatalog, ADeadlineCountsFromTheSubmit) {
    define("tasks: {backup: {script: ls, deadline: 1h}}\n");
    const store::TaskRecord task = stored(submit({"backup"}));
    const Duration left = task.task.deadline.value() - task.created_at;
    EXPECT_LE(left, std::chrono::hours(1));
    EXPECT_GT(left, std::chrono::minutes(50));
}

TEST_P(CliCatalog, TheTagsOfAKindAreAdded) {
    define(
        "tasks:\n  a: {script: ls, runner: docker, image: i}\n  b: {type: docker, image: i, tags: [x]}\n"
        "  c: {type: function, tags: [x]}\n");
    EXPECT_THAT(stored(submit({"a"})).task.tags, UnorderedElementsAre("script", "docker"));
    EXPECT_THAT(stored(submit({"b"})).task.tags, UnorderedElementsAre("docker", "x"));
    EXPECT_THAT(stored(submit({"c"})).task.tags, UnorderedElementsAre("task:c", "x"));
    EXPECT_THAT(stored(submit({"d"})).task.tags, UnorderedElementsAre("task:d"));
    EXPECT_EQ(stored(submit({"c"})).task.spec, "");
}

TEST_P(CliCatalog, AScriptNeedsNoDefinition) {
    const store::NewTask task = stored(submit({"--script", "echo hi", "--env", "A=1"})).task;
    EXPECT_EQ(task.name, "script");
    EXPECT_EQ(task.spec, R"({"env":{"A":"1"},"script":"echo hi"})");
    EXPECT_THAT(task.tags, ElementsAre("script"));
    folder.write("job.sh", "#!/bin/sh\necho hi\n");
    const std::string named = submit({"greet", "--script", "@job.sh"});
    EXPECT_EQ(stored(named).task.name, "greet");
    EXPECT_EQ(spec(named)["script"], "#!/bin/sh\necho hi\n");
}

TEST_P(CliCatalog, AnImageNeedsNoDefinition) {
    const store::NewTask task = stored(submit({"--image", "debian:12"})).task;
    EXPECT_EQ(task.name, "container");
    EXPECT_EQ(task.spec, R"({"image":"debian:12","type":"docker"})");
    EXPECT_THAT(task.tags, ElementsAre("docker"));
    const std::string both = submit({"--image", "debian:12", "--script", "ls"});
    EXPECT_EQ(spec(both), nlohmann::json({{"image", "debian:12"}, {"runner", "docker"}, {"script", "ls"}}));
    EXPECT_THAT(stored(both).task.tags, UnorderedElementsAre("script", "docker"));
}

TEST_P(CliCatalog, APodIsAcceptedWithANote) {
    define("tasks: {p: {type: pod, image: i}}\n");
    const Ran ran = holdfast({"submit", "p"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.err, HasSubstr("no runner for pods: the task will wait for a worker with the tag kubernetes"));
    EXPECT_THAT(stored(ran.lines().at(0)).task.tags, ElementsAre("kubernetes"));
}

TEST_P(CliCatalog, TheSameDefinitionAndArgumentsAreTheSamePayload) {
    define("tasks: {backup: {script: ls}}\n");
    const std::string first = submit({"backup", "--idempotency-key", "k"});
    EXPECT_EQ(submit({"backup", "--idempotency-key", "k"}), first);
    define("tasks: {backup: {script: ls -l}}\n");
    EXPECT_THAT(holdfast({"submit", "backup", "--idempotency-key", "k"}).err, HasSubstr("PAYLOAD_MISMATCH"));
    EXPECT_EQ(stored(first).task.spec, R"({"script":"ls"})") << "a changed file changes no accepted work";
}

class CliBadCatalog : public SqliteProgramTest {
protected:
    void expect_refused(const std::vector<std::string>& arguments, const std::string& complaint) {
        const Ran ran = holdfast(arguments);
        EXPECT_EQ(ran.exit_code, 2);
        EXPECT_THAT(ran.err, HasSubstr(complaint));
        EXPECT_EQ(ran.out, "");
        EXPECT_FALSE(std::filesystem::exists(file())) << "a store was created";
    }
};

TEST_F(CliBadCatalog, WhatTheArgumentsLackIsNamedWithTheDefinition) {
    folder.write("holdfast.yaml", "tasks:\n  backup: {script: ls, concurrency_key: \"{{ input.db }}\"}\n");
    expect_refused({"submit", "backup"},
                   "task backup (holdfast.yaml:2): concurrency_key needs input.db, which the arguments do not have");
}

TEST_F(CliBadCatalog, FlagsThatMakeNoSenseForTheTaskAreRefused) {
    folder.write("holdfast.yaml", "tasks: {f: {type: function}, s: {script: ls}}\n");
    expect_refused({"submit", "f", "--env", "A=1"}, "task f is a function");
    expect_refused({"submit", "unknown", "--dir", "/"}, "task unknown is a function");
    expect_refused({"submit", "s", "--image", "i"}, "the task's image has no meaning for a script with runner local");
    expect_refused({"submit", "s", "--env", "A"}, "--env: 'A' is not of the form NAME=VALUE");
    expect_refused({"submit", "s", "--dir", "relative"}, "the task's dir must be an absolute path");
    expect_refused({"submit", "--script", "@gone.sh"}, "--script: cannot read gone.sh: No such file");
    expect_refused({"submit", "--image", "--privileged"}, "the task's image must be one word");
}

TEST_F(CliBadCatalog, EveryFaultOfTheFileIsToldByConfigCheck) {
    folder.write("holdfast.yaml", "tasks:\n  a: {scrip: ls}\n  b: {type: docker}\n");
    const Ran ran = holdfast({"config", "check", "--json"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.json()["errors"].size(), 3U);
    EXPECT_EQ(ran.json()["errors"][2]["key"], "tasks.b.image");
    EXPECT_EQ(ran.json()["errors"][2]["where"], "holdfast.yaml:3");
}

}  // namespace
}  // namespace holdfast::integration
