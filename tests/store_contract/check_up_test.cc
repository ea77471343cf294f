#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class CheckUp : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(CheckUp);

TEST_P(CheckUp, NamesTheSchemaVersionAndAdvisesWhereSomethingIsNotOk) {
    const auto findings = store->check_up();
    ASSERT_THAT(findings, Not(IsEmpty()));
    bool names_schema = false;
    for (const auto& finding : findings) {
        EXPECT_NE(finding.what, "");
        EXPECT_NE(finding.found, "");
        EXPECT_EQ(finding.advice.empty(), finding.grade == store::Finding::Grade::Ok) << finding.what;
        names_schema |= finding.what.find("schema") != std::string::npos;
    }
    EXPECT_TRUE(names_schema);
}

TEST_P(CheckUp, OfASoundStoreFindsNoProblem) {
    for (const auto& finding : store->check_up()) {
        EXPECT_NE(finding.grade, store::Finding::Grade::Problem) << finding.what << ": " << finding.found;
    }
}

TEST_P(CheckUp, TheClockIsTheOneThatStampsRows) {
    EXPECT_EQ(store->now(), clock.now());
    clock.advance(5s);
    EXPECT_EQ(store->now(), clock.now());
    EXPECT_EQ(record(*store, submit()).created_at, store->now());
}

TEST_P(CheckUp, DescribesItselfByItsUrl) {
    EXPECT_THAT(store->describe(), testing::StartsWith(GetParam() == StoreKind::Sqlite ? "sqlite:" : "postgres"));
}

}  // namespace
}  // namespace holdfast::contract
