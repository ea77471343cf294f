#include "engine/worker/store_calls.h"

namespace holdfast::engine {

namespace {

struct Performer {
    store::WorkerStore& store;

    StoreAnswer operator()(const RegisterCall& call) const { return store.register_worker(call.registration); }
    StoreAnswer operator()(const BeatCall& call) const { return store.beat(call.params); }
    StoreAnswer operator()(const TurnCall& call) const { return store.turn(call.params); }
    StoreAnswer operator()(const SaveProgressCall& call) const {
        store.save_progress(call.worker, call.reports);
        return CallDone{};
    }
    StoreAnswer operator()(const AppendLogsCall& call) const {
        store.append_logs(call.worker, call.chunks);
        return CallDone{};
    }
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
