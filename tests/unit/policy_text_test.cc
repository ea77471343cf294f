#include "core/task/task_options.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TaskPolicy read(std::string_view text) {
    auto policy = decode_policy(text);
    EXPECT_TRUE(policy.ok()) << text << ": " << policy.error();
    return policy.ok() ? *policy : TaskPolicy{};
}

std::string complaint(std::string_view text) {
    auto policy = decode_policy(text);
    EXPECT_FALSE(policy.ok()) << text;
    return policy.ok() ? std::string() : policy.error();
}

TaskPolicy all_different() {
    TaskPolicy policy;
    policy.retry = {5, {1s, 2500ms}, 2s, 1.5, 10min, 0.1, {"TASK_TIMEOUT", "Übel"}};
    policy.on_crash = OnCrash::Requeue;
    policy.max_crashes = 7;
    policy.timeout = 1min;
    policy.fence = Fence::Stop;
    policy.unmatched = Unmatched::Fail;
    return policy;
}

TEST(PolicyText, TheDefaultPolicyIsNoText) {
    EXPECT_EQ(encode_policy({}), "");
    EXPECT_EQ(read(""), TaskPolicy{});
    EXPECT_EQ(read("{}"), TaskPolicy{});
}

TEST(PolicyText, OnlyWhatDiffersIsWrittenWithSortedKeys) {
    TaskPolicy policy;
    policy.retry.max_attempts = 3;
    policy.on_crash = OnCrash::Requeue;
    policy.timeout = 60s;
    EXPECT_EQ(encode_policy(policy), R"({"max_attempts":3,"on_crash":"requeue","timeout_ms":60000})");
}

TEST(PolicyText, EveryMemberIsWrittenAndReadBack) {
    EXPECT_EQ(encode_policy(all_different()),
              R"({"fence":"stop","max_attempts":5,"max_crashes":7,"on_crash":"requeue","retry_base_ms":2000,)"
              R"("retry_cap_ms":600000,"retry_delays_ms":[1000,2500],"retry_factor":1.5,"retry_jitter":0.1,)"
              R"("retry_on":["TASK_TIMEOUT","Übel"],"timeout_ms":60000,"unmatched":"fail"})");
    EXPECT_EQ(read(encode_policy(all_different())), all_different());
    TaskPolicy policy;
    policy.fence = Fence::Continue;
    EXPECT_EQ(read(encode_policy(policy)), policy);
}

TEST(PolicyText, ReadsWhatPeopleWrite) {
    EXPECT_EQ(read(R"( { "retry_factor" : 3 , "on_crash":"fail", "fence": "auto" } )").retry.factor, 3.0);
}

TEST(PolicyText, AnUnknownKeyIsRefusedWithTheNearestKnownOne) {
    EXPECT_EQ(complaint(R"({"max_attemps":3})"), R"(unknown key "max_attemps"; did you mean "max_attempts"?)");
    EXPECT_THAT(complaint(R"({"colour":"red"})"),
                HasSubstr(R"(unknown key "colour"; the keys are fence, max_attempts,)"));
}

struct Bad {
    const char* text;
    const char* sentence;
};

TEST(PolicyText, EveryWrongTypeAndRangeIsNamedWithWhatIsAllowed) {
    const Bad bad[] = {
        {R"({"max_attempts":0})", "max_attempts must be a whole number from 1 to 1000, not 0"},
        {R"({"max_attempts":1001})", "max_attempts must be a whole number from 1 to 1000, not 1001"},
        {R"({"max_attempts":"3"})", R"(max_attempts must be a whole number from 1 to 1000, not "3")"},
        {R"({"max_attempts":3.0})", "max_attempts must be a whole number from 1 to 1000, not 3.0"},
        {R"({"max_attempts":null})", "max_attempts must be a whole number from 1 to 1000, not null"},
        {R"({"max_attempts":4294967297})", "max_attempts must be a whole number from 1 to 1000, not 4294967297"},
        {R"({"max_attempts":18446744073709551615})",
         "max_attempts must be a whole number from 1 to 1000, not 18446744073709551615"},
        {R"({"max_crashes":-1})", "max_crashes must be a whole number from 0 to 1000, not -1"},
        {R"({"timeout_ms":0})", "timeout_ms must be from 1 to 604800000 whole milliseconds (7d), not 0"},
        {R"({"timeout_ms":604800001})",
         "timeout_ms must be from 1 to 604800000 whole milliseconds (7d), not 604800001"},
        {R"({"timeout_ms":"1m"})", R"(timeout_ms must be from 1 to 604800000 whole milliseconds (7d), not "1m")"},
        {R"({"retry_base_ms":-1})", "retry_base_ms must be from 0 to 2592000000 whole milliseconds (30d), not -1"},
        {R"({"retry_cap_ms":9223372036854775807})",
         "retry_cap_ms must be from 0 to 2592000000 whole milliseconds (30d), not 9223372036854775807"},
        {R"({"retry_delays_ms":1000})", "retry_delays_ms must be a list of whole milliseconds, not 1000"},
        {R"({"retry_delays_ms":[1,-1]})",
         "retry_delays_ms[1] must be from 0 to 2592000000 whole milliseconds (30d), not -1"},
        {R"({"retry_factor":0.5})", "retry_factor must be a number from 1 to 100, not 0.5"},
        {R"({"retry_factor":101})", "retry_factor must be a number from 1 to 100, not 101"},
        {R"({"retry_factor":true})", "retry_factor must be a number from 1 to 100, not true"},
        {R"({"retry_jitter":1.5})", "retry_jitter must be a number from 0 to 1, not 1.5"},
        {R"({"retry_on":"A"})", R"(retry_on must be a list of texts, not "A")"},
        {R"({"retry_on":["A",7]})", "retry_on[1] must be a text in quotes, not 7"},
        {R"({"retry_on":[""]})", "retry_on[0] must have 1 to 255 bytes, not 0"},
        {R"({"retry_on":["a\u0000b"]})", "retry_on[0] contains a NUL byte at offset 1"},
        {R"({"on_crash":"retry"})", R"(on_crash must be "fail" or "requeue", not "retry")"},
        {R"({"on_crash":true})", R"(on_crash must be "fail" or "requeue", not true)"},
        {R"({"fence":"Stop"})", R"(fence must be "auto", "stop" or "continue", not "Stop")"},
        {R"({"unmatched":null})", R"(unmatched must be "wait", "fail" or "auto", not null)"},
        {R"({"max_attempts":2,"max_attempts":3})", "max_attempts is given twice"},
        {"[]", "a policy must be a JSON object, not []"},
        {"7", "a policy must be a JSON object, not 7"},
        {"{", "a policy must be a JSON object, and this is not valid JSON"},
        {" ", "a policy must be a JSON object, and this is not valid JSON"},
        {"{} x", "a policy must be a JSON object, and this is not valid JSON"},
        {"{\"retry_on\":[\"\xFF\"]}", "a policy must be a JSON object, and this is not valid JSON"},
    };
    for (const Bad& b : bad) EXPECT_EQ(complaint(b.text), b.sentence);
}

TEST(PolicyText, AnyTypeUnderAnyKeyIsEitherReadOrRefusedInASentenceThatNamesTheKey) {
    for (const char* key : {"fence", "max_attempts", "max_crashes", "on_crash", "retry_base_ms", "retry_cap_ms",
                            "retry_delays_ms", "retry_factor", "retry_jitter", "retry_on", "timeout_ms", "unmatched"})
        for (const char* value :
             {"null", "true", "-1", "1e400", "1e3", "0.5", "\"x\"", "[null]", "[[]]", "{}", "[{}]"}) {
            const std::string text = std::string("{\"") + key + "\":" + value + "}";
            const auto policy = decode_policy(text);
            // What JSON itself cannot hold (1e400) is refused before any key is looked at.
            if (policy.ok()) {
                EXPECT_EQ(policy_defect(*policy), "") << text;
            } else {
                EXPECT_THAT(policy.error(), testing::AnyOf(HasSubstr(key), HasSubstr("not valid JSON"))) << text;
            }
        }
}

TEST(PolicyText, LimitsTheLengthOfLists) {
    TaskPolicy policy;
    policy.retry.delays.assign(100, 1s);
    policy.retry.retry_on.assign(100, "CODE");
    EXPECT_EQ(policy_defect(policy), "");
    EXPECT_EQ(read(encode_policy(policy)), policy);
    policy.retry.delays.emplace_back(1s);
    EXPECT_EQ(policy_defect(policy), "retry_delays_ms must have at most 100 members, not 101");
    EXPECT_EQ(complaint(encode_policy(policy)), policy_defect(policy));
    policy.retry.delays.clear();
    policy.retry.retry_on.emplace_back("CODE");
    EXPECT_EQ(policy_defect(policy), "retry_on must have at most 100 members, not 101");
}

TEST(PolicyText, ALongValueIsShownInPart) {
    const std::string text = R"({"on_crash":")" + std::string(1000, 'x') + R"("})";
    EXPECT_LT(complaint(text).size(), 150U);
}

/// One way to spoil a policy, and the key that the defect must name.
struct Spoiled {
    const char* key;
    void (*spoil)(TaskPolicy&);
};

TEST(PolicyDefect, NamesWhateverAProgramSetOutOfRange) {
    const Spoiled spoiled[] = {
        {"max_attempts", [](TaskPolicy& p) { p.retry.max_attempts = 0; }},
        {"max_attempts", [](TaskPolicy& p) { p.retry.max_attempts = 1001; }},
        {"max_crashes", [](TaskPolicy& p) { p.max_crashes = -1; }},
        {"max_crashes", [](TaskPolicy& p) { p.max_crashes = 1001; }},
        {"timeout_ms", [](TaskPolicy& p) { p.timeout = 0ms; }},
        {"timeout_ms", [](TaskPolicy& p) { p.timeout = 24h * 7 + 1ms; }},
        {"timeout_ms", [](TaskPolicy& p) { p.timeout = 1500us; }},
        {"retry_base_ms", [](TaskPolicy& p) { p.retry.base = -1ms; }},
        {"retry_base_ms", [](TaskPolicy& p) { p.retry.base = 1us; }},
        {"retry_cap_ms", [](TaskPolicy& p) { p.retry.cap = 24h * 30 + 1ms; }},
        {"retry_delays_ms[1]",
         [](TaskPolicy& p) {
             p.retry.delays = {1s, -1s};
         }},
        {"retry_factor", [](TaskPolicy& p) { p.retry.factor = 0.99; }},
        {"retry_factor", [](TaskPolicy& p) { p.retry.factor = std::nan(""); }},
        {"retry_factor", [](TaskPolicy& p) { p.retry.factor = INFINITY; }},
        {"retry_jitter", [](TaskPolicy& p) { p.retry.jitter = -0.01; }},
        {"retry_jitter", [](TaskPolicy& p) { p.retry.jitter = std::nan(""); }},
        {"retry_on[0]", [](TaskPolicy& p) { p.retry.retry_on = {"\xFF"}; }},
        {"retry_on[1]",
         [](TaskPolicy& p) {
             p.retry.retry_on = {"A", std::string(256, 'B')};
         }},
    };
    for (const Spoiled& s : spoiled) {
        TaskPolicy policy = all_different();
        ASSERT_EQ(policy_defect(policy), "");
        s.spoil(policy);
        EXPECT_THAT(policy_defect(policy), testing::StartsWith(std::string(s.key) + " ")) << s.key;
    }
}

TEST(PolicyDefect, RefusesToRetryOnWhatIsNeverRetriedAndSaysWhatToDo) {
    TaskPolicy policy;
    policy.retry.retry_on = {"BUSY", "WORKER_CRASHED"};
    EXPECT_EQ(policy_defect(policy),
              "retry_on cannot name WORKER_CRASHED: write on_crash: requeue to run the task again after a crash");
    EXPECT_TRUE(decode_policy(encode_policy(policy)).ok()) << "what was stored before is still read";
    policy.retry.retry_on = {"ARGS_NOT_READABLE"};
    EXPECT_THAT(policy_defect(policy), testing::StartsWith("retry_on cannot name ARGS_NOT_READABLE: "));
}

TaskPolicy any_policy() {
    const auto delay = rc::gen::map(rc::gen::inRange<std::int64_t>(0, 2'592'000'001),
                                    [](std::int64_t count) { return Duration(std::chrono::milliseconds(count)); });
    TaskPolicy policy;
    policy.retry.max_attempts = *rc::gen::inRange(1, 1001);
    policy.retry.delays = *rc::gen::container<std::vector<Duration>>(delay);
    policy.retry.base = *delay;
    policy.retry.factor = 1 + 99 * (*rc::gen::inRange(0, 1 << 30) / double{1 << 30});
    policy.retry.cap = *delay;
    policy.retry.jitter = *rc::gen::inRange(0, 1 << 30) / double{1 << 30};
    policy.retry.retry_on = *rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127))));
    policy.on_crash = *rc::gen::element(OnCrash::Fail, OnCrash::Requeue);
    policy.max_crashes = *rc::gen::inRange(0, 1001);
    if (*rc::gen::arbitrary<bool>()) policy.timeout = std::chrono::milliseconds(*rc::gen::inRange(1, 604'800'001));
    policy.fence = *rc::gen::element(Fence::Auto, Fence::Stop, Fence::Continue);
    policy.unmatched = *rc::gen::element(Unmatched::Wait, Unmatched::Fail, Unmatched::Auto);
    return policy;
}

RC_GTEST_PROP(PolicyText, IsReadBackAsTheSamePolicy, ()) {
    const TaskPolicy policy = any_policy();
    RC_PRE(policy_defect(policy).empty());
    const auto decoded = decode_policy(encode_policy(policy));
    RC_ASSERT(decoded.ok());
    RC_ASSERT(*decoded == policy);
}

}  // namespace
}  // namespace holdfast::core
