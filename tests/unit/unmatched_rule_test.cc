#include <gtest/gtest.h>

#include "base/text.h"
#include "core/task/verdict.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr UnmatchedRule every_rule[] = {UnmatchedRule::Known, UnmatchedRule::Fail, UnmatchedRule::Wait};

TEST(UnmatchedRules, ATaskThatSaysSomethingIsTreatedSoAndAStepThatSaysNothingByTheSetting) {
    for (const UnmatchedRule steps : every_rule) {
        EXPECT_EQ(rule_for(Unmatched::Wait, steps), UnmatchedRule::Wait);
        EXPECT_EQ(rule_for(Unmatched::Fail, steps), UnmatchedRule::Fail);
        EXPECT_EQ(rule_for(Unmatched::Auto, steps), steps);
    }
}

/// The reasons for which a task is left waiting; it fails exactly when there is none.
std::vector<std::string> vetoes(UnmatchedRule rule, const RouteSeen& route, Duration grace) {
    std::vector<std::string> vetoes;
    if (rule == UnmatchedRule::Wait) vetoes.emplace_back("it is to wait");
    if (route.served) vetoes.emplace_back("a worker can run it");
    if (rule == UnmatchedRule::Known && route.known) vetoes.emplace_back("a worker for it may come back");
    if (rule == UnmatchedRule::Known && route.unknown_for <= grace)
        vetoes.emplace_back("not unknown for long enough");
    if (rule == UnmatchedRule::Fail && route.unserved_for <= grace)
        vetoes.emplace_back("not unserved for long enough");
    return vetoes;
}

TEST(UnmatchedRules, EveryCombinationOfRuleWorkersAndTimesKeepsTheRules) {
    constexpr Duration grace = 30s;
    const Duration times[] = {0s, grace - 1us, grace, grace + 1us, 1h};
    int failing = 0;
    for (const UnmatchedRule rule : every_rule)
        for (const bool served : {false, true})
            for (const bool known : {false, true})
                for (const Duration unserved : times)
                    for (const Duration unknown : times) {
                        const RouteSeen route{served, known, unserved, unknown};
                        const auto against = vetoes(rule, route, grace);
                        EXPECT_EQ(fails_unmatched(rule, route, grace), against.empty())
                            << static_cast<int>(rule) << served << known << " " << format_duration(unserved) << " "
                            << format_duration(unknown) << ": " << join(against, ", ");
                        failing += against.empty() ? 1 : 0;
                    }
    EXPECT_EQ(failing, 2 * 5 * 2 + 2 * 5) << "Fail: known or not; Known: only when not";
}

TEST(UnmatchedRules, WhatFailsStepsThatSayNothingAlsoFailsTasksThatSaySo) {
    for (const Duration unknown : {Duration(0s), Duration(31s)})
        for (const Duration unserved : {unknown, Duration(unknown + 10s)}) {
            const RouteSeen route{false, false, unserved, unknown};
            EXPECT_LE(fails_unmatched(UnmatchedRule::Known, route, 30s),
                      fails_unmatched(UnmatchedRule::Fail, route, 30s));
        }
}

}  // namespace
}  // namespace holdfast::core
