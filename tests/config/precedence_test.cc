#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "config/fields.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Precedence : public Loading {};

TEST_F(Precedence, GoesFromDefaultOverFileAndEnvironmentToFlag) {
    EXPECT_EQ(shown("worker.max_concurrent_tasks"), "10 (default)");
    write("worker:\n  max_concurrent_tasks: 11\n");
    EXPECT_EQ(shown("worker.max_concurrent_tasks"), "11 (holdfast.yaml:2)");
    params.environment["HOLDFAST_WORKER_MAX_CONCURRENT_TASKS"] = "12";
    EXPECT_EQ(shown("worker.max_concurrent_tasks"), "12 (env HOLDFAST_WORKER_MAX_CONCURRENT_TASKS)");
    params.flags.push_back({"--concurrency", "worker.max_concurrent_tasks", "13"});
    EXPECT_EQ(shown("worker.max_concurrent_tasks"), "13 (flag --concurrency)");
    EXPECT_EQ(accepted().worker.max_concurrent_tasks, 13);
}

TEST_F(Precedence, IsDecidedValueByValue) {
    write("worker: {name: from-file, max_concurrent_tasks: 11}\n");
    params.environment["HOLDFAST_WORKER_NAME"] = "from-environment";
    EXPECT_EQ(shown("worker.name"), "from-environment (env HOLDFAST_WORKER_NAME)");
    EXPECT_EQ(shown("worker.max_concurrent_tasks"), "11 (holdfast.yaml:1)");
}

TEST_F(Precedence, OfTwoFlagsGivesItToTheLast) {
    params.flags = {{"--store", "store.url", "sqlite:a.db"}, {"--store", "store.url", "sqlite:b.db"}};
    EXPECT_EQ(accepted().store.url, "sqlite:b.db");
}

TEST_F(Precedence, DoesNotExcuseABadValueThatALaterLayerReplaces) {
    write("worker: {max_concurrent_tasks: 0}\n");
    params.flags.push_back({"--concurrency", "worker.max_concurrent_tasks", "13"});
    EXPECT_EQ(only_error().where.position.line, 1);
}

class Environment : public Loading {};

TEST_F(Environment, HasAVariableForEveryField) {
    for (const Field& field : fields()) {
        params.environment = {{field.variable(), std::string(field.fallback)}};
        if (field.fallback.empty())
            params.environment[field.variable()] = field.type == OptionType::TextMap ? "user=tasks" : "tag";
        EXPECT_THAT(shown(field.key()), HasSubstr("(env " + field.variable() + ")"));
    }
}

TEST_F(Environment, NamesVariablesAfterSectionAndKey) {
    EXPECT_EQ(find_field("recovery.check_interval_ms")->variable(), "HOLDFAST_RECOVERY_CHECK_INTERVAL_MS");
    EXPECT_EQ(find_field("store.max_payload_bytes")->variable(), "HOLDFAST_STORE_MAX_PAYLOAD_BYTES");
    EXPECT_EQ(find_field("store.url")->variable(), "HOLDFAST_STORE");
}

TEST_F(Environment, TakesListsSeparatedByCommas) {
    params.environment["HOLDFAST_WORKER_QUEUES"] = "mail, slow ,default";
    EXPECT_THAT(accepted().worker.queues, ElementsAre("mail", "slow", "default"));
    params.environment["HOLDFAST_WORKER_QUEUES"] = "mail,,default";
    EXPECT_EQ(only_error().title, "item 2 is empty");
    EXPECT_EQ(only_error().found, R"(["mail", "", "default"])");
}

TEST_F(Environment, TakesNullForNever) {
    params.environment["HOLDFAST_RETENTION_HEARTBEAT_RETENTION_HOURS"] = "null";
    EXPECT_EQ(accepted().retention.heartbeat, std::nullopt);
}

TEST_F(Environment, TakesAnEmptyVariableForNone) {
    params.environment["HOLDFAST_STORE"] = "";
    params.environment["HOLDFAST_CONFIG"] = "";
    EXPECT_EQ(shown("store.url"), "sqlite:holdfast.db (default)");
}

TEST_F(Environment, RefusesABadValueByTheNameOfItsVariable) {
    params.environment["HOLDFAST_RECOVERY_CHECK_INTERVAL_MS"] = "5";
    EXPECT_THAT(complaints(), ElementsAre("env HOLDFAST_RECOVERY_CHECK_INTERVAL_MS: recovery.check_interval_ms: too "
                                          "low: found \"5\"; allowed: 1000 to 600000 milliseconds (1s to 10m)"));
}

TEST_F(Environment, RefusesMisspeltVariables) {
    const std::map<std::string, std::string> suggestions = {
        {"HOLDFAST_STROE", "did you mean HOLDFAST_STORE?"},
        {"HOLDFAST_STORE_URL", "did you mean HOLDFAST_STORE?"},
        {"HOLDFAST_CONFG", "did you mean HOLDFAST_CONFIG?"},
        {"HOLDFAST_WORKER_QUEUE", "did you mean HOLDFAST_WORKER_QUEUES?"},
        {"HOLDFAST_RECOVRY_CHECK_INTERVAL_MS", "did you mean HOLDFAST_RECOVERY_CHECK_INTERVAL_MS?"},
        {"HOLDFAST_RECOVERY_SWEEP_INTERVAL_SECS", "did you mean HOLDFAST_RECOVERY_CHECK_INTERVAL_MS?"},
        {"HOLDFAST_RECOVERY_HEARTBEAT_TIMEOUT_SECS", "did you mean HOLDFAST_RECOVERY_WORKER_STALE_THRESHOLD_MS?"},
        {"HOLDFAST_RECOVERY_HEARTBEAT_RETENTION_HOURS", "did you mean HOLDFAST_RETENTION_HEARTBEAT_RETENTION_HOURS?"},
        {"HOLDFAST_WORKER_COLOUR", ""},
    };
    for (const auto& [variable, suggestion] : suggestions) {
        params.environment = {{variable, "x"}};
        EXPECT_EQ(only_error().title, "unknown variable") << variable;
        EXPECT_EQ(only_error().where, (Origin{OriginKind::Environment, variable, {}}));
        EXPECT_EQ(only_error().suggestion, suggestion) << variable;
    }
}

TEST_F(Environment, LeavesAloneWhatIsNotMeantForTheConfiguration) {
    params.environment = {{"PATH", "/bin"},
                          {"holdfast_store", "x"},
                          {"HOLDFAST_SOCKET", "/run/x"},
                          {"HOLDFAST_LEASE", "17"},
                          {"HOLDFAST_TASK_ID", "x"},
                          {"HOLDFAST_ATTEMPT", "1"},
                          {"HOLDFAST_RESULT", "/run/x"},
                          {"HOLDFAST_CHECKPOINT", "/run/x"},
                          {"HOLDFAST_ARGS", "{}"},
                          // what Kubernetes injects for services named holdfast-worker and holdfast-store
                          {"HOLDFAST_WORKER_SERVICE_HOST", "10.0.0.1"},
                          {"HOLDFAST_SERVER_PORT", "tcp://10.0.0.1:7070"},
                          {"HOLDFAST_WORKER_SERVICE_PORT", "80"},
                          {"HOLDFAST_WORKER_SERVICE_PORT_HTTP", "80"},
                          {"HOLDFAST_WORKER_PORT", "tcp://10.0.0.1:80"},
                          {"HOLDFAST_STORE_PORT", "tcp://10.0.0.1:5432"},
                          {"HOLDFAST_STORE_PORT_5432_TCP", "tcp://10.0.0.1:5432"},
                          {"HOLDFAST_STORE_PORT_5432_TCP_ADDR", "10.0.0.1"}};
    EXPECT_EQ(shown("store.url"), "sqlite:holdfast.db (default)");
}

class Flags : public Loading {};

TEST_F(Flags, AreNamedInTheErrorsAboutThem) {
    params.flags.push_back({"--store", "store.url", "holdfast.db"});
    EXPECT_THAT(complaints(),
                ElementsAre(HasSubstr("flag --store: store.url: not a store URL: found \"holdfast.db\"")));
}

class FileLookup : public Loading {};

TEST_F(FileLookup, DoesWithoutAFile) {
    EXPECT_EQ(accepted().file, "");
    EXPECT_EQ(accepted().settings.size(), fields().size());
}

TEST_F(FileLookup, PrefersTheFlagToTheVariableToTheUsualName) {
    write("worker: {name: usual}\n");
    EXPECT_EQ(accepted().worker.name, "usual");
    params.environment["HOLDFAST_CONFIG"] = write("worker: {name: variable}\n", "b.yaml");
    EXPECT_EQ(accepted().worker.name, "variable");
    params.file = write("worker: {name: flag}\n", "c.yaml");
    EXPECT_EQ(accepted().worker.name, "flag");
    EXPECT_EQ(accepted().file, params.file);
}

TEST_F(FileLookup, SaysWhoNamedAFileThatIsNotThere) {
    params.environment["HOLDFAST_CONFIG"] = "/nowhere/b.yaml";
    EXPECT_EQ(complaints().at(0), "env HOLDFAST_CONFIG: cannot read /nowhere/b.yaml: No such file or directory");
    params.file = "/nowhere/c.yaml";
    EXPECT_EQ(complaints().at(0), "flag --config: cannot read /nowhere/c.yaml: No such file or directory");
}

TEST_F(FileLookup, RefusesADirectory) {
    std::filesystem::create_directory(directory / "holdfast.yaml");
    EXPECT_THAT(complaints(), ElementsAre("holdfast.yaml: cannot read holdfast.yaml: Is a directory"));
}

TEST_F(FileLookup, RefusesALinkThatLeadsNowhere) {
    std::filesystem::create_symlink("/nowhere/x.yaml", directory / "holdfast.yaml");
    EXPECT_THAT(complaints(), ElementsAre("holdfast.yaml: cannot read holdfast.yaml: No such file or directory"));
}

TEST_F(FileLookup, RefusesAFileThatMayNotBeRead) {
    // A socket file cannot be opened by anybody; permissions would not stop the superuser.
    const std::string path = (directory / "holdfast.yaml").string();
    ASSERT_EQ(mknod(path.c_str(), S_IFSOCK | 0600, 0), 0);
    EXPECT_THAT(complaints(), ElementsAre("holdfast.yaml: cannot read holdfast.yaml: No such device or address"));
}

TEST_F(FileLookup, StopsReadingAFileThatNeverEnds) {
    params.file = "/dev/zero";
    EXPECT_THAT(complaints(), ElementsAre("flag --config: cannot read /dev/zero: larger than 16777216 bytes"));
}

TEST_F(FileLookup, ReportsFaultsOfTheOtherLayersBesideAFileThatCannotBeRead) {
    params.file = "/nowhere/c.yaml";
    params.environment["HOLDFAST_WORKER_MAX_CONCURRENT_TASKS"] = "many";
    EXPECT_EQ(errors().size(), 2U);
}

}  // namespace

}  // namespace holdfast::config
