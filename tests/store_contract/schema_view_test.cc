#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// The schema answers people who come with plain SQL.
class SchemaViews : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        raw = database->raw();
    }
    std::unique_ptr<RawSql> raw;
};
HOLDFAST_FOR_EVERY_STORE(SchemaViews);

TEST_P(SchemaViews, ShowEveryTaskWithItsState) {
    const Uuid worker = join(*store);
    submit(tasks(clock.now(), 3));
    finish(*store, worker, completed(claim_one(worker)));
    claim_one(worker);
    EXPECT_EQ(raw->number("SELECT count(*) FROM tasks WHERE state = 'COMPLETED'"), 1);
    EXPECT_EQ(raw->number("SELECT count(*) FROM tasks WHERE state = 'RUNNING'"), 1);
    EXPECT_EQ(
        raw->number("SELECT count(*) FROM tasks WHERE state = 'PENDING' AND name = 'noop' AND queue = 'default'"), 1);
}

TEST_P(SchemaViews, ShowWorkersFreshOrStaleAndSchedulable) {
    const Uuid worker = join(*store);
    store->beat(beat_of(worker));
    EXPECT_EQ(raw->value("SELECT status FROM workers"), "active");
    EXPECT_EQ(raw->number("SELECT count(*) FROM workers WHERE last_heartbeat IS NOT NULL AND seconds_ago IS NOT NULL"
                          " AND freshness IN ('fresh', 'stale') AND schedulable IS NOT NULL"),
              1);
}

}  // namespace
}  // namespace holdfast::contract
