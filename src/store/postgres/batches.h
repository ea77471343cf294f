#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "holdfast/uuid.h"
#include "store/postgres/connection.h"
#include "store/store.h"

namespace holdfast::postgres {

/// Indices into the parameters of a verb: the items of one transaction.
using Batch = std::vector<std::size_t>;

/// Splits 0..count-1 into bounded batches in which no two items collide; colliding ones come in their order, each in
/// a later batch, as if the items were given one after the other. `collides(index)` answers whether the item collides
/// with any that it was asked about since the last `start()`, and remembers it.
template <typename Start, typename Collides>
std::vector<Batch> split_batches(std::size_t count, const Start& start, const Collides& collides) {
    Batch left(count);
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<Batch> batches;
    while (!left.empty()) {
        start();
        Batch batch, rest;
        for (const auto index : left) {
            const bool is_full = batch.size() == store::max_batch_rows;
            (is_full || collides(index) ? rest : batch).push_back(index);
        }
        batches.push_back(std::move(batch));
        left = std::move(rest);
    }
    return batches;
}

/// Batches in which no task occurs twice, each sorted by task id: the order of locks.
template <typename TaskOf>
std::vector<Batch> batches_by_task(std::size_t count, const TaskOf& task_of) {
    std::unordered_set<Uuid> seen;
    auto batches = split_batches(
        count, [&] { seen.clear(); }, [&](std::size_t index) { return !seen.insert(task_of(index)).second; });
    for (auto& batch : batches)
        std::sort(batch.begin(), batch.end(), [&](std::size_t a, std::size_t b) { return task_of(a) < task_of(b); });
    return batches;
}

/// What one transaction of a worker's turn does: completes runs, starts leases, claims.
struct TurnPart {
    Array<Uuid> ended = {};
    Array<std::int64_t> ended_leases = {};
    Array<std::string_view> results = {};
    Array<Uuid> to_start = {};
    Array<std::int64_t> to_start_leases = {};
    bool claims = false;
};

/// A submit of a task that needs no more than two rows, and its route.
struct PlainSubmit {
    const store::NewTask& task;
    int route;
};

/// The column task.by_name: NULL when lists by name find the task by its route.
[[nodiscard]] std::optional<bool> by_name(const store::NewTask& task);

/// Submits those of the tasks that the batch names, all acceptable, none twice: see holdfast.submit_batch(). The
/// other members stand in the order of `tasks`; without `too_old` the ids are made in this very transaction.
[[nodiscard]] Command submit_command(const std::vector<store::NewTask>& tasks, const Batch& batch,
                                     const std::vector<int>& routes, const std::vector<bool>* too_old);
/// Reads the answer: `outcomes` of those that were not accepted. All three are in submit.cc.
void read_outcomes(const Rows& rows, const std::vector<store::NewTask>& tasks, const Batch& batch,
                   std::vector<store::SubmitOutcome>& outcomes);

}  // namespace holdfast::postgres
