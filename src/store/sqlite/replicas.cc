#include "store/rows.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

void SqliteStore::beat_replica(const store::Replica& replica) {
    write_beat([&](Transaction& tx) {
        return tx.db.run(
            R"sql(INSERT INTO replica (id, hostname, pid, version, address, sweeping, started_at, last_heartbeat)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                  ON CONFLICT (id) DO UPDATE SET hostname = ?2, pid = ?3, version = ?4, address = ?5, sweeping = ?6,
                    last_heartbeat = ?7)sql",
            replica.id, replica.hostname, replica.pid, replica.version, replica.address, replica.sweeping, tx.now);
    });
}

std::vector<store::ReplicaRecord> SqliteStore::replicas() {
    return work_.all(R"sql(SELECT id, hostname, pid, version, address, sweeping, started_at, last_heartbeat, ?
                           FROM replica ORDER BY started_at, id)sql",
                     store::read_replica, clock_.now());
}

void SqliteStore::remove_replica(const Uuid& replica) {
    write([&](Transaction& tx) { return tx.db.run("DELETE FROM replica WHERE id = ?", replica); });
}

std::size_t SqliteStore::prune_replicas(Duration older_than) {
    return write([&](Transaction& tx) {
        const auto gone = tx.db.run("DELETE FROM replica WHERE last_heartbeat < ?", tx.now - older_than);
        return static_cast<std::size_t>(gone);
    });
}

}  // namespace holdfast::sqlite
