#include <thread>

#include "base/text.h"
#include "core/task/concurrency.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// Concurrency keys where submits are part of transactions that stay open.
class PostgresKeys : public testing::Test {
protected:
    void SetUp() override {
        database = make_database(StoreKind::Postgres);
        store = open_store({.kind = StoreKind::Postgres, .address = database->address()}, clock);
        raw = database->raw();
        worker = join(*store, a_worker({"a", "b"}, {"task:t"}));
    }
    static std::string submit_call(const std::string& queue, int limit) {
        return concat("SELECT holdfast.submit('t', queue => '", queue, "', concurrency_key => 'db',",
                      " concurrency_limit => ", limit, ", run_at => '2026-01-01 00:00:00+00')");
    }
    [[nodiscard]] std::string limit_of(const std::string& queue) const {
        return raw->value(concat("SELECT coalesce(holdfast.concurrency_limit('db', '", queue, "')::text, 'none')"));
    }
    [[nodiscard]] int claimed() const { return static_cast<int>(claim_fully(*store, worker, 10).size()); }
    void finish_all() const {
        for (const auto& lease : store->leases({.worker = worker, .after = {}}))
            finish(*store, worker, completed(lease.lease));
    }
    void prune() const {
        store::PruneParams params;
        params.terminal_older_than = 1000h;
        params.clock_is_right = true;
        (void)store->prune(params);
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<RawSql> raw;
    Uuid worker;
};

TEST_F(PostgresKeys, SqlAndCppHaveTheSameRule) {
    for (int limit = 0; limit <= 4; ++limit)
        for (int asked = 1; asked <= 4; ++asked)
            for (const bool declared : {false, true})
                for (const bool in_use : {false, true}) {
                    const auto key =
                        limit == 0 ? std::nullopt : std::optional(core::KeyState{limit, declared, in_use});
                    const std::string call =
                        concat("SELECT holdfast.limit_in_force(", limit == 0 ? "NULL" : std::to_string(limit), ", ",
                               declared ? "true" : "false", ", ", in_use ? "true" : "false", ", ", asked, ")");
                    EXPECT_EQ(raw->number(call), core::limit_in_force(key, asked)) << call;
                }
}

TEST_F(PostgresKeys, SubmitInSqlFollowsTheRule) {
    raw->execute(submit_call("a", 3));
    raw->execute(submit_call("a", 5));
    EXPECT_EQ(limit_of("a"), "3");
    raw->execute(submit_call("a", 2));
    EXPECT_EQ(limit_of("a"), "2");
    EXPECT_EQ(limit_of("b"), "none");
    store->declare_key({.key = "db", .queue = "", .limit = 7}, "operator");
    raw->execute(submit_call("a", 1));
    EXPECT_EQ(limit_of("a"), "7");
    EXPECT_EQ(limit_of("b"), "7");
}

TEST_F(PostgresKeys, AnOpenSubmitWithAnotherLimitDoesNotHoldUpClaims) {
    for (int i = 0; i < 3; ++i) raw->execute(submit_call("a", 2));
    raw->execute("BEGIN");
    raw->execute(submit_call("a", 2));
    raw->execute(submit_call("a", 9));  // is in use: it is told the limit in force, and locks nothing
    EXPECT_EQ(claimed(), 2);
    finish_all();
    EXPECT_EQ(claimed(), 1);
    raw->execute("COMMIT");
    EXPECT_EQ(limit_of("a"), "2");
}

TEST_F(PostgresKeys, AnOpenSubmitToOneQueueDoesNotHoldUpTheKeyOfAnother) {
    raw->execute("BEGIN");
    raw->execute(submit_call("a", 1));
    PostgresRaw other(database->address());
    other.execute(submit_call("b", 4));
    EXPECT_EQ(claimed(), 1);
    raw->execute("COMMIT");
    EXPECT_EQ(claimed(), 1);
    EXPECT_EQ(limit_of("b"), "4");
}

/// The key is idle and remembered, and a submit with its limit is under way: nobody can see the task yet.
TEST_F(PostgresKeys, AnOpenSubmitKeepsOthersFromRaisingTheLimit) {
    raw->execute(submit_call("a", 1));
    ASSERT_EQ(claimed(), 1);
    finish_all();
    raw->execute("BEGIN");
    raw->execute(submit_call("a", 1));
    PostgresRaw other(database->address());
    other.execute(submit_call("a", 9));
    EXPECT_EQ(other.number("SELECT holdfast.concurrency_limit('db', 'a')"), 1);
    raw->execute("COMMIT");
    EXPECT_EQ(claimed(), 1);
}

TEST_F(PostgresKeys, RetentionLeavesAKeyWhoseSubmitIsUnderWay) {
    raw->execute(submit_call("a", 1));
    ASSERT_EQ(claimed(), 1);
    finish_all();
    raw->execute("BEGIN");
    raw->execute(submit_call("a", 1));
    prune();
    raw->execute("COMMIT");
    EXPECT_EQ(limit_of("a"), "1");
    EXPECT_EQ(claimed(), 1);
    finish_all();
    prune();
    EXPECT_EQ(limit_of("a"), "none");
}

/// A transaction that takes or frees slots must know whether other queues share them.
TEST_F(PostgresKeys, SharingAKeyWaitsForTransactionsThatTakeSlots) {
    raw->execute(submit_call("a", 1));
    raw->execute(submit_call("b", 1));
    raw->execute("BEGIN");
    raw->execute(
        "SELECT holdfast.take_slots(array_agg(t.id), array_agg(t.route_id), array_agg(t.concurrency_key))"
        " FROM task t JOIN route r ON r.id = t.route_id WHERE r.queue = 'a'");
    std::jthread sharing([&] {
        const auto own = open_store({.kind = StoreKind::Postgres, .address = database->address()}, clock);
        own->declare_key({.key = "db", .queue = "", .limit = 1}, "operator");
    });
    PostgresRaw watcher(database->address());
    while (watcher.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          " AND wait_event_type = 'Lock'") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    raw->execute("COMMIT");
    sharing.join();
    EXPECT_EQ(claimed(), 0) << "the slot that was taken meanwhile counts for both queues";
}

}  // namespace
}  // namespace holdfast::contract
