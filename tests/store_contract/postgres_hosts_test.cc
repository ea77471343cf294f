#include "store/postgres/hosts.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "store/errors.h"

namespace holdfast::contract {
namespace {

using postgres::read_url;
using testing::Contains;
using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> hosts_of(const std::string& url) {
    std::vector<std::string> all;
    for (const auto& host : read_url(url).hosts)
        all.push_back(host.name + "|" + host.address + "|" + host.port + (host.needs_lookup() ? "|lookup" : ""));
    return all;
}

TEST(PostgresUrl, NamesItsHostsWithTheirPorts) {
    EXPECT_THAT(hosts_of("postgresql://app@db1,db2:5433/app"), ElementsAre("db1|||lookup", "db2||5433|lookup"));
    EXPECT_THAT(hosts_of("host=10.0.0.1,::1,/run/pg port=1,2,3"), ElementsAre("10.0.0.1||1", "::1||2", "/run/pg||3"));
    EXPECT_THAT(hosts_of("host=a,b hostaddr=10.0.0.1,10.0.0.2 port=7"), ElementsAre("a|10.0.0.1|7", "b|10.0.0.2|7"));
    EXPECT_THAT(hosts_of("hostaddr=10.0.0.1,10.0.0.2"), ElementsAre("|10.0.0.1|", "|10.0.0.2|"));
    EXPECT_THAT(hosts_of("postgresql://app@/app?host=/run/pg"), ElementsAre("/run/pg||"));
    EXPECT_THAT(hosts_of("postgresql:///app"), ElementsAre("||"));
}

TEST(PostgresUrl, WithListsThatDoNotMatchIsLeftToLibpqWhichComplains) {
    EXPECT_THAT(hosts_of("host=a,b port=1,2,3"), ElementsAre(testing::StartsWith("a,b||1,2,3")));
}

TEST(PostgresUrl, TakesHostsOfTheEnvironmentUnlessAServiceNamesThem) {
    setenv("PGHOST", "db9", 1);
    EXPECT_THAT(hosts_of("postgresql:///app"), ElementsAre("db9|||lookup"));
    EXPECT_THAT(hosts_of("service=main"), ElementsAre("||"));
    unsetenv("PGHOST");
}

TEST(PostgresUrl, KeepsItsOtherOptions) {
    const auto url = read_url("postgresql://app:s3cret@db/app?sslmode=require&connect_timeout=7");
    EXPECT_THAT(url.options, Contains(Pair("password", "s3cret")));
    EXPECT_THAT(url.options, Contains(Pair("sslmode", "require")));
    EXPECT_EQ(url.connect_timeout, std::chrono::seconds(7));
    EXPECT_EQ(read_url("postgresql://db/app?connect_timeout=0").connect_timeout, std::nullopt)
        << "it never means for ever";
    EXPECT_THROW((void)read_url("postgresql://db/app?no_such_option=1"), store::Unusable);
}

}  // namespace
}  // namespace holdfast::contract
