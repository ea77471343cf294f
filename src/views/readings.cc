#include "views/readings.h"

#include <array>
#include <stdexcept>

#include "base/text.h"
#include "core/task/policy_text.h"
#include "core/workflow/workflow.h"

namespace holdfast::views {

namespace {

using std::chrono::duration_cast;

[[noreturn]] void misfit(std::string_view what, const Json& found) {
    throw std::invalid_argument(concat(found.dump(), " is no ", what));
}

std::string text(const Json& value) {
    return value.is_null() ? std::string() : value.get<std::string>();
}

/// What `embedded` was made of.
std::string json_text(const Json& value) {
    return value.is_null() ? std::string() : dump(value);
}

Uuid id(const Json& value) {
    if (value.is_null()) return {};
    const auto parsed = Uuid::parse(value.get<std::string>());
    if (!parsed) misfit("id", value);
    return *parsed;
}

std::optional<Timestamp> time_or_none(const Json& value) {
    return value.is_null() ? std::nullopt : std::optional(read_time(value));
}

Duration seconds(const Json& value) {
    return duration_cast<Duration>(std::chrono::duration<double>(value.get<double>()));
}

/// The value of an enumeration that `to_text` writes so.
template <typename Enum, std::size_t count>
Enum word(const Json& value, const std::array<Enum, count>& all, std::string_view what) {
    const std::string found = text(value);
    for (const Enum each : all)
        if (found == to_text(each)) return each;
    misfit(what, value);
}

template <typename State>
State state(const Json& value, std::optional<State> (*parse)(std::string_view)) {
    const auto parsed = parse(value.get<std::string>());
    if (!parsed) misfit("state", value);
    return *parsed;
}

std::optional<TaskError> error(const Json& value) {
    if (value.is_null()) return std::nullopt;
    return TaskError{value.at("code"), value.at("message"), json_text(value.at("data"))};
}

std::optional<ConcurrencyKey> concurrency(const Json& value) {
    if (value.is_null()) return std::nullopt;
    return ConcurrencyKey{value.at("key"), value.at("limit")};
}

std::optional<Progress> progress(const Json& value) {
    if (value.is_null()) return std::nullopt;
    return Progress{value.at("fraction"), value.at("text"), read_time(value.at("at"))};
}

TaskPolicy policy(const Json& value) {
    auto decoded = core::decode_policy(value.empty() ? "" : value.dump());
    if (!decoded.ok()) misfit("policy", value);
    return std::move(decoded).value();
}

StepCounts step_counts(const Json& value) {
    if (value.is_null()) return {};
    return {.waiting = value.at("waiting"),
            .ready = value.at("ready"),
            .running = value.at("running"),
            .completed = value.at("completed"),
            .failed = value.at("failed"),
            .skipped = value.at("skipped"),
            .cancelled = value.at("cancelled")};
}

store::NewTask new_task(const Json& shape) {
    store::NewTask task;
    task.id = id(shape.at("id"));
    task.name = shape.at("name");
    task.args = dump(shape.at("args"));
    task.spec = json_text(shape.at("spec"));
    task.queue = shape.at("queue");
    task.tags = shape.at("tags").get<std::vector<std::string>>();
    task.priority = shape.at("priority");
    task.run_at = time_or_none(shape.at("run_at"));
    task.deadline = time_or_none(shape.at("deadline"));
    task.concurrency = concurrency(shape.at("concurrency"));
    task.idempotency_key = text(shape.at("idempotency_key"));
    task.traceparent = text(shape.at("traceparent"));
    task.policy = policy(shape.at("policy"));
    task.retry_of = id(shape.at("retry_of"));
    return task;
}

constexpr std::array wait_reasons = {WaitReason::None, WaitReason::Future, WaitReason::Key, WaitReason::Overdue,
                                     WaitReason::Job};
constexpr std::array lease_ends = {core::LeaseEnd::Completed,      core::LeaseEnd::Failed,
                                   core::LeaseEnd::Crashed,        core::LeaseEnd::Stopped,
                                   core::LeaseEnd::StoppedCleanly, core::LeaseEnd::Cancelled};
constexpr std::array worker_statuses = {store::WorkerStatus::Active, store::WorkerStatus::Draining,
                                        store::WorkerStatus::Inactive};
constexpr std::array evidences = {core::Evidence::None,         core::Evidence::Silent,
                                  core::Evidence::Unregistered, core::Evidence::Disconnected,
                                  core::Evidence::Rebooted,     core::Evidence::Exited};

constexpr std::array obstacles = {
    engine::Obstacle::Overdue,    engine::Obstacle::Future,        engine::Obstacle::Backoff,
    engine::Obstacle::Key,        engine::Obstacle::Paused,        engine::Obstacle::NoWorker,
    engine::Obstacle::WorkerAway, engine::Obstacle::NoFreshWorker, engine::Obstacle::NoOpenWorker,
    engine::Obstacle::Busy,       engine::Obstacle::Nothing};

engine::WhyWaiting why_waiting(const Json& value) {
    engine::WhyWaiting why{.obstacle = word(value.at("for"), obstacles, "reason to wait"),
                           .sentence = value.at("sentence"),
                           .tasks = {},
                           .workers = value.at("workers").get<std::vector<std::string>>()};
    for (const Json& task : value.at("tasks")) why.tasks.push_back(id(task));
    return why;
}

core::Workflow named(const std::string& name) {
    core::Workflow workflow;
    workflow.name = name;
    return workflow;
}

core::Evidence evidence(const Json& value) {
    for (const core::Evidence each : evidences)
        if (value == word_for(each)) return each;
    misfit("evidence", value);
}

}  // namespace

Timestamp read_time(const Json& value) {
    const auto parsed = parse_timestamp(value.get<std::string>());
    if (!parsed) misfit("time", value);
    return *parsed;
}

store::TaskRecord read_task(const Json& shape) {
    store::TaskRecord record;
    record.task = new_task(shape);
    record.state = state(shape.at("state"), parse_task_state);
    record.waits_for = word(shape.at("waits_for"), wait_reasons, "reason to wait");
    record.history = {
        .attempts = shape.at("attempts"), .crashes = shape.at("crashes"), .requeues = shape.at("requeues")};
    record.created_at = read_time(shape.at("created_at"));
    record.lease = shape.at("lease").is_null() ? 0 : shape.at("lease").get<store::Lease>();
    record.worker = id(shape.at("worker"));
    record.claimed_at = time_or_none(shape.at("claimed_at"));
    record.started_at = time_or_none(shape.at("started_at"));
    record.finished_at = time_or_none(shape.at("finished_at"));
    record.cancel_requested = shape.at("cancel_requested");
    const bool has_result = record.state == TaskState::Completed;
    record.result = has_result ? dump(shape.at("result")) : std::string();
    record.error = error(shape.at("error"));
    record.progress = progress(shape.at("progress"));
    record.checkpoint = json_text(shape.at("checkpoint"));
    return record;
}

TaskStory read_task_story(const Json& shape, Timestamp now) {
    TaskStory story;
    story.task = read_task(shape.at("task"));
    story.now = now;
    if (const Json& step = shape.at("step"); !step.is_null()) {
        story.step = std::pair(id(step.at("job")), step.at("name").get<std::string>());
        story.is_hook = step.at("hook").get<bool>();
    }
    if (const Json& waiting = shape.at("waiting"); !waiting.is_null()) story.waiting = why_waiting(waiting);
    for (const Json& attempt : shape.at("attempts")) story.attempts.push_back(read_attempt(attempt));
    for (const Json& event : shape.at("events")) story.events.push_back(read_event(event));
    return story;
}

store::AttemptRecord read_attempt(const Json& shape) {
    store::AttemptRecord record;
    record.number = shape.at("number");
    record.end = word(shape.at("end"), lease_ends, "end of an attempt");
    record.error = error(shape.at("error"));
    record.lease = shape.at("lease");
    record.worker = id(shape.at("worker"));
    record.claimed_at = read_time(shape.at("claimed_at"));
    record.started_at = read_time(shape.at("started_at"));
    record.finished_at = read_time(shape.at("finished_at"));
    return record;
}

store::EventRecord read_event(const Json& shape) {
    store::EventRecord record;
    record.id = shape.at("id");
    record.at = read_time(shape.at("at"));
    record.kind = shape.at("kind");
    record.who = shape.at("who");
    record.message = shape.at("message");
    record.worker = id(shape.at("worker"));
    record.data = json_text(shape.at("data"));
    record.task = id(shape.value("task", Json()));
    record.job = id(shape.value("job", Json()));
    return record;
}

store::LogRecord read_log_piece(const Json& shape) {
    store::LogRecord record;
    record.offset = shape.at("offset");
    record.chunk.at = read_time(shape.at("at"));
    record.chunk.lease = shape.at("lease");
    record.chunk.stream = shape.at("stream");
    record.chunk.text = shape.at("text");
    return record;
}

store::WorkerRecord read_worker(const Json& shape) {
    store::WorkerRecord record;
    record.registration.id = id(shape.at("id"));
    record.registration.name = shape.at("name");
    record.registration.host.hostname = shape.at("host");
    record.registration.host.pid = shape.at("pid");
    record.registration.version = shape.at("version");
    record.registration.queues = shape.at("queues").get<std::vector<std::string>>();
    record.registration.tags = shape.at("tags").get<std::vector<std::string>>();
    record.registration.capacity = shape.at("capacity");
    record.status = word(shape.at("status"), worker_statuses, "status of a worker");
    record.cordoned = shape.at("cordoned");
    record.drain_requested = shape.at("drain_requested");
    record.registered_at = read_time(shape.at("registered_at"));
    record.last_heartbeat = time_or_none(shape.at("last_heartbeat"));
    record.seconds_ago = seconds(shape.at("seconds_ago"));
    for (int count = shape.at("running"); count > 0; --count) record.held.push_back({.lease = {}, .running = true});
    for (int count = shape.at("claimed"); count > 0; --count) record.held.push_back({.lease = {}, .running = false});
    return record;
}

store::LeaseRecord read_lease(const Json& shape, const Uuid& worker) {
    store::LeaseRecord record;
    record.lease = {.task = id(shape.at("id")), .lease = shape.at("lease")};
    record.worker = worker;
    record.name = shape.at("name");
    record.started = shape.at("state") == "RUNNING";
    return record;
}

store::WorkerSnapshot read_snapshot(const Json& shape) {
    store::WorkerSnapshot snapshot;
    snapshot.at = read_time(shape.at("at"));
    snapshot.running = shape.at("running");
    snapshot.claimed = shape.at("claimed");
    snapshot.capacity = shape.at("capacity");
    snapshot.cpu_percent = shape.at("cpu_percent");
    snapshot.memory_mb = shape.at("memory_mb");
    snapshot.load = shape.at("machine_load");
    return snapshot;
}

store::QueueRecord read_queue(const Json& shape) {
    return {.name = shape.at("name"),
            .paused = shape.at("paused"),
            .pending = shape.at("pending"),
            .in_flight = shape.at("in_flight")};
}

store::KeyRecord read_key(const Json& shape) {
    const Json& queue = shape.at("queue");
    return {.key = {.key = shape.at("key"),
                    .queue = queue.is_null() ? std::string() : queue.get<std::string>(),
                    .limit = shape.at("limit")},
            .declared = shape.at("declared"),
            .held = shape.at("held"),
            .waiting = shape.at("waiting")};
}

store::TaskCounts read_task_counts(const Json& shape) {
    return {.pending = shape.at("pending"),
            .claimed = shape.at("claimed"),
            .running = shape.at("running"),
            .completed = shape.at("completed"),
            .failed = shape.at("failed"),
            .cancelled = shape.at("cancelled"),
            .expired = shape.at("expired")};
}

JobInfo read_job(const Json& shape) {
    JobInfo job;
    job.id = id(shape.at("id"));
    job.workflow = shape.at("workflow");
    job.state = state(shape.at("state"), parse_job_state);
    job.input = json_text(shape.at("input"));
    job.output = job.state == JobState::Completed ? dump(shape.at("output")) : std::string();
    job.error = error(shape.at("error"));
    job.cancel_requested = shape.at("cancel_requested");
    job.created_at = read_time(shape.at("created_at"));
    job.started_at = time_or_none(shape.at("started_at"));
    job.finished_at = time_or_none(shape.at("finished_at"));
    job.deadline = time_or_none(shape.at("deadline"));
    job.root = id(shape.at("root"));
    job.parent = id(shape.at("parent"));
    job.parent_step = text(shape.at("parent_step"));
    job.depth = shape.at("depth");
    job.retry_of = id(shape.at("retry_of"));
    job.steps = step_counts(shape.at("steps"));
    return job;
}

StepInfo read_step(const Json& shape) {
    StepInfo step;
    step.name = shape.at("name");
    step.item = shape.at("item").is_null() ? -1 : shape.at("item").get<int>();
    step.hook = shape.at("hook");
    step.kind = shape.at("kind");
    step.state = state(shape.at("state"), parse_step_state);
    step.task = id(shape.at("task"));
    step.child = id(shape.at("child"));
    step.attempts = shape.at("attempts");
    step.ready_at = time_or_none(shape.at("ready_at"));
    step.started_at = time_or_none(shape.at("started_at"));
    step.finished_at = time_or_none(shape.at("finished_at"));
    step.wakes_at = time_or_none(shape.at("wakes_at"));
    step.message = text(shape.at("message"));
    step.output = step.state == StepState::Completed ? dump(shape.at("output")) : std::string();
    step.error = error(shape.at("error"));
    step.progress = progress(shape.at("progress"));
    step.items = step_counts(shape.at("items"));
    return step;
}

store::ScheduleRecord read_schedule(const Json& shape) {
    const std::string workflow = text(shape.at("workflow"));
    store::ScheduleRecord record;
    record.schedule = {.name = shape.at("name"),
                       .timing = dump(shape.at("timing")),
                       .definition = core::to_json_text(
                           core::WorkflowBundle{.main = workflow, .workflows = {{workflow, named(workflow)}}}),
                       .input = json_text(shape.at("input"))};
    record.paused = shape.at("paused");
    record.created_at = read_time(shape.at("created_at"));
    record.decided_until = read_time(shape.at("decided_until"));
    record.last_job = id(shape.at("last_job"));
    if (!shape.at("last_state").is_null()) record.last_state = state(shape.at("last_state"), parse_job_state);
    return record;
}

store::TokenRecord read_token(const Json& shape) {
    store::TokenRecord record;
    record.token = {.id = id(shape.at("id")),
                    .name = shape.at("name"),
                    .hash = {},
                    .scope = state(shape.at("scope"), store::parse_scope),
                    .queues = shape.at("queues").get<std::vector<std::string>>(),
                    .expires_at = time_or_none(shape.at("expires_at")),
                    .who = shape.at("created_by")};
    record.created_at = read_time(shape.at("created_at"));
    record.revoked_at = time_or_none(shape.at("revoked_at"));
    record.last_used_at = time_or_none(shape.at("last_used_at"));
    record.last_used_from = text(shape.at("last_used_from"));
    return record;
}

RecoveryStatus read_recovery_status(const Json& shape, Timestamp now) {
    RecoveryStatus status;
    status.holder = text(shape.at("sweeper"));
    status.now = now;
    for (const Json& service : shape.at("services"))
        status.notes.push_back({.service = service.at("service"),
                                .who = service.at("who"),
                                .at = read_time(service.at("at")),
                                .did = json_text(service.at("did")),
                                .failure = text(service.at("failure"))});
    for (const Json& worker : shape.at("workers")) {
        SeenWorker& seen = status.workers.emplace_back();
        seen.worker.id = id(worker.at("id"));
        seen.worker.name = worker.at("name");
        seen.worker.host.hostname = worker.at("host");
        seen.evidence = evidence(worker.at("evidence"));
        seen.how = worker.at("how");
    }
    for (const Json& event : shape.at("events")) status.events.push_back(read_event(event));
    return status;
}

engine::StaleTask read_stale_task(const Json& shape) {
    engine::StaleTask stale;
    stale.lease = read_lease(shape, id(shape.at("worker")));
    stale.worker_name = text(shape.at("worker_name"));
    stale.hostname = text(shape.at("host"));
    stale.worker_is_alive = shape.at("worker_is_alive");
    stale.quiet_for = seconds(shape.at("quiet_seconds"));
    return stale;
}

engine::ServicePass read_service_pass(const Json& shape) {
    engine::ServicePass pass;
    pass.service = shape.at("service");
    engine::RecoveryReport& report = pass.report;
    report.workers_lost = shape.at("workers_lost");
    report.requeued = shape.at("requeued");
    report.rerun = shape.at("rerun");
    report.ended = shape.at("ended");
    report.asked = shape.at("asked");
    report.expired = shape.at("expired");
    report.rejected = shape.at("rejected");
    report.woken = shape.at("woken");
    report.timed_out = shape.at("timed_out");
    report.mended = shape.at("mended");
    report.fired = shape.at("fired");
    report.pruned = shape.at("pruned");
    report.skipped = shape.at("skipped");
    report.remarks = shape.at("remarks").get<std::vector<std::string>>();
    pass.failure = text(shape.at("failure"));
    return pass;
}

store::PruneAnswer read_prune_answer(const Json& shape) {
    return {.heartbeats = shape.at("heartbeats"),
            .worker_states = shape.at("worker_states"),
            .tasks = shape.at("tasks"),
            .jobs = shape.at("jobs"),
            .workers = shape.at("workers"),
            .more = shape.at("more"),
            .doubt = shape.at("doubt").is_null() ? "" : shape.at("doubt").get<std::string>()};
}

}  // namespace holdfast::views
