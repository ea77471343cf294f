#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace holdfast::sqlite {

struct OpenParams {
    std::string path;
    store::Limits limits;
    bool migrate = true;  ///< false: refuse a schema that is not up to date
    /// A watch reports news at least this often, whether it was rung or not: a word may be lost.
    Duration safety_poll = std::chrono::seconds(1);
    bool has_deadlines = true;  ///< false: no call is cut short, where the time of the system has no meaning
};

/// Opens (or creates) the database file. Throws store::Unusable when it is not a Holdfast database, is newer than
/// this program, or may not be written; store::Unavailable when it is busy for too long. `clock` stamps rows and
/// outlives the store.
[[nodiscard]] std::unique_ptr<store::Store> open_store(const OpenParams& params, const Clock& clock);

}  // namespace holdfast::sqlite
