#include <nlohmann/json.hpp>

#include "base/text.h"
#include "server/remote/remote_store.h"
#include "views/job.h"
#include "views/schedule.h"

namespace holdfast::remote {

namespace {

Uuid id_in(const Json& answer) {
    return Uuid::parse(answer.at("id").get<std::string>()).value_or(Uuid());
}

SteerStatus steer_status(const std::string& word) {
    if (word == "already") return SteerStatus::Already;
    if (word == "finished") return SteerStatus::Finished;
    return word == "not_found" ? SteerStatus::NotFound : SteerStatus::Applied;
}

std::string base_name(const std::string& step) {
    return step.substr(0, step.rfind('['));
}

Query query_of(const JobQuery& wanted) {
    Query query;
    std::vector<std::string> states;
    for (const JobState state : wanted.states) states.emplace_back(to_text(state));
    if (!states.empty()) query["state"] = join(states, ",");
    if (!wanted.workflow.empty()) query["workflow"] = wanted.workflow;
    if (wanted.parent) query["parent"] = wanted.parent->to_string();
    if (wanted.with_children) query["children"] = "true";
    if (wanted.after) query["after"] = wanted.after->to_string();
    return query;
}

}  // namespace

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
    std::vector<std::optional<JobInfo>> jobs;
    for (const Uuid& id : ids) {
        const Json found = link_.find(path_of({"jobs", id.to_string()}));
        jobs.push_back(found.is_null() ? std::nullopt
                                       : std::optional(views::from_json_shape<JobInfo>(found.at("job"))));
    }
    return jobs;
}

std::vector<JobInfo> RemoteStore::list_jobs(const JobQuery& query) {
    std::vector<JobInfo> jobs;
    for (const Json& item : link_.list(path_of({"jobs"}), query_of(query), query.limit))
        jobs.push_back(views::from_json_shape<JobInfo>(item));
    return jobs;
}

std::vector<Uuid> RemoteStore::jobs_with_prefix(const std::string& prefix, std::size_t limit) {
    std::vector<Uuid> ids;
    for (const Json& item : link_.list(path_of({"jobs"}), {{"id", prefix}, {"children", "true"}}, limit))
        ids.push_back(id_in(item));
    return ids;
}

std::vector<StepInfo> RemoteStore::steps(const store::StepsParams& params) {
    const Json answer =
        link_.get(path_of({"jobs", params.job.to_string()}), params.with_items ? Query{{"items", "true"}} : Query{});
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
    const Query query{{"after", std::to_string(params.after_id)}, {"limit", std::to_string(params.limit)}};
    std::vector<store::EventRecord> events;
    const Json answer = link_.get(path_of({"jobs", params.job.to_string(), "steps", "_server", "logs"}), query);
    for (const Json& item : answer.at("items")) events.push_back(views::from_json_shape<views::WholeEvent>(item));
    return events;
}

std::vector<SteerStatus> RemoteStore::steer_jobs(const store::SteerJobsParams& params, const std::string& order) {
    std::vector<SteerStatus> statuses;
    for (const Uuid& job : params.jobs)
        statuses.push_back(
            steer_status(link_.order(path_of({"jobs", job.to_string(), order}), {{"reason", params.reason}})));
    return statuses;
}

std::vector<SteerStatus> RemoteStore::cancel_jobs(const store::SteerJobsParams& params) {
    return steer_jobs(params, "cancel");
}

std::vector<SteerStatus> RemoteStore::pause_jobs(const store::SteerJobsParams& params) {
    return steer_jobs(params, "pause");
}

std::vector<SteerStatus> RemoteStore::resume_jobs(const store::SteerJobsParams& params) {
    return steer_jobs(params, "resume");
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
    const Json answer = link_.get(path_of({"schedules"}));
    for (const Json& item : answer.at("items"))
        schedules.push_back(views::from_json_shape<views::ScheduleView>(item).record);
    return schedules;
}

bool RemoteStore::set_schedule_paused(const std::string& schedule, bool paused, const std::string& /*who*/) {
    return link_.order(path_of({"schedules", schedule, paused ? "pause" : "resume"})) != "not_found";
}

bool RemoteStore::remove_schedule(const std::string& schedule, const std::string& /*who*/) {
    return link_.remove(path_of({"schedules", schedule})) != "not_found";
}

}  // namespace holdfast::remote
