#include "store/admission.h"

#include <gmock/gmock.h>

namespace holdfast::store {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::HasSubstr;

constexpr std::int64_t created_ms = 1'800'000'000'000;

Uuid v7(std::int64_t milliseconds) {
    Uuid::Bytes bytes{};
    for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
    bytes[6] = 0x70;
    bytes[8] = 0x80;
    return Uuid(bytes);
}

NewTask good() {
    NewTask task;
    task.id = v7(created_ms);
    task.name = "backup";
    return task;
}

Limits small() {
    Limits limits;
    limits.max_payload_bytes = 100;
    return limits;
}

/// A JSON string of exactly `bytes` bytes.
std::string json_of(std::size_t bytes) {
    return "\"" + std::string(bytes - 2, 'x') + "\"";
}

TEST(Admission, TakesIdsFromUpToAnHourInTheFuture) {
    const Timestamp now{std::chrono::milliseconds(created_ms)};
    const std::int64_t hour = 3'600'000;
    EXPECT_EQ(future_complaint(v7(created_ms), now), std::nullopt);
    EXPECT_EQ(future_complaint(v7(created_ms + hour - 1), now), std::nullopt);
    EXPECT_EQ(future_complaint(v7(0), now), std::nullopt);
    for (const std::int64_t late : {created_ms + hour, created_ms + 24 * hour, (std::int64_t{1} << 48) - 1})
        EXPECT_THAT(future_complaint(v7(late), now).value(), HasSubstr("more than 1h in the future")) << late;
}

TEST(Admission, AcceptsATaskAtEveryLimit) {
    EXPECT_EQ(refusal(good(), {}), std::nullopt);
    NewTask task = good();
    task.name = task.queue = task.idempotency_key = std::string(255, 'n');
    task.args = task.spec = json_of(100);
    task.tags.assign(64, std::string(255, 't'));
    task.priority = 100;
    task.concurrency = {std::string(255, 'k'), 10'000};
    task.run_at = task.deadline = Timestamp(2'000'000'000s);
    task.policy.retry.max_attempts = 1000;
    EXPECT_EQ(refusal(task, small()), std::nullopt);
}

/// One way to spoil a task, and the words that the refusal must contain: the field, and what is wrong.
struct Spoiled {
    std::string words;
    void (*spoil)(NewTask&);
};

TEST(Admission, RefusesEachBadFieldByName) {
    const Spoiled spoiled[] = {
        {"id is missing", [](NewTask& t) { t.id = Uuid(); }},
        {"is not a UUIDv7", [](NewTask& t) { t.id = Uuid::parse("0192f3a4-5b6c-4d8e-9fab-0123456789cd").value(); }},
        {"name is empty", [](NewTask& t) { t.name = ""; }},
        {"name has 256 bytes; at most 255", [](NewTask& t) { t.name.assign(256, 'x'); }},
        {"name contains a NUL byte at offset 1", [](NewTask& t) { t.name = "a\0b"s; }},
        {"name is not valid UTF-8 at offset 0", [](NewTask& t) { t.name = "\xC0\xAF"; }},
        {"name is not valid UTF-8 at offset 2", [](NewTask& t) { t.name = "ok\xED\xA0\x80"; }},
        {"name contains the control character U+001B at offset 1", [](NewTask& t) { t.name = "a\x1b[31m"; }},
        {"queue contains the control character U+000A", [](NewTask& t) { t.queue = "a\nb"; }},
        {"a tag contains the control character U+007F", [](NewTask& t) { t.tags = {"\x7f"}; }},
        {"concurrency key contains U+202E, which changes the direction",
         [](NewTask& t) {
             t.concurrency = {"\xE2\x80\xAE", 1};
         }},
        {"idempotency key contains the control character U+0009", [](NewTask& t) { t.idempotency_key = "\t"; }},
        {"args is a number that is too large", [](NewTask& t) { t.args = "1e999"; }},
        {"args.a[1] is a number that is too large", [](NewTask& t) { t.args = R"({"a": [1, -1e999]})"; }},
        {"args.b.c is given twice", [](NewTask& t) { t.args = R"({"b": {"c": 1, "c": 1}})"; }},
        {"args[0].c is given twice", [](NewTask& t) { t.args = R"([{"c": 1, "c": 1}])"; }},
        {"spec.c is given twice", [](NewTask& t) { t.spec = R"({"c": 1, "c": 1})"; }},
        {"args is not valid JSON", [](NewTask& t) { t.args = "{"; }},
        {"args is not valid JSON", [](NewTask& t) { t.args = ""; }},
        {"args contains a NUL byte at offset 3", [](NewTask& t) { t.args = "\"a\"\0"s; }},
        {"args is not valid UTF-8 at offset 1", [](NewTask& t) { t.args = "\"\xF4\x90\x80\x80\""; }},
        {"args has 101 bytes; at most 100", [](NewTask& t) { t.args = json_of(101); }},
        {"spec has 101 bytes; at most 100", [](NewTask& t) { t.spec = json_of(101); }},
        {"spec is not valid JSON", [](NewTask& t) { t.spec = "echo"; }},
        {"queue is empty", [](NewTask& t) { t.queue = ""; }},
        {"queue is not valid UTF-8", [](NewTask& t) { t.queue = "q\x80"; }},
        {"a tag is empty",
         [](NewTask& t) {
             t.tags = {"fine", ""};
         }},
        {"a tag has 256 bytes", [](NewTask& t) { t.tags = {std::string(256, 't')}; }},
        {"tags are 65; at most 64", [](NewTask& t) { t.tags.assign(65, "t"); }},
        {"priority is 0; allowed are 1 to 100", [](NewTask& t) { t.priority = 0; }},
        {"priority is 101; allowed are 1 to 100", [](NewTask& t) { t.priority = 101; }},
        {"run_at is outside", [](NewTask& t) { t.run_at = Timestamp(-1us); }},
        {"deadline is outside", [](NewTask& t) { t.deadline = Timestamp::max(); }},
        {"deadline is before run_at",
         [](NewTask& t) {
             t.run_at = Timestamp(2'000'000'000s);
             t.deadline = *t.run_at - 1us;
         }},
        {"concurrency key is empty",
         [](NewTask& t) {
             t.concurrency = {"", 1};
         }},
        {"concurrency limit is 0",
         [](NewTask& t) {
             t.concurrency = {"k", 0};
         }},
        {"concurrency limit is 10001",
         [](NewTask& t) {
             t.concurrency = {"k", 10'001};
         }},
        {"idempotency key has 256 bytes", [](NewTask& t) { t.idempotency_key.assign(256, 'x'); }},
        {"idempotency key contains a NUL byte", [](NewTask& t) { t.idempotency_key = "\0"s; }},
        {"max_attempts must be", [](NewTask& t) { t.policy.retry.max_attempts = 0; }},
    };
    for (const Spoiled& s : spoiled) {
        NewTask task = good();
        s.spoil(task);
        const auto found = refusal(task, small());
        ASSERT_TRUE(found) << s.words;
        EXPECT_THAT(*found, HasSubstr(s.words));
    }
}

TEST(Admission, AnIdIsTooOldOnceItIsOlderThanRetention) {
    Limits limits;
    limits.terminal_retention = 1h;
    const Timestamp made_at{std::chrono::milliseconds(created_ms)};
    EXPECT_FALSE(is_too_old(v7(created_ms), made_at + 1h, limits));
    EXPECT_TRUE(is_too_old(v7(created_ms), made_at + 1h + 1us, limits));
    EXPECT_FALSE(is_too_old(v7(created_ms), made_at - 1h, limits)) << "an id from the future is not old";
    limits.terminal_retention = std::nullopt;
    EXPECT_FALSE(is_too_old(v7(0), made_at, limits)) << "nothing is ever pruned";
}

TEST(Admission, TagsAreSortedAndUnique) {
    EXPECT_EQ(canonical_tags({"b", "a", "b"}), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(canonical_tags({}), std::vector<std::string>{});
}

TEST(Admission, ProgressIsRefusedByName) {
    const auto complaint = [](std::optional<double> fraction, std::string text,
                              std::optional<std::string> checkpoint) {
        return refusal(ProgressReport{{}, fraction, std::move(text), std::move(checkpoint)}, small()).value_or("");
    };
    EXPECT_EQ(complaint(0.0, "", std::nullopt), "");
    EXPECT_EQ(complaint(1.0, "half way", json_of(100)), "");
    EXPECT_THAT(complaint(1.01, "", std::nullopt), HasSubstr("progress"));
    EXPECT_THAT(complaint(-0.01, "", std::nullopt), HasSubstr("progress"));
    EXPECT_THAT(complaint(std::nan(""), "", std::nullopt), HasSubstr("progress"));
    EXPECT_THAT(complaint({}, "\xFF", std::nullopt), HasSubstr("progress text is not valid UTF-8"));
    EXPECT_THAT(complaint({}, std::string(1 << 20, 'x'), std::nullopt), HasSubstr("progress text has more than"));
    EXPECT_THAT(complaint({}, "", json_of(101)), HasSubstr("checkpoint has 101 bytes"));
    EXPECT_THAT(complaint({}, "", "{"), HasSubstr("checkpoint is not valid JSON"));
}

}  // namespace
}  // namespace holdfast::store
