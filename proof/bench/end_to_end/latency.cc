#include <algorithm>
#include <thread>

#include "platform/real_clock.h"
#include "proof/bench/end_to_end/bench_tasks.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

struct Sent {
    std::vector<Uuid> tasks;
    std::vector<Timestamp> at;  ///< just before the call of submit
};

/// Submits one task after the other at a steady rate: the next one is due at its time, even when the last one was
/// late.
Sent send_steadily(store::ClientStore& store, const LatencyParams& params) {
    using std::chrono::steady_clock;
    const auto count = static_cast<std::size_t>(params.rate * std::chrono::duration<double>(params.span).count());
    const auto pause =
        std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(1 / params.rate));
    Sent sent;
    auto next = steady_clock::now();
    while (sent.tasks.size() < std::max<std::size_t>(count, 1)) {
        std::this_thread::sleep_until(next);
        next += pause;
        const store::NewTask task = bench_task(stamp_task);
        sent.tasks.push_back(task.id);
        sent.at.push_back(platform::real_clock().now());
        store.submit({task});
    }
    return sent;
}

double rate_of(const Sent& sent) {
    const std::chrono::duration<double> span = sent.at.back() - sent.at.front();
    return span.count() > 0 ? static_cast<double>(sent.at.size() - 1) / span.count() : 0;
}

}  // namespace

LatencyFigures measure_latency(const LatencyParams& params) {
    const auto store = client::connect(params.worker.store);
    const BenchWorker worker(params.worker);
    const Sent sent = send_steadily(*store, params);
    await_end(*store, sent.tasks);
    LatencyFigures figures{.milliseconds = {}, .rate = rate_of(sent)};
    const auto records = store->find(sent.tasks);
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto began = std::stoll(records[i]->result);
        figures.milliseconds.push_back(static_cast<double>(began - sent.at[i].time_since_epoch().count()) / 1000);
    }
    std::ranges::sort(figures.milliseconds);
    return figures;
}

}  // namespace holdfast::proof
