#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace holdfast::engine {

/// Why a PENDING task does not run. If several reasons apply, the first in this order is reported.
enum class Obstacle {
    Overdue,        ///< its deadline has passed: it is about to be EXPIRED
    Future,         ///< its run_at is in the future
    Backoff,        ///< it was tried before, and waits for its next attempt
    Key,            ///< its concurrency key is full
    Paused,         ///< its queue is paused, or its job
    NoWorker,       ///< the store knows no worker with its queue and tags
    WorkerAway,     ///< the matching workers have left or were lost
    NoFreshWorker,  ///< the matching workers send no heartbeats
    NoOpenWorker,   ///< the fresh matching workers are cordoned or draining
    Busy,           ///< the open matching workers have no free slot
    Nothing,        ///< it is about to be claimed
};
constexpr auto words_of(Obstacle) {
    using enum Obstacle;
    return words<Obstacle>({{Overdue, "overdue"},
                            {Future, "future"},
                            {Backoff, "backoff"},
                            {Key, "key"},
                            {Paused, "paused"},
                            {NoWorker, "no_worker"},
                            {WorkerAway, "worker_away"},
                            {NoFreshWorker, "no_fresh_worker"},
                            {NoOpenWorker, "no_open_worker"},
                            {Busy, "busy"},
                            {Nothing, "nothing"}});
}

/// A PENDING task and the tasks and workers that it waits for, read at one time.
struct WaitingFacts {
    store::TaskRecord task;
    Timestamp now;  ///< by the store's clock
    bool queue_is_paused = false;
    /// CLAIMED and RUNNING tasks with its key, of its queue or, if it is shared, of all.
    std::vector<Uuid> key_holders;
    int key_limit = 1;  ///< the limit that applies
    std::vector<store::WorkerRecord> workers;
    Duration stale_after{};  ///< the age of a stale heartbeat; at least three intervals of the worker
};

struct WhyWaiting {
    Obstacle obstacle = Obstacle::Nothing;
    std::string sentence = {};              ///< continues a sentence that begins with "the task"
    std::vector<std::string> workers = {};  ///< the names of the matching workers, where they are the reason
    std::vector<Uuid> tasks = {};           ///< of Key: the tasks that hold it
};

[[nodiscard]] WhyWaiting why_waiting(const WaitingFacts& facts);

/// Collects the facts about a PENDING task.
[[nodiscard]] WaitingFacts waiting_facts(store::Store& store, const store::TaskRecord& task, Duration stale_after);

}  // namespace holdfast::engine
