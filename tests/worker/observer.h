#pragma once

#include <vector>

#include "core/task/verdict.h"
#include "store/store.h"

namespace holdfast::worker_test {

/// The verdict on one lease, and the state of its task afterwards.
struct Judged {
    store::TaskLease lease;
    bool started = false;
    core::Action action = core::Action::Keep;
    TaskState state = TaskState::Pending;
};

/// Judges workers through the store's verbs: a small sweeper.
class Observer {
public:
    Observer(store::Store& store, core::Thresholds thresholds) : store_(store), thresholds_(thresholds) {}

    /// Judges a worker that is dead, with everything that it had started.
    std::vector<Judged> judge_exited(const Uuid& worker);
    /// Looks at the worker's beats until it has been silent for longer than `age`, then judges it.
    std::vector<Judged> judge_once_silent(const Uuid& worker, Duration age);

private:
    [[nodiscard]] store::WorkerLiveness look_at(const Uuid& worker);
    std::vector<Judged> judge(const store::WorkerLiveness& worker, const core::WorkerSeen& seen);

    store::Store& store_;
    core::Thresholds thresholds_;
};

}  // namespace holdfast::worker_test
