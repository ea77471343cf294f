#include <algorithm>
#include <thread>

#include "base/text.h"
#include "holdfast/client.h"
#include "platform/real_clock.h"
#include "platform/task_ids.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

using std::chrono::steady_clock;

constexpr const char* queue = "holdfast-bench";

store::NewTask bench_task(const std::string& name, int priority) {
    store::NewTask task;
    task.id = platform::new_task_id();
    task.name = name;
    task.queue = queue;
    task.tags = {"task:" + name};
    task.priority = priority;
    return task;
}

void submit_noops(store::ClientStore& store, std::size_t count) {
    while (count > 0) {
        std::vector<store::NewTask> batch;
        while (batch.size() < std::min(count, store::max_batch_rows)) batch.push_back(bench_task(noop_task, 50));
        store.submit(batch);
        count -= batch.size();
    }
}

/// Waits until the tasks have ended.
void await(store::ClientStore& store, const std::vector<Uuid>& tasks) {
    const auto watch = store.watch(store::Topic::Done);
    const auto ended = [](const std::optional<store::TaskRecord>& record) {
        return record && is_terminal(record->state);
    };
    while (!std::ranges::all_of(store.find(tasks), ended)) watch->wait(std::chrono::seconds(1));
}

}  // namespace

DrainFigures measure_drain(const BenchParams& params) {
    const auto store = client::connect(params.store);
    store->set_queue_paused(queue, true, "bench");
    submit_noops(*store, params.tasks);
    const store::NewTask last = bench_task(noop_task, 100);  // claimed after all the others
    store->submit({last});
    const BenchWorker worker(params);
    DrainFigures figures;
    figures.worker_mb = worker.memory_mb();
    figures.runner_mb = worker.runner_mb();
    const auto began = steady_clock::now();
    store->set_queue_paused(queue, false, "bench");
    await(*store, {last.id});
    const std::chrono::duration<double> took = steady_clock::now() - began;
    figures.tasks_per_second = static_cast<double>(params.tasks + 1) / took.count();
    return figures;
}

LatencyFigures measure_latency(const BenchParams& params) {
    const auto store = client::connect(params.store);
    const BenchWorker worker(params);
    const auto count = static_cast<std::size_t>(params.rate * std::chrono::duration<double>(params.span).count());
    const std::chrono::duration<double> pause(1 / params.rate);
    std::vector<Uuid> tasks;
    std::vector<Timestamp> submitted;
    auto next = steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
        std::this_thread::sleep_until(next);
        next += std::chrono::duration_cast<steady_clock::duration>(pause);
        store::NewTask task = bench_task(stamp_task, 50);
        tasks.push_back(task.id);
        submitted.push_back(platform::real_clock().now());
        store->submit({task});
    }
    await(*store, tasks);
    LatencyFigures figures;
    const auto records = store->find(tasks);
    for (std::size_t i = 0; i < count; ++i) {
        const auto began = std::stoll(records[i]->result);
        figures.milliseconds.push_back(static_cast<double>(began - submitted[i].time_since_epoch().count()) / 1000);
    }
    std::ranges::sort(figures.milliseconds);
    return figures;
}

}  // namespace holdfast::proof
