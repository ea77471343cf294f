#include "proof/demo/watcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace holdfast::proof {

namespace {

std::int64_t milliseconds(Duration length) {
    return std::chrono::floor<std::chrono::milliseconds>(length).count();
}

bool is_task_event(const store::EventRecord& event) {
    return !event.task.is_nil();
}

/// "Worker NAME (ID) on host HOST exited: ..." without the part that the line already has.
std::string evidence_of(const std::string& message) {
    constexpr std::string_view host = " on host ";
    const auto found = message.find(host);
    const auto end = found == std::string::npos ? found : message.find(' ', found + host.size());
    return end == std::string::npos ? message : message.substr(end + 1);
}

std::string late_result_text(const Json& data) {
    const std::string code = data.contains("error") ? fmt::format(" ({})", data["error"].value("code", "")) : "";
    return fmt::format("{}{} by lease {}, which is not the task's lease any more", data.value("end", ""), code,
                       data.value("lease", store::Lease{0}));
}

std::string phrase_for(const std::string& kind) {
    if (kind == "worker_lost") return "is lost";
    if (kind == "worker_reactivated") return "is back";
    if (kind == "late_result_refused") return "has a late result refused";
    if (kind == "requeued") return "is requeued";
    return kind;
}

std::string phrase_for_group(const std::string& kind) {
    if (kind == "claimed") return "claimed by";
    return kind == "running" ? "claimed by and running on" : "completed on";
}

Tone tone_of_event(const std::string& kind) {
    if (kind == "worker_lost" || kind == "failed") return Tone::Bad;
    if (kind == "worker_reactivated" || kind == "late_result_refused") return Tone::Good;
    return Tone::Busy;
}

}  // namespace

DemoWatcher::DemoWatcher(store::ClientStore& store, const std::vector<DemoTask>& tasks, DemoView& view)
    : store_(store), tasks_(tasks), view_(view) {}

Duration DemoWatcher::since_start() const {
    return std::chrono::floor<Duration>(std::chrono::steady_clock::now() - started_);
}

void DemoWatcher::tell(const DemoFact& fact) {
    view_.tell(fact, since_start());
}

void DemoWatcher::note_trouble(const std::string& worker, const std::string& what) {
    troubles_[worker] = {what, store_.now()};
}

// ---- What has changed ---------------------------------------------------------------------------------------------

void DemoWatcher::look() {
    std::vector<Uuid> ids;
    for (const DemoTask& task : tasks_) ids.push_back(task.task.id);
    records_ = store_.find(ids);  // before the events, so that a second run is never seen without its cause
    workers_ = store_.workers();
    const auto news = store_.events({.task = {}, .worker = {}, .after_id = events_.empty() ? 0 : events_.back().id});
    for (const store::EventRecord& event : news) {
        events_.push_back(event);
        tell_event(event);
    }
    Groups groups;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
        if (records_[i]) tell_task(tasks_[i], *records_[i], told_[tasks_[i].number], groups);
    tell_groups(groups);
}

void DemoWatcher::tell_event(const store::EventRecord& event) {
    const DemoTask* task = task_of(event.task);
    const std::string worker = name_of(event.worker);
    Json data = {{"worker", worker}, {"message", event.message}, {"evidence", views::value_of(event.data)}};
    if (task != nullptr) data["task"] = task->number;
    const std::string when = after(event, data);
    const std::string what = event.kind == "late_result_refused" ? late_result_text(views::value_of(event.data))
                                                                 : evidence_of(event.message);
    tell({event.kind,
          fmt::format("{} {}{}: {}", task != nullptr ? task->label() : worker, phrase_for(event.kind), when, what),
          data, tone_of_event(event.kind)});
}

std::string DemoWatcher::after(const store::EventRecord& event, Json& data) const {
    const auto trouble = troubles_.find(name_of(event.worker));
    if (trouble == troubles_.end()) return "";
    data["after_ms"] = milliseconds(event.at - trouble->second.at);
    data["after"] = trouble->second.what;
    return fmt::format(", {} ms after {}", milliseconds(event.at - trouble->second.at), trouble->second.what);
}

void DemoWatcher::tell_task(const DemoTask& task, const store::TaskRecord& record, Told& told, Groups& groups) {
    const std::string worker = name_of(record.worker);
    if (record.state == TaskState::Claimed && told.claimed != record.lease) {
        told.claimed = record.lease;
        groups[{"claimed", worker}].push_back(&task);
    }
    if (record.started_at && told.started != record.lease) {
        told.started = record.lease;
        const store::EventRecord* requeued = last_requeue(task.task.id);
        if (requeued != nullptr)
            tell_rerun(task, record, *requeued);
        else
            groups[{"running", worker}].push_back(&task);
    }
    if (record.state == TaskState::Completed && !told.is_completed) {
        told.is_completed = true;
        groups[{"completed", worker}].push_back(&task);
    }
}

void DemoWatcher::tell_rerun(const DemoTask& task, const store::TaskRecord& record,
                             const store::EventRecord& requeued) {
    const auto waited = milliseconds(*record.started_at - requeued.at);
    const std::string worker = name_of(record.worker);
    tell({"rerun",
          fmt::format("{} is run again on {} (lease {}), {} ms after it was requeued", task.label(), worker,
                      record.lease, waited),
          {{"task", task.number}, {"worker", worker}, {"lease", record.lease}, {"after_ms", waited}},
          Tone::Good});
}

void DemoWatcher::tell_groups(const Groups& groups) {
    for (const auto& [key, tasks] : groups) {
        const auto& [kind, worker] = key;
        std::vector<std::string> labels;
        Json numbers = Json::array();
        for (const DemoTask* task : tasks) {
            labels.push_back(task->label());
            numbers.push_back(task->number);
        }
        tell({kind,
              fmt::format("{} {}: {}", phrase_for_group(kind), worker, join(labels, ", ")),
              {{"worker", worker}, {"tasks", numbers}},
              kind == "completed" ? Tone::Plain : Tone::Faint});
    }
}

// ---- What is known ------------------------------------------------------------------------------

bool DemoWatcher::has_event(const std::string& kind, const Uuid& task, const std::string& worker) const {
    return std::any_of(events_.begin(), events_.end(), [&](const store::EventRecord& event) {
        return event.kind == kind && event.task == task && name_of(event.worker) == worker;
    });
}

bool DemoWatcher::is_active(const std::string& worker) const {
    return std::any_of(workers_.begin(), workers_.end(), [&](const store::WorkerRecord& record) {
        return record.registration.name == worker && record.status == store::WorkerStatus::Active && record.beat > 0;
    });
}

std::string DemoWatcher::name_of(const Uuid& worker) const {
    for (const store::WorkerRecord& record : workers_)
        if (record.registration.id == worker) return record.registration.name;
    return "";
}

const DemoTask* DemoWatcher::task_of(const Uuid& id) const {
    const auto found =
        std::find_if(tasks_.begin(), tasks_.end(), [&](const DemoTask& task) { return task.task.id == id; });
    return found == tasks_.end() ? nullptr : &*found;
}

const store::EventRecord* DemoWatcher::last_requeue(const Uuid& task) const {
    const auto found = std::find_if(events_.rbegin(), events_.rend(), [&](const store::EventRecord& event) {
        return is_task_event(event) && event.task == task && event.kind == "requeued";
    });
    return found == events_.rend() ? nullptr : &*found;
}

// ---- The current state ---------------------------------------------------------------------------

void DemoWatcher::show(const std::vector<DemoWorker>& workers) {
    DemoScene scene;
    for (const DemoWorker& worker : workers) scene.workers.push_back(scene_of(worker));
    scene.counts = store_.count();
    view_.show(scene, since_start());
}

DemoScene::Worker DemoWatcher::scene_of(const DemoWorker& worker) const {
    DemoScene::Worker shown{
        .name = worker.name, .pid = worker.process.pid(), .state = "starts", .tone = Tone::Faint, .tasks = {}};
    const bool active = is_active(worker.name);
    switch (worker.life) {
        case DemoWorker::Life::Up:
            if (active) shown.state = "active";
            if (active) shown.tone = Tone::Good;
            break;
        case DemoWorker::Life::Frozen:
            shown.state = active ? "frozen (SIGSTOP)" : "frozen, known to be silent";
            shown.tone = Tone::Busy;
            break;
        case DemoWorker::Life::Killed:
            shown.state = active ? "killed (-9)" : "killed, known to be dead";
            shown.tone = Tone::Bad;
            break;
        case DemoWorker::Life::Left:
            shown.state = "has left";
            break;
    }
    for (std::size_t i = 0; i < records_.size(); ++i)
        if (records_[i] && !is_terminal(records_[i]->state) && name_of(records_[i]->worker) == worker.name)
            shown.tasks.push_back(tasks_[i].label());
    return shown;
}

}  // namespace holdfast::proof
