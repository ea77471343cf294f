#include "proof/sim/world.h"

#include <gtest/gtest.h>

#include "store/migration.h"

namespace holdfast::sim {
namespace {

RunOptions calm_world(std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    options.limits.kinds.emplace();
    options.busy_for = std::chrono::minutes(2);
    return options;
}

TEST(World, WithoutFaultsEverythingEndsAndNothingIsBroken) {
    const RunReport report = World(calm_world(3)).run();
    EXPECT_TRUE(report.violations.empty());
    EXPECT_GT(report.runs, 0U);
    EXPECT_TRUE(report.faults.empty());
}

TEST(World, IsTheSameForTheSameSeedAndAnotherForAnother) {
    const RunReport first = World({.seed = 11}).run();
    EXPECT_EQ(first.hash, World({.seed = 11}).run().hash);
    EXPECT_NE(first.hash, World({.seed = 12}).run().hash);
    EXPECT_FALSE(first.drawn.empty());
}

TEST(World, HasOnlyTheFaultsThatItMayHave) {
    RunOptions options{.seed = 11};
    options.limits.kinds = std::set<Fault>{Fault::AnswerLost};
    const RunReport report = World(options).run();
    ASSERT_EQ(report.faults.size(), 1U);
    EXPECT_EQ(report.faults.begin()->first, Fault::AnswerLost);

    options.limits.only = std::set<FaultKey>{report.drawn.front()};
    EXPECT_EQ(World(options).run().drawn, std::vector<FaultKey>{report.drawn.front()});
}

TEST(World, IsMigratedFromAnyOlderSchemaByTheFirstProcessToOpenIt) {
    for (int version = 1; version < sqlite::embedded_migrations().back().number; ++version) {
        RunOptions options = calm_world(3);
        options.plan = draw_plan(Dice(3));
        options.plan->first_schema = version;
        {
            World world(options);
            world.install_older(version);
            StoreReader reader(world.database);
            ASSERT_TRUE(reader.open(world.disk));
            EXPECT_EQ(reader.schema_version(), version);
            reader.close();
        }
        const RunReport report = World(options).run();
        EXPECT_TRUE(report.violations.empty()) << "which look at the schema in the end";
        EXPECT_GT(report.runs, 0U);
    }
}

TEST(World, OutlastsALongOutageThatEndsByItself) {
    RunOptions options{.seed = 5};
    options.limits.kinds = std::set<Fault>{Fault::Outage};
    options.plan = draw_plan(Dice(5));
    options.plan->long_outage_at = std::chrono::minutes(1);
    const RunReport report = World(options).run();
    EXPECT_TRUE(report.violations.empty());
    EXPECT_GT(report.virtual_time, options.plan->busy_for + std::chrono::hours(1));
    EXPECT_GE(report.faults.at(Fault::Outage), 1U);
}

/// Runs with this fault alone, until it has struck a few times, at least once while something was under way.
LostHistory lose_history_by(Fault fault) {
    LostHistory lost;
    std::uint64_t times = 0;
    const bool loses = fault != Fault::CallHangs;
    for (std::uint64_t seed = 1; seed <= 100 && (times < 2 || (loses && lost.tasks + lost.claims == 0)); ++seed) {
        RunOptions options{.seed = seed, .busy_for = std::chrono::minutes(3)};
        options.limits.kinds = std::set<Fault>{fault};
        const RunReport report = World(options).run();
        EXPECT_TRUE(report.violations.empty()) << "seed " << seed << ": " << report.violations.front().what;
        if (!report.violations.empty()) break;
        if (const auto struck = report.faults.find(fault); struck != report.faults.end()) times += struck->second;
        lost.add(report.lost);
    }
    return lost;
}

TEST(World, CountsWhatAStoreHasLostThatWentBack) {
    for (const Fault fault : {Fault::StoreGoesBack, Fault::DiskGoesBack, Fault::FileReplaced}) {
        const LostHistory lost = lose_history_by(fault);
        EXPECT_GT(lost.tasks + lost.claims, 0U) << to_text(fault);
        EXPECT_EQ(lost.delivered, lost.finishes) << to_text(fault) << ": no worker has died";
    }
}

TEST(World, LosesNothingWhenCallsAreCarriedOutAfterTheyWereGivenUp) {
    EXPECT_EQ(lose_history_by(Fault::CallHangs), LostHistory{});
}

TEST(Faults, AreCountedWhenTheyHappenAndNotWhenTheyAreDrawn) {
    FaultPlan plan(1, {.kinds = std::set<Fault>{Fault::Outage}, .only = {}});
    EXPECT_TRUE(plan.draw(Fault::Outage, "here").has_value());
    EXPECT_EQ(plan.count(Fault::Outage), 0U);
    plan.happened(Fault::Outage);
    EXPECT_EQ(plan.count(Fault::Outage), 1U);
    EXPECT_TRUE(plan.strikes(Fault::Outage, "here").has_value());
    EXPECT_EQ(plan.count(Fault::Outage), 2U);
    EXPECT_EQ(plan.drawn().size(), 2U);
}

}  // namespace
}  // namespace holdfast::sim
