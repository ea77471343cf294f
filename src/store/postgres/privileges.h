#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/lane.h"
#include "store/roles.h"
#include "store/store.h"

namespace holdfast::postgres {

using store::Role;

/// One privilege on one object of the schema: what a GRANT gives, and what a check looks for.
struct Need {
    enum class Kind { Schema, Table, Sequence, Function };
    Kind kind = Kind::Table;
    std::string name = {};       ///< without the schema
    std::string privilege = {};  ///< "SELECT", "USAGE", "EXECUTE"

    friend auto operator<=>(const Need&, const Need&) = default;
};

/// "holdfast_worker": the name of the role in the database.
[[nodiscard]] std::string name_of(Role role);
/// Returns every privilege that the role needs, from the table in privileges.cc. Empty for the owner, which owns all.
[[nodiscard]] std::vector<Need> needs_of(Role role);
/// Returns every object that the table has a row for, with or without a need of it; their privileges are empty.
[[nodiscard]] std::set<Need> listed_objects();
/// Returns the statements that grant the needs to a role, one per combination of privileges, each with its semicolon.
[[nodiscard]] std::vector<std::string> grants_of(const std::vector<Need>& needs, std::string_view role);

/// Sets the privileges of the roles again, if `holdfast migrate --roles` has made them: a new version has new
/// objects.
void renew_grants(Transaction& tx);
/// Continues the transaction as holdfast_owner, if it owns the schema and the user may: new objects are to be its.
void become_owner(Transaction& tx);

}  // namespace holdfast::postgres
