#include "proof/bench/end_to_end/bench_tasks.h"

#include <algorithm>
#include <thread>

#include "platform/task_ids.h"
#include "proof/bench/end_to_end/measures.h"

namespace holdfast::proof {

namespace {

constexpr std::size_t looked_up_at_once = 1000;
/// Looking at every end would be a load of its own.
constexpr auto pause_between_looks = std::chrono::milliseconds(10);

/// Looks again whenever tasks end, until `holds`.
template <typename Predicate>
void await_endings(store::ClientStore& store, const Predicate& holds) {
    const auto watch = store.watch(store::Topic::Done);
    while (!holds()) {
        watch->wait(std::chrono::seconds(1));
        std::this_thread::sleep_for(pause_between_looks);
    }
}

void await_some(store::ClientStore& store, const std::vector<Uuid>& tasks) {
    const auto has_ended = [](const std::optional<store::TaskRecord>& record) {
        return record && is_terminal(record->state);
    };
    await_endings(store, [&] { return std::ranges::all_of(store.find(tasks), has_ended); });
}

}  // namespace

store::NewTask bench_task(const std::string& name) {
    store::NewTask task;
    task.id = platform::new_task_id();
    task.name = name;
    task.queue = bench_queue;
    task.tags = {"task:" + name};
    return task;
}

void await_end(store::ClientStore& store, const std::vector<Uuid>& tasks) {
    for (std::size_t from = 0; from < tasks.size(); from += looked_up_at_once) {
        const auto first = tasks.begin() + static_cast<std::ptrdiff_t>(from);
        const auto count = std::min(looked_up_at_once, tasks.size() - from);
        await_some(store, {first, first + static_cast<std::ptrdiff_t>(count)});
    }
}

void await_idle(store::Store& store) {
    store::FindLeasesParams any;
    any.limit = 1;
    await_endings(store, [&] { return store.leases(any).empty(); });
}

double percentile(const Distribution& sorted, double share) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace holdfast::proof
