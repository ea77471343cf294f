#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/store.h"

namespace holdfast::client {

/// What a store URL names.
struct StoreAddress {
    enum class Kind { Sqlite, Postgres };
    Kind kind = Kind::Sqlite;
    std::string place;  ///< the path of the file, or the whole libpq URI
};

/// Reads `sqlite:PATH`, `postgresql://...` or `postgres://...`. Throws BadInput with a hint for anything else:
/// a bare path, a memory database, a libpq keyword string (whatever one says, a URI can say too).
[[nodiscard]] StoreAddress parse_store_url(std::string_view url);

struct ConnectParams {
    std::string url;
    store::Limits limits;
    bool create = true;   ///< false: a missing SQLite file is Unavailable instead of created
    bool migrate = true;  ///< false: a schema that is not up to date is Unusable instead of brought up to date
    bool session_liveness = true;  ///< false: PostgreSQL is behind a transaction-mode pooler
};

/// Opens the store that the URL names. Throws BadInput for the URL, StoreError for the store.
[[nodiscard]] std::unique_ptr<store::Store> connect(const ConnectParams& params);

}  // namespace holdfast::client
