#include <thread>

#include "integration/workflow_program.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using nlohmann::json;

/// Concurrency keys, looked at and declared through the program.
class CliKeys : public WorkflowProgramTest {};
INSTANTIATE_TEST_SUITE_P(Stores, CliKeys, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliKeys, SetDeclaresAKeyAndListShowsIt) {
    EXPECT_EQ(holdfast({"keys", "set", "db", "--limit", "2", "--shared"}).out, "key db, shared, has the limit 2\n");
    EXPECT_EQ(holdfast({"keys", "set", "gpu", "--limit", "4", "--queue", "ml", "--json"}).json(),
              (json{{"key", "gpu"}, {"queue", "ml"}, {"limit", 4}, {"status", "new"}}));
    EXPECT_EQ(holdfast({"keys", "set", "db", "--limit", "2", "--shared"}).out,
              "key db, shared, has the limit 2, as before\n");
    (void)submit({"resize", "--concurrency-key", "disk"});
    EXPECT_THAT(holdfast({"keys", "list", "--json"}).json_lines(), ElementsAre(json{{"key", "db"},
                                                                                    {"queue", nullptr},
                                                                                    {"shared", true},
                                                                                    {"limit", 2},
                                                                                    {"declared", true},
                                                                                    {"held", 0},
                                                                                    {"waiting", 0}},
                                                                               json{{"key", "gpu"},
                                                                                    {"queue", "ml"},
                                                                                    {"shared", false},
                                                                                    {"limit", 4},
                                                                                    {"declared", true},
                                                                                    {"held", 0},
                                                                                    {"waiting", 0}},
                                                                               json{{"key", "disk"},
                                                                                    {"queue", "default"},
                                                                                    {"shared", false},
                                                                                    {"limit", 1},
                                                                                    {"declared", false},
                                                                                    {"held", 0},
                                                                                    {"waiting", 0}}));
    const auto lines = holdfast({"keys", "list"}).lines();
    ASSERT_THAT(lines, SizeIs(4));
    EXPECT_THAT(lines[0], StartsWith("KEY "));
    EXPECT_THAT(lines[1], AllOf(StartsWith("db "), HasSubstr("(shared)"), HasSubstr("declared")));
    EXPECT_THAT(lines[3], HasSubstr("by submits"));
}

TEST_P(CliKeys, ASubmitIsToldWhenAnotherLimitIsInForce) {
    (void)holdfast({"keys", "set", "db", "--limit", "2", "--queue", "default"});
    const Ran told = holdfast({"submit", "resize", "--concurrency-key", "db", "--concurrency-limit", "9", "--json"});
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(told.json()["concurrency_limit"], 2);
    EXPECT_THAT(told.err, HasSubstr("the limit 2 is in force for the concurrency key db, not 9"));
    const Ran as_asked = holdfast({"submit", "resize", "--concurrency-key", "db", "--concurrency-limit", "2"});
    EXPECT_THAT(as_asked.err, IsEmpty());
    EXPECT_TRUE(holdfast({"submit", "resize", "--json"}).json()["concurrency_limit"].is_null());
}

TEST_P(CliKeys, RemoveLeavesTheLimitToTheSubmits) {
    (void)holdfast({"keys", "set", "db", "--limit", "2", "--queue", "default"});
    EXPECT_EQ(holdfast({"keys", "remove", "db", "--queue", "default", "--json"}).json(),
              (json{{"key", "db"}, {"queue", "default"}, {"status", "removed"}}));
    const Ran again = holdfast({"keys", "remove", "db", "--queue", "default"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, HasSubstr("key db of queue default is not declared"));
    (void)holdfast({"keys", "set", "db", "--limit", "2", "--shared"});
    EXPECT_THAT(holdfast({"keys", "remove", "db", "--shared"}).out, HasSubstr("its limit follows the submits"));
    EXPECT_THAT(holdfast({"keys", "list", "--json"}).out, Not(HasSubstr("true")));
}

TEST_P(CliKeys, WhoseAKeyIsHasToBeSaid) {
    for (const auto& owner : {std::vector<std::string>{}, std::vector<std::string>{"--shared", "--queue", "a"}}) {
        std::vector<std::string> arguments = {"keys", "set", "db", "--limit", "2"};
        arguments.insert(arguments.end(), owner.begin(), owner.end());
        const Ran ran = holdfast(arguments);
        EXPECT_EQ(ran.exit_code, 2);
        EXPECT_THAT(ran.err, HasSubstr("--shared, or --queue"));
    }
    const Ran too_low = holdfast({"keys", "set", "db", "--limit", "0", "--shared"});
    EXPECT_EQ(too_low.exit_code, 2);
    EXPECT_THAT(too_low.err, AllOf(HasSubstr("1 to 10000"), Not(HasSubstr("\\x0a"))));
    EXPECT_THAT(holdfast({"keys", "list"}).out, Not(HasSubstr("db")));
}

TEST_P(CliKeys, AQueueCannotHaveItsOwnLimitOfASharedKey) {
    (void)holdfast({"keys", "set", "a/b %2F?", "--limit", "2", "--shared"});
    const Ran ran = holdfast({"keys", "set", "a/b %2F?", "--limit", "3", "--queue", "default"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("holdfast keys remove a/b %2F? --shared"));
}

TEST_P(CliKeys, ApplyDeclaresThoseOfTheConfiguration) {
    define("keys: {db: {limit: 2, shared: true}, gpu: {limit: 4, queue: ml}}\n");
    (void)submit({"resize"});  // makes the store
    EXPECT_THAT(holdfast({"keys", "apply", "--dry-run"}).lines(),
                ElementsAre("key db, shared, would be new", "key gpu of queue ml would be new"));
    EXPECT_THAT(holdfast({"keys", "apply"}).lines(),
                ElementsAre("key db, shared, is new", "key gpu of queue ml is new"));
    define("keys: {db: {limit: 3, shared: true}, gpu: {limit: 4, queue: ml}}\n");
    EXPECT_THAT(holdfast({"keys", "apply"}).lines(),
                ElementsAre("key db, shared, is changed", "key gpu of queue ml is unchanged"));
    define("keys: {db: {limit: 3, queue: ml}}\n");
    EXPECT_THAT(holdfast({"keys", "apply"}).lines(),
                ElementsAre(HasSubstr("is declared shared in the store, and stays so"),
                            HasSubstr("gpu of queue ml is not in holdfast.yaml, and stays")));
}

TEST_P(CliKeys, AWorkerDeclaresThoseOfItsConfigurationWhenItStarts) {
    define("keys: {db: {limit: 2, shared: true}}\n");
    (void)submit({"resize"});
    const RunningProgram worker = start_worker();
    while (store().keys({.key = "db"}).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(store().keys({.key = "db"}).at(0).key, (core::KeyDeclaration{"db", "", 2}));
}

TEST_P(CliKeys, ConfigCheckWarnsOfAKeyThatQueuesDoNotShare) {
    define(
        "tasks:\n  a: {script: ls, queue: x, concurrency_key: db}\n  b: {script: ls, queue: y, concurrency_key: "
        "db}\n");
    const Ran ran = holdfast({"config", "check"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, HasSubstr("is valid"));
    EXPECT_THAT(ran.err, AllOf(StartsWith("holdfast: warning: "), HasSubstr("holdfast.yaml:3:"),
                               HasSubstr("the key \"db\" is used in the queues x, y")));
    EXPECT_THAT(holdfast({"config", "check", "--json"}).json()["warnings"], SizeIs(1));
    define("tasks: {a: {script: ls}}\n");
    EXPECT_THAT(holdfast({"config", "check"}).err, IsEmpty());
}

}  // namespace
}  // namespace holdfast::integration
