#include "store/postgres/lane.h"
#include "store_contract/own_pooler.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// A store that nobody has told about the pooler in front of its server.
class BehindAPooler : public testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] static std::string server_of(RawSql& raw) {
        return concat("host=", raw.value("SHOW unix_socket_directories"), " port=", raw.value("SHOW port"));
    }
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return open_store({.kind = StoreKind::Postgres, .address = url}, clock);
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database = make_database(StoreKind::Postgres);
    std::unique_ptr<RawSql> raw = database->raw();
    OwnPooler pooler{server_of(*raw), GetParam()};
    std::string url = pooler.url(raw->value("SELECT current_database()"));
};
using ThroughPgBouncer = BehindAPooler;
INSTANTIATE_TEST_SUITE_P(Modes, ThroughPgBouncer, testing::Values("transaction", "session"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(ThroughPgBouncer, TwoStoresShareItsSessionsWithoutDisturbingEachOther) {
    const auto store = open();
    const auto other = open();
    const Uuid worker = join(*store);
    for (int round = 0; round < 20; ++round) {
        for (auto* each : {store.get(), other.get()}) each->submit(tasks(clock.now(), 2));
        const auto claimed = claim(*store, worker, 4).tasks;
        ASSERT_THAT(claimed, SizeIs(4));
        for (const auto& task : claimed)
            EXPECT_EQ(finish(*store, worker, completed(lease_of(task))).fenced, store::Fenced::Applied);
        auto beat = beat_of(worker);
        beat.proves_session = true;
        EXPECT_TRUE(store->beat(beat).known);
    }
    EXPECT_EQ(other->count().completed, 80);
    EXPECT_FALSE(other->look().workers.at(0).proves_session) << "its session is not the worker's";
    EXPECT_EQ(raw->number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = "
                          "(SELECT oid FROM pg_database WHERE datname = current_database())"),
              0);
    const auto watch = store->watch(store::Topic::Done);
    EXPECT_TRUE(watch->wait(10s)) << "the safety poll serves waiters that cannot listen";
}

TEST_P(ThroughPgBouncer, TransactionsAreLimitedAndSessionsAreLeftAsTheyWere) {
    postgres::Lane lane({.url = url, .purpose = "a test"}, nullptr);
    EXPECT_EQ(lane.read("SELECT current_setting('statement_timeout')")[0].string(0), "9s");
    EXPECT_EQ(
        lane.transact([](auto& tx) { return tx.run("SELECT current_setting('statement_timeout')")[0].string(0); }),
        "9s");
    postgres::Lane upkeep({.url = url, .purpose = "a test", .patience = postgres::upkeep_patience}, nullptr);
    EXPECT_EQ(upkeep.read("SELECT current_setting('statement_timeout')")[0].string(0), "0");
}

using ThroughStatementMode = BehindAPooler;
INSTANTIATE_TEST_SUITE_P(Modes, ThroughStatementMode, testing::Values("statement"));

TEST_P(ThroughStatementMode, IsRefusedWithTheSettingToChange) {
    try {
        (void)open();
        FAIL() << "transactions do not work there";
    } catch (const store::Unusable& unusable) {
        EXPECT_THAT(unusable.what(), HasSubstr("set pool_mode = transaction"));
    }
}

}  // namespace
}  // namespace holdfast::contract
