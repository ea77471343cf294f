#pragma once

#include <string>
#include <variant>
#include <vector>

#include "store/worker_store.h"

namespace holdfast::engine {

// The calls of a worker to the store, as values: the worker decides on them, its driver performs them.

struct RegisterCall {
    store::WorkerRegistration registration;
};
struct BeatCall {
    store::BeatParams params;
};
struct TurnCall {
    store::TurnParams params;
};
struct SaveProgressCall {
    Uuid worker;
    std::vector<store::ProgressReport> reports;
};
struct AppendLogsCall {
    Uuid worker;
    std::vector<store::LogChunk> chunks;
};
struct SnapshotCall {
    store::WorkerSnapshot snapshot;
};
struct DeregisterCall {
    Uuid worker;
};
using StoreCall =
    std::variant<RegisterCall, BeatCall, TurnCall, SaveProgressCall, AppendLogsCall, SnapshotCall, DeregisterCall>;

/// The call failed. It may have been applied nevertheless, so it must be repeated.
struct CallFailed {
    std::string why;
};
struct CallDone {};
using StoreAnswer = std::variant<CallFailed, CallDone, store::RegisterAnswer, store::BeatAnswer, store::TurnAnswer>;

/// Performs the call. A failure of the store is returned as CallFailed.
[[nodiscard]] StoreAnswer perform(store::WorkerStore& store, const StoreCall& call);

}  // namespace holdfast::engine
