#pragma once

#include <functional>

#include "store/store.h"

namespace holdfast::store {

/// By what the tasks of a list are found. Those of one worker, name or queue have an index, so that they are found
/// among any number of others; where several are asked for, the others are only looked at.
enum class ListGuide { Order, Worker, Name, Queue };

struct ChosenGuide {
    ListGuide by = ListGuide::Order;
    bool is_rare = false;  ///< it has so few tasks that all of them may be looked at

    /// Whether tasks that ended so are found by it. There are few that did not complete, unless it has fewer.
    [[nodiscard]] bool leads_to(TaskState state) const;
};

/// How many are few.
inline constexpr std::size_t rare_up_to = 1000;

/// The first of those given that is rare; else the first of them.
[[nodiscard]] ChosenGuide choose_guide(const TaskFilter& filter, const std::function<bool(ListGuide)>& is_rare);

}  // namespace holdfast::store
