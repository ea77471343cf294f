#include "server/remote/remote_store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/text.h"
#include "core/public_words.h"
#include "platform/signals.h"
#include "views/job.h"
#include "views/schedule.h"
#include "views/task.h"
#include "views/task_options.h"
#include "views/token.h"
#include "views/worker.h"

namespace holdfast::remote {

namespace {

constexpr Duration safety_poll = std::chrono::seconds(1);

/// Learns of changes from the server's live stream; while the stream is down, the safety poll takes over.
class RemoteWatch final : public store::Watch {
public:
    explicit RemoteWatch(const http::ClientParams& server) : client_(server) {
        const platform::SignalPause pause;  // signals must reach the waiting command
        thread_ = std::thread([this] { listen(); });
    }
    ~RemoteWatch() override {
        is_ending_ = true;
        wake();
        thread_.join();
    }
    RemoteWatch(const RemoteWatch&) = delete;
    RemoteWatch& operator=(const RemoteWatch&) = delete;

    bool wait(Duration at_most) override {
        std::unique_lock lock(mutex_);
        const bool has_rung = bell_.wait_for(lock, std::min(at_most, safety_poll), [this] { return has_news_; });
        has_news_ = false;
        return has_rung || at_most >= safety_poll;
    }

    void wake() override {
        const std::lock_guard lock(mutex_);
        has_news_ = true;
        bell_.notify_all();
    }

private:
    void listen() {
        while (!is_ending_) {
            try {
                client_.stream(
                    "/api/events",
                    [this](const http::ServerSentEvent&) {
                        wake();
                        return !is_ending_;
                    },
                    [this] { return is_ending_.load(); });
            } catch (const Error&) {
                // The poll continues; the next iteration opens the stream again.
            }
            std::unique_lock lock(mutex_);
            bell_.wait_for(lock, safety_poll, [this] { return is_ending_.load(); });
        }
    }

    http::Client client_;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;
    std::condition_variable bell_;
    bool has_news_ = false;
    std::thread thread_;
};

// ---- Requests -----------------------------------------------------------------------------------

std::string text_of(const std::optional<Uuid>& id) {
    return id ? id->to_string() : "";
}

template <typename State>
std::string text_of(const std::vector<State>& states) {
    std::vector<std::string> words;
    for (const State state : states) words.emplace_back(to_text(state));
    return join(words, ",");
}

Query query_of(const store::ListParams& params) {
    const store::TaskFilter& filter = params.filter;
    return {{"state", text_of(filter.states)},
            {"name", filter.name},
            {"queue", filter.queue},
            {"id", filter.id_prefix},
            {"worker", filter.worker.is_nil() ? "" : filter.worker.to_string()},
            {"after", text_of(params.after)}};
}

Query query_of(const JobQuery& query) {
    return {{"state", text_of(query.states)},
            {"workflow", query.workflow},
            {"parent", text_of(query.parent)},
            {"children", query.with_children ? "true" : ""},
            {"after", text_of(query.after)}};
}

Uuid id_in(const Json& answer) {
    return Uuid::parse(answer.at("id").get<std::string>()).value_or(Uuid());
}

/// Returns the options of a task outside a job. When no worker matches it, such a task waits by default.
SubmitOptions options_of(const store::NewTask& task) {
    SubmitOptions options{.queue = task.queue,
                          .priority = task.priority,
                          .tags = task.tags,
                          .concurrency = task.concurrency,
                          .policy = task.policy};
    if (options.policy.unmatched == Unmatched::Auto) options.policy.unmatched = Unmatched::Wait;
    return options;
}

/// Returns the complete submission, with every option set, so that the server's catalog adds nothing.
Json submission_of(const store::NewTask& task) {
    Json item = views::options_shape(options_of(task));
    item["id"] = task.id.to_string();
    item["name"] = task.name;
    item["args"] = views::embedded(task.args);
    if (!task.spec.empty()) item["spec"] = views::embedded(task.spec);
    if (task.run_at) item["run_at"] = format_timestamp(*task.run_at);
    if (task.deadline) item["deadline"] = format_timestamp(*task.deadline);
    if (!task.idempotency_key.empty()) item["idempotency_key"] = task.idempotency_key;
    if (!task.traceparent.empty()) item["traceparent"] = task.traceparent;
    return item;
}

SubmitOutcome read_outcome(const Json& item) {
    const Json detail = item.value("detail", Json());
    SubmitOutcome outcome{
        .status = parse_word<SubmitStatus>(item.at("status").get<std::string>()).value_or(SubmitStatus::Refused),
        .id = item.at("id").is_null() ? Uuid() : id_in(item),
        .complaint = detail.is_null() ? std::string() : detail.get<std::string>()};
    if (const Json limit = item.value("concurrency_limit", Json()); !limit.is_null())
        outcome.concurrency_limit = limit.get<int>();
    return outcome;
}

// ---- Answers ------------------------------------------------------------------------------------

CancelStatus cancel_status(const std::string& word) {
    return parse_word<CancelStatus>(word).value_or(CancelStatus::NotFound);
}

store::ForceStatus force_status(const std::string& word) {
    if (word == "applied") return store::ForceStatus::Applied;
    return word == "finished" ? store::ForceStatus::Finished : store::ForceStatus::NotFound;
}

SteerStatus steer_status(const std::string& word) {
    if (word == "already") return SteerStatus::Already;
    if (word == "finished") return SteerStatus::Finished;
    return word == "not_found" ? SteerStatus::NotFound : SteerStatus::Applied;
}

std::string base_name(const std::string& step) {
    return step.substr(0, step.rfind('['));
}

/// Reads `member` of each task or job (`list`) by its id; nullopt where the server answers 404.
template <typename Record>
std::vector<std::optional<Record>> find_each(ServerLink& link, const std::string& list, const std::vector<Uuid>& ids,
                                             const std::string& member) {
    std::vector<std::optional<Record>> records;
    for (const Uuid& id : ids) {
        const Json found = link.find(path_of({list, id.to_string()}));
        auto& record = records.emplace_back();
        if (!found.is_null()) record = views::from_json_shape<Record>(found.at(member));
    }
    return records;
}

/// Sends an order to each task or job (`list`), and returns what `read` makes of the statuses.
template <typename Status>
std::vector<Status> order_each(ServerLink& link, const std::string& list, const std::vector<Uuid>& ids,
                               const std::string& order, const Json& body, Status (*read)(const std::string&)) {
    std::vector<Status> statuses;
    for (const Uuid& id : ids) statuses.push_back(read(link.order(path_of({list, id.to_string(), order}), body)));
    return statuses;
}

std::vector<store::EventRecord> as_records(const std::vector<views::WholeEvent>& events) {
    return {events.begin(), events.end()};
}

}  // namespace

// ---- Tasks --------------------------------------------------------------------------------------

std::vector<SubmitOutcome> RemoteStore::submit(const std::vector<store::NewTask>& tasks) {
    std::vector<SubmitOutcome> outcomes;
    Json items = Json::array();
    for (const store::NewTask& task : tasks) {
        if (task.retry_of.is_nil()) {
            items.push_back(submission_of(task));
            continue;
        }
        const Json retried = link_.post(path_of({"tasks", task.retry_of.to_string(), "retry"}));
        outcomes.push_back({.status = SubmitStatus::Accepted, .id = id_in(retried), .complaint = {}});
    }
    if (items.empty()) return outcomes;
    const Json answer = link_.post(path_of({"tasks"}), {{"tasks", std::move(items)}});
    for (const Json& item : answer.at("items")) outcomes.push_back(read_outcome(item));
    return outcomes;
}

std::vector<std::optional<store::TaskRecord>> RemoteStore::find(const std::vector<Uuid>& ids) {
    return find_each<store::TaskRecord>(link_, "tasks", ids, "task");
}

std::vector<store::TaskRecord> RemoteStore::list(const store::ListParams& params) {
    return link_.list<store::TaskRecord>(path_of({"tasks"}), query_of(params), params.limit);
}

store::TaskCounts RemoteStore::count(const store::Queues&) {
    return views::from_json_shape<store::TaskCounts>(link_.get(path_of({"overview"})).at("tasks"));
}

std::vector<store::AttemptRecord> RemoteStore::attempts(const Uuid& task) {
    const Json story = story_of(task);
    if (story.is_null()) return {};
    return views::from_json_shape<std::vector<store::AttemptRecord>>(story.at("attempts"));
}

std::optional<store::StepOfTask> RemoteStore::step_of_task(const Uuid& task) {
    const Json story = story_of(task);
    if (story.is_null() || story.at("step").is_null()) return std::nullopt;
    const auto step = views::from_json_shape<views::StepOfTask>(story.at("step"));
    return std::pair(step.job, step.name);
}

std::vector<store::EventRecord> RemoteStore::events(const store::ReadEventsParams& params) {
    return as_records(link_.list<views::WholeEvent>(path_of({"events"}),
                                                    {{"after", std::to_string(params.after_id)},
                                                     {"task", text_of(params.task)},
                                                     {"worker", text_of(params.worker)}},
                                                    params.limit));
}

std::vector<store::EventRecord> RemoteStore::last_events(std::size_t limit, const store::Queues&) {
    return as_records(link_.items<views::WholeEvent>(
        path_of({"events"}), {{"limit", std::to_string(std::min<std::size_t>(limit, 1000))}}));
}

std::vector<CancelStatus> RemoteStore::cancel(const store::CancelParams& params) {
    return order_each(link_, "tasks", params.tasks, "cancel", {{"reason", params.reason}}, cancel_status);
}

std::vector<store::ForceStatus> RemoteStore::force(const store::ForceParams& params) {
    return order_each(link_, "tasks", params.tasks, "force",
                      {{"state", to_text(params.state)}, {"reason", params.reason}}, force_status);
}

std::vector<store::LogRecord> RemoteStore::read_logs(const store::ReadLogsParams& params) {
    auto pieces = link_.items<store::LogRecord>(
        path_of({"tasks", params.task.to_string(), "logs"}),
        {{"after", std::to_string(params.after_offset)}, {"limit", std::to_string(params.limit)}});
    for (store::LogRecord& piece : pieces) piece.chunk.task = params.task;
    return pieces;
}

// ---- Workers and queues -------------------------------------------------------------------------

std::vector<store::WorkerRecord> RemoteStore::workers() {
    std::vector<store::WorkerRecord> workers;
    for (auto& view : link_.items<views::WorkerView>(path_of({"workers"}), {{"all", "true"}}))
        workers.push_back(std::move(view.record));
    return workers;
}

bool RemoteStore::order_worker(const store::OrderParams& params) {
    const char* const order = params.order == store::WorkerOrder::Drain    ? "drain"
                              : params.order == store::WorkerOrder::Cordon ? "cordon"
                                                                           : "uncordon";
    return link_.order(path_of({"workers", params.worker.to_string(), order})) != "not_found";
}

store::RemoveStatus RemoteStore::remove_worker(const Uuid& worker, const std::string&) {
    const std::string status = link_.remove(path_of({"workers", worker.to_string()}));
    if (status == "not_found") return store::RemoveStatus::NotFound;
    if (status != "finished") return store::RemoveStatus::Removed;
    for (const store::WorkerRecord& record : workers())
        if (record.registration.id == worker && views::has_left(record)) return store::RemoveStatus::HoldsLeases;
    return store::RemoveStatus::StillActive;
}

std::vector<store::WorkerSnapshot> RemoteStore::worker_snapshots(const Uuid& worker, std::size_t limit) {
    return link_.list<store::WorkerSnapshot>(path_of({"workers", worker.to_string(), "states"}), {}, limit);
}

std::vector<store::LeaseRecord> RemoteStore::leases_of(const Uuid& worker, std::size_t limit) {
    const Json answer = link_.get(path_of({"workers", worker.to_string()}));
    auto leases = views::from_json_shape<std::vector<store::LeaseRecord>>(answer.at("tasks"));
    for (store::LeaseRecord& lease : leases) lease.worker = worker;
    if (leases.size() > limit) leases.resize(limit);
    return leases;
}

std::vector<store::QueueRecord> RemoteStore::queues() {
    return link_.items<store::QueueRecord>(path_of({"queues"}));
}

void RemoteStore::set_queue_paused(const std::string& queue, bool paused, const std::string& /*who*/) {
    link_.post(path_of({"queues", queue, paused ? "pause" : "resume"}));
}

std::vector<store::KeyRecord> RemoteStore::keys(const store::KeysParams& params) {
    return link_.items<store::KeyRecord>(path_of({"keys"}),
                                         {{"limit", std::to_string(params.limit)}, {"key", params.key}});
}

store::DeclareStatus RemoteStore::declare_key(const core::KeyDeclaration& key, const std::string& /*who*/) {
    Json form = {{"limit", key.limit}};
    key.is_shared() ? form["shared"] = true : form["queue"] = key.queue;
    const std::string status = link_.put(path_of({"keys", key.key}), form);
    return parse_word<store::DeclareStatus>(status).value_or(store::DeclareStatus::IsShared);
}

bool RemoteStore::remove_key(const std::string& key, const std::string& queue, const std::string& /*who*/) {
    return link_.remove(path_of({"keys", key}), {{"queue", queue}}) != "not_found";
}

// ---- Jobs and schedules -------------------------------------------------------------------------

std::vector<SubmitOutcome> RemoteStore::start_jobs(const std::vector<store::NewJob>& jobs) {
    std::vector<SubmitOutcome> outcomes;
    for (const store::NewJob& job : jobs) {
        const Json answer = link_.post(path_of({"jobs"}), {{"id", job.id.to_string()},
                                                           {"definition", views::embedded(job.definition)},
                                                           {"input", views::embedded(job.input)}});
        const bool existed = answer.at("status") == "existing";
        outcomes.push_back({.status = existed ? SubmitStatus::Existing : SubmitStatus::Accepted,
                            .id = id_in(answer),
                            .complaint = {}});
    }
    return outcomes;
}

std::vector<std::optional<JobInfo>> RemoteStore::find_jobs(const std::vector<Uuid>& ids) {
    return find_each<JobInfo>(link_, "jobs", ids, "job");
}

std::vector<JobInfo> RemoteStore::list_jobs(const JobQuery& query, const store::Queues&) {
    return link_.list<JobInfo>(path_of({"jobs"}), query_of(query), query.limit);
}

std::vector<Uuid> RemoteStore::jobs_with_prefix(const std::string& prefix, std::size_t limit, const store::Queues&) {
    std::vector<Uuid> ids;
    for (const auto& job : link_.list<JobInfo>(path_of({"jobs"}), {{"id", prefix}, {"children", "true"}}, limit))
        ids.push_back(job.id);
    return ids;
}

std::vector<StepInfo> RemoteStore::steps(const store::StepsParams& params) {
    const Json answer =
        link_.get(path_of({"jobs", params.job.to_string()}), {{"items", params.with_items ? "true" : ""}});
    std::vector<StepInfo> steps;
    int place = -1;  // steps come in the order of the definition, items after their step
    for (const Json& shape : answer.at("steps")) {
        StepInfo step = views::from_json_shape<StepInfo>(shape);
        step.step = step.item < 0 ? ++place : place;
        if (!params.step || base_name(step.name) == *params.step) steps.push_back(std::move(step));
    }
    return steps;
}

std::string RemoteStore::job_definition(const Uuid& job) {
    const Json definition = link_.find(path_of({"jobs", job.to_string(), "definition"}));
    return definition.is_null() ? std::string() : views::dump(definition);
}

std::vector<store::EventRecord> RemoteStore::job_events(const store::JobEventsParams& params) {
    return as_records(link_.items<views::WholeEvent>(
        path_of({"jobs", params.job.to_string(), "steps", "_server", "logs"}),
        {{"after", std::to_string(params.after_id)}, {"limit", std::to_string(params.limit)}}));
}

std::vector<SteerStatus> RemoteStore::cancel_jobs(const store::SteerJobsParams& params) {
    return order_each(link_, "jobs", params.jobs, "cancel", {{"reason", params.reason}}, steer_status);
}

std::vector<SteerStatus> RemoteStore::pause_jobs(const store::SteerJobsParams& params) {
    return order_each(link_, "jobs", params.jobs, "pause", {{"reason", params.reason}}, steer_status);
}

std::vector<SteerStatus> RemoteStore::resume_jobs(const store::SteerJobsParams& params) {
    return order_each(link_, "jobs", params.jobs, "resume", {{"reason", params.reason}}, steer_status);
}

store::DecideStatus RemoteStore::decide_approval(const store::DecideParams& params) {
    const std::string status = link_.order(path_of({"jobs", params.job.to_string(), "steps", params.step, "approve"}),
                                           {{"approve", params.approve}, {"reason", params.reason}});
    if (status == "not_found") return store::DecideStatus::NotFound;
    if (status != "finished") return store::DecideStatus::Applied;
    for (const StepInfo& step : steps({.job = params.job, .with_items = true, .step = base_name(params.step)}))
        if (step.name == params.step && is_terminal(step.state)) return store::DecideStatus::Already;
    return store::DecideStatus::NotWaiting;
}

store::RetryStatus RemoteStore::retry_job(const store::RetryJobParams& params) {
    link_.post(path_of({"jobs", params.job.to_string(), "retry"}), {{"id", params.new_id.to_string()}});
    return store::RetryStatus::Started;
}

std::vector<store::ScheduleRecord> RemoteStore::schedules() {
    std::vector<store::ScheduleRecord> schedules;
    for (auto& view : link_.items<views::ScheduleView>(path_of({"schedules"})))
        schedules.push_back(std::move(view.record));
    return schedules;
}

bool RemoteStore::set_schedule_paused(const std::string& schedule, bool paused, const std::string& /*who*/) {
    return link_.order(path_of({"schedules", schedule, paused ? "pause" : "resume"})) != "not_found";
}

bool RemoteStore::remove_schedule(const std::string& schedule, const std::string& /*who*/) {
    return link_.remove(path_of({"schedules", schedule})) != "not_found";
}

// ---- Tokens -------------------------------------------------------------------------------------

std::vector<store::TokenRecord> RemoteStore::tokens() {
    return link_.items<store::TokenRecord>(path_of({"tokens"}));
}

std::vector<store::SessionRecord> RemoteStore::sessions() {
    return link_.items<store::SessionRecord>(path_of({"sessions"}));
}

bool RemoteStore::end_session(const Uuid& session, const std::string& /*who*/) {
    return link_.remove(path_of({"sessions", session.to_string()})) != "not_found";
}

bool RemoteStore::revoke_token(const std::string& name_or_id, const std::string& /*who*/) {
    return link_.remove(path_of({"tokens", name_or_id})) != "not_found";
}

// ---- The store itself ---------------------------------------------------------------------------

std::unique_ptr<store::Watch> RemoteStore::watch(store::Topic /*topic*/) {
    return std::make_unique<RemoteWatch>(params_);
}

std::vector<store::Finding> RemoteStore::check_up() {
    std::vector<store::Finding> findings;
    (void)link_.get(path_of({"session"}));  // makes the token known to the server: probes use the last known tokens
    const Json answer = link_.get("/readyz");
    for (const Json& check : answer.value("checks", Json::array()))
        findings.push_back(
            {.grade = check.at("ok").get<bool>() ? store::Finding::Grade::Ok : store::Finding::Grade::Problem,
             .what = check.at("name"),
             .found = check.at("detail"),
             .advice = {}});
    return findings;
}

}  // namespace holdfast::remote
