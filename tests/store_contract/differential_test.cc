#include <cstdlib>

#include "base/text.h"
#include "store_contract/differential_driver.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// The same run every time; HOLDFAST_SEED chooses another.
std::uint64_t seed_of_this_run() {
    const char* chosen = std::getenv("HOLDFAST_SEED");
    return chosen != nullptr ? std::stoull(chosen) : 20'261'115;
}

/// Enough to reach every kind of operation; HOLDFAST_OPERATIONS asks for more.
int operations_of_this_run() {
    const char* chosen = std::getenv("HOLDFAST_OPERATIONS");
    return chosen != nullptr ? std::stoi(chosen) : 4'000;
}

/// What `holdfast check` finds; "" when every rule holds.
std::string faults_of(store::Store& store) {
    std::string text;
    for (const auto& violation : store.check().violations)
        for (const auto& offender : violation.offenders)
            text += concat(store.describe(), ": ", store::text_of(violation.rule).name, ": ", offender, "\n");
    return text;
}

/// Both stores are led through the same life and must tell the same story.
TEST(Differential, BothStoresAnswerThousandsOfOperationsAlike) {
    const auto seed = seed_of_this_run();
    std::printf("HOLDFAST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    FakeClock clock;
    const auto sqlite_database = make_database(StoreKind::Sqlite);
    const auto postgres_database = make_database(StoreKind::Postgres);
    const auto first = open_store({.kind = StoreKind::Sqlite, .address = sqlite_database->address()}, clock);
    const auto second = open_store({.kind = StoreKind::Postgres, .address = postgres_database->address()}, clock);
    DifferentialDriver driver(*first, *second, clock, seed);
    for (int step = 1; step <= operations_of_this_run(); ++step) {
        auto difference = driver.step();
        if (difference.empty() && step % 500 == 0) difference = driver.compare_dumps();
        if (difference.empty() && step % 500 == 0) difference = faults_of(*first) + faults_of(*second);
        ASSERT_EQ(difference, "") << "HOLDFAST_SEED=" << seed << ", after:\n" << driver.recent_operations();
    }
    const auto& seen = driver.seen();
    std::printf(
        "jobs: %zu completed, %zu of them children, %zu failed, %zu cancelled; %zu decisions, %zu retries, %zu "
        "slots, %zu rollovers\n",
        seen.completed.size(), seen.completed_children.size(), seen.failed.size(), seen.cancelled.size(),
        seen.decisions / 2, seen.retries / 2, seen.fires / 2, seen.rollovers / 2);
    for (const std::size_t count : {seen.completed.size(), seen.completed_children.size(), seen.failed.size(),
                                    seen.cancelled.size(), seen.decisions, seen.retries, seen.fires, seen.rollovers})
        EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace holdfast::contract
