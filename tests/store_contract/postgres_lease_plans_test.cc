#include "base/text.h"
#include "store_contract/postgres_plans.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {

namespace {

/// What the planner may have been told about the tables of claims, which are emptied all day: how vacuum and analyze
/// left their statistics before the rows of the test came.
struct Told {
    const char* name;
    const char* first;   ///< before the table is emptied
    const char* second;  ///< after it was
};

constexpr Told told[] = {
    {"NeverVacuumed", "", ""},
    {"EmptiedAndCut", "VACUUM lease, ready", "VACUUM lease, ready"},
    // Vacuum does not get the lock that it needs to cut the file: pages, but no rows.
    {"EmptiedButNotCut", "VACUUM lease, ready", "VACUUM (TRUNCATE off) lease, ready"},
    {"AnalysedWhileEmpty", "", "ANALYZE lease, ready"},
};

constexpr const char* lease_holder = "'00000000-0000-4000-8000-000000000001'";
constexpr const char* no_claim = ", NULL, 0, 0, 0, '{}', '{}', 0, '{}', false, 0, 0)";
constexpr int runs = 300;

class PostgresLeasePlans : public testing::TestWithParam<Told> {
protected:
    void SetUp() override {
        database_ = make_database(StoreKind::Postgres);
        raw_ = std::make_unique<PostgresRaw>(database_->address());
        raw_->execute("SELECT intern_route('default', '{}')");
        raw_->execute(
            concat("SELECT register_worker(", lease_holder,
                   ", 'w', 'h', 'b', 1, 1, 1, 0, 0, 'v', '{default}', '{}', 10, 3000000, 15000000, 'store', '')"));
    }

    void make_leases(const char* started_at) {
        raw_->execute(
            concat("INSERT INTO lease (task_id, worker_id, lease, claimed_at, started_at, run_at, route_id,"
                   " priority, attempts, crashes, requeues) SELECT gen_random_uuid(), ",
                   lease_holder, ", nextval('lease_number'), now(), ", started_at,
                   ", now(), 1, 50, 0, 0, 0 FROM generate_series(1, 2000)"));
    }

    /// Leaves statistics as `GetParam()` says, or those of a table in use.
    void tell(const Told* what) {
        make_leases("now()");
        if (what == nullptr) return raw_->execute("VACUUM ANALYZE lease");
        if (*what->first != '\0') raw_->execute(what->first);
        raw_->execute("DELETE FROM lease");
        if (*what->second != '\0') raw_->execute(what->second);
    }

    std::string some(const char* column, bool started) {
        return concat("'",
                      raw_->value(concat("SELECT array_agg(", column,
                                         " ORDER BY task_id) FROM (SELECT * FROM lease"
                                         " WHERE (started_at IS NOT NULL) = ",
                                         started ? "true" : "false", " ORDER BY task_id LIMIT ", runs, ") AS l")),
                      "'");
    }

    /// Pages that the statement touches in a session that has made its plans before.
    long pages_for(ExplainedSession& session, const std::string& sql) {
        session.run(concat("BEGIN; ", sql, "; ROLLBACK"));
        session.take_plans();
        session.run(concat("BEGIN; ", sql, "; ROLLBACK"));
        return pages_touched(session.take_plans());
    }

    /// Of every function that looks up leases by their tasks.
    std::vector<long> pages() {
        make_leases("now()");
        make_leases("NULL");
        ExplainedSession session(database_->address());
        const auto tasks = some("task_id", true), leases = some("lease", true);
        const auto waiting = some("task_id", false), waiting_leases = some("lease", false);
        const auto texts = concat("array_fill('null'::text, ARRAY[", runs, "])");
        const auto no_numbers = concat("array_fill(0, ARRAY[", runs, "])");
        return {
            pages_for(session, concat("SELECT holdfast.turn(", lease_holder, ", ", tasks, ", ", leases, ", ", texts,
                                      ", '{}', '{}'", no_claim)),
            pages_for(session, concat("SELECT holdfast.turn(", lease_holder, ", '{}', '{}', '{}', ", waiting, ", ",
                                      waiting_leases, no_claim)),
            pages_for(session,
                      concat("SELECT holdfast.end_leases(", tasks, ", array_fill('FAILED'::text, ARRAY[", runs,
                             "]), array_fill('FAILED'::text, ARRAY[", runs, "]), array_fill(0::bigint, ARRAY[", runs,
                             "]), ", no_numbers, ", ", no_numbers, ", ", no_numbers, ", ", texts, ", ", texts, ", ",
                             texts, ", ", texts, ", ", texts, ", ", texts, ", ", texts, ", false)")),
            pages_for(session,
                      concat("SELECT holdfast.save_progress(", lease_holder, ", ", tasks, ", ", leases,
                             ", array_fill(0.5::double precision, ARRAY[", runs, "]), ", texts, ", ", texts, ")")),
        };
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<PostgresRaw> raw_;
};

}  // namespace

TEST_P(PostgresLeasePlans, TouchNoMorePagesThanWithTheStatisticsOfATableInUse) {
    tell(&GetParam());
    const auto found = pages();
    SetUp();
    tell(nullptr);
    const auto usual = pages();
    for (std::size_t i = 0; i < usual.size(); ++i) {
        EXPECT_GT(usual[i], runs);
        EXPECT_LT(found[i], usual[i] * 3 / 2) << "of the function at " << i << ", usually " << usual[i];
    }
}

INSTANTIATE_TEST_SUITE_P(States, PostgresLeasePlans, testing::ValuesIn(told),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace holdfast::contract
