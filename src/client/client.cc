#include "holdfast/client.h"

#include "base/text.h"
#include "client/connect.h"
#include "client/operations.h"
#include "client/waiting_room.h"

namespace holdfast {

namespace {

// The store's records as the public API shows them.

TaskInfo to_info(const store::TaskRecord& record) {
    return {.id = record.task.id,
            .name = record.task.name,
            .args = record.task.args,
            .queue = record.task.queue,
            .tags = record.task.tags,
            .priority = record.task.priority,
            .run_at = record.task.run_at,
            .deadline = record.task.deadline,
            .concurrency = record.task.concurrency,
            .idempotency_key = record.task.idempotency_key,
            .policy = record.task.policy,
            .retry_of = record.task.retry_of,
            .traceparent = record.task.traceparent,
            .state = record.state,
            .waits_for = record.waits_for,
            .attempts = record.history.attempts,
            .crashes = record.history.crashes,
            .requeues = record.history.requeues,
            .created_at = record.created_at,
            .claimed_at = record.claimed_at,
            .started_at = record.started_at,
            .finished_at = record.finished_at,
            .lease = record.lease,
            .worker = record.worker,
            .cancel_requested = record.cancel_requested,
            .result = record.result,
            .error = record.error,
            .progress = record.progress,
            .checkpoint = record.checkpoint};
}

AttemptInfo to_info(const store::AttemptRecord& record) {
    return {.number = record.number,
            .lease = record.lease,
            .worker = record.worker,
            .claimed_at = record.claimed_at,
            .started_at = record.started_at,
            .finished_at = record.finished_at,
            .end = std::string(word_of(record.end)),
            .error = record.error};
}

EventInfo to_info(const store::EventRecord& record) {
    return {.id = record.id,
            .at = record.at,
            .kind = record.kind,
            .worker = record.worker,
            .who = record.who,
            .message = record.message,
            .data = record.data};
}

template <typename Records>
auto to_infos(const Records& records) {
    std::vector<decltype(to_info(records.front()))> infos;
    infos.reserve(records.size());
    for (const auto& record : records) infos.push_back(to_info(record));
    return infos;
}

}  // namespace

class Client::Connection {
public:
    Connection(const std::string& url, const ClientOptions& options)
        : who(options.who),
          store(client::connect(
              {.url = url,
               .limits = {.max_payload_bytes = options.max_payload_bytes,
                          .terminal_retention = options.terminal_retention},
               .migrate = options.migrate,
               .submits = std::make_shared<client::SubmitMemory>(options.who, options.on_lost_submits)})),
          waiting_room(*store) {}

    [[nodiscard]] store::SteerJobsParams order(const JobHandle& job, std::string_view reason) const {
        return {.jobs = {job.id}, .who = who, .reason = std::string(reason)};
    }

    const std::string who;
    const std::unique_ptr<store::ClientStore> store;
    client::WaitingRoom waiting_room;
};

Client::Client(const std::string& store_url, const ClientOptions& options)
    : connection_(std::make_unique<Connection>(store_url, options)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Uuid Client::submit(std::string_view name, const nlohmann::json& args, const SubmitOptions& options) {
    return submit({std::string(name), args, options}).id;
}

SubmitOutcome Client::submit(const TaskRequest& request) {
    const auto& [name, args, options] = request;
    return client::submit_one(*connection_->store,
                              client::function_task(name, client::args_text(name, args), options));
}

std::vector<SubmitOutcome> Client::submit_many(const std::vector<TaskRequest>& requests) {
    std::vector<store::NewTask> tasks;
    std::vector<std::size_t> positions;  // of each task among the requests
    std::vector<SubmitOutcome> outcomes(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto& [name, args, options] = requests[i];
        try {
            tasks.push_back(client::function_task(name, client::args_text(name, args), options));
            positions.push_back(i);
        } catch (const BadInput& bad) {
            outcomes[i] = {SubmitStatus::Refused, options.id, bad.what()};
        }
    }
    std::vector<SubmitOutcome> answers = client::submit_all(*connection_->store, tasks);
    for (std::size_t i = 0; i < answers.size(); ++i) outcomes[positions[i]] = std::move(answers[i]);
    return outcomes;
}

TaskInfo Client::wait(const Uuid& task) {
    return to_info(connection_->waiting_room.wait(task, std::nullopt).value());
}

std::optional<TaskInfo> Client::wait(const Uuid& task, Duration timeout) {
    const auto ended = connection_->waiting_room.wait(task, timeout);
    if (!ended) return std::nullopt;
    return to_info(*ended);
}

std::optional<TaskInfo> Client::get(const Uuid& task) {
    const auto found = connection_->store->find({task}).front();
    if (!found) return std::nullopt;
    return to_info(*found);
}

std::vector<TaskInfo> Client::list(const TaskQuery& query) {
    return to_infos(connection_->store->list(
        {.filter = {.states = query.states, .name = query.name, .queue = query.queue, .id_prefix = {}, .worker = {}},
         .after = query.after,
         .limit = query.limit}));
}

std::vector<AttemptInfo> Client::attempts(const Uuid& task) {
    return to_infos(connection_->store->attempts(task));
}

std::vector<EventInfo> Client::events(const Uuid& task) {
    return to_infos(client::all_events(*connection_->store, task));
}

CancelStatus Client::cancel(const Uuid& task, std::string_view reason) {
    return connection_->store->cancel({.tasks = {task}, .who = connection_->who, .reason = std::string(reason)})
        .front();
}

Uuid Client::retry(const Uuid& task) {
    return client::retry_ended(*connection_->store, task);
}

JobHandle Client::run(const Workflow& workflow, const nlohmann::json& input, const RunOptions& options) {
    return {client::start_job(*connection_->store, {.id = options.id,
                                                    .definition = workflow.definition(),
                                                    .input = client::args_text(workflow.name(), input),
                                                    .who = connection_->who})};
}

JobInfo Client::wait(const JobHandle& job) {
    return connection_->waiting_room.wait_for_job(job.id, std::nullopt).value();
}

std::optional<JobInfo> Client::wait(const JobHandle& job, Duration timeout) {
    return connection_->waiting_room.wait_for_job(job.id, timeout);
}

std::optional<JobInfo> Client::get(const JobHandle& job) {
    return connection_->store->find_jobs({job.id}).front();
}

std::vector<JobInfo> Client::jobs(const JobQuery& query) {
    return connection_->store->list_jobs(query);
}

std::vector<StepInfo> Client::steps(const JobHandle& job) {
    return connection_->store->steps({.job = job.id});
}

std::vector<EventInfo> Client::events(const JobHandle& job) {
    return to_infos(client::all_job_events(*connection_->store, job.id));
}

SteerStatus Client::cancel(const JobHandle& job, std::string_view reason) {
    return connection_->store->cancel_jobs(connection_->order(job, reason)).front();
}

SteerStatus Client::pause(const JobHandle& job, std::string_view reason) {
    return connection_->store->pause_jobs(connection_->order(job, reason)).front();
}

SteerStatus Client::resume(const JobHandle& job, std::string_view reason) {
    return connection_->store->resume_jobs(connection_->order(job, reason)).front();
}

bool Client::approve(const JobHandle& job, std::string_view step, bool approved, std::string_view reason) {
    return connection_->store->decide_approval({.job = job.id,
                                                .step = std::string(step),
                                                .approve = approved,
                                                .who = connection_->who,
                                                .reason = std::string(reason)}) == store::DecideStatus::Applied;
}

JobHandle Client::retry(const JobHandle& job) {
    return {client::retry_ended_job(*connection_->store, job.id, connection_->who)};
}

Result<nlohmann::json, TaskError> result_of(const TaskInfo& task) {
    if (!is_terminal(task.state))
        throw WrongState(concat("task ", task.id.to_string(), " is ", to_text(task.state), " and has no result yet"));
    if (task.state != TaskState::Completed) return Failure{task.error.value_or(TaskError{})};
    nlohmann::json value = nlohmann::json::parse(task.result, nullptr, /*allow_exceptions=*/false);
    if (!value.is_discarded()) return value;
    return Failure{
        TaskError{std::string(error_code::result_not_readable), "the stored result is not JSON", task.result}};
}

}  // namespace holdfast
