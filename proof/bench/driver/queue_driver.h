#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::bench {

/// One connection that moves no-op tasks through their life: by the verbs of a store, or by bare SQL. For one thread.
class QueueDriver {
public:
    virtual ~QueueDriver() = default;
    virtual void submit(const std::vector<Uuid>& tasks) = 0;
    /// Claims, starts and finishes up to `batch` tasks, in two commits. Returns how many there were.
    virtual std::size_t cycle(std::size_t batch) = 0;
};

[[nodiscard]] std::unique_ptr<store::Store> open_store(const std::string& url);

/// The store that the URL names, by its verbs, with a worker registered.
[[nodiscard]] std::unique_ptr<QueueDriver> make_store_driver(const std::string& url);

// The floors: the same row changes in the same tables, and the same reads for the worker (name and arguments), on the
// same kind of connection, but without any check of leases, workers, payloads, keys or deadlines.
[[nodiscard]] std::unique_ptr<QueueDriver> make_sqlite_floor(const std::string& file);
[[nodiscard]] std::unique_ptr<QueueDriver> make_postgres_floor(const std::string& uri);

/// Throws std::runtime_error with this text unless the claim holds: a measurement of wrong work is worth nothing.
void require(bool holds, const char* what);

inline constexpr const char* noop_name = "noop";
inline constexpr const char* noop_args = R"({"n":1})";

[[nodiscard]] store::NewTask noop_task(const Uuid& id);
/// The registration of a worker of the default queue.
[[nodiscard]] store::WorkerRegistration noop_worker(std::size_t capacity);
/// All of them, completed with `null`.
[[nodiscard]] store::TurnParams completed(const Uuid& worker, const std::vector<store::ClaimedTask>& tasks);

}  // namespace holdfast::bench
