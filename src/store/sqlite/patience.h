#pragma once

#include "store/deadline.h"

namespace holdfast::sqlite {

/// Covers all of a call: the wait for its turn, for the locks of other programs, and its work.
using store::Deadline;

/// How long the calls of a lane may take.
inline constexpr Duration beats_patience = std::chrono::seconds(2);
inline constexpr Duration work_patience = std::chrono::seconds(10);

}  // namespace holdfast::sqlite
