#include <cstdlib>

#include "store_contract/latencies.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// What people look at stays quick however much has happened. HOLDFAST_TEST_HISTORY says how many tasks have ended,
/// for a measurement.
class LargeHistory : public StoreContract {
protected:
    static constexpr std::size_t at_a_time = 1000;

    static std::size_t length() {
        const char* given = std::getenv("HOLDFAST_TEST_HISTORY");
        return given != nullptr ? std::stoul(given) : 51'000;
    }

    void SetUp() override {
        StoreContract::SetUp();
        auto rare = a_task(clock.now(), "rare");
        rare.queue = "rare";
        submit(rare);
        for (std::size_t made = 0; made < length(); made += at_a_time) {
            auto batch = tasks(clock.now(), at_a_time);
            for (std::size_t i = 0; i < batch.size(); ++i) batch[i].name = "name" + std::to_string(i % 30);
            submit(batch);
            clock.advance(1s);
        }
        end_all();
    }

    /// All have run for a while; one in a thousand has failed.
    void end_all() {
        const bool is_sqlite = GetParam() == StoreKind::Sqlite;
        const std::string milliseconds = is_sqlite ? "1000" : "interval '1 millisecond'";
        const auto raw = database->raw();
        raw->execute(
            "INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease, worker_id,"
            " claimed_at, started_at, run_end, attempt, result)"
            " SELECT id, CASE WHEN n % 1000 = 0 THEN 'FAILED' ELSE 'COMPLETED' END, run_at + (5 + n % 100) * " +
            milliseconds + ", 1, 0, 0, run_at, n, " + raw->literal(random_uuid()) + ", run_at, run_at + n % 5 * " +
            milliseconds +
            ", CASE WHEN n % 1000 = 0 THEN 'FAILED' ELSE 'COMPLETED' END, 1, '{\"rows\": 17}'"
            " FROM (SELECT id, run_at, row_number() OVER (ORDER BY id) AS n FROM task) numbered");
        raw->execute("DELETE FROM ready");
        raw->execute(is_sqlite ? "ANALYZE" : "VACUUM ANALYZE");
    }

    /// The median of some calls, printed.
    template <typename Call>
    void measure(const char* what, const Call& call) {
        Latencies latencies;
        for (int i = 0; i < 5; ++i) latencies.time([&] { (void)call(); });
        std::printf("  %-52s %8.2f ms\n", what, latencies.quantile(0.5));
    }
    template <typename Shape>
    void list(const char* what, std::size_t expected, const Shape& shape) {
        store::ListParams params;
        shape(params);
        EXPECT_EQ(store->list(params).size(), expected) << what;
        measure(what, [&] { return store->list(params); });
    }
};
HOLDFAST_FOR_EVERY_STORE(LargeHistory);

TEST_P(LargeHistory, IsFoundByEveryFilter) {
    std::printf("%zu ended tasks, %s\n", length(), to_text(GetParam()).c_str());
    measure("stats of an hour", [&] { return store->stats({}); });
    measure("stats of 7 days", [&] { return store->stats({.window = 24h * 7, .buckets = 168}); });
    measure("vitals", [&] { return store->vitals(); });
    measure("count", [&] { return store->count(); });
    measure("count_jobs", [&] { return store->count_jobs(); });
    measure("queues", [&] { return store->queues(); });
    measure("ended_tasks", [&] { return store->ended_tasks(clock.now() - 10s, clock.now()); });
    list("list: the newest", 50, [](store::ListParams&) {});

    list("list: a page in the middle", 50,
         [&](store::ListParams& params) { params.after = new_task_id(clock.now() - length() / 2000 * 1s); });
    list("list: FAILED", std::min<std::size_t>(50, length() / 1000),
         [](store::ListParams& params) { params.filter.states = {TaskState::Failed}; });

    list("list: RUNNING", 0, [](store::ListParams& params) { params.filter.states = {TaskState::Running}; });
    list("list: a frequent name", 50, [](store::ListParams& params) { params.filter.name = "name7"; });
    list("list: a name of which there is one, long ago", 1,
         [](store::ListParams& params) { params.filter.name = "rare"; });
    list("list: a name of which there is none", 0, [](store::ListParams& params) { params.filter.name = "none"; });
    list("list: a queue of which there is one, long ago", 1,
         [](store::ListParams& params) { params.filter.queue = "rare"; });
    list("list: COMPLETED of a name of which there is one", 1, [](store::ListParams& params) {
        params.filter.name = "rare";
        params.filter.states = {TaskState::Completed};
    });
    list("list: of a worker that ran nothing", 0,
         [](store::ListParams& params) { params.filter.worker = random_uuid(); });
}

TEST_P(LargeHistory, IsLookedAtAsFarAsStatisticsGoAndThatIsSaid) {
    const auto all = store->stats({});
    EXPECT_EQ(all.ended, 50'000);
    EXPECT_FALSE(all.complete);
    clock.advance(1min);
    const auto last_minute = store->stats({.window = 1min, .buckets = 1});
    EXPECT_EQ(last_minute.ended, 0);
    EXPECT_TRUE(last_minute.complete);
}

}  // namespace
}  // namespace holdfast::contract
