#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::proof {

/// A task for the workers of a benchmark.
[[nodiscard]] store::NewTask bench_task(const std::string& name);

/// Waits until the tasks have ended.
void await_end(store::ClientStore& store, const std::vector<Uuid>& tasks);
/// Waits until no worker holds a task.
void await_idle(store::Store& store);

}  // namespace holdfast::proof
