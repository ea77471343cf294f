#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace holdfast::client {

/// How the keys or schedules of a configuration compare with the store.
template <typename Item, typename Change>
struct CatalogChanges {
    std::vector<std::pair<Item, Change>> configured = {};  ///< in the order of those wanted
    std::vector<Item> not_configured = {};                 ///< only the store has them

    [[nodiscard]] std::ptrdiff_t count(Change change) const {
        return std::ranges::count(configured, change, &std::pair<Item, Change>::second);
    }
};

using KeyChanges = CatalogChanges<core::KeyDeclaration, store::DeclareStatus>;

/// "db-orders of queue reports", "db-orders, shared,": a key in messages.
[[nodiscard]] std::string key_name(const std::string& key, const std::string& queue);

[[nodiscard]] KeyChanges compare_keys(store::ClientStore& store, const std::vector<core::KeyDeclaration>& wanted);

/// Declares them in the store, and removes nothing. Returns how each compared with the store before.
KeyChanges put_keys(store::ClientStore& store, const std::vector<core::KeyDeclaration>& wanted,
                    const std::string& who);

enum class ScheduleChange { New, Changed, Unchanged };
constexpr auto words_of(ScheduleChange) {
    using enum ScheduleChange;
    return words<ScheduleChange>({{New, "new"}, {Changed, "changed"}, {Unchanged, "unchanged"}});
}
using ScheduleChanges = CatalogChanges<std::string, ScheduleChange>;  ///< by name

[[nodiscard]] ScheduleChanges compare_schedules(store::ClientStore& store,
                                                const std::vector<store::ScheduleDefinition>& wanted);

/// Puts them into the store, and removes nothing. Returns how each compared with the store before.
ScheduleChanges put_schedules(store::Store& store, const std::vector<store::ScheduleDefinition>& wanted,
                              const std::string& who);

}  // namespace holdfast::client
