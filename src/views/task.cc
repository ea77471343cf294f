#include "views/task.h"

#include "client/operations.h"
#include "core/public_words.h"
#include "core/task/task_options.h"

namespace holdfast::views {

/// Contains only the members that differ from the defaults.
template <>
struct Form<TaskPolicy> {
    static Json write(const TaskPolicy& policy) {
        const std::string text = core::encode_policy(policy);
        return text.empty() ? Json::object() : value_of(text);
    }
    static void read(const Json& shape, TaskPolicy& policy) {
        auto decoded = core::decode_policy(shape.empty() ? "" : shape.dump());
        if (!decoded.ok()) misfit("policy", shape);
        policy = std::move(decoded).value();
    }
    static Json schema() { return schema::map(schema::any()); }
};

namespace {

using Task = store::NewTask;
using Attempt = store::AttemptRecord;
using Event = store::EventRecord;
using Log = store::LogRecord;
using Chunk = store::LogChunk;
using Counts = store::TaskCounts;

/// Restores the result null of a COMPLETED task; a COMPLETED one always has a result.
void fill_result(store::TaskRecord& record) {
    if (record.state == TaskState::Completed && record.result.empty()) record.result = "null";
}

bool is_shared(const store::KeyRecord& record) {
    return record.key.is_shared();
}

}  // namespace

Table<TaskError> table(Of<TaskError>) {
    static constexpr Member<TaskError> members[] = {
        member<&TaskError::code>("code"),
        member<&TaskError::message>("message"),
        member<&TaskError::data>("data", json_text),
    };
    return {"Error", members};
}

Table<Progress> table(Of<Progress>) {
    static constexpr Member<Progress> members[] = {
        member<&Progress::fraction>("fraction", "0 to 1"),
        member<&Progress::text>("text"),
        member<&Progress::at>("at"),
    };
    return {"Progress", members};
}

Table<ConcurrencyKey> table(Of<ConcurrencyKey>) {
    static constexpr Member<ConcurrencyKey> members[] = {
        member<&ConcurrencyKey::key>("key"),
        member<&ConcurrencyKey::limit>("limit"),
    };
    return {"ConcurrencyKey", members};
}

Table<store::TaskRecord> table(Of<store::TaskRecord>) {
    using Record = store::TaskRecord;
    static constexpr Member<Record> members[] = {
        member<&Record::task, &Task::id>("id"),
        member<&Record::task, &Task::name>("name"),
        member<&Record::state>("state"),
        member<&Record::waits_for>("waits_for", or_null, "why it is PENDING and out of reach of claims"),
        member<&Record::task, &Task::queue>("queue"),
        member<&Record::task, &Task::priority>("priority"),
        member<&Record::task, &Task::tags>("tags"),
        member<&Record::task, &Task::args>("args", json_text),
        member<&Record::task, &Task::spec>("spec", json_text),
        member<&Record::result>("result", json_text),
        member<&Record::error>("error"),
        member<&Record::created_at>("created_at"),
        member<&Record::task, &Task::run_at>("run_at"),
        member<&Record::task, &Task::deadline>("deadline"),
        member<&Record::claimed_at>("claimed_at"),
        member<&Record::started_at>("started_at"),
        member<&Record::finished_at>("finished_at"),
        member<&Record::history, &core::History::attempts>("attempts"),
        member<&Record::history, &core::History::crashes>("crashes"),
        member<&Record::history, &core::History::requeues>("requeues"),
        member<&Record::lease>("lease", or_null),
        member<&Record::worker>("worker", or_null),
        member<&Record::cancel_requested>("cancel_requested"),
        member<&Record::task, &Task::retry_of>("retry_of", or_null),
        member<&Record::task, &Task::idempotency_key>("idempotency_key", or_null),
        member<&Record::task, &Task::traceparent>("traceparent", or_null, "W3C trace context of its submitter"),
        member<&Record::task, &Task::concurrency>("concurrency"),
        member<&Record::task, &Task::policy>("policy"),
        member<&Record::progress>("progress"),
        member<&Record::checkpoint>("checkpoint", json_text),
    };
    return {"Task", members, fill_result};
}

Table<store::AttemptRecord> table(Of<store::AttemptRecord>) {
    static constexpr Member<Attempt> members[] = {
        member<&Attempt::number>("number"),
        member<&Attempt::end>("end"),
        member<&Attempt::error>("error"),
        member<&Attempt::lease>("lease"),
        member<&Attempt::worker>("worker", or_null),
        member<&Attempt::claimed_at>("claimed_at"),
        member<&Attempt::started_at>("started_at"),
        member<&Attempt::finished_at>("finished_at"),
    };
    return {"Attempt", members};
}

Table<store::EventRecord> table(Of<store::EventRecord>) {
    static constexpr Member<Event> members[] = {
        member<&Event::id>("id"),
        member<&Event::at>("at"),
        member<&Event::kind>("kind"),
        member<&Event::who>("who", "a person, a worker, a sweeper"),
        member<&Event::message>("message"),
        member<&Event::worker>("worker", or_null),
        member<&Event::data>("data", json_text),
    };
    return {"Event", members};
}

Table<WholeEvent> table(Of<WholeEvent>) {
    static constexpr Member<WholeEvent> members[] = {
        members_of_base<Event>(),
        member<&Event::task>("task", or_null),
        member<&Event::job>("job", or_null),
    };
    return {"WholeEvent", members};
}

Table<store::LogRecord> table(Of<store::LogRecord>) {
    static constexpr Member<Log> members[] = {
        member<&Log::offset>("offset"),
        member<&Log::chunk, &Chunk::at>("at"),
        member<&Log::chunk, &Chunk::lease>("lease"),
        member<&Log::chunk, &Chunk::stream>("stream"),
        member<&Log::chunk, &Chunk::text>("text"),
    };
    return {"LogLine", members};
}

Table<StepOfTask> table(Of<StepOfTask>) {
    static constexpr Member<StepOfTask> members[] = {
        member<&StepOfTask::job>("job"),
        member<&StepOfTask::name>("name"),
        member<&StepOfTask::hook>("hook"),
    };
    return {"StepOfTask", members};
}

Table<engine::WhyWaiting> table(Of<engine::WhyWaiting>) {
    using Why = engine::WhyWaiting;
    static constexpr Member<Why> members[] = {
        member<&Why::obstacle>("for"),
        member<&Why::sentence>("sentence", "goes on from \"the task\""),
        member<&Why::tasks>("tasks", "that hold its concurrency key"),
        member<&Why::workers>("workers", "that have its queue and tags"),
    };
    return {"Waiting", members};
}

Table<TaskStory> table(Of<TaskStory>) {
    static constexpr Member<TaskStory> members[] = {
        member<&TaskStory::task>("task"),       member<&TaskStory::step>("step"),
        member<&TaskStory::waiting>("waiting"), member<&TaskStory::attempts>("attempts"),
        member<&TaskStory::events>("events"),
    };
    return {"TaskStory", members};
}

Table<store::TaskCounts> table(Of<store::TaskCounts>) {
    static constexpr Member<Counts> members[] = {
        member<&Counts::pending>("pending"), member<&Counts::claimed>("claimed"),
        member<&Counts::running>("running"), member<&Counts::completed>("completed"),
        member<&Counts::failed>("failed"),   member<&Counts::cancelled>("cancelled"),
        member<&Counts::expired>("expired"),
    };
    return {"TaskCounts", members};
}

Table<store::QueueRecord> table(Of<store::QueueRecord>) {
    using Queue = store::QueueRecord;
    static constexpr Member<Queue> members[] = {
        member<&Queue::name>("name"),
        member<&Queue::paused>("paused"),
        member<&Queue::pending>("pending"),
        member<&Queue::in_flight>("in_flight"),
    };
    return {"Queue", members};
}

Table<store::KeyRecord> table(Of<store::KeyRecord>) {
    using Record = store::KeyRecord;
    using Key = core::KeyDeclaration;
    static constexpr Member<Record> members[] = {
        member<&Record::key, &Key::key>("key"),
        member<&Record::key, &Key::queue>("queue", or_null, "whose it is; null: shared by all"),
        derived<is_shared>("shared"),
        member<&Record::key, &Key::limit>("limit", "the one in force"),
        member<&Record::declared>("declared", "its limit is fixed; otherwise it follows the submits"),
        member<&Record::held>("held", "tasks that are CLAIMED or RUNNING"),
        member<&Record::waiting>("waiting", "tasks that have found it full"),
    };
    return {"Key", members};
}

TaskStory read_story(store::Store& store, const store::TaskRecord& task, Duration worker_stale_threshold) {
    TaskStory story;
    story.task = task;
    if (const auto step = store.step_of_task(task.task.id))
        story.step = {.job = step->first, .name = step->second, .hook = client::is_hook(store, *step)};
    story.attempts = store.attempts(task.task.id);
    story.events = client::all_events(store, task.task.id);
    story.now = store.now();
    if (task.state == TaskState::Pending)
        story.waiting = engine::why_waiting(engine::waiting_facts(store, task, worker_stale_threshold));
    return story;
}

}  // namespace holdfast::views
