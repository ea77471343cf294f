#pragma once

#include <string>
#include <variant>
#include <vector>

#include "store/worker_store.h"

namespace holdfast::engine {

// The calls that a worker makes to the store, as values: the worker decides, somebody else performs.

struct RegisterCall {
    store::WorkerRegistration registration;
};
struct BeatCall {
    store::BeatParams params;
};
struct ClaimCall {
    store::ClaimParams params;
};
struct StartCall {
    store::LeasesParams params;
};
struct FinishCall {
    store::FinishParams params;
};
struct HandBackCall {
    store::LeasesParams params;
};
struct SaveProgressCall {
    std::vector<store::ProgressReport> reports;
};
struct AppendLogsCall {
    std::vector<store::LogChunk> chunks;
};
struct SnapshotCall {
    store::WorkerSnapshot snapshot;
};
struct DeregisterCall {
    Uuid worker;
};
using StoreCall = std::variant<RegisterCall, BeatCall, ClaimCall, StartCall, FinishCall, HandBackCall,
                               SaveProgressCall, AppendLogsCall, SnapshotCall, DeregisterCall>;

/// The call was not answered. It may have been applied all the same: it is to be repeated.
struct CallFailed {
    std::string why;
};
struct CallDone {};
using StoreAnswer = std::variant<CallFailed, CallDone, store::RegisterAnswer, store::BeatAnswer, store::ClaimAnswer,
                                 store::FinishAnswer, std::vector<store::Fenced>>;

/// Performs the call; every failure of the store is an answer too.
[[nodiscard]] StoreAnswer perform(store::WorkerStore& store, const StoreCall& call);

}  // namespace holdfast::engine
