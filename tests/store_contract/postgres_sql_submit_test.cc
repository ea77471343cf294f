#include <functional>
#include <thread>

#include "base/text.h"
#include "core/task/task_options.h"
#include "store/admission.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

std::string quoted(const std::string& text) {
    std::string literal = "'";
    for (const char c : text) literal += c == '\'' ? "''" : std::string(1, c);
    return literal + "'";
}

std::string array_of(const std::vector<std::string>& texts) {
    std::vector<std::string> literals;
    for (const auto& text : texts) literals.push_back(quoted(text));
    return concat("ARRAY[", holdfast::join(literals, ","), "]::text[]");
}

std::string instant(Timestamp at) {
    return concat("timestamptz ", quoted(format_timestamp(at)));
}

/// The call for the task, without its policy. A function task's own tag is left out: holdfast.submit() adds it.
std::string submit_call(const store::NewTask& task) {
    std::string call = concat("SELECT holdfast.submit(", quoted(task.name), ", ", quoted(task.args), ", id => ",
                              quoted(task.id.to_string()), ", queue => ", quoted(task.queue), ", tags => ",
                              array_of(task.tags), ", priority => ", task.priority);
    if (!task.spec.empty()) call += concat(", spec => ", quoted(task.spec));
    if (task.run_at) call += concat(", run_at => ", instant(*task.run_at));
    if (task.deadline) call += concat(", deadline => ", instant(*task.deadline));
    if (task.concurrency)
        call += concat(", concurrency_key => ", quoted(task.concurrency->key), ", concurrency_limit => ",
                       task.concurrency->limit);
    call += concat(", idempotency_key => ", quoted(task.idempotency_key));
    return concat(call, ", traceparent => ", quoted(task.traceparent), ")");
}

/// Like the C++ API's, which holdfast.submit() must agree with.
std::string complaint_of_cpp(store::NewTask task) {
    if (task.spec.empty()) task.tags.push_back(concat("task:", task.name));
    return store::refusal(task, {}).value_or("");
}

/// What SQL gets without help from the library.
class SqlSubmit : public testing::Test {
protected:
    void SetUp() override {
        database = make_database(StoreKind::Postgres);
        store = open_store({.kind = StoreKind::Postgres, .address = database->address()}, clock);
        raw = database->raw();
    }
    /// What the database complains of; empty: it did as it was told.
    std::string complaint_about(const std::string& sql) const {
        try {
            raw->execute(sql);
            return "";
        } catch (const SqlRefused& refused) {
            return refused.what();
        }
    }
    void expect_submit_agrees(const std::string& parameter, bool accepted, const store::NewTask& task) const {
        EXPECT_EQ(complaint_of_cpp(task).empty(), accepted) << complaint_of_cpp(task);
        const auto complaint = complaint_about(submit_call(task));
        EXPECT_EQ(complaint.empty(), accepted) << parameter << ": " << complaint;
        if (!accepted) {
            EXPECT_THAT(complaint, HasSubstr(concat("holdfast.submit: ", parameter, ":")));
        }
    }
    Uuid complete_one() const {
        const auto task = a_task(clock.now());
        store->submit({task});
        const Uuid worker = join(*store);
        finish(*store, worker, completed(lease_of(claim(*store, worker, 1).tasks.at(0))));
        return task.id;
    }
    std::string submit_again(const Uuid& id) const {
        return complaint_about(concat("SELECT holdfast.submit('noop', id => ", quoted(id.to_string()), ")"));
    }
    void prune_older_than(Duration age) const {
        store::PruneParams params;
        params.terminal_older_than = age;
        params.clock_is_right = true;
        store->prune(params);
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<RawSql> raw;
};

std::string list_of(int count, const std::string& member) {
    std::string list = "[";
    for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + member;
    return list + "]";
}

TEST_F(SqlSubmit, TakesTheSamePoliciesAsTheLibraryAndKeepsThemAsTheyAre) {
    const std::vector<std::string> members = {
        R"("max_attempts":1)",
        R"("max_attempts":1000)",
        R"("max_crashes":0)",
        R"("max_crashes":1000)",
        R"("retry_base_ms":0)",
        R"("retry_base_ms":2592000000)",
        R"("retry_cap_ms":0)",
        R"("retry_cap_ms":2592000000)",
        R"("timeout_ms":1)",
        R"("timeout_ms":604800000)",
        R"("retry_factor":1)",
        R"("retry_factor":1.0)",
        R"("retry_factor":100)",
        R"("retry_jitter":0)",
        R"("retry_jitter":0.5)",
        R"("retry_jitter":1)",
        R"("retry_delays_ms":[])",
        R"("retry_delays_ms":[0,2592000000])",
        concat(R"("retry_delays_ms":)", list_of(100, "7")),
        R"("retry_on":[])",
        concat(R"("retry_on":)", list_of(100, "\"A\"")),
        concat(R"("retry_on":)", list_of(1, concat('"', std::string(255, 'x'), '"'))),
        R"("on_crash":"fail")",
        R"("on_crash":"requeue")",
        R"("fence":"auto")",
        R"("fence":"stop")",
        R"("fence":"continue")",
        R"("unmatched":"wait")",
        R"("unmatched":"fail")",
        ""};
    for (const auto& member : members) {
        const std::string text = concat('{', member, '}');
        const auto decoded = core::decode_policy(text);
        ASSERT_TRUE(decoded.ok()) << text;
        const auto id =
            Uuid::parse(raw->value(concat("SELECT holdfast.submit('noop', policy => ", quoted(text), ")")));
        EXPECT_TRUE(record(*store, id.value()).task.policy == decoded.value()) << text;
    }
}

TEST_F(SqlSubmit, RefusesTheSamePoliciesAsTheLibraryAndNamesTheKey) {
    struct Refused {
        std::string key;
        std::string value;
    };
    const std::vector<Refused> refused = {{"max_attempts", "0"},
                                          {"max_attempts", "1001"},
                                          {"max_attempts", "3.0"},
                                          {"max_attempts", "2.5"},
                                          {"max_attempts", "\"3\""},
                                          {"max_attempts", "null"},
                                          {"max_attempts", "99999999999999999999"},
                                          {"max_crashes", "-1"},
                                          {"max_crashes", "1001"},
                                          {"retry_base_ms", "-1"},
                                          {"retry_base_ms", "2592000001"},
                                          {"retry_cap_ms", "-1"},
                                          {"retry_cap_ms", "2592000001"},
                                          {"retry_cap_ms", "1000.0"},
                                          {"timeout_ms", "0"},
                                          {"timeout_ms", "604800001"},
                                          {"timeout_ms", "1.5"},
                                          {"timeout_ms", "null"},
                                          {"retry_factor", "0.99"},
                                          {"retry_factor", "100.01"},
                                          {"retry_factor", "\"2\""},
                                          {"retry_jitter", "-0.01"},
                                          {"retry_jitter", "1.01"},
                                          {"retry_jitter", "true"},
                                          {"retry_delays_ms", "7"},
                                          {"retry_delays_ms", "[-1]"},
                                          {"retry_delays_ms", "[2592000001]"},
                                          {"retry_delays_ms", "[1, 2.0]"},
                                          {"retry_delays_ms", "[\"1\"]"},
                                          {"retry_delays_ms", "[[1]]"},
                                          {"retry_delays_ms", list_of(101, "7")},
                                          {"retry_on", "\"A\""},
                                          {"retry_on", "[7]"},
                                          {"retry_on", "[\"\"]"},
                                          {"retry_on", list_of(101, "\"A\"")},
                                          {"retry_on", list_of(1, concat('"', std::string(256, 'x'), '"'))},
                                          {"retry_on", list_of(1, concat("\"\u00fc", std::string(254, 'x'), '"'))},
                                          {"on_crash", "\"retry\""},
                                          {"on_crash", "[\"fail\"]"},
                                          {"fence", "\"none\""},
                                          {"unmatched", "\"skip\""},
                                          {"attempts", "3"}};
    for (const auto& [key, value] : refused) {
        const std::string text = concat("{\"", key, "\":", value, '}');
        EXPECT_FALSE(core::decode_policy(text).ok()) << text;
        const auto complaint =
            complaint_about(concat("SELECT holdfast.submit('noop', policy => ", quoted(text), ")"));
        EXPECT_THAT(complaint, HasSubstr(concat("holdfast.submit: policy: ", key, " is "))) << text;
    }
    for (const std::string text : {"[]", "null", "7"}) {
        EXPECT_FALSE(core::decode_policy(text).ok()) << text;
        EXPECT_THAT(complaint_about(concat("SELECT holdfast.submit('noop', policy => ", quoted(text), ")")),
                    HasSubstr("policy: must be a JSON object"));
    }
}

TEST_F(SqlSubmit, RefusesIdsFromMoreThanAnHourInTheFuture) {
    const auto id_in = [&](const std::string& length) {
        return Uuid::parse(raw->value(concat("SELECT holdfast.uuid_v7(holdfast.now() + interval '", length, "')")))
            .value();
    };
    EXPECT_EQ(submit_again(id_in("59 minutes")), "");
    const auto far = id_in("61 minutes");
    EXPECT_THAT(submit_again(far), HasSubstr("holdfast.submit: id:"));
    EXPECT_THAT(submit_again(far), HasSubstr("in the future"));
    EXPECT_FALSE(store->find({far}).at(0).has_value());
}

TEST_F(SqlSubmit, ComparesPayloadsAsJson) {
    const std::string call = "SELECT holdfast.submit('noop', idempotency_key => 'k', args => ";
    const std::string first = raw->value(concat(call, R"('{"a": 1.0, "b": [true, "x"]}'))"));
    EXPECT_EQ(raw->value(concat(call, R"('{"b":[true,"\u0078"],"a":1}'))")), first);
    EXPECT_THAT(complaint_about(concat(call, R"('{"b":[true,"x"],"a":2}'))")), HasSubstr("PAYLOAD_MISMATCH"));
    EXPECT_THAT(complaint_about(concat(call, R"('{"b":[true,"\u0000"],"a":1}'))")), HasSubstr("PAYLOAD_MISMATCH"));
}

/// The values of an option of the policy at both ends of its range, and those just outside, as they are stored.
struct StoredBounds {
    std::vector<nlohmann::json> inside, outside;
};

StoredBounds bounds_of(const core::TaskOption& option) {
    using enum core::OptionType;
    const auto [least, most] = option.range;
    if (option.type == Choice) return {{option.words.begin(), option.words.end()}, {"other", "", 1}};
    if (option.type == NameList) {
        const auto codes = [](std::int64_t count) {
            auto list = nlohmann::json::array();
            while (std::ssize(list) < count) list.push_back(concat("CODE_", list.size()));
            return list;
        };
        return {{codes(least), codes(most)}, {codes(most + 1)}};
    }
    const auto stored = [&](std::int64_t value) -> nlohmann::json {
        if (option.type == Number) return static_cast<double>(value) / 100;
        return option.type == DurationList ? nlohmann::json::array({value}) : nlohmann::json(value);
    };
    const bool is_time = option.type == Duration || option.type == DurationList;  // in microseconds; stored in ms
    const auto low = is_time ? least / 1000 : least, high = is_time ? most / 1000 : most;
    return {{stored(low), stored(high)}, {stored(low - 1), stored(high + 1)}};
}

TEST_F(SqlSubmit, HasTheBoundsOfEveryOptionOfThePolicy) {
    std::size_t compared = 0;
    for (const core::TaskOption& option : core::task_options()) {
        if (!option.is_policy) continue;
        ++compared;
        const auto bounds = bounds_of(option);
        const auto compare = [&](const nlohmann::json& value, bool is_allowed) {
            const auto policy = nlohmann::json{{core::stored_name(option), value}}.dump();
            EXPECT_EQ(core::decode_policy(policy).ok(), is_allowed) << policy;
            const auto defect = concat("SELECT holdfast.policy_defect(", quoted(policy), ") IS NULL");
            EXPECT_EQ(raw->value(defect), is_allowed ? "t" : "f") << policy;
        };
        for (const auto& value : bounds.inside) compare(value, true);
        for (const auto& value : bounds.outside) compare(value, false);
    }
    EXPECT_EQ(compared, 12U);
}

TEST_F(SqlSubmit, RefusesToRetryOnWhatIsNeverRetriedAsTheLibraryDoes) {
    for (const char* code : {"WORKER_CRASHED", "ARGS_NOT_READABLE"}) {
        auto task = a_task(clock.now());
        task.policy.retry.retry_on = {"BUSY", code};
        EXPECT_THAT(complaint_of_cpp(task), HasSubstr(concat("retry_on cannot name ", code)));
        EXPECT_THAT(complaint_about(concat("SELECT holdfast.submit('noop', policy => ",
                                           quoted(core::encode_policy(task.policy)), ")")),
                    testing::AllOf(HasSubstr("policy: retry_on is"), HasSubstr("on_crash: requeue")));
    }
}

TEST_F(SqlSubmit, AgreesWithTheLibraryAboutEveryParameterAtItsBounds) {
    struct Bound {
        std::string parameter;
        bool accepted;
        std::function<void(store::NewTask&)> change;
    };
    const auto nested = [](std::size_t levels) {
        return concat(std::string(levels, '['), "\"]\"", std::string(levels, ']'));
    };
    const auto tags = [](std::size_t count) {
        std::vector<std::string> made;
        while (made.size() < count) made.push_back(concat("t", made.size()));
        return made;
    };
    const std::string trace = concat("00-", std::string(32, 'a'), "-", std::string(16, 'b'), "-01");
    const Timestamp first = std::chrono::sys_days(std::chrono::year(1970) / 1 / 1);
    const Timestamp last = std::chrono::sys_days(std::chrono::year(9999) / 12 / 31);
    using T = store::NewTask;
    const std::vector<Bound> bounds = {
        {"id", false, [](T& t) { t.id = random_uuid(); }},
        {"id", false, [](T& t) { t.id = {}; }},
        {"name", false, [](T& t) { t.name = ""; }},
        {"name", true, [](T& t) { t.name = std::string(255, 'n'), t.spec = "{}"; }},
        {"name", false, [](T& t) { t.name = std::string(256, 'n'), t.spec = "{}"; }},
        {"args", true, [](T& t) { t.args = concat('"', std::string((1 << 20) - 2, 'x'), '"'); }},
        {"args", false, [](T& t) { t.args = concat('"', std::string((1 << 20) - 1, 'x'), '"'); }},
        {"args", true, [&](T& t) { t.args = nested(256); }},
        {"args", false, [&](T& t) { t.args = nested(257); }},
        {"args", true, [](T& t) { t.args = concat(R"(["\")", std::string(600, '['), R"(\\"])"); }},
        {"args", true, [](T& t) { t.args = R"(["\ud83d\ude00", "\\ud83d", "\u0000"])"; }},
        {"args", false, [](T& t) { t.args = R"("\ud83d")"; }},
        {"args", false, [](T& t) { t.args = R"("\ud83d\\\ude00")"; }},
        {"args", false, [](T& t) { t.args = R"("\ude00")"; }},
        {"args", true, [](T& t) { t.args = R"([1.7976931348623157e308, 1e-400, "1e400"])"; }},
        {"args", false, [](T& t) { t.args = "[1e309]"; }},
        {"args", false, [](T& t) { t.args = concat("-1", std::string(309, '0')); }},
        {"args", false, [](T& t) { t.args = R"({"a": 1, "a": 2})"; }},
        {"args", false, [](T& t) { t.args = R"([0, {"b": [{"a": 1, "\u0061": 2}]}])"; }},
        {"args", false, [](T& t) { t.args = R"({"\\a": 1, "\u005ca": 2})"; }},
        {"args", true, [](T& t) { t.args = R"({"a.b": 1, "a": {"b": 2, "c": [{"b": 1}, {"b": 1}]}, "\u0000": 1})"; }},
        {"args", true, [](T& t) { t.args = R"({"\\a": 1, "  a": 2, "x": "a:b:c"})"; }},
        {"args", false, [](T& t) { t.args = R"({"\u0000": 1, "\u0000": 2})"; }},
        {"spec", false, [](T& t) { t.spec = R"({"a": 1, "a": 1})"; }},
        {"name", false, [](T& t) { t.name = "a\x1b[2J"; }},
        {"name", false, [](T& t) { t.name = "a\n"; }},
        {"name", false, [](T& t) { t.name = "\xC2\x80"; }},
        {"name", true, [](T& t) { t.name = "\xC2\xA0 \xE2\x80\xA9 \xE2\x80\xAF \xE2\x81\xAA \xE7\xBF\xBB"; }},
        {"queue", false, [](T& t) { t.queue = "\x7f"; }},
        {"queue", false, [](T& t) { t.queue = "\xC2\x9f"; }},
        {"tags", false,
         [](T& t) {
             t.tags = {"fine", "\xE2\x80\xAE"};
         }},
        {"tags", false, [](T& t) { t.tags = {"\xE2\x81\xA6"}; }},
        {"concurrency_key", false, [](T& t) { t.concurrency = ConcurrencyKey{.key = "\xE2\x81\xA9", .limit = 1}; }},
        {"idempotency_key", false, [](T& t) { t.idempotency_key = "\x01"; }},
        {"spec", true, [](T& t) { t.spec = concat('"', std::string((1 << 20) - 2, 'x'), '"'); }},
        {"spec", false, [](T& t) { t.spec = concat('"', std::string((1 << 20) - 1, 'x'), '"'); }},
        {"spec", false, [&](T& t) { t.spec = nested(257); }},
        {"queue", false, [](T& t) { t.queue = ""; }},
        {"queue", true, [](T& t) { t.queue = std::string(255, 'q'); }},
        {"queue", false, [](T& t) { t.queue = std::string(256, 'q'); }},
        {"tags", true, [](T& t) { t.tags = {std::string(255, 't')}; }},
        {"tags", false, [](T& t) { t.tags = {std::string(256, 't')}; }},
        {"tags", false, [](T& t) { t.tags = {""}; }},
        {"tags", true, [&](T& t) { t.tags = tags(63); }},
        {"tags", false, [&](T& t) { t.tags = tags(64); }},
        {"tags", true, [&](T& t) { t.tags = tags(64), t.spec = "{}"; }},
        {"tags", false, [&](T& t) { t.tags = tags(65), t.spec = "{}"; }},
        {"priority", false, [](T& t) { t.priority = 0; }},
        {"priority", true, [](T& t) { t.priority = 1; }},
        {"priority", true, [](T& t) { t.priority = 100; }},
        {"priority", false, [](T& t) { t.priority = 101; }},
        {"run_at", true, [&](T& t) { t.run_at = first; }},
        {"run_at", false, [&](T& t) { t.run_at = first - 1us; }},
        {"run_at", true, [&](T& t) { t.run_at = last; }},
        {"run_at", false, [&](T& t) { t.run_at = last + 1us; }},
        {"deadline", true, [&](T& t) { t.deadline = first; }},
        {"deadline", false, [&](T& t) { t.deadline = first - 1us; }},
        {"deadline", true, [&](T& t) { t.deadline = last; }},
        {"deadline", false, [&](T& t) { t.deadline = last + 1us; }},
        {"deadline", true, [&](T& t) { t.run_at = t.deadline = clock.now(); }},
        {"deadline", false, [&](T& t) { t.run_at = clock.now(), t.deadline = clock.now() - 1us; }},
        {"concurrency_key", false, [](T& t) { t = with_key(t, ""); }},
        {"concurrency_key", true, [](T& t) { t = with_key(t, std::string(255, 'k')); }},
        {"concurrency_key", false, [](T& t) { t = with_key(t, std::string(256, 'k')); }},
        {"concurrency_limit", false, [](T& t) { t = with_key(t, "k", 0); }},
        {"concurrency_limit", true, [](T& t) { t = with_key(t, "k", 10'000); }},
        {"concurrency_limit", false, [](T& t) { t = with_key(t, "k", 10'001); }},
        {"idempotency_key", true, [](T& t) { t.idempotency_key = std::string(255, 'i'); }},
        {"idempotency_key", false, [](T& t) { t.idempotency_key = std::string(256, 'i'); }},
        {"traceparent", true, [&](T& t) { t.traceparent = trace; }},
        {"traceparent", false, [&](T& t) { t.traceparent = trace + "0"; }},
        {"traceparent", false, [&](T& t) { t.traceparent = concat("0A", trace.substr(2)); }}};
    for (const auto& [parameter, accepted, change] : bounds) {
        auto task = a_task(clock.now());
        change(task);
        expect_submit_agrees(parameter, accepted, task);
    }
}

/// Its tag is task:NAME, and a tag has at most 255 bytes.
TEST_F(SqlSubmit, TakesANameOfAFunctionAsLongAsItsTagAllows) {
    expect_submit_agrees("name", true, a_task(clock.now(), std::string(250, 'n')));
    expect_submit_agrees("name", false, a_task(clock.now(), std::string(251, 'n')));
}

TEST_F(SqlSubmit, FollowsTheDatabasesOwnLimitOfAPayload) {
    raw->execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET holdfast.max_payload_bytes = 10', current_database());"
        " END $$");
    raw = database->raw();  // the setting holds for new connections
    EXPECT_EQ(complaint_about("SELECT holdfast.submit('noop', '\"12345678\"')"), "");
    EXPECT_THAT(complaint_about("SELECT holdfast.submit('noop', '\"123456789\"')"),
                HasSubstr("args: has 11 bytes; at most 10 are allowed"));
    EXPECT_THAT(complaint_about("SELECT holdfast.submit('noop', spec => '\"123456789\"')"),
                HasSubstr("spec: has 11 bytes; at most 10 are allowed"));
    raw->execute("SET holdfast.max_payload_bytes = 2000000");
    EXPECT_EQ(complaint_about("SELECT holdfast.submit('noop', to_json(repeat('x', 1500000)))"), "");
}

TEST_F(SqlSubmit, OfAnIdWhoseTaskWasRemovedIsRefused) {
    const Uuid id = complete_one();
    clock.advance(2h);
    prune_older_than(1h);
    ASSERT_FALSE(store->find({id}).at(0).has_value());
    EXPECT_THAT(submit_again(id), HasSubstr(concat("id: ", id.to_string(), " is older than ended tasks are kept")));
    EXPECT_FALSE(store->find({id}).at(0).has_value());
}

TEST_F(SqlSubmit, OfAnIdWhoseTaskIsBeingRemovedWaitsAndIsRefused) {
    const Uuid id = complete_one();
    const auto other = database->raw();
    other->execute("BEGIN");
    other->execute(concat("SELECT holdfast.delete_tasks(ARRAY['", id.to_string(), "']::uuid[])"));
    other->execute(concat("UPDATE pruned SET highest = '", id.to_string(), "'"));
    std::string complaint;
    std::jthread submitting([&] { complaint = submit_again(id); });
    PostgresRaw watcher(database->address());
    while (watcher.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          " AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(1ms);
    other->execute("COMMIT");
    submitting.join();
    EXPECT_THAT(complaint, HasSubstr("is older than ended tasks are kept"));
}

TEST_F(SqlSubmit, OfAnIdThatIsYoungerThanWhatWasRemovedIsAccepted) {
    complete_one();
    clock.advance(2h);
    prune_older_than(1h);
    EXPECT_EQ(submit_again(new_task_id(clock.now() - 59min)), "");
    EXPECT_EQ(complaint_about("SELECT holdfast.submit('noop')"), "");
}

TEST_F(SqlSubmit, OfAnOldIdIsAcceptedWhereNothingWasRemoved) {
    const Uuid kept = complete_one();
    clock.advance(2h);
    prune_older_than(3h);
    EXPECT_EQ(submit_again(new_task_id(clock.now() - 24h * 365)), "");
    EXPECT_TRUE(store->find({kept}).at(0).has_value());
}

TEST_F(SqlSubmit, OfAnOldIdThatIsStillKnownReturnsItsTask) {
    complete_one();
    clock.advance(1h);
    const auto waits = new_task_id(clock.now());
    EXPECT_EQ(submit_again(waits), "");
    clock.advance(2h);
    prune_older_than(1h);
    EXPECT_EQ(submit_again(waits), "");
    EXPECT_EQ(store->count().pending, 1);
}

TEST_F(SqlSubmit, RemembersTheLatestRemovalWhenAnEarlierOneFollows) {
    const auto older = a_task(clock.now());
    clock.advance(1h);
    const Uuid newer = complete_one();
    clock.advance(10h);
    prune_older_than(1h);
    EXPECT_EQ(raw->value("SELECT highest FROM pruned"), newer.to_string());
    raw->execute("UPDATE pruned SET highest = '00000000-0000-0000-0000-000000000000'");
    store->submit({older});
    raw->execute(concat("UPDATE pruned SET highest = '", newer.to_string(), "'"));
    force(*store, older.id);
    clock.advance(2h);
    prune_older_than(1h);
    EXPECT_FALSE(store->find({older.id}).at(0).has_value());
    EXPECT_EQ(raw->value("SELECT highest FROM pruned"), newer.to_string());
}

}  // namespace
}  // namespace holdfast::contract
