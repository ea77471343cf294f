#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace holdfast::store {

/// One numbered, forward-only step of a schema. The number is the schema version that it leads to.
struct Migration {
    int number;
    std::string_view name;
    std::string_view sql;
};

/// Identifies the text of the migrations up to `version`. A store records it with its version: until the first
/// release the migrations are edited in place, and a store that other texts made cannot be upgraded.
[[nodiscard]] inline std::int64_t fingerprint_of(const std::vector<Migration>& migrations, int version) {
    std::string text;
    for (const Migration& migration : migrations)
        if (migration.number <= version) text += migration.sql;
    return std::bit_cast<std::int64_t>(hash_of(text));
}

inline constexpr std::string_view other_build =
    "was made by another, unreleased build of holdfast, whose schema cannot be upgraded: use a new store, or that "
    "build";

}  // namespace holdfast::store

namespace holdfast::sqlite {
const std::vector<store::Migration>& embedded_migrations();
}
namespace holdfast::postgres {
class Transaction;
const std::vector<store::Migration>& embedded_migrations();
/// The version that this program's migrations lead to.
[[nodiscard]] int newest_schema_version();
/// 0 when there is no schema.
[[nodiscard]] int read_schema_version(Transaction& tx);
/// The same; throws store::Unusable when the schema is newer than this program.
[[nodiscard]] int require_known_schema(Transaction& tx);
/// Brings the schema up to date in this transaction. Returns its version.
int migrate_within(Transaction& tx);
}  // namespace holdfast::postgres
