#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "views/members.h"
#include "views/why_waiting.h"

namespace holdfast::views {

/// An event together with its task and job.
struct WholeEvent : store::EventRecord {
    WholeEvent() = default;
    explicit WholeEvent(store::EventRecord event) : store::EventRecord(std::move(event)) {}
};

/// The step of a job that a task belongs to.
struct StepOfTask {
    Uuid job = {};
    std::string name = {};
    bool hook = false;
};

/// A task with its history, read at one time.
struct TaskStory {
    store::TaskRecord task;
    std::optional<StepOfTask> step;
    std::vector<store::AttemptRecord> attempts;
    std::vector<store::EventRecord> events;
    Timestamp now;                              ///< by the store's clock
    std::optional<engine::WhyWaiting> waiting;  ///< of a PENDING task
};

/// Reads the story of a task. A worker that has been silent for longer than `worker_stale_threshold` is not counted
/// as one that can run it.
[[nodiscard]] TaskStory read_story(store::Store& store, const store::TaskRecord& task,
                                   Duration worker_stale_threshold);

Table<TaskError> table(Of<TaskError>);
Table<Progress> table(Of<Progress>);
Table<ConcurrencyKey> table(Of<ConcurrencyKey>);
Table<store::TaskRecord> table(Of<store::TaskRecord>);
Table<store::AttemptRecord> table(Of<store::AttemptRecord>);
Table<store::EventRecord> table(Of<store::EventRecord>);
Table<WholeEvent> table(Of<WholeEvent>);
Table<store::LogRecord> table(Of<store::LogRecord>);
Table<StepOfTask> table(Of<StepOfTask>);
Table<engine::WhyWaiting> table(Of<engine::WhyWaiting>);
Table<TaskStory> table(Of<TaskStory>);
Table<store::TaskCounts> table(Of<store::TaskCounts>);
Table<store::QueueRecord> table(Of<store::QueueRecord>);
Table<store::KeyRecord> table(Of<store::KeyRecord>);

}  // namespace holdfast::views
