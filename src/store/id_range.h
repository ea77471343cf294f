#pragma once

#include <optional>
#include <string_view>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

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

}  // namespace holdfast::store
