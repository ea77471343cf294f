#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/lost_submits.h"
#include "store/roles.h"
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
    std::shared_ptr<SubmitMemory> submits =
        {};  ///< of a process that submits: so that it learns of those that are lost
};

/// Opens the store that the URL names. Throws BadInput for the URL, StoreError for the store.
[[nodiscard]] std::unique_ptr<store::Store> connect(const ConnectParams& params);

/// Returns whether the user of a PostgreSQL store has the privileges of these roles; without roles, those of the
/// roles that it was granted, or else of workers and servers. Empty for SQLite, which has no users. Throws as
/// connect() does.
[[nodiscard]] std::vector<store::Finding> check_privileges(const std::string& url,
                                                           const std::vector<store::Role>& roles);

/// Makes the roles of a PostgreSQL store that was migrated. Returns why its user may not, with the SQL that does it.
/// Throws as connect() does.
struct RolesAnswer {
    std::string refusal = {};  ///< empty: done
    std::string sql = {};
};
[[nodiscard]] RolesAnswer make_roles(const std::string& url);

}  // namespace holdfast::client
