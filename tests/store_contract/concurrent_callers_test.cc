#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>

#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

/// Threads with a store each, all at once.
class ConcurrentCallers : public StoreContract {
protected:
    /// Calls `body(store, index)` in `callers` threads that begin together.
    template <typename Body>
    void together(int callers, const Body& body) {
        std::barrier begin(callers);
        std::vector<std::jthread> threads;
        for (int i = 0; i < callers; ++i) {
            threads.emplace_back([&, i] {
                const auto own = open();
                begin.arrive_and_wait();
                try {
                    body(*own, i);
                } catch (const std::exception& problem) {
                    ADD_FAILURE() << "caller " << i << ": " << problem.what();
                }
            });
        }
    }

    /// Claims and completes until nothing is left.
    void drain_with(int callers, std::size_t count) {
        submit(tasks(clock.now(), count));
        std::mutex mutex;
        std::multiset<Uuid> claimed;
        std::set<store::Lease> leases;
        together(callers, [&](store::Store& own, int) {
            const Uuid worker = join(own);
            while (true) {
                const auto answer = claim(own, worker, 20);
                if (answer.tasks.empty() && !answer.more && own.count().pending == 0) return;
                std::vector<store::FinishedRun> runs;
                for (const auto& one : answer.tasks) runs.push_back(completed(lease_of(one)));
                for (const auto& outcome : own.turn({.worker = worker, .finish = runs}).finished) {
                    EXPECT_EQ(outcome.fenced, Fenced::Applied);
                }
                const std::lock_guard lock(mutex);
                for (const auto& run : runs) {
                    claimed.insert(run.lease.task);
                    leases.insert(run.lease.lease);
                }
            }
        });
        EXPECT_EQ(claimed.size(), count);
        EXPECT_EQ(std::set<Uuid>(claimed.begin(), claimed.end()).size(), count);
        EXPECT_EQ(leases.size(), count);
        EXPECT_EQ(store->count().completed, static_cast<std::int64_t>(count));
    }
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(ConcurrentCallers);

TEST_P(ConcurrentCallers, TwoNeverClaimTheSameTask) {
    drain_with(2, 400);
}

TEST_P(ConcurrentCallers, EightNeverClaimTheSameTask) {
    drain_with(8, 1500);
}

TEST_P(ConcurrentCallers, EightOnOneStoreTakeTurns) {
    submit(tasks(clock.now(), 400));
    std::atomic<int> done = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            const Uuid worker = join(*store);
            while (true) {
                const auto answer = claim(*store, worker, 5);
                if (answer.tasks.empty() && !answer.more) return;
                std::vector<store::FinishedRun> runs;
                for (const auto& one : answer.tasks) runs.push_back(completed(lease_of(one)));
                store->beat(beat_of(worker));
                for (const auto& outcome : store->turn({.worker = worker, .finish = runs}).finished) {
                    if (outcome.fenced == Fenced::Applied) ++done;
                }
            }
        });
    }
    threads.clear();
    EXPECT_EQ(done, 400);
}

TEST_P(ConcurrentCallers, EightNeverExceedALimit) {
    constexpr int limit = 3;
    std::vector<store::NewTask> batch;
    for (int i = 0; i < 200; ++i) batch.push_back(with_key(a_task(clock.now()), "k", limit));
    submit(batch);
    std::atomic<int> running = 0;
    std::atomic<int> highest = 0;
    std::atomic<int> done = 0;
    together(8, [&](store::Store& own, int) {
        const Uuid worker = join(own);
        while (done < 200) {
            std::vector<store::FinishedRun> runs;
            for (const auto& one : claim(own, worker, 2).tasks) {
                const int now = ++running;
                int seen = highest;
                while (now > seen && !highest.compare_exchange_weak(seen, now)) {
                }
                runs.push_back(completed(lease_of(one)));
            }
            running -= static_cast<int>(runs.size());
            own.turn({.worker = worker, .finish = runs});
            done += static_cast<int>(runs.size());
        }
    });
    EXPECT_LE(highest, limit);
    EXPECT_EQ(store->count().completed, 200);
    EXPECT_EQ(database->raw()->number("SELECT count(*) FROM slot"), 0);
}

TEST_P(ConcurrentCallers, SubmittingTheSameIdsAcceptEachOnce) {
    const auto batch = tasks(clock.now(), 300);
    std::atomic<int> accepted = 0;
    std::atomic<int> existing = 0;
    together(8, [&](store::Store& own, int index) {
        auto mine = batch;
        if (index % 2 == 1) std::reverse(mine.begin(), mine.end());
        for (const auto& outcome : own.submit(mine)) {
            if (outcome.status == store::SubmitStatus::Accepted) ++accepted;
            if (outcome.status == store::SubmitStatus::Existing) ++existing;
        }
    });
    EXPECT_EQ(accepted, 300);
    EXPECT_EQ(existing, 7 * 300);
    EXPECT_EQ(store->count().pending, 300);
}

/// Submits of one task each, which share transactions: every one is answered as if it had come alone.
TEST_P(ConcurrentCallers, EightOnOneStoreSubmitWithAnAnswerOfTheirOwn) {
    constexpr int callers = 8, rounds = 50;
    const auto same = tasks(clock.now(), rounds);
    std::atomic<int> accepted = 0, existing = 0;
    std::barrier begin(callers);
    std::vector<std::jthread> threads;
    for (int caller = 0; caller < callers; ++caller)
        threads.emplace_back([&] {
            const auto status_of = [this](const store::NewTask& task) { return store->submit({task}).at(0).status; };
            for (const auto& common : same) {
                begin.arrive_and_wait();
                const auto status = status_of(common);
                if (status == store::SubmitStatus::Accepted) ++accepted;
                if (status == store::SubmitStatus::Existing) ++existing;
                auto bad = a_task(clock.now());
                bad.args = "not JSON";
                EXPECT_EQ(status_of(bad), store::SubmitStatus::Refused);
                auto other = common;
                other.priority = 99;
                EXPECT_EQ(status_of(other), store::SubmitStatus::PayloadMismatch);
                EXPECT_EQ(status_of(a_task(clock.now())), store::SubmitStatus::Accepted);
                EXPECT_EQ(status_of(with_key(a_task(clock.now()), "k")), store::SubmitStatus::Accepted);
            }
        });
    threads.clear();
    EXPECT_EQ(accepted, rounds);
    EXPECT_EQ(existing, (callers - 1) * rounds);
    EXPECT_EQ(store->count().pending, rounds + 2 * callers * rounds);
    EXPECT_TRUE(store->check().violations.empty());
}

TEST_P(ConcurrentCallers, SubmittingTheSameIdempotencyKeyAgreeOnOneTask) {
    std::mutex mutex;
    std::set<Uuid> answered;
    together(8, [&](store::Store& own, int) {
        auto task = a_task(clock.now());
        task.idempotency_key = "same";
        const auto outcome = own.submit({task}).at(0);
        EXPECT_TRUE(outcome.status == store::SubmitStatus::Accepted ||
                    outcome.status == store::SubmitStatus::Existing);
        const std::lock_guard lock(mutex);
        answered.insert(outcome.id);
    });
    EXPECT_EQ(answered.size(), 1U);
    EXPECT_EQ(store->count().pending, 1);
}

TEST_P(ConcurrentCallers, ClaimAndCancelLeaveEveryTaskInOnePlace) {
    const auto ids = submit(tasks(clock.now(), 300));
    std::atomic<int> claimed = 0;
    std::atomic<int> cancelled = 0;
    std::atomic<int> requested = 0;
    together(2, [&](store::Store& own, int index) {
        if (index == 0) {
            const Uuid worker = join(own);
            while (own.count().pending > 0) claimed += static_cast<int>(claim(own, worker, 3).tasks.size());
            return;
        }
        for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
            const auto status = cancel(own, *id);
            if (status == store::CancelStatus::Cancelled) ++cancelled;
            if (status == store::CancelStatus::Requested) ++requested;
        }
    });
    EXPECT_EQ(claimed + cancelled, 300);
    EXPECT_EQ(requested, claimed);
    EXPECT_EQ(store->count().cancelled, cancelled);
    EXPECT_EQ(store->count().running, claimed);
}

TEST_P(ConcurrentCallers, FinishAndRecoverApplyExactlyOneOfThem) {
    submit(tasks(clock.now(), 400));
    const Uuid worker = join(*store);
    const auto leases = leases_of(claim_fully(*store, worker, 400));
    std::atomic<int> finished = 0;
    std::atomic<int> recovered = 0;
    together(4, [&](store::Store& own, int index) {
        for (std::size_t first = 0; first < leases.size(); first += 10) {
            std::vector<store::FinishedRun> runs;
            std::vector<store::RecoveredLease> verdicts;
            for (std::size_t i = first; i < first + 10; ++i) {
                const auto& lease = leases[index % 2 == 0 ? i : leases.size() - 1 - i];
                runs.push_back(completed(lease, "1"));
                verdicts.push_back(crash_verdict(lease, worker));
            }
            if (index < 2) {
                for (const auto& outcome : own.turn({.worker = worker, .finish = runs}).finished) {
                    finished += outcome.fenced == Fenced::Applied ? 1 : 0;
                }
            } else {
                for (const auto& outcome : own.recover({.who = "sweeper", .leases = verdicts})) {
                    recovered += outcome.fenced == Fenced::Applied ? 1 : 0;
                }
            }
        }
    });
    EXPECT_EQ(finished + recovered, 400);
    EXPECT_EQ(store->count().completed, finished);
    EXPECT_EQ(store->count().failed, recovered);
}

TEST_P(ConcurrentCallers, HandBackAndRecoverRequeueOnce) {
    submit(tasks(clock.now(), 200));
    const Uuid worker = join(*store);
    const auto leases = leases_of(claim(*store, worker, 0, 200).tasks);
    ASSERT_THAT(leases, SizeIs(200));
    std::atomic<int> applied = 0;
    together(4, [&](store::Store& own, int index) {
        for (const auto& lease : leases) {
            const auto fenced = index % 2 == 0 ? own.turn({.worker = worker, .hand_back = {lease}}).handed_back.at(0)
                                               : recover(own, requeue_verdict(lease, worker)).fenced;
            if (fenced == Fenced::Applied) ++applied;
        }
    });
    EXPECT_EQ(applied, 200);
    for (const auto& lease : leases) ASSERT_EQ(record(*store, lease.task).history.requeues, 1);
}

TEST_P(ConcurrentCallers, WithTheSameRequestGetTheSameLeases) {
    submit(tasks(clock.now(), 50));
    const store::TurnParams params{.worker = join(*store), .request = random_uuid(), .to_start = 5, .to_hold = 0};
    std::mutex mutex;
    std::set<std::vector<store::TaskLease>> answers;
    together(8, [&](store::Store& own, int) {
        const auto leases = leases_of(own.turn(params).claimed.tasks);
        const std::lock_guard lock(mutex);
        answers.insert(leases);
    });
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(store->count().running, 5);
}

TEST_P(ConcurrentCallers, ThatPruneRemoveEachTaskOnceAndLeaveItsIdRefused) {
    const auto batch = tasks(clock.now(), 600);
    submit(batch);
    const Uuid worker = join(*store);
    std::vector<store::FinishedRun> runs;
    for (const auto& one : claim_fully(*store, worker, batch.size())) runs.push_back(completed(lease_of(one)));
    store->turn({.worker = worker, .finish = runs});
    clock.advance(std::chrono::hours(25));
    std::atomic<std::int64_t> removed = 0;
    together(8, [&](store::Store& own, int) {
        store::PruneParams params;
        params.terminal_older_than = std::chrono::hours(24);
        params.clock_is_right = true;
        params.limit = 50;
        while (const auto pruned = own.prune(params).tasks) removed += pruned;
    });
    EXPECT_EQ(removed, 600);
    clock.advance(-std::chrono::hours(25));
    for (const auto& outcome : store->submit(batch)) EXPECT_EQ(outcome.status, store::SubmitStatus::TooOld);
}

TEST_P(ConcurrentCallers, OfTheSweepLeaseGiveItToOne) {
    std::atomic<int> holders = 0;
    together(8, [&](store::Store& own, int index) {
        if (own.sweep_lease("sweeper-" + std::to_string(index), 3s).held) ++holders;
    });
    EXPECT_EQ(holders, 1);
}

}  // namespace
}  // namespace holdfast::contract
