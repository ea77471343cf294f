#pragma once

#include <map>
#include <string>
#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// The value at this share (0..1), by nearest rank; zero when there are no values.
[[nodiscard]] Duration percentile(std::vector<Duration> values, double share);

/// The time from a blow until the lease that it hit was settled in the store, one for each lease, by the evidence
/// that settled it: "exited", "silent", "disconnected", or "runner gone" when the worker itself saw its runner die.
[[nodiscard]] std::map<std::string, std::vector<Duration>> settle_times(const Findings& findings);

/// Verdicts on silence or a lost session against processes that no fault had hit for `lately`. Not a broken promise,
/// since such evidence is never certain, but worth a look.
[[nodiscard]] std::size_t unexplained_verdicts(const Findings& findings, Duration lately);

/// The longest time in which no task ended although some were open.
[[nodiscard]] Duration longest_stall(const std::vector<TaskSeen>& tasks);

/// The time from each failover to the next run that began, as far as one began.
[[nodiscard]] std::vector<Duration> resume_times(const Findings& findings);

/// How many tasks ended in each interval of `width`, from `from` until `to`.
[[nodiscard]] std::vector<std::size_t> ends_over_time(const std::vector<TaskSeen>& tasks, Timestamp from,
                                                      Timestamp to, Duration width);

}  // namespace holdfast::chaos
