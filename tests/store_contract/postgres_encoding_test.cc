#include <unistd.h>

#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {

namespace {

TEST(PostgresEncoding, OtherThanUtf8IsRefusedWithTheWayOut) {
    const std::string name = "holdfast_latin1_" + std::to_string(getpid());  // tests run side by side
    PostgresRaw server(server_url());
    server.execute("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
    const FakeClock clock;
    try {
        (void)open_store({.kind = StoreKind::Postgres, .address = with_database(server_url(), name)}, clock);
        ADD_FAILURE() << "opened a database that lacks most characters";
    } catch (const store::Unusable& refusal) {
        EXPECT_THAT(refusal.what(), HasSubstr("has the encoding LATIN1"));
        EXPECT_THAT(refusal.what(), HasSubstr("ENCODING 'UTF8'"));
    }
    server.execute("DROP DATABASE " + name + " WITH (FORCE)");
}

}  // namespace

}  // namespace holdfast::contract
