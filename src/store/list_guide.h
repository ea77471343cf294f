#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "store/store.h"

namespace holdfast::store {

/// An inclusive range of ids.
struct IdRange {
    Uuid lowest;
    Uuid highest;
};

/// The ids that start with `prefix` (hexadecimal digits; dashes are ignored) and come before `before`, for lists that
/// are read newest first. nullopt: no id can.
[[nodiscard]] std::optional<IdRange> id_range(std::string_view prefix, const std::optional<Uuid>& before);

/// The lowest id that could have been made at `at` or later.
[[nodiscard]] Uuid first_id_at(Timestamp at);

/// The index by which the tasks of a list are found: that of a worker, a name or a queue, whatever the number of
/// other tasks. Where several are asked for, the others only filter.
enum class ListGuide { Order, Worker, Name, Queue };

struct ChosenGuide {
    ListGuide by = ListGuide::Order;
    bool is_rare = false;  ///< it has so few tasks that all of them may be looked at

    /// Whether tasks that ended so are found by it. Tasks that did not complete are few, so they need it only when it
    /// is rarer.
    [[nodiscard]] bool leads_to(TaskState state) const;
};

/// Up to how many tasks count as rare.
inline constexpr std::size_t rare_up_to = 1000;

/// The first rare one of those that the filter names; else the first of them.
[[nodiscard]] ChosenGuide choose_guide(const TaskFilter& filter, const std::function<bool(ListGuide)>& is_rare);

}  // namespace holdfast::store
