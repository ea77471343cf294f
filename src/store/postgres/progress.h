#pragma once

#include "store/postgres/lane.h"
#include "store/store.h"

namespace holdfast::postgres {

/// Saves what runs report; LeaseLost for those that are not RUNNING under that lease.
std::vector<store::Fenced> save_progress_of(Transaction& tx, const std::vector<store::ProgressReport>& reports,
                                            const std::vector<std::size_t>& batch, const store::Limits& limits);

}  // namespace holdfast::postgres
