#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "client/connect.h"
#include "server/api/vital_sign.h"

namespace holdfast::server {

/// The interval of a server's heartbeat, the silence after which it is reported as stale, and the silence after
/// which its row is deleted.
inline constexpr Duration replica_beat_interval = std::chrono::seconds(10);
inline constexpr Duration replica_stale_after = std::chrono::minutes(1);
inline constexpr Duration replica_forgotten_after = std::chrono::hours(1);
/// The maximum age of the last successful store access, and of the last schema check, of a healthy server.
inline constexpr Duration store_patience = std::chrono::seconds(10);
inline constexpr Duration schema_patience = std::chrono::seconds(40);
/// A check of the store that takes longer than this makes the server unready until the check ends.
inline constexpr Duration store_is_slow_after = std::chrono::seconds(3);

struct ReplicaParams {
    client::ConnectParams store;
    api::VitalSign& store_sign;   ///< reports that the store can be read and written
    api::VitalSign& schema_sign;  ///< reports that its schema matches this program
    store::Replica replica;       ///< `sweeping` is updated at each heartbeat
    std::function<bool()> is_sweeping = [] { return false; };
    std::function<void(store::Store&)> looked = [](store::Store&) {};  ///< called at each check, to refresh caches
};

/// Maintains this server's row in the store, in its own thread and on its own connection: sends heartbeats, deletes
/// the rows of servers that are long gone, and removes its own row at the end. It also checks whether the store is
/// reachable and whether its schema matches this program.
class ReplicaKeeper {
public:
    /// `log` and the vital signs must outlive this object.
    ReplicaKeeper(ReplicaParams params, Log& log);
    ReplicaKeeper(const ReplicaKeeper&) = delete;
    ReplicaKeeper& operator=(const ReplicaKeeper&) = delete;

private:
    void run(const std::stop_token& stop);
    void keep(store::Store& store, const std::stop_token& stop);
    void beat(store::ServerStore& store);
    void check_schema();
    void say_away(const std::string& why);

    const ReplicaParams params_;
    Log& log_;
    bool is_away_ = false;
    Duration beat_at_{};
    Duration schema_at_{};
    std::jthread thread_;
};

}  // namespace holdfast::server
