#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

void PostgresStore::beat_replica(const store::Replica& replica) {
    beats_.write(
        R"sql(INSERT INTO holdfast.replica (id, hostname, pid, version, address, sweeping, started_at, last_heartbeat)
              VALUES ($1, $2, $3, $4, $5, $6, holdfast.now(), holdfast.now())
              ON CONFLICT (id) DO UPDATE SET hostname = $2, pid = $3, version = $4, address = $5, sweeping = $6,
                last_heartbeat = holdfast.now())sql",
        replica.id, replica.hostname, replica.pid, replica.version, replica.address, replica.sweeping);
}

std::vector<store::ReplicaRecord> PostgresStore::replicas() {
    return work_.all(R"sql(SELECT id, hostname, pid, version, address, sweeping, started_at, last_heartbeat,
                             holdfast.now()
                           FROM holdfast.replica ORDER BY started_at, id)sql",
                     store::read_replica);
}

void PostgresStore::remove_replica(const Uuid& replica) {
    work_.write("DELETE FROM holdfast.replica WHERE id = $1", replica);
}

std::size_t PostgresStore::prune_replicas(Duration older_than) {
    return work_
        .write("DELETE FROM holdfast.replica WHERE last_heartbeat < holdfast.now() - $1 * interval '1 microsecond'",
               older_than)
        .affected();
}

}  // namespace holdfast::postgres
