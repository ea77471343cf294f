#pragma once

#include <string>

#include "base/log.h"
#include "engine/worker/delivered.h"
#include "engine/worker/run_book.h"
#include "engine/worker/worker_settings.h"

/// Every line that a worker writes to its log, worded in one place.
namespace holdfast::engine::log_lines {

[[nodiscard]] LogLine registered(const store::WorkerRegistration& worker);
[[nodiscard]] LogLine beat_sent(std::size_t leases);
[[nodiscard]] LogLine received_signal(const std::string& name);
[[nodiscard]] LogLine draining(const std::string& why, std::size_t runs, Duration grace);
[[nodiscard]] LogLine hurrying(const std::string& why);
[[nodiscard]] LogLine deregistering(const Uuid& worker);
[[nodiscard]] LogLine left_undelivered(std::size_t runs);
[[nodiscard]] LogLine store_away(const std::string& why, Duration try_again);
[[nodiscard]] LogLine store_silent(Duration under_way);
[[nodiscard]] LogLine store_back(Duration away);
[[nodiscard]] LogLine gone_back(std::int64_t rank_before, std::int64_t rank, std::size_t outcomes);
[[nodiscard]] LogLine delivered_again(const Delivered::Counts& counts);
[[nodiscard]] LogLine claimed(const store::ClaimedTask& task);
[[nodiscard]] LogLine ended(const Run& run);
[[nodiscard]] LogLine refused(const Run& run);
[[nodiscard]] LogLine stopping(const Run& run, StopCause cause);
[[nodiscard]] LogLine runner_died(const RunnerGone& gone);
[[nodiscard]] LogLine runner_silent(RunnerId id, const Runner& runner, Duration age);
[[nodiscard]] LogLine forgotten_by_store();
[[nodiscard]] LogLine orphan(const store::TaskLease& lease);
[[nodiscard]] LogLine cordoned(bool is);
[[nodiscard]] LogLine threads_beyond_the_fence();

}  // namespace holdfast::engine::log_lines
