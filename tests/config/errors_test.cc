#include "base/text.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Errors : public Loading {};

TEST_F(Errors, AreAllReportedAtOnceWithTheirLines) {
    write(R"(store: mysql://db/app
worker:
  name: w1
  queues: mail
  max_concurent_tasks: 4
recovery:
  check_interval_ms: 10
  check_interval_ms: 10000
  auto_fail_stale_running: maybe
  running_stale_threshold_ms: 40000

retention:
  heartbeat_retention_hours: -1
surver: {}
)");
    params.environment["HOLDFAST_WORKER_TASK_TIMEOUT"] = "soon";
    params.flags.push_back({"--grace", "worker.shutdown_grace", "1x"});
    EXPECT_THAT(complaints(),
                ElementsAre(StartsWith("holdfast.yaml:1:1: store.url: not a store URL: found \"mysql://db/app\""),
                            StartsWith("holdfast.yaml:4:3: worker.queues: not a list: found \"mail\""),
                            StartsWith("holdfast.yaml:5:3: worker.max_concurent_tasks: unknown key: found \"4\""),
                            StartsWith("holdfast.yaml:7:3: recovery.check_interval_ms: too low: found \"10\""),
                            StartsWith("holdfast.yaml:8:3: recovery.check_interval_ms: given twice"),
                            StartsWith("holdfast.yaml:9:3: recovery.auto_fail_stale_running: not true or false"),
                            StartsWith("holdfast.yaml:10:3: recovery.running_stale_threshold_ms: "
                                       "running_stale_threshold_ms too low: found 40000"),
                            StartsWith("holdfast.yaml:13:3: retention.heartbeat_retention_hours: too low"),
                            StartsWith("holdfast.yaml:14:1: surver: unknown key"),
                            StartsWith("env HOLDFAST_WORKER_TASK_TIMEOUT: worker.task_timeout: not a duration"),
                            StartsWith("flag --grace: worker.shutdown_grace: not a duration")));
}

TEST_F(Errors, SuggestTheKeyThatWasMeant) {
    write(
        "recovry: {}\n"
        "recovery: {chekc_interval_ms: 1, claimed_stale_treshold_ms: 1, zzz: 1}\n"
        "worker: {Name: x, tag: [a]}\n");
    std::vector<std::string> suggestions;
    for (const ConfigError& error : errors()) suggestions.push_back(error.suggestion);
    EXPECT_THAT(suggestions, ElementsAre("did you mean recovery?", "did you mean check_interval_ms?",
                                         "did you mean claimed_stale_threshold_ms?", "", "did you mean name?",
                                         "did you mean tags?"));
}

TEST_F(Errors, ListTheKeysThatExistBesideAnUnknownOne) {
    write("retention: {zzz: 1}\nzzz: 1\n");
    EXPECT_EQ(errors().at(0).allowed,
              "heartbeat_retention_hours, worker_state_retention_hours, terminal_record_retention_hours, "
              "audit_hours");
    EXPECT_EQ(errors().at(1).allowed,
              "store, worker, recovery, retention, server, log, tasks, workflows, schedules, keys");
}

TEST_F(Errors, SayWhereAKeyOfAnotherSectionBelongs) {
    write("recovery: {heartbeat_retention_hours: 24}\ntags: [script]\n");
    EXPECT_EQ(errors().at(0).suggestion, "it belongs under retention");
    EXPECT_EQ(errors().at(1).suggestion, "it belongs under worker");
}

TEST_F(Errors, NameOurKeyWhereAnotherSystemsNameIsUsed) {
    write(R"(recovery:
  heartbeat_timeout_secs: 120
  sweep_interval_secs: 60
  stale_threshold_minutes: 5
  stale_threshold_ms: 300000
  heartbeat_staleness_multiplier: 3
worker:
  heartbeat_interval_secs: 30
  shutdown_timeout: 30
retention:
  job_days: 30
  worker_hours: 168
broker: postgresql://app:hunter2@db/app
)");
    std::vector<std::string> suggestions;
    for (const ConfigError& error : errors()) suggestions.push_back(error.suggestion);
    EXPECT_THAT(
        suggestions,
        ElementsAre("write recovery.worker_stale_threshold_ms: 120000", "write recovery.check_interval_ms: 60000",
                    "write recovery.running_stale_threshold_ms: 300000",
                    "write recovery.running_stale_threshold_ms: 300000", "write recovery.worker_stale_threshold_ms",
                    "write worker.heartbeat_interval: 30s", "write worker.shutdown_grace: 30s",
                    "write retention.terminal_record_retention_hours: 720",
                    "write retention.worker_state_retention_hours: 168", "write store.url"));
    EXPECT_EQ(errors().at(1).title, "unknown key; here it is called recovery.check_interval_ms");
    EXPECT_THAT(complaints(), Each(Not(HasSubstr("hunter2"))));
}

TEST_F(Errors, CarryNoForeignValueOverThatWouldNotFit) {
    write("recovery: {sweep_interval_secs: 99999}\n");
    EXPECT_EQ(only_error().suggestion, "write recovery.check_interval_ms");
}

TEST_F(Errors, RefuseASectionThatIsNoMapping) {
    write("worker: 5\nrecovery: [a]\nstore: [x]\nretention:\n");
    EXPECT_THAT(complaints(),
                ElementsAre(StartsWith("holdfast.yaml:1:9: worker: a value instead of a mapping: found \"5\""),
                            StartsWith("holdfast.yaml:2:11: recovery: a list instead of a mapping"),
                            StartsWith("holdfast.yaml:3:8: store: a list instead of a mapping")));
}

TEST_F(Errors, RefuseAFileThatIsNoMapping) {
    write("just words\n");
    EXPECT_THAT(complaints(),
                ElementsAre(StartsWith("holdfast.yaml:1:1: a value instead of a mapping: found \"just words\"")));
}

class Secrets : public Loading {
protected:
    /// Everything that a person could get to see.
    [[nodiscard]] std::string everything() const {
        const auto result = load();
        std::string text;
        if (result.ok()) {
            for (const Setting& setting : result.value().settings) text += concat(setting.key, setting.value, "\n");
            return text;
        }
        for (const ConfigError& error : result.error()) text += concat(to_text(error), "\n");
        return text;
    }
};

TEST_F(Secrets, AreMaskedInWhatIsShown) {
    write("store: postgresql://app:hunter2@db/app?sslmode=require\n");
    EXPECT_EQ(shown("store.url"), "postgresql://app:***@db/app?sslmode=require (holdfast.yaml:1)");
    EXPECT_EQ(accepted().store.url, "postgresql://app:hunter2@db/app?sslmode=require");
}

TEST_F(Secrets, AreMaskedInEveryError) {
    const std::string url = "postgresql://app:hunter2@db/app";
    for (const std::string& text :
         {concat("store: x", url), concat("stor: ", url), concat("store: {ulr: ", url, "}"), concat("worker: ", url),
          concat("worker: {queues: ", url, "}"), concat("worker: {queues: [", url, ", ", url, "]}"),
          concat("worker: {max_concurrent_tasks: ", url, "}"), concat("worker: {name: [", url, "]}"),
          concat("store:", url), concat("? ", url, "\n: x"), concat("? ", url, "\n: x\n? ", url, "\n: y"),
          concat("store: {url: 'host=db password=hunter2'}"), concat("store: {password: hunter2}"),
          concat("worker: {api_token: hunter2}"), concat("store: {passwords: [hunter2]}"),
          concat("store: mysql://", std::string(500, 'u'), ":hunter2@db"),
          concat("recovery: {check_interval_ms: ", url, "}")}) {
        write(text + "\n");
        ASSERT_FALSE(load().ok()) << text;
        EXPECT_THAT(everything(), Not(HasSubstr("hunter2"))) << text;
    }
}

TEST_F(Secrets, AreMaskedInErrorsAboutVariablesAndFlags) {
    params.environment["HOLDFAST_STORE"] = "postgresq://app:hunter2@db/app";
    params.environment["HOLDFAST_STORRE"] = "postgresql://app:hunter2@db/app";
    params.environment["HOLDFAST_WORKER_NAMES"] = "postgresql://app:hunter2@db/app";
    params.environment["HOLDFAST_STORE_PASSWORD"] = "hunter2";
    params.flags.push_back({"--store", "store.url", "mysql://app:hunter2@db/app"});
    EXPECT_EQ(errors().size(), 5U);
    EXPECT_THAT(everything(), AllOf(Not(HasSubstr("hunter2")), HasSubstr("app:***@db")));
}

TEST_F(Secrets, DoNotHideWhatIsHarmless) {
    write("store: {url: mysql://db:5432/app}\n");
    EXPECT_EQ(only_error().found, "\"mysql://db:5432/app\"");
}

TEST_F(Errors, RepeatLongAndUnprintableValuesInOneShortLine) {
    write(concat("worker: {max_concurrent_tasks: \"a\\nb", std::string(100'000, 'x'), "\"}\n"));
    EXPECT_LT(only_error().found.size(), 200U);
    EXPECT_THAT(only_error().found, StartsWith("\"a\\nbxxx"));
}

}  // namespace

}  // namespace holdfast::config
