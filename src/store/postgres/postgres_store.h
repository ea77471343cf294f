#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/roles.h"
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

/// Returns whether the user of the URL has what these roles need, with the missing GRANTs as advice. Works without
/// any privilege on the schema. Without roles: for those roles of Holdfast that the user is a member of; else for all
/// that workers and servers need. Throws as open_store() does.
[[nodiscard]] std::vector<store::Finding> check_privileges(const std::string& url, std::vector<store::Role> roles);

/// Makes the roles of a database with an up-to-date schema. Returns why the user may not do so, and has then changed
/// nothing; empty: done. Throws as open_store() does.
[[nodiscard]] std::string make_roles(const std::string& url);
/// Returns the SQL with which an administrator does the same.
[[nodiscard]] std::string roles_sql();

}  // namespace holdfast::postgres
