#include "base/assert.h"
#include "base/text.h"
#include "client/job_operations.h"
#include "server/api/definitions.h"
#include "server/api/ids.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

using Verb = std::vector<SteerStatus> (store::ClientStore::*)(const store::SteerJobsParams&);

/// Returns the job that the order is about. Throws FORBIDDEN unless the caller may use all of its queues.
JobInfo steered_job(Call& call) {
    JobInfo job = find_job(call.store(), call.path("id"));
    if (!call.caller.queues.empty()) require_queues_of(call.caller, call.store().job_definition(job.id));
    return job;
}

http::Response steered(const Uuid& job, std::string_view status) {
    return answer({{"id", job.to_string()}, {"status", status}});
}

http::Response steer(Call& call, Verb verb, std::string_view applied) {
    const JobInfo job = steered_job(call);
    const auto status =
        (call.store().*verb)({.jobs = {job.id}, .who = call.caller.who(), .reason = call.body_text("reason")})
            .front();
    switch (status) {
        case SteerStatus::Applied:
            return steered(job.id, applied);
        case SteerStatus::Already:
            return steered(job.id, "already");
        case SteerStatus::Finished:
            throw Problem("CONFLICT", concat("job ", job.id.to_string(), " had ended before; nothing was changed"));
        case SteerStatus::NotFound:
            throw Problem("NOT_FOUND", concat("job ", job.id.to_string(), " is not there any more"));
    }
    HOLDFAST_ASSERT(false);
}

void require_retryable(const JobInfo& job) {
    if (!job.parent.is_nil())
        throw Problem("CONFLICT",
                      concat("job ", job.id.to_string(),
                             " was started by another; retry the one at the top: ", job.root.to_string()));
}

void require_decided(store::DecideStatus status, const JobInfo& job, const std::string& step) {
    switch (status) {
        case store::DecideStatus::Applied:
            return;
        case store::DecideStatus::Already:
            throw Problem("CONFLICT",
                          concat("step ", step, " had been decided, or had ended, before; nothing was changed"));
        case store::DecideStatus::NotWaiting:
            throw Problem("CONFLICT", concat("step ", step, " does not wait for an approval yet"));
        case store::DecideStatus::NotFound:
            throw Problem("NOT_FOUND", concat("job ", job.id.to_string(), " has no approval '", step, "'"));
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace

/// A job with running steps becomes CANCELLED only after their workers have stopped them.
http::Reply cancel_job(Call& call) {
    http::Response response = steer(call, &store::ClientStore::cancel_jobs, "cancelled");
    const JobInfo job = find_job(call.store(), call.path("id"));
    return is_terminal(job.state) ? std::move(response) : steered(job.id, "requested");
}

http::Reply pause_job(Call& call) {
    return steer(call, &store::ClientStore::pause_jobs, "paused");
}

http::Reply resume_job(Call& call) {
    return steer(call, &store::ClientStore::resume_jobs, "resumed");
}

http::Reply retry_job(Call& call) {
    const JobInfo job = steered_job(call);
    require_retryable(job);
    const Value* id = given(call.body, "id");
    const Uuid new_id = id == nullptr ? Uuid() : Uuid::parse(id->get<std::string>()).value_or(Uuid());
    const Uuid retry = client::retry_ended_job(call.store(), job.id, call.caller.who(), new_id);
    return answer({{"id", retry.to_string()}, {"retry_of", job.id.to_string()}}, 201);
}

http::Reply decide_step(Call& call) {
    const JobInfo job = steered_job(call);
    const std::string& step = call.path("step");
    const bool approve = call.body.at("approve").get<bool>();
    require_decided(call.store().decide_approval({.job = job.id,
                                                  .step = step,
                                                  .approve = approve,
                                                  .who = call.caller.who(),
                                                  .reason = call.body_text("reason")}),
                    job, step);
    return answer({{"id", job.id.to_string()}, {"step", step}, {"status", approve ? "approved" : "rejected"}});
}

}  // namespace holdfast::api
