#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/access.h"

namespace holdfast::api {

/// The header in which each call of a worker carries its secret.
inline constexpr std::string_view worker_secret_header = "holdfast-worker-secret";
/// The header with the version of the worker protocol.
inline constexpr std::string_view protocol_header = "holdfast-protocol";

/// Whether the text has the form of a worker's secret: "hw_" and 43 characters of base64url.
[[nodiscard]] bool looks_like_worker_secret(std::string_view text);

/// Which workers behind servers exist, and by which secret each is known. It reads the store only for a worker or a
/// secret that it does not know, at most four times a second. A worker's secret never changes while its row exists,
/// so an answer from memory is right; the store refuses what a removed worker asks for. Thread-safe.
class WorkBindings {
public:
    /// Throws UNKNOWN_WORKER unless the worker exists and the caller may use all of its queues, and FORBIDDEN unless
    /// it has this secret.
    void require(store::ClientStore& store, const Uuid& worker, const std::string& secret_hash, const Caller& caller);
    /// The same for a registration: a worker without a row is welcome.
    void require_registrable(store::ClientStore& store, const store::WorkerRegistration& worker,
                             const Caller& caller);

private:
    using Moment = std::chrono::steady_clock::time_point;
    struct Known {
        std::string secret_hash = {};  ///< empty: the worker has a connection to the store of its own
        std::vector<std::string> queues = {};
    };
    [[nodiscard]] std::optional<Known> find(const Uuid& worker);
    [[nodiscard]] std::optional<Known> find_or_read(store::ClientStore& store, const Uuid& worker,
                                                    const std::string& secret_hash);
    void read(store::ClientStore& store);

    std::mutex mutex_;  // guards the members below
    std::map<Uuid, Known> known_;
    std::optional<Moment> read_at_;
};

}  // namespace holdfast::api
