#pragma once

#include <map>
#include <string>
#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// The share-th value, by nearest rank; zero when there is none. `share` is 0..1.
[[nodiscard]] Duration percentile(std::vector<Duration> values, double share);

/// How long it took from a blow until what it hit was settled in the store, one length for each lease, by the
/// evidence that settled it: "exited", "silent", "disconnected", or "runner gone" where the worker itself saw its
/// runner die.
[[nodiscard]] std::map<std::string, std::vector<Duration>> settle_times(const Findings& findings);

/// Verdicts on silence or a lost session against processes to which nothing had been done for `lately` before it. Not
/// a broken promise (such evidence is never certain), but worth a look.
[[nodiscard]] std::size_t unexplained_verdicts(const Findings& findings, Duration lately);

/// The longest time without the end of any task although there were some that had not ended.
[[nodiscard]] Duration longest_stall(const std::vector<TaskSeen>& tasks);

/// How many tasks ended in each `width` from `from` on, until `to`.
[[nodiscard]] std::vector<std::size_t> ends_over_time(const std::vector<TaskSeen>& tasks, Timestamp from,
                                                      Timestamp to, Duration width);

}  // namespace holdfast::chaos
