#pragma once

#include "engine/recovery/manual_recovery.h"
#include "engine/recovery/sweeper.h"
#include "store/store.h"
#include "views/recovery_view.h"
#include "views/shapes.h"
#include "views/task_story.h"

namespace holdfast::views {

// The objects that shapes.h writes, read back. What an object does not tell is left at its default. Each throws
// nlohmann's exceptions, or std::invalid_argument, for an object of another form.

[[nodiscard]] store::TaskRecord read_task(const Json& shape);
[[nodiscard]] store::AttemptRecord read_attempt(const Json& shape);
[[nodiscard]] store::EventRecord read_event(const Json& shape);
[[nodiscard]] store::LogRecord read_log_piece(const Json& shape);
[[nodiscard]] TaskStory read_task_story(const Json& shape, Timestamp now);
/// Of what it holds only the number is told.
[[nodiscard]] store::WorkerRecord read_worker(const Json& shape);
[[nodiscard]] store::LeaseRecord read_lease(const Json& shape, const Uuid& worker);
[[nodiscard]] store::WorkerSnapshot read_snapshot(const Json& shape);
[[nodiscard]] store::QueueRecord read_queue(const Json& shape);
[[nodiscard]] store::KeyRecord read_key(const Json& shape);
[[nodiscard]] store::TaskCounts read_task_counts(const Json& shape);
[[nodiscard]] JobInfo read_job(const Json& shape);
[[nodiscard]] StepInfo read_step(const Json& shape);
/// Of its definition only the workflow's name is told.
[[nodiscard]] store::ScheduleRecord read_schedule(const Json& shape);

/// Its hash is told to nobody.
[[nodiscard]] store::TokenRecord read_token(const Json& shape);

[[nodiscard]] RecoveryStatus read_recovery_status(const Json& shape, Timestamp now);
[[nodiscard]] engine::StaleTask read_stale_task(const Json& shape);
[[nodiscard]] engine::ServicePass read_service_pass(const Json& shape);
[[nodiscard]] store::PruneAnswer read_prune_answer(const Json& shape);

[[nodiscard]] Timestamp read_time(const Json& text);

}  // namespace holdfast::views
