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

}  // namespace holdfast::store

namespace holdfast::sqlite {
const std::vector<store::Migration>& embedded_migrations();
}
namespace holdfast::postgres {
const std::vector<store::Migration>& embedded_migrations();
}
