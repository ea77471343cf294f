#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

TEST(PostgresEventWriters, AreThoseThatMayStillLeaveALowerNumber) {
    FakeClock clock;
    const auto database = make_database(StoreKind::Postgres);
    const auto store = open_store({.kind = StoreKind::Postgres, .address = database->address()}, clock);
    const auto raw = database->raw();
    raw->execute("BEGIN");
    raw->execute("INSERT INTO event (at, kind, who, message) VALUES (now(), 'note', 'test', 'late')");
    store->append_event({.kind = "note", .who = "test", .message = "early"});
    const auto meanwhile = store->event_writers();
    EXPECT_EQ(meanwhile.newest, store->last_events(1).front().id);
    ASSERT_EQ(meanwhile.writers.size(), 1U);
    EXPECT_EQ(store->event_writers().writers, meanwhile.writers) << "the same one has the same name";
    raw->execute("COMMIT");
    EXPECT_TRUE(store->event_writers().writers.empty());
    raw->execute("BEGIN");
    raw->execute("INSERT INTO event (at, kind, who, message) VALUES (now(), 'note', 'test', 'another')");
    EXPECT_NE(store->event_writers().writers, meanwhile.writers) << "another one has another";
    raw->execute("ROLLBACK");
}

}  // namespace
}  // namespace holdfast::contract
