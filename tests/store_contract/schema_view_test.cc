#include <chrono>

#include "base/text.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::WorkerOrder;

/// The schema answers people who come with plain SQL. They ask by the real clock.
class SchemaViews : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        clock.advance(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) - clock.now());
        raw = database->raw();
    }
    /// Registered and beaten just now; slow beats, so that it stays fresh however slow the machine is.
    Uuid beating_worker() {
        auto worker = a_worker();
        worker.beat_interval = 1min;
        join(*store, worker);
        store->beat(beat_of(worker.id));
        return worker.id;
    }
    std::string shown(const Uuid& worker, const std::string& column) {
        return raw->value(concat("SELECT ", column, " FROM workers WHERE id = '", worker.to_string(), "'"));
    }
    bool is_schedulable(const Uuid& worker) {
        return raw->number(
                   concat("SELECT count(*) FROM workers WHERE schedulable AND id = '", worker.to_string(), "'")) == 1;
    }
    std::string beaten(const Uuid& task, const std::string& column) {
        return raw->value(concat("SELECT ", column, " FROM heartbeats WHERE task_id = '", task.to_string(), "'"));
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

TEST_P(SchemaViews, ShowAWorkerThatBeatsAsFreshAndSchedulable) {
    const Uuid worker = beating_worker();
    EXPECT_EQ(shown(worker, "status"), "active");
    EXPECT_EQ(shown(worker, "freshness"), "fresh");
    EXPECT_TRUE(is_schedulable(worker));
}

TEST_P(SchemaViews, ShowAWorkerThatBeatLongAgoAsStale) {
    clock.advance(-4min);
    const Uuid worker = beating_worker();
    EXPECT_EQ(shown(worker, "freshness"), "stale");
    EXPECT_GE(std::stod(shown(worker, "seconds_ago")), 239.0);
    EXPECT_FALSE(is_schedulable(worker));
}

TEST_P(SchemaViews, ShowAWorkerThatNeverBeatAsStale) {
    const Uuid worker = join(*store);
    EXPECT_EQ(shown(worker, "freshness"), "stale");
    EXPECT_FALSE(is_schedulable(worker));
}

TEST_P(SchemaViews, ShowAWorkerThatIsCordonedOrDrainingAsFreshButNotSchedulable) {
    const Uuid cordoned = beating_worker();
    store->order_worker({.worker = cordoned, .order = WorkerOrder::Cordon, .who = "ann"});
    const Uuid told_to_drain = beating_worker();
    store->order_worker({.worker = told_to_drain, .order = WorkerOrder::Drain, .who = "ann"});
    const Uuid draining = beating_worker();
    auto beat = beat_of(draining);
    beat.status = store::WorkerStatus::Draining;
    store->beat(beat);
    for (const Uuid& worker : {cordoned, told_to_drain, draining}) {
        EXPECT_EQ(shown(worker, "freshness"), "fresh");
        EXPECT_FALSE(is_schedulable(worker));
    }
    store->order_worker({.worker = cordoned, .order = WorkerOrder::Uncordon, .who = "ann"});
    EXPECT_TRUE(is_schedulable(cordoned));
}

TEST_P(SchemaViews, ShowWhatWasBeaten) {
    submit(tasks(clock.now(), 2));
    const Uuid worker = join(*store);
    const auto leases = leases_of(claim(*store, worker, 1, 1).tasks);
    auto beat = beat_of(
        worker, {{.lease = leases[0], .running = true, .runner_pid = 99}, {.lease = leases[1], .running = false}});
    beat.keep_history = true;
    store->beat(beat);
    const Uuid run = leases[0].task, held = leases[1].task;
    EXPECT_EQ(raw->number("SELECT count(*) FROM heartbeats"), 2);
    EXPECT_EQ(beaten(run, "role"), "runner");
    EXPECT_EQ(beaten(run, "pid"), "99") << "the runner's";
    EXPECT_EQ(beaten(held, "role"), "claimer");
    EXPECT_EQ(beaten(held, "pid"), "4711") << "the worker's";
    for (const Uuid& task : {run, held}) {
        EXPECT_EQ(beaten(task, "sender_id"), worker.to_string());
        EXPECT_EQ(beaten(task, "hostname"), "host-a");
    }
}

TEST_P(SchemaViews, JoinByTheirIds) {
    const Uuid worker = join(*store);
    submit(with_retries(a_task(clock.now()), 2));
    const auto lease = claim_one(worker);
    finish(*store, worker, failed(lease));
    submit();
    const auto running = claim_one(worker);
    const auto task_of = [&](const std::string& from) {
        return raw->value(concat("SELECT t.id FROM tasks t JOIN ", from));
    };
    EXPECT_EQ(task_of("attempts a ON a.task_id = t.id"), lease.task.to_string());
    EXPECT_EQ(task_of("workers w ON w.id = t.worker_id"), running.task.to_string());
    EXPECT_EQ(raw->number("SELECT count(*) FROM attempts a JOIN workers w ON w.id = a.worker_id"), 1);
    EXPECT_EQ(raw->number(concat("SELECT count(*) FROM tasks WHERE worker_id IS NULL AND id = '",
                                 lease.task.to_string(), "'")),
              1)
        << "nobody has it at the moment";
}

}  // namespace
}  // namespace holdfast::contract
