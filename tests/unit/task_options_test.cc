#include "core/task/task_options.h"

#include <gmock/gmock.h>

#include <set>

#include "holdfast/errors.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const TaskOption& option(std::string_view name) {
    return *find_option(task_options(), name);
}

std::string refusal(std::string_view name, OptionValue value) {
    SubmitOptions options;
    try {
        override_with(option(name), option(name).flag, std::move(value), options);
    } catch (const BadInput& refused) {
        return refused.what();
    }
    return "";
}

TEST(TaskOptions, HaveNamesOfTheirOwnEverywhere) {
    std::set<std::string> names, flags, members, stored;
    for (const TaskOption& each : task_options()) {
        EXPECT_TRUE(names.emplace(each.name).second) << each.name;
        EXPECT_TRUE(flags.insert(each.flag).second) << each.flag;
        EXPECT_TRUE(members.insert(each.member).second) << each.member;
        EXPECT_TRUE(stored.insert(stored_name(each)).second) << each.name;
        EXPECT_TRUE(each.meaning.ends_with('.')) << each.name;
    }
    EXPECT_EQ(option("max_crashes").flag, "--max-crashes");
    EXPECT_EQ(option("max_crashes").member, "max_crashes");
    EXPECT_EQ(option("timeout").flag, "--attempt-timeout");
    EXPECT_EQ(option("retry_base").member, "retry.base");
}

TEST(TaskOptions, HaveTheDefaultsOfTheStructures) {
    EXPECT_EQ(option("queue").fallback, "default");
    EXPECT_EQ(option("priority").fallback, "50");
    EXPECT_EQ(option("timeout").fallback, "");
    EXPECT_EQ(option("retry_cap").fallback, "5m");
    EXPECT_EQ(option("retry_factor").fallback, "2");
    EXPECT_EQ(option("fence").fallback, "auto");
    EXPECT_EQ(option("concurrency_limit").fallback, "1");
    for (const TaskOption& each : task_options()) EXPECT_EQ(option_defect(each, each.name, each.get({})), "");
}

TEST(TaskOptions, AValueIsReadBackFromTheMemberThatItWasGivenTo) {
    SubmitOptions options;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, OptionValue>>{
             {"priority", std::int64_t{7}},
             {"tags", std::vector<std::string>{"gpu"}},
             {"timeout", Duration(90s)},
             {"retry_delays", std::vector<Duration>{1s, 1min}},
             {"retry_jitter", 0.5},
             {"on_crash", std::string("requeue")},
             {"concurrency_limit", std::int64_t{3}},
         }) {
        override_with(option(name), name, value, options);
        EXPECT_EQ(option(name).get(options), value) << name;
    }
    EXPECT_EQ(options.policy.on_crash, OnCrash::Requeue);
    EXPECT_EQ(options.concurrency->limit, 3);
}

TEST(TaskOptions, TagsAreAddedAndOtherListsReplaced) {
    SubmitOptions options;
    options.tags = {"db"};
    options.policy.retry.retry_on = {"BUSY"};
    override_with(option("tags"), "tags", std::vector<std::string>{"gpu"}, options);
    override_with(option("retry_on"), "retry_on", std::vector<std::string>{"FULL"}, options);
    EXPECT_THAT(options.tags, ElementsAre("db", "gpu"));
    EXPECT_THAT(options.policy.retry.retry_on, ElementsAre("FULL"));
}

TEST(TaskOptions, AValueOutOfRangeIsRefusedByTheNameThatItCameUnder) {
    EXPECT_EQ(refusal("max_crashes", std::int64_t{1001}),
              "--max-crashes must be a whole number from 0 to 1000, not 1001");
    EXPECT_EQ(refusal("timeout", Duration(24h * 8)),
              "--attempt-timeout must be from 1ms to 7d in whole milliseconds, not 8d");
    EXPECT_EQ(refusal("retry_delays", std::vector<Duration>{1s, -1s}),
              "--retry-delay[1] must be from 0s to 30d in whole milliseconds, not -1s");
    EXPECT_EQ(refusal("retry_factor", 0.5), "--retry-factor must be a number from 1 to 100, not 0.5");
}

TEST(TaskOptions, OnlyProgramsLeaveOpenWhatBecomesOfATaskWithoutAWorker) {
    EXPECT_THAT(offered_words(option("unmatched")), ElementsAre("wait", "fail"));
    EXPECT_THAT(option("unmatched").words, ElementsAre("wait", "fail", "auto"));
}

TEST(TaskOptions, AMeaningNamesOtherOptionsAsItsReaderKnowsThem) {
    EXPECT_EQ(meaning_with(&TaskOption::flag, option("retry_base")),
              "Without `--retry-delay`: how long the first retry waits.");
    EXPECT_EQ(meaning_with(&TaskOption::member, option("retry_base")),
              "Without `retry.delays`: how long the first retry waits.");
}

}  // namespace
}  // namespace holdfast::core
