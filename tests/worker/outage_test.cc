#include <signal.h>

#include "client/connect.h"
#include "platform/service_loop.h"
#include "tests/worker/outage.h"
#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerOutage : public WorkerTest {
protected:
    void make_store() override {
        if (GetParam() == StoreKind::Sqlite) {
            database = contract::make_database(GetParam());
            url = "sqlite:" + database->address();
            outage = make_sqlite_outage(database->address());
        }
#ifdef HOLDFAST_WITH_POSTGRES
        if (GetParam() == StoreKind::Postgres) {
            auto server = make_postgres_server();
            url = server->url();
            outage = std::move(server);
        }
#endif
        store = client::connect({.url = url, .limits = {}});
    }
    void TearDown() override {
        WorkerTest::TearDown();
        outage.reset();
    }
    void end_outage() {
        outage->end();
        const auto answers = [&] {
            try {
                return store->count().completed >= 0;
            } catch (const store::Unavailable&) {
                return false;
            }
        };
        wait_until(answers, "the store to answer");
    }

    std::unique_ptr<Outage> outage;
};
HOLDFAST_ON_EVERY_STORE(WorkerOutage);

TEST_P(WorkerOutage, LongerThanEveryThresholdFailsNoHealthyTaskAndItsResultsAreDelivered) {
    const Duration fence = 6s;
    start_worker({{"fence_ms", "6000"}});
    const Uuid healthy = submit("hold", gate());
    const Uuid neighbour = submit("hold", gate());
    const Uuid fenced = submit(on_crash_requeued(task("leave and hold", gate())));
    begun(healthy);
    begun(neighbour);
    const LedgerLine before = begun(fenced);

    outage->begin();
    const Duration away_since = platform::machine_time();
    wait_for_end_of(before.pid);
    EXPECT_LE(platform::machine_time() - away_since, fence) << "by then another might have been given it";
    std::this_thread::sleep_for(2 * fence - (platform::machine_time() - away_since));
    open_gate();
    wait_for_lines(Mark::Done, 2);
    end_outage();

    EXPECT_EQ(ended(healthy).state, TaskState::Completed);
    EXPECT_EQ(ended(neighbour).state, TaskState::Completed);
    const auto record = ended(fenced);
    EXPECT_EQ(record.state, TaskState::Completed);
    EXPECT_EQ(record.history.crashes, 0) << "an outage is nobody's fault";
    EXPECT_EQ(record.history.attempts, 1);
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
}

TEST_P(WorkerOutage, LetsNoIdleWorkerBeGivenUpByItsOwnSweeperOrAnother) {
    const Settings sweeping = {{"sweep_stale_ms", "3000"}};
    const WorkerApp& first = start_worker(sweeping);
    const WorkerApp& second = start_worker(sweeping);
    outage->begin();
    first.wait_for_log("The store does not answer");
    second.wait_for_log("The store does not answer");
    std::this_thread::sleep_for(15s);  // a backoff that doubles now exceeds the threshold for silence
    end_outage();
    for (const WorkerApp* worker : {&first, &second}) {
        worker->wait_for_log("The store answers again after ");
        if (worker->log().find("The sweeper cannot") != std::string::npos)
            worker->wait_for_log("The sweeper works again after ");
        wait_for_beats(*worker, 30);
        EXPECT_EQ(record_of(*worker).status, store::WorkerStatus::Active);
        EXPECT_THAT(store->events({.task = {}, .worker = id_of(*worker)}), IsEmpty());
    }
}

TEST_P(WorkerOutage, AtTheStartOfTheWorkerIsWaitedFor) {
    outage->begin();
    WorkerApp& worker = launch_worker();
    WorkerApp& impatient = launch_worker();
    worker.wait_for_log("The store does not answer");
    impatient.wait_for_log("The store does not answer");
    impatient.send(SIGTERM);
    EXPECT_EQ(impatient.wait(), 0) << "it has nothing to lose";
    end_outage();
    worker.wait_until_ready();
    EXPECT_EQ(ended(submit("note")).state, TaskState::Completed);
}

TEST_P(WorkerOutage, ManyShortOnesUnderLoadLoseNothingAndRunNothingTwice) {
    start_worker();
    const auto ids = submit_notes(300, 5);
    for (std::size_t round = 1; round <= 3; ++round) {
        wait_for_lines(Mark::Done, 50 * round);
        outage->begin();
        end_outage();
    }
    for (const auto& record : ended(ids)) EXPECT_EQ(record.state, TaskState::Completed);
    EXPECT_EQ(ledger->read().count(Mark::Begin), ids.size());
}

}  // namespace
}  // namespace holdfast::worker_test
