#include "core/workflow/job_state.h"
#include "server/api/route_groups.h"

namespace holdfast::api {

using store::Scope;

void add_jobs(std::vector<Route>& all) {
    const auto tag = "Jobs";
    all.push_back({"POST",
                   "/api/jobs",
                   Scope::Submit,
                   tag,
                   "Start a job of a workflow",
                   {},
                   "JobSubmission",
                   "Submitted",
                   start_job,
                   201,
                   "application/json",
                   false,
                   true});
    all.push_back({"GET",
                   "/api/jobs",
                   Scope::Read,
                   tag,
                   "Jobs, newest first",
                   {{"state", states_of(values_of<JobState>())},
                    {"workflow", schema::text()},
                    {"parent", schema::text("only jobs that this one started")},
                    {"children", schema::boolean("true: also jobs that others started")},
                    id_prefix,
                    after_id,
                    limit},
                   "",
                   "JobList",
                   list_jobs});
    all.push_back({"GET",
                   "/api/jobs/{id}",
                   Scope::Read,
                   tag,
                   "One job, its steps, and what depends on what",
                   {{"items", schema::boolean("true: the items of a for_each as well")}},
                   "",
                   "JobStory",
                   show_job});
    all.push_back({"GET",
                   "/api/jobs/{id}/definition",
                   Scope::Read,
                   tag,
                   "What the job was started with",
                   {},
                   "",
                   "Definition",
                   show_job_definition});
    all.push_back({"GET",
                   "/api/jobs/{id}/wait",
                   Scope::Read,
                   tag,
                   "Wait until a job has ended",
                   {wait_timeout},
                   "",
                   "JobEnding",
                   wait_for_job});
}

void add_orders_to_jobs(std::vector<Route>& all) {
    const auto tag = "Jobs";
    all.push_back({"POST",
                   "/api/jobs/{id}/cancel",
                   Scope::Operate,
                   tag,
                   "End a job, and the jobs that it started",
                   {},
                   "Reason",
                   "Steered",
                   cancel_job});
    all.push_back({"POST",
                   "/api/jobs/{id}/pause",
                   Scope::Operate,
                   tag,
                   "Let what runs end, and start nothing new",
                   {},
                   "Reason",
                   "Steered",
                   pause_job});
    all.push_back({"POST",
                   "/api/jobs/{id}/resume",
                   Scope::Operate,
                   tag,
                   "Let a paused job go on",
                   {},
                   "Reason",
                   "Steered",
                   resume_job});
    all.push_back({"POST",
                   "/api/jobs/{id}/retry",
                   Scope::Operate,
                   tag,
                   "Start a job again from where it failed",
                   {},
                   "JobRetry",
                   "Retried",
                   retry_job,
                   201});
}

void add_steps_of_jobs(std::vector<Route>& all) {
    const auto tag = "Jobs";
    all.push_back({"GET",
                   "/api/jobs/{id}/steps/{step}",
                   Scope::Read,
                   tag,
                   "One step, and its items",
                   {},
                   "",
                   "StepStory",
                   show_step});
    all.push_back({"POST",
                   "/api/jobs/{id}/steps/{step}/approve",
                   Scope::Operate,
                   tag,
                   "Decide a step that waits for approval",
                   {},
                   "Decision",
                   "Decided",
                   decide_step});
    all.push_back({"GET",
                   "/api/jobs/{id}/steps/{step}/logs",
                   Scope::Read,
                   tag,
                   "What a step printed; of _server: what the engine did to the job",
                   {after_offset, limit},
                   "",
                   "StepLogPage",
                   read_step_log});
}

}  // namespace holdfast::api
