#include <algorithm>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "store_contract/postgres_plans.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {

namespace {

constexpr const char* worker_id = "'00000000-0000-4000-8000-000000000001'";

class PostgresPlans : public testing::Test {
protected:
    void SetUp() override {
        database = make_database(StoreKind::Postgres);
        raw = std::make_unique<PostgresRaw>(database->address());
        raw->execute("SELECT intern_route('default', '{}')");
        raw->execute(std::string("SELECT register_worker(") + worker_id +
                     ", 'w', 'h', 'b', 1, 1, 1, 0, 0, 'v', '{default}', '{}', 10, 3000000, 15000000, 'store', '')");
        session = std::make_unique<ExplainedSession>(database->address());
    }

    /// Tasks of the route that the worker serves, or of one that nobody does.
    void fill(int count, int route = 1, int priority = 50, const char* key = "NULL") const {
        std::ostringstream sql;
        sql << "WITH new AS (INSERT INTO task (id, name, args, route_id, priority, run_at, created_at)"
               " SELECT gen_random_uuid(), 'noop', 'null', "
            << route << ", " << priority << ", clock_timestamp(), now() FROM generate_series(1, " << count
            << ") RETURNING *) INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts, "
               "crashes, requeues, concurrency_key)"
               " SELECT id, run_at, 0, route_id, priority, 0, 0, 0, "
            << key << " FROM new";
        raw->execute(sql.str());
    }

    void claim_and_finish() const {
        const std::string request = "'" + random_uuid().to_string() + "'";
        session->run(
            concat("SELECT holdfast.turn(", worker_id, ", '{}', '{}', '{}', '{}', '{}', ", request,
                   ", 10, 5, 1000, '{default}', '{}', (SELECT count(*) FROM holdfast.route), '{1}', true, 1, 0)"));
        session->run(std::string("SELECT * FROM holdfast.claimed(") + worker_id + ", " + request + ")");
        const auto of_started = [&](const char* column) {
            return raw->value(std::string("SELECT coalesce(array_agg(") + column +
                              " ORDER BY task_id), '{}') FROM lease WHERE started_at IS NOT NULL");
        };
        const auto tasks = of_started("task_id"), leases = of_started("lease"), results = of_started("'null'::text");
        session->run(concat("SELECT holdfast.turn(", worker_id, ", '", tasks, "', '", leases, "', '", results,
                            "', '{}', '{}', NULL, 0, 0, 0, '{}', '{}', 0, '{}', false, 0, 0)"));
    }

    void every_other_move() const {
        const auto held = raw->value("SELECT coalesce(array_agg(task_id ORDER BY task_id), '{}') FROM lease");
        const auto leases = raw->value("SELECT coalesce(array_agg(lease ORDER BY task_id), '{}') FROM lease");
        session->run(concat("SELECT holdfast.turn(", worker_id, ", '{}', '{}', '{}', '", held, "', '", leases,
                            "', NULL, 0, 0, 0, '{}', '{}', 0, '{}', false, 0, 0)"));
        session->run("SELECT * FROM holdfast.lock_leases('" + held + "')");
        session->run("SELECT holdfast.request_stops('" + held + "', '" + leases + "', '{}')");
        session->run("SELECT * FROM holdfast.earlier_ends('" + held + "', '" + leases + "', '" + held + "')");
        session->run("SELECT * FROM holdfast.whereabouts('" + held + "')");
        session->run("SELECT count(*) FROM holdfast.find_tasks('" + held + "')");
        session->run("SELECT holdfast.end_pending(ARRAY[gen_random_uuid()], 'CANCELLED', 'C', 'm', NULL)");
        session->run("SELECT holdfast.submit('noop', priority => 7, concurrency_key => 'k', idempotency_key => 'i')");
        session->run("SELECT holdfast.submit('noop', priority => 7, concurrency_key => 'k', idempotency_key => 'i')");
        session->run("SELECT holdfast.promote_due('{1,2}', now(), 100)");
        session->run("SELECT holdfast.free_slots(ARRAY[gen_random_uuid()], '{1}', '{k}')");
        session->run("SELECT holdfast.find_overdue(100)");
    }

    std::unique_ptr<TestDatabase> database;
    std::unique_ptr<PostgresRaw> raw;
    std::unique_ptr<ExplainedSession> session;
};

}  // namespace

TEST_F(PostgresPlans, ReadNoTableFromEndToEndWhenTheTablesAreFresh) {
    claim_and_finish();
    every_other_move();
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_F(PostgresPlans, ReadNoTableFromEndToEndWhenTheTablesAreLargeAndUnknownToThePlanner) {
    claim_and_finish();  // plans are made, and kept, while the tables are empty
    fill(50000);
    claim_and_finish();
    every_other_move();
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_F(PostgresPlans, ReadNoTableFromEndToEndWhenTheTablesAreLargeAndAnalysed) {
    fill(50000);
    raw->execute("ANALYZE");
    claim_and_finish();
    every_other_move();
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
}

TEST_F(PostgresPlans, ReadNoTableFromEndToEndWhenManyTasksAreToBeParked) {
    fill(50000);
    fill(5000, 1, 1, "'k'");
    claim_and_finish();
    claim_and_finish();
    EXPECT_EQ(full_scan_in(session->take_plans()), "");
    EXPECT_GT(raw->number("SELECT count(*) FROM waiting WHERE why = 'key'"), 1000);
}

TEST_F(PostgresPlans, TouchAsManyPagesForAClaimAmongOneThousandTasksAsAmongFiftyThousand) {
    fill(1000);
    claim_and_finish();
    session->take_plans();
    claim_and_finish();
    const long among_few = pages_touched(session->take_plans());
    fill(50000);
    claim_and_finish();
    session->take_plans();
    claim_and_finish();
    const long among_many = pages_touched(session->take_plans());
    EXPECT_GT(among_few, 0);
    EXPECT_LT(among_many, among_few * 3 / 2) << "few: " << among_few;
}

TEST_F(PostgresPlans, TouchFewPagesForAListOfARareQueueOrWorkerAmongFiftyThousandEndedTasks) {
    raw->execute("SELECT intern_route('rare', '{}')");
    fill(3, 2);
    fill(50000);
    raw->execute(
        "INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease, worker_id,"
        " claimed_at, started_at, run_end, attempt) SELECT id, 'COMPLETED', now(), 1, 0, 0, now(), 1,"
        " CASE route_id WHEN 2 THEN '00000000-0000-4000-8000-000000000002'::uuid ELSE "
        "'00000000-0000-4000-8000-000000000001' END,"
        " now(), now(), 'COMPLETED', 1 FROM task");
    raw->execute("DELETE FROM ready");
    raw->execute("ANALYZE");
    const std::string all = "'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '', ";
    const std::string rare_worker = "'00000000-0000-4000-8000-000000000002'";
    const auto pages_for = [&](const std::string& sql) {
        session->run(sql);
        session->take_plans();
        session->run(sql);
        const auto plans = session->take_plans();
        EXPECT_EQ(full_scan_in(plans), "") << sql;
        return pages_touched(plans);
    };
    for (const char* state : {"''", "'COMPLETED'", "'FAILED'"}) {
        EXPECT_LT(pages_for(concat("SELECT holdfast.list_queued('rare', ", all, "NULL, ", state, ", 50)")), 60)
            << state;
        EXPECT_LT(pages_for(concat("SELECT holdfast.list_worked(", rare_worker, ", ", all, "'', ", state, ", 50)")),
                  60)
            << state;
    }
    EXPECT_LT(pages_for("SELECT holdfast.count_up_to(1001, NULL, '', 'default')"), 1100) << "no further";
    EXPECT_LT(pages_for(std::string("SELECT holdfast.count_up_to(1001, ") + worker_id + ", '', '')"), 1100)
        << "no further";
}

TEST_F(PostgresPlans, TouchFewPagesForAListOfARareNameAmongFiftyThousandTasks) {
    raw->execute("SELECT intern_route('default', '{task:rare}')");
    raw->execute("SELECT intern_route('other', '{gpu,task:rare}')");
    fill(50000);
    raw->execute(
        "INSERT INTO task (id, name, args, route_id, priority, run_at, created_at, by_name)"
        " SELECT gen_random_uuid(), 'rare', 'null', n.route_id, 50, now(), now(), n.by_name"
        " FROM (VALUES (1, true), (2, NULL), (3, NULL)) AS n (route_id, by_name), generate_series(1, 3)");
    raw->execute("ANALYZE");
    const auto pages_for = [&](const std::string& sql) {
        session->run(sql);
        session->take_plans();
        session->run(sql);
        const auto plans = session->take_plans();
        EXPECT_EQ(full_scan_in(plans), "") << sql;
        return pages_touched(plans);
    };
    const auto list = [](const char* queue, const char* state, const char* limit) {
        return concat(
            "list_named('rare', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '",
            queue, "', NULL, '", state, "', ", limit, ")");
    };
    EXPECT_EQ(raw->number("SELECT count(*) FROM " + list("", "", "50")), 9);
    EXPECT_EQ(raw->number("SELECT count(*) FROM " + list("default", "", "50")), 6);
    EXPECT_EQ(raw->value(concat("SELECT l FROM ", list("", "", "1"), " l ORDER BY l DESC LIMIT 1")),
              raw->value("SELECT id FROM task WHERE name = 'rare' ORDER BY id DESC LIMIT 1"));
    EXPECT_LT(pages_for("SELECT holdfast." + list("", "", "50")), 120);
    EXPECT_LT(pages_for("SELECT holdfast." + list("", "FAILED", "50")), 120);
    EXPECT_LT(pages_for("SELECT holdfast.count_up_to(1001, NULL, 'rare', '')"), 60);
    EXPECT_EQ(raw->number("SELECT count_up_to(1001, NULL, 'rare', '')"), 9);
}

TEST_F(PostgresPlans, TouchNoPageOfTasksThatTheWorkerCannotRun) {
    fill(1000);
    claim_and_finish();
    session->take_plans();
    claim_and_finish();
    const long alone = pages_touched(session->take_plans());
    raw->execute("SELECT intern_route('elsewhere', '{}')");
    fill(50000, 2, 1);  // ahead of the others in every order but the route's
    claim_and_finish();
    session->take_plans();
    claim_and_finish();
    EXPECT_LT(pages_touched(session->take_plans()), alone * 3 / 2) << "alone: " << alone;
}

/// Their dead index entries stay until the next vacuum: ready_keyed alone has about 120 pages of them here.
TEST_F(PostgresPlans, TouchFewPagesOfTasksThatWereParkedAMomentAgo) {
    fill(1000);
    claim_and_finish();
    session->take_plans();
    claim_and_finish();
    const long alone = pages_touched(session->take_plans());
    raw->execute("INSERT INTO concurrency VALUES ('k', 'default', 1, false)");
    raw->execute("INSERT INTO slot VALUES ('k', 'default', 1, gen_random_uuid())");
    fill(20000, 1, 1, "'k'");
    for (int claims = 0; raw->number("SELECT count(*) FROM ready WHERE concurrency_key IS NOT NULL") > 0; ++claims) {
        ASSERT_LT(claims, 30);
        claim_and_finish();
    }
    // A transaction with an old snapshot, in any database, keeps dead index entries from being marked as dead. So the
    // test measures once every transaction that began before the tasks were parked has ended, and again a little
    // later if autovacuum interfered.
    const std::string parked = raw->value("SELECT pg_current_xact_id()::xid");
    while (raw->number(concat("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                              " AND greatest(age(backend_xmin), age(backend_xid)) > age('",
                              parked, "'::xid)")) > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    long behind = alone + 1000;
    for (int tries = 0; tries < 15 && behind >= alone + 40; ++tries) {
        std::this_thread::sleep_for(tries * std::chrono::milliseconds(50));
        claim_and_finish();
        session->take_plans();
        claim_and_finish();
        behind = std::min(behind, pages_touched(session->take_plans()));
    }
    EXPECT_LT(behind, alone + 40) << "alone: " << alone;
}

}  // namespace holdfast::contract
