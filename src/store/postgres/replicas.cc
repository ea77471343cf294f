#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

void PostgresStore::beat_replica(const store::Replica& replica) {
    beats_.write(
        "INSERT INTO holdfast.replica (id, hostname, pid, version, address, sweeping, started_at, last_heartbeat)"
        " VALUES ($1, $2, $3, $4, $5, $6, holdfast.now(), holdfast.now()) ON CONFLICT (id) DO UPDATE"
        " SET hostname = $2, pid = $3, version = $4, address = $5, sweeping = $6, last_heartbeat = holdfast.now()",
        replica.id, replica.hostname, replica.pid, replica.version, replica.address, replica.sweeping);
}

std::vector<store::ReplicaRecord> PostgresStore::replicas() {
    const auto rows = work_.read(
        "SELECT id, hostname, pid, version, address, sweeping, started_at, last_heartbeat, holdfast.now()"
        " FROM holdfast.replica ORDER BY started_at, id");
    std::vector<store::ReplicaRecord> replicas;
    for (int row = 0; row < rows.size(); ++row)
        replicas.push_back({{rows.uuid(row, 0), rows.string(row, 1), rows.small(row, 2), rows.string(row, 3),
                             rows.string(row, 4), rows.boolean(row, 5)},
                            rows.time(row, 6),
                            rows.time(row, 7),
                            rows.time(row, 8) - rows.time(row, 7)});
    return replicas;
}

void PostgresStore::remove_replica(const Uuid& replica) {
    work_.write("DELETE FROM holdfast.replica WHERE id = $1", replica);
}

std::size_t PostgresStore::prune_replicas(Duration older_than) {
    return work_
        .write("DELETE FROM holdfast.replica WHERE last_heartbeat < holdfast.now() - $1 * interval '1 microsecond'",
               older_than.count())
        .affected();
}

}  // namespace holdfast::postgres
