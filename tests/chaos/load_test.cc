#include "proof/chaos/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "proof/chaos/chaos_task.h"
#include "tests/chaos/stories.h"

namespace holdfast::chaos {
namespace {

TEST(ChaosLoad, HasTasksOfEveryPolicy) {
    Load load(1);
    std::set<std::string> kinds;
    for (int i = 0; i < 1000; ++i) {
        const store::NewTask task = load.next_task(Story::id(1));
        const Behaviour behaviour = behaviour_from(nlohmann::json::parse(task.args));
        kinds.insert(task.policy.on_crash == OnCrash::Fail ? "fails on crash" : "requeued on crash");
        if (task.policy.retry.max_attempts > 1) kinds.insert("retries");
        if (behaviour.fails > 0) kinds.insert("fails by itself");
        if (behaviour.dies) kinds.insert("dies by itself");
        if (task.concurrency) kinds.insert("key with limit " + std::to_string(task.concurrency->limit));
        EXPECT_EQ(task.concurrency.has_value(), behaviour.limit > 0);
    }
    EXPECT_THAT(kinds,
                testing::UnorderedElementsAre("fails on crash", "requeued on crash", "retries", "fails by itself",
                                              "dies by itself", "key with limit 1", "key with limit 2"));
}

TEST(ChaosLoad, HasJobsOfEveryShape) {
    Load load(1);
    std::set<std::string> definitions;
    for (int i = 0; i < 100; ++i) definitions.insert(load.next_job(Story::id(1)).definition);
    EXPECT_EQ(definitions.size(), 3U);
    EXPECT_THAT(dependencies_of("diamond", "bottom"), testing::ElementsAre("left", "right"));
    EXPECT_THAT(dependencies_of("diamond", "top"), testing::IsEmpty());
}

TEST(ChaosLoad, IsTheSameForTheSameSeed) {
    Load one(5), same(5), other(6);
    std::string from_one, from_same, from_other;
    for (int i = 0; i < 20; ++i) {
        from_one += one.next_task(Story::id(1)).args;
        from_same += same.next_task(Story::id(1)).args;
        from_other += other.next_task(Story::id(1)).args;
    }
    EXPECT_EQ(from_one, from_same);
    EXPECT_NE(from_one, from_other);
}

}  // namespace
}  // namespace holdfast::chaos
