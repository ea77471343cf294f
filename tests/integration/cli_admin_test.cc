#include <gmock/gmock.h>

#include "holdfast/version.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class CliAdmin : public AnyStoreProgramTest {};
INSTANTIATE_TEST_SUITE_P(Stores, CliAdmin, testing::ValuesIn(store_kinds()), name_of);

TEST_P(CliAdmin, MigrateCreatesTheSchemaAndIsHarmlessToRepeat) {
    const Ran first = holdfast({"migrate", "--json"});
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_GT(first.json()["schema_version"], 0);
    EXPECT_EQ(holdfast({"migrate", "--json"}).out, first.out);
    EXPECT_THAT(holdfast({"migrate"}).out, HasSubstr(" is at schema version "));
}

TEST_P(CliAdmin, TenMigrationsAtOnceAllSucceed) {
    std::vector<RunningProgram> programs;
    for (int i = 0; i < 10; ++i) programs.emplace_back(command({"migrate"}));
    for (auto& program : programs) {
        const Ran ran = program.finish();
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
}

TEST_P(CliAdmin, APausedQueueGivesOutNothingUntilItIsResumed) {
    (void)submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    EXPECT_EQ(holdfast({"queues", "pause", "default", "--json"}).json(),
              (nlohmann::json{{"queue", "default"}, {"paused", true}}));
    EXPECT_FALSE(worker.take_if_any());
    EXPECT_EQ(
        holdfast({"queues", "list", "--json"}).json_lines(),
        (std::vector<nlohmann::json>{{{"name", "default"}, {"paused", true}, {"pending", 1}, {"in_flight", 0}}}));
    EXPECT_THAT(holdfast({"queues", "list"}).out, HasSubstr("paused"));
    EXPECT_EQ(holdfast({"queues", "resume", "default"}).exit_code, 0);
    EXPECT_TRUE(worker.take_if_any());
    EXPECT_EQ(holdfast({"queues", "list", "--json"}).json()["in_flight"], 1);
}

TEST_P(CliAdmin, DoctorFindsAFreshStoreWell) {
    ASSERT_EQ(holdfast({"migrate"}).exit_code, 0);
    const Ran ran = holdfast({"doctor", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    std::vector<std::string> looked_at;
    for (const auto& finding : ran.json_lines()) {
        EXPECT_NE(finding["grade"], "problem") << finding;
        looked_at.push_back(finding["what"]);
    }
    EXPECT_THAT(looked_at, AllOf(Contains("configuration"), Contains("store"), Contains("clock order"),
                                 Contains("schema version")));
    EXPECT_THAT(holdfast({"doctor"}).out, AllOf(HasSubstr("ok "), HasSubstr("no process does recovery")));
}

TEST_P(CliAdmin, DoctorSaysThatNobodyRunsWhatWaits) {
    (void)submit({"resize"});
    const Ran alone = holdfast({"doctor"});
    EXPECT_EQ(alone.exit_code, 1);
    EXPECT_THAT(alone.out, AllOf(HasSubstr("no worker is there; 1 task waits"), HasSubstr("'holdfast worker'")));
    StandInWorker worker(store(), {"task:other"});
    EXPECT_THAT(holdfast({"doctor"}).out, HasSubstr("1 task waits that no worker can run"));
}

TEST_P(CliAdmin, DoctorSaysWhatToDoAboutAStoreThatIsNotThere) {
    const Ran ran = holdfast({"doctor"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("problem"), HasSubstr("holdfast migrate")));
}

using CliConfig = SqliteProgramTest;

TEST_F(CliConfig, CheckAcceptsAValidFileAndNamesIt) {
    folder.write("holdfast.yaml", "store: sqlite:test.db\nrecovery: { check_interval_ms: 5000 }\n");
    const Ran ran = holdfast({"config", "check"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("holdfast.yaml is valid"));
    EXPECT_EQ(holdfast({"config", "check", "--json"}).json()["valid"], true);
    EXPECT_THAT(holdfast({"config", "check", "-f", "holdfast.yaml"}).out, HasSubstr("holdfast.yaml is valid"));
    EXPECT_THAT(holdfast({"config", "check", "-f", "none.yaml"}).err, HasSubstr("none.yaml"));
}

TEST_F(CliConfig, CheckReportsEveryErrorAtOnceWithItsLine) {
    folder.write("bad.yaml", "recovery:\n  check_intervall_ms: 5000\n  running_stale_threshold_ms: -1\n");
    const Ran ran = holdfast({"config", "check", "--config", "bad.yaml", "--json"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("bad.yaml:2"), HasSubstr("bad.yaml:3"), HasSubstr("check_interval_ms")));
    EXPECT_EQ(ran.json()["valid"], false);
    EXPECT_THAT(ran.json()["errors"], SizeIs(2));
    EXPECT_EQ(holdfast({"submit", "x", "--config", "bad.yaml"}).exit_code, 2);
}

TEST_F(CliConfig, ShowSaysWhereEachValueCameFromAndMasksPasswords) {
    folder.write("holdfast.yaml", "recovery:\n  check_interval_ms: 5000\n");
    const Ran ran = holdfast({"config", "show", "--store", "postgresql://ann:s3cret@db/app", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, Not(HasSubstr("s3cret")));
    const auto settings = ran.json_lines();
    EXPECT_THAT(settings,
                Contains(nlohmann::json{
                    {"key", "store.url"}, {"value", "postgresql://ann:***@db/app"}, {"origin", "flag --store"}}));
    EXPECT_THAT(settings,
                Contains(nlohmann::json{
                    {"key", "recovery.check_interval_ms"}, {"value", "5000"}, {"origin", "holdfast.yaml:2"}}));
}

TEST_F(CliConfig, GlobalOptionsStandBeforeOrAfterTheCommand) {
    const std::string url = "sqlite:" + folder.path() + "/other.db";
    EXPECT_EQ(holdfast({"--store", url, "--json", "submit", "resize"}).json()["status"], "accepted");
    EXPECT_THAT(holdfast({"tasks", "list", "--store", url, "--json"}).json_lines(), SizeIs(1));
    EXPECT_THAT(holdfast({"tasks", "--json", "list", "--store", url}).json_lines(), SizeIs(1));
}

TEST_F(CliConfig, ATaskMayBeNamedLikeACommand) {
    EXPECT_EQ(show(submit({"tasks"}))["task"]["name"], "tasks");
}

TEST_F(CliConfig, VersionAndHelp) {
    EXPECT_EQ(holdfast({"version"}).out, "holdfast " HOLDFAST_VERSION "\n");
    EXPECT_EQ(holdfast({"version", "--json"}).json(), (nlohmann::json{{"version", HOLDFAST_VERSION}}));
    EXPECT_THAT(holdfast({"--help"}).out, HasSubstr("submit"));
    const Ran help = holdfast({"tasks", "list", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("--state"));
}

}  // namespace
}  // namespace holdfast::integration
