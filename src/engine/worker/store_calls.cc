#include "engine/worker/store_calls.h"

namespace holdfast::engine {

namespace {

struct Performer {
    store::WorkerStore& store;

    StoreAnswer operator()(const RegisterCall& call) const { return store.register_worker(call.registration); }
    StoreAnswer operator()(const BeatCall& call) const { return store.beat(call.params); }
    StoreAnswer operator()(const ClaimCall& call) const { return store.claim(call.params); }
    StoreAnswer operator()(const StartCall& call) const { return store.start(call.params); }
    StoreAnswer operator()(const FinishCall& call) const { return store.finish(call.params); }
    StoreAnswer operator()(const HandBackCall& call) const { return store.hand_back(call.params); }
    StoreAnswer operator()(const SaveProgressCall& call) const { return store.save_progress(call.reports); }
    StoreAnswer operator()(const AppendLogsCall& call) const { return store.append_logs(call.chunks); }
    StoreAnswer operator()(const SnapshotCall& call) const {
        store.append_worker_snapshot(call.snapshot);
        return CallDone{};
    }
    StoreAnswer operator()(const DeregisterCall& call) const {
        store.deregister_worker(call.worker);
        return CallDone{};
    }
};

}  // namespace

StoreAnswer perform(store::WorkerStore& store, const StoreCall& call) {
    try {
        return std::visit(Performer{store}, call);
    } catch (const store::StoreError& failure) {
        return CallFailed{failure.what()};
    }
}

}  // namespace holdfast::engine
