#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace holdfast::client {

/// How a configured schedule compares with the store.
enum class ScheduleChange { New, Changed, Unchanged };
constexpr auto words_of(ScheduleChange) {
    using enum ScheduleChange;
    return words<ScheduleChange>({{New, "new"}, {Changed, "changed"}, {Unchanged, "unchanged"}});
}

struct ScheduleChanges {
    std::vector<std::pair<std::string, ScheduleChange>> configured = {};  ///< by name, in the order of those wanted
    std::vector<std::string> not_configured = {};                         ///< only the store has them

    [[nodiscard]] std::ptrdiff_t count(ScheduleChange change) const;
};

[[nodiscard]] ScheduleChanges compare_schedules(store::ClientStore& store,
                                                const std::vector<store::ScheduleDefinition>& wanted);

/// Puts them into the store, and removes nothing. Returns how each compared with the store before.
ScheduleChanges put_schedules(store::Store& store, const std::vector<store::ScheduleDefinition>& wanted,
                              const std::string& who);

}  // namespace holdfast::client
