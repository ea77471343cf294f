#include "config/fields.h"

#include <set>

#include "base/text.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What is promised about a field with a range, written down once more, apart from the table that implements it.
struct Ranged {
    std::string key;
    std::string fallback;
    std::string least;
    std::string most;
    std::string below;
    std::string above;
    /// Settings without which the extremes would break a rule between fields.
    std::string beside;
};

// A test's name is the field's.
void PrintTo(const Ranged& field, std::ostream* out) {
    *out << field.key;
}

std::string section_of(const std::string& key) {
    return key.substr(0, key.find('.'));
}

std::string name_of(const std::string& key) {
    return key.substr(key.find('.') + 1);
}

const std::string short_claimer = ", claimer_heartbeat_interval_ms: 1000";
const std::string short_runner = ", runner_heartbeat_interval_ms: 1000";
// 1 s, the lower end of both, is out of reach: an interval is 1 s at least, and the threshold twice that.
// tests.
const Ranged ranged_fields[] = {
    {"store.max_payload_bytes", "1048576", "1024", "67108864", "1023", "67108865", ""},
    {"worker.max_concurrent_tasks", "10", "1", "10000", "0", "10001", ""},
    {"worker.task_timeout", "5m", "1s", "30d", "999ms", "2592001", ""},
    {"worker.heartbeat_interval", "3s", "100ms", "2m", "99ms", "121", ""},
    {"worker.shutdown_grace", "30s", "0s", "1d", "-1", "86401", ""},
    {"worker.stop_grace", "5s", "0s", "1h", "-1", "3601", ""},
    {"worker.snapshot_interval", "30s", "1s", "1h", "999ms", "3601", ""},
    {"worker.max_tasks_per_runner", "1000", "1", "1000000", "0", "1000001", ""},
    {"worker.runner_memory_limit", "null", "16MiB", "1PiB", "16777215", "1125899906842625", ""},
    {"worker.runner_process_limit", "null", "1", "1000000", "0", "1000001", ""},
    {"worker.scratch", "null", "1MiB", "1TiB", "1048575", "1099511627777", ""},
    {"recovery.claimed_stale_threshold_ms", "120000", "2000", "3600000", "999", "3600001", short_claimer},
    {"recovery.running_stale_threshold_ms", "300000", "2000", "7200000", "999", "7200001", short_runner},
    {"recovery.check_interval_ms", "30000", "1000", "600000", "999", "600001", ""},
    {"recovery.runner_heartbeat_interval_ms", "30000", "1000", "120000", "999", "120001", ""},
    {"recovery.claimer_heartbeat_interval_ms", "30000", "1000", "120000", "999", "120001",
     ", claimed_stale_threshold_ms: 240000"},
    {"recovery.worker_stale_threshold_ms", "15000", "1000", "3600000", "999", "3600001",
     ", liveness_interval_ms: 100"},
    {"recovery.disconnect_grace_ms", "3000", "0", "600000", "-1", "600001", ""},
    {"recovery.liveness_interval_ms", "1000", "100", "60000", "99", "60001", ", worker_stale_threshold_ms: 180000"},
    {"recovery.unmatched_step_timeout_secs", "30", "1", "86400", "0", "86401", ""},
    {"retention.heartbeat_retention_hours", "24", "1", "8760", "0", "8761", ""},
    {"retention.worker_state_retention_hours", "168", "1", "8760", "0", "8761", ""},
    {"retention.terminal_record_retention_hours", "720", "1", "43800", "0", "43801", ""},
    {"retention.audit_hours", "8760", "1", "87600", "0", "87601", ""},
    {"server.port", "7070", "0", "65535", "-1", "65536", ""},
    {"server.max_connections", "10000", "1", "1000000", "0", "1000001", ""},
    {"server.max_connections_per_client", "10000", "1", "1000000", "0", "1000001", ""},
    {"server.requests_per_second", "200", "1", "1000000", "0", "1000001", ""},
    {"server.request_burst", "400", "1", "1000000", "0", "1000001", ""},
    {"server.max_body_size", "8MiB", "1KiB", "1GiB", "1023", "1073741825", ""},
    {"server.header_timeout", "10s", "100ms", "1h", "99ms", "3601", ""},
    {"server.body_timeout", "30s", "100ms", "1h", "99ms", "3601", ""},
    {"server.idle_timeout", "1m15s", "100ms", "1d", "99ms", "86401", ""},
    {"server.write_timeout", "30s", "100ms", "1h", "99ms", "3601", ""},
    {"server.threads", "4", "1", "256", "0", "257", ""},
    {"server.max_waiting_requests", "256", "1", "100000", "0", "100001", ""},
    {"server.shutdown_grace", "10s", "0s", "1h", "-1", "3601", ""},
};

class RangedField : public Loading, public ::testing::WithParamInterface<Ranged> {
protected:
    void give(const std::string& value) {
        const Ranged& field = GetParam();
        write(concat(section_of(field.key), ": {", name_of(field.key), ": ", value, field.beside, "}\n"));
    }
};

TEST_P(RangedField, HasItsDefault) {
    EXPECT_EQ(shown(GetParam().key), GetParam().fallback + " (default)");
}

TEST_P(RangedField, AcceptsBothEndsOfItsRange) {
    for (const std::string& value : {GetParam().least, GetParam().most}) {
        give(value);
        EXPECT_EQ(shown(GetParam().key), value + " (holdfast.yaml:1)");
    }
}

TEST_P(RangedField, RefusesWhatIsJustOutsideItsRange) {
    give(GetParam().below);
    EXPECT_EQ(only_error().key, GetParam().key);
    EXPECT_EQ(only_error().title, "too low");
    give(GetParam().above);
    EXPECT_EQ(only_error().key, GetParam().key);
    EXPECT_EQ(only_error().title, "too high");
    EXPECT_THAT(only_error().found, HasSubstr(GetParam().above));
}

TEST_P(RangedField, RefusesNumbersThatNoMachineWordHolds) {
    give("99999999999999999999999999");
    EXPECT_EQ(only_error().title, "too high");
    give("-99999999999999999999999999");
    EXPECT_EQ(only_error().title, "too low");
}

TEST_P(RangedField, RefusesEveryOtherType) {
    for (const std::string value : {"soon", "true", "[1]", "{a: 1}", "''", "1;5", "0x10", "1e3", ".inf"}) {
        give(value);
        EXPECT_EQ(only_error().key, GetParam().key) << value;
        EXPECT_NE(only_error().allowed, "") << value;
    }
}

INSTANTIATE_TEST_SUITE_P(Fields, RangedField, ::testing::ValuesIn(ranged_fields), [](const auto& field) {
    std::string name = field.param.key;
    for (char& letter : name) letter = letter == '.' ? '_' : letter;
    return name;
});

class Fields : public Loading {};

TEST_F(Fields, AreAllCoveredByTheseTests) {
    std::set<std::string> covered = {"store.url",
                                     "store.session_liveness",
                                     "worker.name",
                                     "worker.queues",
                                     "worker.tags",
                                     "worker.isolation",
                                     "worker.runners",
                                     "worker.container_command",
                                     "worker.container_options",
                                     "worker.container_run_options",
                                     "worker.pass_env",
                                     "worker.run_as",
                                     "recovery.auto_requeue_stale_claimed",
                                     "recovery.auto_fail_stale_running",
                                     "recovery.unmatched_steps",
                                     "server.address",
                                     "server.tls_certificate",
                                     "server.tls_key",
                                     "server.insecure",
                                     "server.scripts",
                                     "log.level",
                                     "log.format"};
    for (const Ranged& field : ranged_fields) covered.insert(field.key);
    std::set<std::string> existing;
    for (const Field& field : fields()) existing.insert(field.key());
    EXPECT_EQ(existing, covered);
}

TEST_F(Fields, WithoutRangeHaveTheirDefaults) {
    EXPECT_EQ(shown("store.url"), "sqlite:holdfast.db (default)");
    EXPECT_EQ(shown("store.session_liveness"), "true (default)");
    EXPECT_EQ(shown("worker.name"), "null (default)");
    EXPECT_EQ(shown("worker.queues"), "[default] (default)");
    EXPECT_EQ(shown("worker.tags"), "[] (default)");
    EXPECT_EQ(shown("worker.isolation"), "process (default)");
    EXPECT_EQ(shown("worker.container_command"), "[docker] (default)");
    EXPECT_EQ(shown("worker.container_options"), "[] (default)");
    EXPECT_EQ(shown("worker.container_run_options"), "[] (default)");
    EXPECT_EQ(shown("worker.pass_env"), "[] (default)");
    EXPECT_EQ(shown("worker.run_as"), "{} (default)");
    EXPECT_EQ(shown("recovery.auto_requeue_stale_claimed"), "true (default)");
    EXPECT_EQ(shown("recovery.auto_fail_stale_running"), "true (default)");
    EXPECT_EQ(shown("recovery.unmatched_steps"), "known (default)");
    EXPECT_EQ(shown("server.scripts"), "null (default)");
    EXPECT_EQ(shown("log.level"), "info (default)");
    EXPECT_EQ(shown("log.format"), "text (default)");
}

TEST_F(Fields, ReachTheMembersOfTheConfiguration) {
    write(R"(
store: { url: "postgresql://app@db/app", session_liveness: off, max_payload_bytes: 2048 }
worker:
  { name: w1, queues: [a, b], tags: [x], max_concurrent_tasks: 3, task_timeout: 7, heartbeat_interval: 4s, shutdown_grace: 8s,
    stop_grace: 9s, snapshot_interval: 17s, isolation: thread, max_tasks_per_runner: 18, runner_memory_limit: 19MiB,
    container_command: [sudo, podman], container_options: [--log-level, --log-level], container_run_options: [--init],
    pass_env: [TMPDIR, http_proxy], runners: ["python3 -m holdfast shop:app", "node shop.js"] }
log: { level: warning, format: json }
recovery:
  auto_requeue_stale_claimed: false
  claimed_stale_threshold_ms: 101000
  auto_fail_stale_running: no
  running_stale_threshold_ms: 102000
  check_interval_ms: 10000
  runner_heartbeat_interval_ms: 11000
  claimer_heartbeat_interval_ms: 12000
  worker_stale_threshold_ms: 13000
  disconnect_grace_ms: 14000
  liveness_interval_ms: 1500
  unmatched_step_timeout_secs: 16
  unmatched_steps: wait
retention: { heartbeat_retention_hours: 1, worker_state_retention_hours: 2, terminal_record_retention_hours: 3 }
)");
    const Config config = accepted();
    EXPECT_EQ(config.store.url, "postgresql://app@db/app");
    EXPECT_FALSE(config.store.session_liveness);
    EXPECT_EQ(config.store.max_payload_bytes, 2048U);
    EXPECT_EQ(config.worker.name, "w1");
    EXPECT_THAT(config.worker.queues, ElementsAre("a", "b"));
    EXPECT_THAT(config.worker.tags, ElementsAre("x"));
    EXPECT_EQ(config.worker.max_concurrent_tasks, 3);
    EXPECT_EQ(config.worker.task_timeout, seconds(7));
    EXPECT_EQ(config.worker.heartbeat_interval, seconds(4));
    EXPECT_EQ(config.worker.shutdown_grace, seconds(8));
    EXPECT_EQ(config.worker.stop_grace, seconds(9));
    EXPECT_EQ(config.worker.snapshot_interval, seconds(17));
    EXPECT_EQ(config.worker.isolation, Isolation::Thread);
    EXPECT_THAT(config.worker.runners, ElementsAre("python3 -m holdfast shop:app", "node shop.js"));
    EXPECT_EQ(config.worker.max_tasks_per_runner, 18);
    EXPECT_EQ(config.worker.runner_memory_limit, 19 << 20);
    EXPECT_THAT(config.worker.container_command, ElementsAre("sudo", "podman"));
    EXPECT_THAT(config.worker.container_options, ElementsAre("--log-level", "--log-level"));
    EXPECT_THAT(config.worker.container_run_options, ElementsAre("--init"));
    EXPECT_THAT(config.worker.pass_env, ElementsAre("TMPDIR", "http_proxy"));
    EXPECT_EQ(config.log.level, LogLevel::Warning);
    EXPECT_EQ(config.log.format, LogFormat::Json);
    EXPECT_FALSE(config.recovery.auto_requeue_stale_claimed);
    EXPECT_EQ(config.recovery.claimed_stale_threshold, seconds(101));
    EXPECT_FALSE(config.recovery.auto_fail_stale_running);
    EXPECT_EQ(config.recovery.running_stale_threshold, seconds(102));
    EXPECT_EQ(config.recovery.check_interval, seconds(10));
    EXPECT_EQ(config.recovery.runner_heartbeat_interval, seconds(11));
    EXPECT_EQ(config.recovery.claimer_heartbeat_interval, seconds(12));
    EXPECT_EQ(config.recovery.worker_stale_threshold, seconds(13));
    EXPECT_EQ(config.recovery.disconnect_grace, seconds(14));
    EXPECT_EQ(config.recovery.liveness_interval, milliseconds(1500));
    EXPECT_EQ(config.recovery.unmatched_step_timeout, seconds(16));
    EXPECT_EQ(config.recovery.unmatched_steps, core::UnmatchedRule::Wait);
    EXPECT_EQ(config.retention.heartbeat, hours(1));
    EXPECT_EQ(config.retention.worker_state, hours(2));
    EXPECT_EQ(config.retention.terminal_record, hours(3));
}

TEST_F(Fields, TakeDurationsWithUnitsWhateverUnitTheirNameStates) {
    write(
        "recovery: {check_interval_ms: 1m30s, unmatched_step_timeout_secs: 2m}\n"
        "retention: {terminal_record_retention_hours: 90d}\n"
        "worker: {task_timeout: 1h30m, heartbeat_interval: 1.5s}\n");
    EXPECT_EQ(shown("recovery.check_interval_ms"), "90000 (holdfast.yaml:1)");
    EXPECT_EQ(shown("recovery.unmatched_step_timeout_secs"), "120 (holdfast.yaml:1)");
    EXPECT_EQ(shown("retention.terminal_record_retention_hours"), "2160 (holdfast.yaml:2)");
    EXPECT_EQ(shown("worker.task_timeout"), "1h30m (holdfast.yaml:3)");
    EXPECT_EQ(shown("worker.heartbeat_interval"), "1.5s (holdfast.yaml:3)");
}

TEST_F(Fields, CountPlainNumbersInTheUnitOfTheirNameElseInSeconds) {
    write(
        "recovery: {check_interval_ms: 2000, unmatched_step_timeout_secs: 45}\nworker: {task_timeout: 300}\n"
        "retention: {heartbeat_retention_hours: 48}\n");
    EXPECT_EQ(accepted().recovery.check_interval, seconds(2));
    EXPECT_EQ(accepted().recovery.unmatched_step_timeout, seconds(45));
    EXPECT_EQ(accepted().worker.task_timeout, minutes(5));
    EXPECT_EQ(accepted().retention.heartbeat, hours(48));
}

TEST_F(Fields, RefuseLengthsThatAreNotWholeInTheUnitOfTheirName) {
    write(
        "recovery: {check_interval_ms: 1500.5}\nretention: {heartbeat_retention_hours: 90m}\n"
        "worker: {heartbeat_interval: 200500us}\n");
    ASSERT_EQ(errors().size(), 3U);
    EXPECT_EQ(errors()[0].title, "not in whole milliseconds");
    EXPECT_EQ(errors()[1].title, "not in whole hours");
    EXPECT_EQ(errors()[2].title, "not in whole milliseconds");
}

TEST_F(Fields, SayHowANumberWithUnderscoresIsWrittenHere) {
    write("recovery: {check_interval_ms: 30_000}\nworker: {max_concurrent_tasks: 1_0}\n");
    ASSERT_EQ(errors().size(), 2U);
    EXPECT_EQ(errors()[0].suggestion, "write 30000");
    EXPECT_EQ(errors()[1].suggestion, "write 10");
}

TEST_F(Fields, OfRetentionTakeNullForNeverPrune) {
    write(
        "retention: {heartbeat_retention_hours: null, worker_state_retention_hours: ~, "
        "terminal_record_retention_hours: }\n");
    EXPECT_EQ(accepted().retention.heartbeat, std::nullopt);
    EXPECT_EQ(accepted().retention.worker_state, std::nullopt);
    EXPECT_EQ(accepted().retention.terminal_record, std::nullopt);
    EXPECT_EQ(shown("retention.heartbeat_retention_hours"), "null (holdfast.yaml:1)");
}

TEST_F(Fields, ThatNeedAValueRefuseNull) {
    write("recovery:\n  check_interval_ms:\nworker:\n  queues: null\n  max_concurrent_tasks: ~\nstore:\n  url:\n");
    ASSERT_EQ(errors().size(), 4U);
    for (const ConfigError& error : errors()) {
        EXPECT_EQ(error.title, "has no value");
        EXPECT_EQ(error.found, "nothing");
    }
    EXPECT_EQ(errors()[0].where.position.line, 2);
}

TEST_F(Fields, OfTruthTakeTheWordsOfYaml) {
    for (const std::string word : {"true", "True", "TRUE", "on", "yes"}) {
        write(concat("recovery: {auto_fail_stale_running: ", word, "}\n"));
        EXPECT_TRUE(accepted().recovery.auto_fail_stale_running) << word;
    }
    for (const std::string word : {"false", "False", "off", "Off", "no"}) {
        write(concat("recovery: {auto_fail_stale_running: ", word, "}\n"));
        EXPECT_FALSE(accepted().recovery.auto_fail_stale_running) << word;
    }
}

TEST_F(Fields, OfTruthRefuseNumbersAndText) {
    for (const std::string word : {"1", "0", "maybe", "''", "'true'", "[true]", "{}"}) {
        write(concat("store: {session_liveness: ", word, "}\n"));
        EXPECT_EQ(only_error().key, "store.session_liveness") << word;
        EXPECT_EQ(only_error().allowed, "true (on, yes) or false (off, no)");
    }
}

TEST_F(Fields, OfNumbersRefuseNumbersInQuotes) {
    write("worker: {max_concurrent_tasks: '10'}\n");
    EXPECT_EQ(only_error().title, "text instead of a number");
    EXPECT_EQ(only_error().suggestion, "write it without quotes");
}

TEST_F(Fields, OfNamesTakeAnyShortText) {
    for (const std::string& name : {std::string("7"), std::string("true"), std::string("'null'"),
                                    std::string("\"Zoë's worker\""), std::string(255, 'x')}) {
        write(concat("worker: {name: ", name, "}\n"));
        EXPECT_TRUE(accepted().worker.name) << name;
    }
}

TEST_F(Fields, OfNamesRefuseEmptyLongAndNested) {
    for (const std::string& name : {std::string("''"), std::string(256, 'x'), std::string("[a]"),
                                    std::string("{a: b}"), std::string(R"("a\0b")")}) {
        write(concat("worker: {name: ", name, "}\n"));
        EXPECT_EQ(only_error().key, "worker.name") << name;
    }
}

TEST_F(Fields, OfListsRefuseWhatIsNoListOfDifferentNames) {
    const std::map<std::string, std::string> titles = {
        {"mail", "not a list"},         {"{a: b}", "not a list"},
        {"[]", "an empty list"},        {"[a, a]", "names a twice"},
        {"[a, '']", "item 2 is empty"}, {"[a, [b]]", "item 2 is a list instead of a name"},
    };
    for (const auto& [value, title] : titles) {
        write(concat("worker: {queues: ", value, "}\n"));
        EXPECT_EQ(only_error().title, title) << value;
    }
    write("worker: {queues: mail}\n");
    EXPECT_EQ(only_error().suggestion, "write [mail]");
}

TEST_F(Fields, OfSizesTakeBinaryUnitsAndPlainBytes) {
    for (const auto& [text, bytes] : std::map<std::string, std::int64_t>{{"16777216", 16 << 20},
                                                                         {"20480KiB", 20 << 20},
                                                                         {"512MiB", 512 << 20},
                                                                         {"2GiB", std::int64_t{2} << 30}}) {
        write(concat("worker: {runner_memory_limit: ", text, "}\n"));
        EXPECT_EQ(accepted().worker.runner_memory_limit, bytes) << text;
    }
    write("worker: {runner_memory_limit: 33554432}\n");
    EXPECT_EQ(shown("worker.runner_memory_limit"), "32MiB (holdfast.yaml:1)");
    write("worker: {runner_memory_limit: null}\n");
    EXPECT_EQ(accepted().worker.runner_memory_limit, std::nullopt);
}

TEST_F(Fields, OfSizesSayHowTheUnitsOfOthersAreWrittenHere) {
    for (const auto& [text, suggestion] : std::map<std::string, std::string>{
             {"512m", "write 512MiB"}, {"2GB", "write 2GiB"}, {"1.5GiB", ""}, {"MiB", ""}, {"much", ""}}) {
        write(concat("worker: {runner_memory_limit: ", text, "}\n"));
        EXPECT_EQ(only_error().title, "not a size") << text;
        EXPECT_EQ(only_error().suggestion, suggestion) << text;
    }
}

TEST_F(Fields, OfWordsTakeOnlyThoseThereAre) {
    for (const std::string level : {"debug", "info", "warning", "error"}) {
        write(concat("log: {level: ", level, "}\n"));
        EXPECT_EQ(word_of(accepted().log.level), level);
    }
    write("worker: {isolation: proces}\n");
    EXPECT_EQ(only_error().title, "not one of the words");
    EXPECT_EQ(only_error().allowed, "process or thread");
    EXPECT_EQ(only_error().suggestion, "did you mean process?");
}

TEST_F(Fields, OfTextsTakeAListOfThem) {
    write("worker: {container_options: [a, a, \"b c\", --x]}\n");
    EXPECT_THAT(accepted().worker.container_options, ElementsAre("a", "a", "b c", "--x"));
    for (const auto& [value, title] :
         std::map<std::string, std::string>{{"docker", "not a list"},
                                            {"[]", "an empty list"},
                                            {"['']", "item 1 is empty"},
                                            {"[a, {b: c}]", "item 2 is a mapping instead of a text"}}) {
        write(concat("worker: {container_command: ", value, "}\n"));
        EXPECT_EQ(only_error().title, title) << value;
    }
    params.environment["HOLDFAST_WORKER_CONTAINER_COMMAND"] = "sudo,docker";
    write("");
    EXPECT_THAT(accepted().worker.container_command, ElementsAre("sudo", "docker"));
}

TEST_F(Fields, OfTagsMayBeEmpty) {
    write("worker: {tags: []}\n");
    EXPECT_THAT(accepted().worker.tags, IsEmpty());
}

TEST_F(Fields, TakeTheStoreAsAUrlOrAsAMapping) {
    write("store: sqlite:/var/lib/holdfast.db\n");
    EXPECT_EQ(shown("store.url"), "sqlite:/var/lib/holdfast.db (holdfast.yaml:1)");
    write("store:\n  url: sqlite:///var/lib/holdfast.db\n");
    EXPECT_EQ(shown("store.url"), "sqlite:///var/lib/holdfast.db (holdfast.yaml:2)");
    write("store: postgres://localhost\n");
    EXPECT_EQ(shown("store.url"), "postgres://localhost (holdfast.yaml:1)");
}

TEST_F(Fields, RefuseStoreUrlsOfOtherKindsWithASuggestion) {
    const std::map<std::string, std::string> suggestions = {
        {"holdfast.db", "write sqlite:holdfast.db for a file"},
        {"'sqlite:'", "write sqlite:holdfast.db"},
        {"sqlite://holdfast.db", "write sqlite:holdfast.db or sqlite:/holdfast.db"},
        {"sqlit:holdfast.db", "did you mean sqlite:?"},
        {"postgressql://db/app", "did you mean postgresql:?"},
        {"mysql://db/app", ""},
        {"'sqlite::memory:'", "write sqlite:holdfast.db"},
        {"host=db dbname=app", "write postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE"},
        {"''", ""},
    };
    for (const auto& [url, suggestion] : suggestions) {
        write(concat("store: ", url, "\n"));
        EXPECT_EQ(only_error().key, "store.url") << url;
        EXPECT_EQ(only_error().suggestion, suggestion) << url;
        EXPECT_THAT(only_error().allowed, HasSubstr("sqlite:PATH or postgresql://")) << url;
    }
}

TEST_F(Fields, AreShownInAFormThatReadsBackToTheSameValues) {
    write(
        "store: {session_liveness: off}\nworker: {name: 'a: b', queues: ['null', \"x, y\", c], task_timeout: 90}\n"
        "retention: {heartbeat_retention_hours: null}\n");
    const std::vector<Setting> before = accepted().settings;
    std::map<std::string, std::string> sections;
    for (const Setting& setting : before)
        sections[section_of(setting.key)] += concat("  ", name_of(setting.key), ": ", setting.value, "\n");
    std::string text;
    for (const auto& [section, entries] : sections) text += concat(section, ":\n", entries);
    write(text);
    const std::vector<Setting> after = accepted().settings;
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].value, before[i].value) << before[i].key;
}

}  // namespace

}  // namespace holdfast::config
