#include <cstdlib>

#include "store_contract/differential_driver.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// The same run every time; HOLDFAST_SEED chooses another.
std::uint64_t seed_of_this_run() {
    const char* chosen = std::getenv("HOLDFAST_SEED");
    return chosen != nullptr ? std::stoull(chosen) : 20'261'115;
}

/// Both stores are led through the same life and must tell the same story.
TEST(Differential, BothStoresAnswerTenThousandOperationsAlike) {
    const auto seed = seed_of_this_run();
    std::printf("HOLDFAST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    FakeClock clock;
    const auto sqlite_database = make_database(StoreKind::Sqlite);
    const auto postgres_database = make_database(StoreKind::Postgres);
    const auto first = open_store({.kind = StoreKind::Sqlite, .address = sqlite_database->address()}, clock);
    const auto second = open_store({.kind = StoreKind::Postgres, .address = postgres_database->address()}, clock);
    DifferentialDriver driver(*first, *second, clock, seed);
    for (int step = 1; step <= 10'000; ++step) {
        auto difference = driver.step();
        if (difference.empty() && step % 1000 == 0) difference = driver.compare_dumps();
        ASSERT_EQ(difference, "") << "HOLDFAST_SEED=" << seed << ", after:\n" << driver.recent_operations();
    }
    const auto seen = driver.seen();
    std::printf(
        "jobs: %d completed, %d of them children, %d failed, %d cancelled; %d decisions, %d retries, %d slots\n",
        seen.jobs_completed, seen.children_completed, seen.jobs_failed, seen.jobs_cancelled, seen.decisions / 2,
        seen.retries / 2, seen.fires / 2);
    for (const int count : {seen.jobs_completed, seen.children_completed, seen.jobs_failed, seen.jobs_cancelled,
                            seen.decisions, seen.retries, seen.fires})
        EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace holdfast::contract
