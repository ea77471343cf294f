#pragma once

#include "store/sqlite/lane.h"
#include "store/store.h"

namespace holdfast::sqlite {

/// Saves what a run reports; LeaseLost unless it is RUNNING under that lease.
store::Fenced save_progress_of(Transaction& tx, const store::ProgressReport& report, const store::Limits& limits);

}  // namespace holdfast::sqlite
