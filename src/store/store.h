#pragma once

#include "store/client_store.h"
#include "store/recovery_store.h"
#include "store/server_store.h"
#include "store/upkeep_store.h"
#include "store/worker_store.h"

namespace holdfast::store {

struct MigrateAnswer {
    int from = 0;
    int to = 0;
};

/// The durable store: the only meeting point of clients, workers and servers. It consists of five parts, by who calls
/// them; name the part that a function needs, and Store only where it needs several.
///
/// Every verb is one transaction (or several bounded ones, for large batches): when it returns, it is on disk; when
/// it throws, nothing of the current batch is applied, unless it throws CommitInDoubt. Every verb may be repeated.
/// Answers stand in the order of the parameters. An empty batch is answered without asking the database. Items of a
/// batch are independent: one bad item does not affect the others. A task of a step that ends advances its job in the
/// transaction that ends it.
///
/// Calls from several threads are safe and take turns; open several stores to work in parallel. beat(), look() and
/// register_worker() have a connection of their own and never wait behind the others.
class Store : public ClientStore, public WorkerStore, public RecoveryStore, public ServerStore, public UpkeepStore {
public:
    // These are in more than one part.
    [[nodiscard]] std::unique_ptr<Watch> watch(Topic topic) override = 0;
    [[nodiscard]] Timestamp now() override = 0;
    std::vector<WorkerRecord> workers() override = 0;
    std::vector<ScheduleRecord> schedules() override = 0;
    std::vector<LeaseRecord> leases_of(const Uuid& worker, std::size_t limit) final {
        return leases({.worker = worker, .after = {}, .limit = limit});
    }

    /// The rank of the history that this process met last, without asking the database: it grows when the store has
    /// gone back in time, and what was written shortly before may be lost.
    [[nodiscard]] virtual std::int64_t rank() const = 0;
    /// A number that grows whenever the store may have lost what it wrote last: with the rank, and with a restart of
    /// the database server, which may have been given an older copy of its disk.
    [[nodiscard]] virtual std::int64_t history() const { return rank(); }

    /// Brings the schema up to this program's version; safe when many processes do so at once.
    virtual MigrateAnswer migrate() = 0;
};

}  // namespace holdfast::store
