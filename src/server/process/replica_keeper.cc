#include "server/process/replica_keeper.h"

#include <condition_variable>
#include <mutex>

#include "base/text.h"
#include "platform/service_loop.h"

namespace holdfast::server {

namespace {

constexpr Duration look_interval = std::chrono::milliseconds(400);  // of tokens: a revoked one ends within a second
constexpr Duration beat_interval = std::chrono::seconds(1);
constexpr Duration delete_interval = std::chrono::seconds(10);
constexpr Duration schema_interval = std::chrono::seconds(30);

/// Waits for the interval between two checks. Returns false at once when the thread shall stop.
bool pause(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    return !std::condition_variable_any().wait_for(lock, stop, look_interval, [&] { return stop.stop_requested(); });
}

}  // namespace

ReplicaKeeper::ReplicaKeeper(ReplicaParams params, Log& log)
    : params_(std::move(params)), log_(log), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ReplicaKeeper::run(const std::stop_token& stop) {
    do {
        try {
            params_.store_sign.began();
            const auto store = client::connect(params_.store);
            return keep(*store, stop);
        } catch (const StoreError& fault) {
            params_.store_sign.failed(fault.what());
        }
    } while (pause(stop));
}

void ReplicaKeeper::keep(store::Store& store, const std::stop_token& stop) {
    do {
        try {
            params_.store_sign.began();
            params_.looked(store);
            if (platform::machine_time() >= beat_at_) {
                (void)store.replicas();
                beat(store);
                beat_at_ = platform::machine_time() + beat_interval;
            }
            params_.store_sign.succeeded();
            if (platform::machine_time() >= delete_at_) delete_old_rows(store);
            if (platform::machine_time() >= schema_at_) check_schema();
        } catch (const StoreError& fault) {
            params_.store_sign.failed(fault.what());
        }
    } while (pause(stop));
    try {
        store.remove_replica(params_.replica.id);
    } catch (const StoreError& fault) {
        log_.write(
            {LogLevel::Warning, concat("This server's row stays in the store for an hour: ", fault.what()), {}});
    }
}

void ReplicaKeeper::beat(store::ServerStore& store) {
    store::Replica replica = params_.replica;
    replica.sweeping = params_.is_sweeping();
    store.beat_replica(replica);
}

void ReplicaKeeper::delete_old_rows(store::ServerStore& store) {
    const std::size_t forgotten = store.prune_replicas(replica_forgotten_after);
    if (forgotten > 0)
        log_.write({LogLevel::Info,
                    "Servers that were silent for an hour are forgotten",
                    {{"count", std::to_string(forgotten)}}});
    delete_at_ = platform::machine_time() + delete_interval;
}

/// Opens the store without creating or migrating it, which fails when its schema differs from this program's.
void ReplicaKeeper::check_schema() {
    client::ConnectParams as_it_is = params_.store;
    as_it_is.create = as_it_is.migrate = false;
    try {
        (void)client::connect(as_it_is);
        params_.schema_sign.succeeded();
        schema_at_ = platform::machine_time() + schema_interval;
    } catch (const Unusable& fault) {
        params_.schema_sign.failed(fault.what());
    }
}

}  // namespace holdfast::server
