#include "views/task_options.h"

#include <gmock/gmock.h>

#include "holdfast/errors.h"

namespace holdfast::views {
namespace {

using namespace std::chrono_literals;

SubmitOptions all_different() {
    SubmitOptions options{.queue = "q", .priority = 7, .tags = {"a", "b"}, .concurrency = ConcurrencyKey{"k", 3}};
    options.policy.retry = {5, {1s, 2500ms}, 2s, 1.5, 10min, 0.1, {"TASK_TIMEOUT", "BUSY"}};
    options.policy.on_crash = OnCrash::Requeue;
    options.policy.max_crashes = 7;
    options.policy.timeout = 1min;
    options.policy.fence = Fence::Stop;
    options.policy.unmatched = Unmatched::Fail;
    return options;
}

SubmitOptions read(const Json& shape) {
    SubmitOptions options;
    read_options(nlohmann::json::parse(shape.dump()), options);
    return options;
}

TEST(OptionsShape, IsReadBackAsTheSameOptions) {
    EXPECT_EQ(read(options_shape(all_different())), all_different());
    EXPECT_EQ(read(options_shape({})), SubmitOptions());
}

TEST(OptionsShape, SaysAllButATimeoutAndAKeyThatTheTaskDoesNotHave) {
    EXPECT_EQ(nlohmann::json::parse(options_shape({}).dump()), nlohmann::json::parse(R"({
        "queue": "default", "priority": 50, "tags": [],
        "retry": {"max_attempts": 1, "delays": [], "base": "1s", "factor": 2.0, "cap": "5m", "jitter": 0.0, "retry_on": []},
        "on_crash": "fail", "max_crashes": 3, "fence": "auto", "unmatched": "wait"})"));
}

TEST(OptionsShape, MembersThatAreLeftOutOrNullChangeNothing) {
    SubmitOptions options = all_different();
    read_options({{"retry", {{"base", "9s"}, {"cap", nullptr}}}, {"queue", nullptr}}, options);
    SubmitOptions expected = all_different();
    expected.policy.retry.base = 9s;
    EXPECT_EQ(options, expected);
}

TEST(OptionsShape, AValueOutOfRangeIsRefusedByTheNameOfItsMember) {
    SubmitOptions options;
    try {
        read_options({{"retry", {{"base", "31d"}}}}, options);
        FAIL() << "accepted";
    } catch (const BadInput& refused) {
        EXPECT_STREQ(refused.what(), "retry.base must be from 0s to 30d in whole milliseconds, not 31d");
    }
}

TEST(OptionSchemas, HaveAMemberForEachOptionInItsGroup) {
    std::vector<std::string> names;
    for (const auto& [name, schema] : option_schemas()) names.push_back(name);
    EXPECT_THAT(names, testing::ElementsAre("queue", "priority", "tags", "timeout", "retry", "on_crash",
                                            "max_crashes", "fence", "unmatched", "concurrency"));
}

}  // namespace
}  // namespace holdfast::views
