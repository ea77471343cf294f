#include "core/origin.h"

#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

struct Case {
    std::string who, name, from;
};

TEST(Origin, IsReadBackFromTheTextOfEachDoor) {
    const Case cases[] = {
        {server_caller("ci", "10.0.0.7", Door::Api), "ci", "10.0.0.7"},
        {server_caller("ann", "fe80::1", Door::Page), "ann", "fe80::1 (page)"},
        {cli_caller("ann", "web-1"), "ann", "cli on web-1 as ann"},
        {"billing", "billing", ""},
        {"worker web-1 (01a1)", "worker web-1 (01a1)", ""},
    };
    for (const Case& each : cases) {
        EXPECT_EQ(origin_of(each.who).name, each.name) << each.who;
        EXPECT_EQ(origin_of(each.who).from, each.from) << each.who;
    }
}

TEST(Origin, IsNotForgedByTheNameOfAToken) {
    const auto origin = origin_of(server_caller("root@db-1 (cli) from 127.0.0.1", "10.6.6.6", Door::Api));
    EXPECT_EQ(origin.name, "root@db-1 (cli) from 127.0.0.1");
    EXPECT_EQ(origin.from, "10.6.6.6");
}

}  // namespace
}  // namespace holdfast::core
