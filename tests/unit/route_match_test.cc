#include "store/route_match.h"

#include <gtest/gtest.h>

namespace holdfast::store {
namespace {

using Strings = std::vector<std::string>;

TEST(RouteMatch, AWorkerServesItsQueuesWhenItCarriesEveryRequiredTag) {
    const Strings queues{"default", "mail"}, tags{"gpu", "linux"};
    const auto served = [&](const char* queue, const Strings& required) {
        return serves(queues, tags, {1, queue, required});
    };
    EXPECT_TRUE(served("default", {}));
    EXPECT_TRUE(served("mail", {"gpu"}));
    EXPECT_TRUE(served("mail", {"gpu", "linux"}));
    EXPECT_FALSE(served("mail", {"gpu", "windows"}));
    EXPECT_FALSE(served("other", {}));
    EXPECT_FALSE(served("", {}));
    EXPECT_FALSE(served("Default", {}));
}

TEST(RouteMatch, AWorkerWithoutQueuesServesNothing) {
    EXPECT_FALSE(serves({}, {"a"}, {1, "default", {}}));
}

TEST(RouteMatch, AWorkerWithoutTagsServesWhatRequiresNone) {
    EXPECT_TRUE(serves({"default"}, {}, {1, "default", {}}));
    EXPECT_FALSE(serves({"default"}, {}, {1, "default", {"a"}}));
}

}  // namespace
}  // namespace holdfast::store
