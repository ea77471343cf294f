#include "proof/chaos/collect.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "proof/chaos/load.h"

namespace holdfast::chaos {

namespace {

constexpr std::size_t page_size = 1000;

nlohmann::json parsed(const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
}

TaskSeen task_seen(const store::TaskRecord& record) {
    TaskSeen seen{.id = record.task.id,
                  .state = record.state,
                  .error_code = record.error ? record.error->code : "",
                  .lease = record.lease,
                  .policy = record.task.policy,
                  .created_at = record.created_at,
                  .finished_at = record.finished_at};
    const nlohmann::json args = parsed(record.task.args);
    if (args.is_object()) seen.behaviour = behaviour_from(args);
    const nlohmann::json result = parsed(record.result);
    if (result.is_number_integer()) seen.returned_by = result.get<store::Lease>();
    return seen;
}

/// The tasks with other lines than one begin and one end of the same run.
std::unordered_set<Uuid> unusual_tasks(const LedgerLines& ledger) {
    struct Lines {
        store::Lease lease = 0;
        int begins = 0, ends = 0;
        bool mixed = false;
    };
    std::unordered_map<Uuid, Lines> tasks;
    for (const LedgerLine& line : ledger.lines) {
        Lines& lines = tasks[line.task];
        if (lines.lease != 0 && lines.lease != line.lease) lines.mixed = true;
        lines.lease = line.lease;
        ++(line.mark == Mark::Begin ? lines.begins : lines.ends);
    }
    std::unordered_set<Uuid> unusual;
    for (const auto& [id, lines] : tasks)
        if (lines.mixed || lines.begins != 1 || lines.ends != 1) unusual.insert(id);
    return unusual;
}

void read_runs(store::ClientStore& store, const store::TaskRecord& record, bool is_unusual, TaskSeen& seen) {
    const int known = record.history.attempts + record.history.crashes;
    if (record.state == TaskState::Completed && known <= 1 && !is_unusual) {
        seen.runs = {
            {record.lease, core::LeaseEnd::Completed, record.finished_at.value_or(Timestamp{}), record.worker}};
        return;
    }
    for (const store::AttemptRecord& attempt : store.attempts(record.task.id))
        seen.runs.push_back({attempt.lease, attempt.end, attempt.finished_at, attempt.worker});
}

void collect_tasks(store::ClientStore& store, Findings& findings) {
    const auto unusual = unusual_tasks(findings.ledger);
    store::ListParams page;
    page.limit = page_size;
    for (;;) {
        const auto records = store.list(page);
        for (const store::TaskRecord& record : records) {
            findings.tasks.push_back(task_seen(record));
            read_runs(store, record, unusual.contains(record.task.id), findings.tasks.back());
        }
        if (records.size() < page_size) return;
        page.after = records.back().task.id;
    }
}

JobSeen job_seen(store::ClientStore& store, const JobInfo& job) {
    JobSeen seen{.id = job.id, .state = job.state};
    for (const StepInfo& step : store.steps({.job = job.id})) {
        const std::string bare = step.name.substr(0, step.name.find('['));
        seen.steps.push_back({.name = step.name,
                              .state = step.state,
                              .task = step.task,
                              .child = step.child,
                              .depends_on = dependencies_of(job.workflow, bare),
                              .is_hook = step.hook});
    }
    return seen;
}

void collect_jobs(store::ClientStore& store, Findings& findings) {
    JobQuery page{.with_children = true, .limit = page_size};
    for (;;) {
        const auto jobs = store.list_jobs(page);
        for (const JobInfo& job : jobs) findings.jobs.push_back(job_seen(store, job));
        if (jobs.size() < page_size) return;
        page.after = jobs.back().id;
    }
}

void collect_events(store::ClientStore& store, Findings& findings) {
    store::ReadEventsParams page;
    page.limit = page_size;
    for (;;) {
        const auto events = store.events(page);
        for (const store::EventRecord& event : events) {
            if (event.kind == "late_result_refused") ++findings.late_results;
            const nlohmann::json data = parsed(event.data);
            if (data.is_object() && data.contains("evidence") && data["evidence"].is_string())
                findings.verdicts.push_back(
                    {event.at, event.worker, event.task, data["evidence"].get<std::string>()});
        }
        if (events.size() < page_size) return;
        page.after_id = events.back().id;
    }
}

void name_lives(store::ClientStore& store, Findings& findings) {
    for (const store::WorkerRecord& worker : store.workers())
        for (Life& life : findings.lives)
            if (life.pid == worker.registration.host.pid && life.start_time == worker.registration.host.start_time)
                life.worker = worker.registration.id;
}

}  // namespace

bool is_settled(store::ClientStore& store) {
    for (const store::QueueRecord& queue : store.queues())
        if (queue.pending + queue.in_flight > 0) return false;
    return store
        .list_jobs(
            {.states = {JobState::Pending, JobState::Running, JobState::Paused}, .with_children = true, .limit = 1})
        .empty();
}

void collect(store::ClientStore& store, Findings& findings) {
    collect_tasks(store, findings);
    collect_jobs(store, findings);
    collect_events(store, findings);
    name_lives(store, findings);
}

}  // namespace holdfast::chaos
