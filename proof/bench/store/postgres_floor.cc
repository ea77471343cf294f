#include "proof/bench/driver/queue_driver.h"
#include "proof/bench/store/libpq_connection.h"

namespace holdfast::bench {

namespace {

std::string array_of(const std::vector<Uuid>& ids) {
    std::string text = "{";
    for (const auto& id : ids) (text += id.to_string()) += ',';
    text.back() = '}';
    return text;
}

class PostgresFloor : public QueueDriver {
public:
    explicit PostgresFloor(const std::string& uri) : connection_(uri) {
        // Fresh tables have no statistics: without these the planner scans and hashes.
        connection_.run(
            "SET search_path = holdfast; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = "
            "off;"
            "SET jit = off; SET plan_cache_mode = force_generic_plan; SET client_min_messages = error");
        connection_.run("INSERT INTO route (queue, tags) VALUES ('default', '{}') ON CONFLICT DO NOTHING");
        connection_.prepare(
            "submit",
            "WITH given AS (SELECT unnest($1::uuid[]) AS id), accepted AS ("
            " INSERT INTO task (id, run_at, created_at, route_id, priority, name, args)"
            " SELECT id, now(), now(), 1, 50, 'noop', '{\"n\":1}' FROM given)"
            " INSERT INTO ready (task_id, run_at, last_lease, route_id, priority, attempts, crashes, requeues)"
            " SELECT id, now(), 0, 1, 50, 0, 0, 0 FROM given");
        connection_.prepare(
            "claim",
            "WITH picked AS (SELECT task_id FROM ready WHERE route_id = 1 AND concurrency_key IS NULL"
            "  ORDER BY route_id, priority, run_at, task_id LIMIT $1::bigint FOR UPDATE SKIP LOCKED),"
            " gone AS (DELETE FROM ready r USING picked p WHERE r.task_id = p.task_id RETURNING r.*),"
            " leased AS (INSERT INTO lease (task_id, worker_id, lease, claimed_at, started_at, run_at, route_id, "
            "priority,"
            "   attempts, crashes, requeues)"
            "  SELECT task_id, '00000000-0000-0000-0000-000000000001', nextval('lease_number'), now(), now(), run_at,"
            "   route_id, priority, 0, 0, 0 FROM gone RETURNING task_id, lease)"
            " SELECT l.task_id, l.lease, t.name, t.args FROM leased l JOIN task t ON t.id = l.task_id");
        connection_.prepare("finish",
                            "WITH gone AS (DELETE FROM lease l USING unnest($1::uuid[]) AS g (id) WHERE l.task_id = "
                            "g.id RETURNING l.*)"
                            " INSERT INTO ending (task_id, worker_id, lease, finished_at, claimed_at, started_at, "
                            "run_at, attempts, crashes,"
                            "  requeues, attempt, state, run_end, result)"
                            " SELECT task_id, worker_id, lease, now(), claimed_at, started_at, run_at, 1, 0, 0, 1, "
                            "'COMPLETED', 'COMPLETED',"
                            "  'null' FROM gone");
    }

    void submit(const std::vector<Uuid>& tasks) override { connection_.run_prepared("submit", {array_of(tasks)}); }

    std::size_t cycle(std::size_t batch) override {
        const auto claimed = connection_.run_prepared("claim", {std::to_string(batch)});
        const int count = PQntuples(claimed.get());
        if (count == 0) return 0;
        std::string ids = "{";
        for (int row = 0; row < count; ++row) (ids += PQgetvalue(claimed.get(), row, 0)) += ',';
        ids.back() = '}';
        connection_.run_prepared("finish", {ids});
        return static_cast<std::size_t>(count);
    }

private:
    LibpqConnection connection_;
};

}  // namespace

std::unique_ptr<QueueDriver> make_postgres_floor(const std::string& uri) {
    return std::make_unique<PostgresFloor>(uri);
}

}  // namespace holdfast::bench
