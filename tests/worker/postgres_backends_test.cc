#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerBackends : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(On, WorkerBackends, testing::Values(StoreKind::Postgres), kind_name);

TEST_P(WorkerBackends, TerminatedAgainAndAgainLoseNothingAndRunNothingTwice) {
    WorkerApp& worker = start_worker();
    const Uuid running = submit("hold", gate());
    begun(running);
    const auto raw = database->raw();
    std::vector<Uuid> ids;
    for (int round = 0; round < 20; ++round) {
        for (const Uuid& id : submit_notes(10, 5)) ids.push_back(id);
        wait_for_lines(Mark::Done, 5 * static_cast<std::size_t>(round));
        raw->execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'worker_app'");
    }
    for (const auto& record : ended(ids)) EXPECT_EQ(record.state, TaskState::Completed);
    open_gate();
    EXPECT_EQ(ended(running).state, TaskState::Completed);
    EXPECT_EQ(ledger->read().count(Mark::Begin), ids.size() + 1);
    wait_for_beats(worker, 2);
    const auto view = store->look();
    EXPECT_TRUE(view.workers.at(0).session_held) << "taken again by the beat's new connection";
}

}  // namespace
}  // namespace holdfast::worker_test
