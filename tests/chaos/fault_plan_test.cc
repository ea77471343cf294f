#include "proof/chaos/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace holdfast::chaos {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

FaultPlanParams params_for(StoreKind store, std::uint64_t seed, Duration duration = seconds(30)) {
    return {.seed = seed, .duration = duration, .kinds = faults_for(store), .lease = seconds(5)};
}

TEST(FaultPlan, IsTheSameForTheSameSeedAndAnotherForAnother) {
    const auto plan = plan_faults(params_for(StoreKind::Postgres, 7));
    EXPECT_EQ(plan, plan_faults(params_for(StoreKind::Postgres, 7)));
    EXPECT_NE(plan, plan_faults(params_for(StoreKind::Postgres, 8)));
}

TEST(FaultPlan, HasEveryKindInHalfAMinuteWhateverTheSeed) {
    for (const StoreKind store : {StoreKind::Sqlite, StoreKind::Postgres})
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            std::set<FaultKind> kinds;
            for (const Fault& fault : plan_faults(params_for(store, seed))) kinds.insert(fault.kind);
            EXPECT_EQ(kinds.size(), faults_for(store).size()) << to_text(store) << ", seed " << seed;
        }
}

TEST(FaultPlan, IsOverByTheEndAndGoesForward) {
    Duration before{};
    for (const Fault& fault : plan_faults(params_for(StoreKind::Postgres, 3, minutes(5)))) {
        EXPECT_GT(fault.at, before);
        EXPECT_LE(fault.at + fault.length, minutes(5));
        before = fault.at;
    }
    EXPECT_GT(before, minutes(4));
}

TEST(FaultPlan, StopsForLongerThanALeaseLasts) {
    for (const Fault& fault : plan_faults(params_for(StoreKind::Postgres, 3, minutes(5)))) {
        const bool stops = fault.kind == FaultKind::StopWorker || fault.kind == FaultKind::CutPath;
        const bool has_time = fault.at < minutes(5) - seconds(15);
        EXPECT_TRUE(!stops || !has_time || fault.length > seconds(5));
    }
}

TEST(FaultPlan, HasEveryKindOfAClusterInTwoMinutesWithTheOthersInBetween) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto plan = plan_faults(params_for(StoreKind::Cluster, seed, minutes(2)));
        std::set<FaultKind> kinds;
        for (const Fault& fault : plan) kinds.insert(fault.kind);
        EXPECT_EQ(kinds.size(), faults_for(StoreKind::Cluster).size()) << "seed " << seed;
        const auto hits = std::ranges::count_if(plan, [](const Fault& each) { return is_of_cluster(each.kind); });
        EXPECT_GT(static_cast<std::ptrdiff_t>(plan.size()), 5 * hits) << "seed " << seed;
    }
}

TEST(FaultPlan, GivesAClusterTimeForItsRepairBetweenFaults) {
    Duration before{};
    for (const Fault& fault : plan_faults(params_for(StoreKind::Cluster, 3, minutes(5)))) {
        if (!is_of_cluster(fault.kind)) continue;
        EXPECT_GE(fault.at, before);
        before = fault.at + fault.length + seconds(5);
    }
}

TEST(FaultPlan, EndsWithTheLastOfTheFailoversThatWereAskedFor) {
    for (const int wanted : {1, 7, 200}) {
        FaultPlanParams params = params_for(StoreKind::Cluster, 5);
        params.failovers = wanted;
        const auto plan = plan_faults(params);
        EXPECT_EQ(std::ranges::count_if(plan, [](const Fault& each) { return is_failover(each.kind); }), wanted);
        EXPECT_TRUE(is_failover(plan.back().kind));
    }
}

TEST(FaultPlan, HasFaultsOfAClusterOnlyOnACluster) {
    for (const StoreKind store : {StoreKind::Sqlite, StoreKind::Postgres})
        EXPECT_EQ(std::ranges::count_if(faults_for(store), is_of_cluster), 0);
    EXPECT_EQ(std::ranges::count_if(faults_for(StoreKind::Cluster), is_of_cluster), 6);
}

TEST(FaultPlan, KeepsToTheKindsThatItIsGiven) {
    FaultPlanParams params = params_for(StoreKind::Sqlite, 1);
    params.kinds = {FaultKind::KillRunner};
    for (const Fault& fault : plan_faults(params)) EXPECT_EQ(fault.kind, FaultKind::KillRunner);
    params.kinds = {};
    EXPECT_THAT(plan_faults(params), testing::IsEmpty());
}

TEST(FaultPlan, NamesEveryKindAndReadsTheNames) {
    for (const FaultKind kind : all_faults()) EXPECT_EQ(parse_fault(to_text(kind)), kind);
    EXPECT_EQ(parse_fault("kill-everything"), std::nullopt);
}

}  // namespace
}  // namespace holdfast::chaos
