#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "client/connect.h"
#include "server/api/vital_sign.h"

namespace holdfast::server {

/// How long a server may be silent before people are told, and before its row is forgotten.
inline constexpr Duration replica_beat_interval = std::chrono::seconds(10);
inline constexpr Duration replica_stale_after = std::chrono::minutes(1);
inline constexpr Duration replica_forgotten_after = std::chrono::hours(1);
/// How long the last answer of the store, and the last look at its schema, may be ago while all is well.
inline constexpr Duration store_patience = std::chrono::seconds(10);
inline constexpr Duration schema_patience = std::chrono::seconds(40);
/// A look at the store that takes longer than this makes the server not ready while it goes on.
inline constexpr Duration store_is_slow_after = std::chrono::seconds(3);

struct ReplicaParams {
    client::ConnectParams store;
    api::VitalSign& store_sign;   ///< that the store can be read and written
    api::VitalSign& schema_sign;  ///< that its schema is this program's
    store::Replica replica;       ///< `sweeping` is asked for at each beat
    std::function<bool()> is_sweeping = [] { return false; };
    std::function<void(store::Store&)> looked = [](store::Store&) {};  ///< reads what others keep of the store, too
};

/// Keeps this server's row in the store, in a thread and on a connection of its own: beats, deletes rows of servers
/// that are long gone, and takes its own away at the end. By the way it finds out whether the store can be reached,
/// and whether its schema is this program's.
class ReplicaKeeper {
public:
    /// `log` and the signs outlive it.
    ReplicaKeeper(ReplicaParams params, Log& log);
    ~ReplicaKeeper();
    ReplicaKeeper(const ReplicaKeeper&) = delete;
    ReplicaKeeper& operator=(const ReplicaKeeper&) = delete;

private:
    void run();
    void keep(store::Store& store);
    void beat(store::ServerStore& store);
    void check_schema();
    void say_away(const std::string& why);
    [[nodiscard]] bool pause();

    const ReplicaParams params_;
    Log& log_;
    bool is_away_ = false;
    Duration beat_at_{};
    Duration schema_at_{};
    std::mutex mutex_;
    std::condition_variable stop_signal_;
    bool stopping_ = false;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace holdfast::server
