#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "views/shapes.h"
#include "views/why_waiting.h"

namespace holdfast::views {

/// All that is known about one task, read at one time.
struct TaskStory {
    store::TaskRecord task;
    std::optional<std::pair<Uuid, std::string>> step;  ///< the job, and its step, that the task belongs to
    bool is_hook = false;                              ///< ... and that step is a hook
    std::vector<store::AttemptRecord> attempts;
    std::vector<store::EventRecord> events;
    Timestamp now;                              ///< by the store's clock
    std::optional<engine::WhyWaiting> waiting;  ///< of a PENDING task
};

/// A worker that has been silent for longer than `worker_stale_threshold` cannot run it.
[[nodiscard]] TaskStory read_story(store::Store& store, const store::TaskRecord& task,
                                   Duration worker_stale_threshold);

[[nodiscard]] Json to_json_shape(const TaskStory& story);

}  // namespace holdfast::views
