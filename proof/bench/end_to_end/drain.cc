#include <algorithm>
#include <deque>

#include "platform/real_clock.h"
#include "proof/bench/end_to_end/bench_tasks.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

void submit_noops(store::ClientStore& store, std::size_t count) {
    while (count > 0) {
        std::vector<store::NewTask> batch;
        while (batch.size() < std::min(count, store::max_batch_rows)) batch.push_back(bench_task(noop_task));
        store.submit(batch);
        count -= batch.size();
    }
}

/// Submits a backlog to the paused queue, and returns its last task: the one that is claimed after all others.
Uuid prepare_backlog(store::ClientStore& store, std::size_t tasks) {
    store.set_queue_paused(bench_queue, true, "bench");
    submit_noops(store, tasks - 1);
    store::NewTask last = bench_task(noop_task);
    last.priority = 100;
    store.submit({last});
    return last.id;
}

struct Stretch {
    Timestamp began, ended;
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(ended - began).count(); }
};

Stretch drain_backlog(store::Store& store, const Uuid& last) {
    Stretch stretch;
    stretch.began = platform::real_clock().now();
    store.set_queue_paused(bench_queue, false, "bench");
    await_end(store, {last});
    await_idle(store);
    stretch.ended = platform::real_clock().now();
    return stretch;
}

Distribution claims_within(const std::vector<ClaimTime>& claims, const Stretch& stretch) {
    Distribution found;
    for (const ClaimTime& claim : claims)
        if (claim.ended >= stretch.began && claim.ended <= stretch.ended) found.push_back(claim.milliseconds);
    std::ranges::sort(found);
    return found;
}

}  // namespace

DrainFigures measure_drain(const DrainParams& params) {
    const auto store = client::connect(params.worker.store);
    Uuid last = prepare_backlog(*store, params.tasks);
    std::deque<BenchWorker> workers;
    while (workers.size() < params.workers) workers.emplace_back(params.worker);
    DrainFigures figures;
    for (const BenchWorker& worker : workers)
        figures.worker_mb += worker.memory_mb() / static_cast<double>(params.workers);
    figures.runner_mb = workers.front().runner_mb();
    std::vector<Stretch> stretches;
    while (true) {
        stretches.push_back(drain_backlog(*store, last));
        if (stretches.size() == params.rounds) break;
        last = prepare_backlog(*store, params.tasks);
    }
    std::vector<ClaimTime> claims;
    for (BenchWorker& worker : workers)
        for (const ClaimTime& claim : worker.leave()) claims.push_back(claim);
    for (const Stretch& stretch : stretches)
        figures.rounds.push_back({.tasks_per_second = static_cast<double>(params.tasks) / stretch.seconds(),
                                  .claim_ms = claims_within(claims, stretch)});
    return figures;
}

}  // namespace holdfast::proof
