#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace holdfast::postgres {

struct OpenParams {
    std::string url;  ///< any libpq URI or keyword string
    store::Limits limits;
    bool migrate = true;           ///< false: refuse a schema that is not up to date
    bool session_liveness = true;  ///< false: behind a transaction-mode pooler; no session state is relied on
    /// A watch reports news at least this often, whether it was rung or not: a word may be lost.
    Duration safety_poll = std::chrono::seconds(1);
    /// For tests: stamps rows instead of the server's clock; outlives the store.
    const Clock* clock = nullptr;
};

/// Connects. Throws store::Unavailable when the server cannot be reached, store::Unusable when it refuses or its
/// schema is newer than this program.
[[nodiscard]] std::unique_ptr<store::Store> open_store(const OpenParams& params);

}  // namespace holdfast::postgres
