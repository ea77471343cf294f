#include "runner/suspects.h"

#include <gtest/gtest.h>

namespace holdfast::runner {
namespace {

Uuid task(std::uint8_t number) {
    Uuid::Bytes bytes{};
    bytes[0] = number;
    return Uuid(bytes);
}

TEST(Suspects, RunInEverSmallerCompanyUntilTheyRunAlone) {
    Suspects suspects;
    EXPECT_EQ(suspects.largest_company(task(1)), std::nullopt);
    suspects.add(task(1), 50);
    EXPECT_EQ(suspects.largest_company(task(1)), 6U);
    suspects.add(task(1), 6);
    EXPECT_EQ(suspects.largest_company(task(1)), 1U);
    suspects.add(task(1), 1);
    EXPECT_EQ(suspects.largest_company(task(1)), 1U);
    EXPECT_EQ(suspects.largest_company(task(2)), std::nullopt);
}

TEST(Suspects, AreClearedByARunWithoutACrash) {
    Suspects suspects;
    suspects.add(task(1), 20);
    suspects.clear(task(1));
    suspects.clear(task(2));
    EXPECT_EQ(suspects.largest_company(task(1)), std::nullopt);
}

TEST(Suspects, AreBoundedTheOldestIsForgotten) {
    Suspects suspects;
    for (int number = 0; number <= 10'000; ++number) {
        Uuid::Bytes bytes{};
        bytes[0] = static_cast<std::uint8_t>(number & 0xff);
        bytes[1] = static_cast<std::uint8_t>(number >> 8);
        suspects.add(Uuid(bytes), 20);
    }
    EXPECT_EQ(suspects.largest_company(task(0)), std::nullopt);
    EXPECT_EQ(suspects.largest_company(task(1)), 2U);
}

}  // namespace
}  // namespace holdfast::runner
