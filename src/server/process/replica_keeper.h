#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "client/connect.h"
#include "server/api/vital_sign.h"

namespace holdfast::server {

/// The silence after which a server is reported as stale, and the silence after which its row is deleted.
inline constexpr Duration replica_stale_after = std::chrono::minutes(1);
inline constexpr Duration replica_forgotten_after = std::chrono::hours(1);
/// The maximum age of the last successful check of the store, and of its schema, of a healthy server. A check of the
/// store that takes longer makes the server unready until a later one succeeds in time.
inline constexpr Duration store_patience = std::chrono::seconds(3);
inline constexpr Duration schema_patience = std::chrono::seconds(40);

struct ReplicaParams {
    client::ConnectParams store;
    api::VitalSign& store_sign;   ///< reports that the store can be read and written
    api::VitalSign& schema_sign;  ///< reports that its schema matches this program
    store::Replica replica;       ///< `sweeping` is updated at each heartbeat
    std::function<bool()> is_sweeping = [] { return false; };
    std::function<void(store::Store&)> looked = [](store::Store&) {};  ///< called at each check, to refresh caches
};

/// Maintains this server's row in the store, in its own thread and on its own connection: sends a heartbeat once a
/// second, deletes the rows of servers that are long gone, and removes its own row at the end. The heartbeat is the
/// probe of the store, too: it reads and commits, because a store without its synchronous standby answers only those
/// who read. It also checks whether the schema matches this program.
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
    void delete_old_rows(store::ServerStore& store);
    void check_schema();

    const ReplicaParams params_;
    Log& log_;
    Duration beat_at_{};
    Duration delete_at_{};
    Duration schema_at_{};
    std::jthread thread_;
};

}  // namespace holdfast::server
