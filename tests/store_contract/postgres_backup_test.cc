#include "holdfast/errors.h"
#include "store/postgres/backup.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using postgres::access_for_programs;

TEST(PostgresProgramAccess, HidesThePasswordFromTheCommandLine) {
    const auto access = access_for_programs("postgresql://ann:s3cr%40t@db-1,db-2:5433/work?sslmode=require");
    EXPECT_THAT(access.connection, Not(HasSubstr("s3cr")));
    EXPECT_THAT(access.connection, HasSubstr("user='ann'"));
    EXPECT_THAT(access.connection, HasSubstr("host='db-1,db-2'"));
    EXPECT_THAT(access.connection, HasSubstr("dbname='work'"));
    EXPECT_THAT(access.connection, HasSubstr("sslmode='require'"));
    EXPECT_THAT(access.environment, ElementsAre("PGPASSWORD=s3cr@t"));
}

TEST(PostgresProgramAccess, QuotesValues) {
    EXPECT_THAT(access_for_programs("postgresql://host/a%27b%5Cc%20d").connection,
                HasSubstr("dbname='a\\'b\\\\c d'"));
    EXPECT_THAT(access_for_programs("postgresql://host/db").environment, IsEmpty());
}

TEST(PostgresProgramAccess, RefusesASecretThatOnlyACommandLineCouldCarry) {
    EXPECT_THROW((void)access_for_programs("postgresql://host/db?sslpassword=x"), BadInput);
    try {
        (void)access_for_programs("postgresql://ann:s3cret@host/db?nonsense=1");
        ADD_FAILURE();
    } catch (const BadInput& fault) {
        EXPECT_THAT(fault.what(), Not(HasSubstr("s3cret")));
    }
}

}  // namespace
}  // namespace holdfast::contract
