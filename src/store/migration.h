#pragma once

#include <string_view>
#include <vector>

namespace holdfast::store {

/// One numbered, forward-only step of a schema. The number is the schema version that it leads to.
struct Migration {
    int number;
    std::string_view name;
    std::string_view sql;
};

/// Until the first release the migrations are edited in place, so a store of an earlier build cannot be upgraded.
/// Such a store is known by its slots, which do not name a queue.
inline constexpr std::string_view earlier_build =
    "was made by an earlier, unreleased build of holdfast, whose schema cannot be upgraded: use a new store, or that "
    "build";

}  // namespace holdfast::store

namespace holdfast::sqlite {
const std::vector<store::Migration>& embedded_migrations();
}
namespace holdfast::postgres {
const std::vector<store::Migration>& embedded_migrations();
}
