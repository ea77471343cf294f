#include <algorithm>
#include <map>

#include "base/assert.h"
#include "base/text.h"
#include "client/operations.h"
#include "config/config.h"
#include "core/json_text.h"
#include "core/public_words.h"
#include "core/workflow/workflow.h"
#include "platform/task_ids.h"
#include "server/api/definitions.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/job.h"

namespace holdfast::api {

namespace {

using Workflows = std::map<std::string, core::Workflow>;

// ---- Starting -----------------------------------------------------------------------------------

std::string known_name(const std::string& name, const Workflows& known, std::string_view where) {
    if (!known.contains(name)) throw Problem("NOT_FOUND", core::unknown_workflow(name, known, where));
    return name;
}

std::string only_name(const Workflows& workflows, std::string_view where) {
    if (workflows.size() != 1) throw Problem("BAD_PARAMETER", core::unnamed_workflow(workflows, where));
    return workflows.begin()->first;
}

core::WorkflowBundle bundle_of_text(Call& call, const std::string& yaml) {
    require_bearable(yaml);
    const config::Config& config = call.config();
    auto read = config::read_workflow_text(yaml, "workflow.yaml", config.tasks, config.workflows);
    if (!read.ok()) {
        std::vector<Fault> faults;
        for (const auto& error : read.error()) faults.push_back({to_text(error.where), to_text(error)});
        throw Problem("REFUSED", "the definition is not valid", std::move(faults));
    }
    Workflows workflows = std::move(read).value();
    const std::string named = call.body_text("workflow");
    const std::string name =
        named.empty() ? only_name(workflows, "the yaml") : known_name(named, workflows, "the yaml");
    workflows.insert(config.workflows.begin(), config.workflows.end());
    return core::bundle_of(name, workflows);
}

core::WorkflowBundle bundle_of_catalog(Call& call) {
    const std::string name = call.body_text("workflow");
    if (name.empty()) throw Problem("BAD_PARAMETER", "the name of a workflow is missing, or yaml that defines one");
    const Workflows& known = call.config().workflows;
    return core::bundle_of(known_name(name, known, "the server's catalog"), known);
}

core::WorkflowBundle wanted_bundle(Call& call) {
    const auto yaml = given<std::string>(call.body, "yaml");
    const auto definition = given<Value>(call.body, "definition");
    if (yaml || definition) call.caller.require(store::Scope::Operate, "a definition of one's own");
    if (yaml) return bundle_of_text(call, *yaml);
    return definition ? checked_bundle(*definition) : bundle_of_catalog(call);
}

http::Response started(const SubmitOutcome& outcome) {
    const std::string id = outcome.id.to_string();
    switch (outcome.status) {
        case SubmitStatus::Accepted:
        case SubmitStatus::Existing:
            return answer({{"id", id}, {"status", word_of(outcome.status)}},
                          outcome.status == SubmitStatus::Accepted ? 201 : 200);
        case SubmitStatus::PayloadMismatch:
            throw Problem("PAYLOAD_MISMATCH", concat("job ", id, " has the same id but another workflow or input"));
        case SubmitStatus::TooOld:
            throw Problem("TOO_OLD", concat("the id ", id, " is older than ended jobs are kept; use a new id"));
        case SubmitStatus::Refused:
            break;
    }
    throw Problem("REFUSED", outcome.complaint);
}

// ---- Reading ------------------------------------------------------------------------------------

JobQuery query_of(Call& call) {
    JobQuery query;
    query.states = call.states<JobState>();
    query.workflow = call.text("workflow");
    if (call.is_given("parent")) query.parent = find_job(call.store(), call.text("parent")).id;
    query.with_children = call.flag("children");
    if (call.is_given("after")) query.after = Uuid::parse(call.text("after"));
    query.limit = call.limit();
    return query;
}

bool matches(const JobInfo& job, const JobQuery& query) {
    const bool is_wanted_state = query.states.empty() || std::ranges::count(query.states, job.state) > 0;
    const bool is_wanted_place =
        query.parent ? job.parent == *query.parent : query.with_children || job.parent.is_nil();
    return is_wanted_state && is_wanted_place && (query.workflow.empty() || job.workflow == query.workflow) &&
           (!query.after || job.id < *query.after);
}

/// Returns the jobs with the prefix ?id, newest first. Few jobs share a prefix: all are read, and filtered here.
std::vector<JobInfo> jobs_with_id(Call& call, const JobQuery& query) {
    const std::string prefix = call.text("id");
    if (!may_begin_an_id(prefix))
        throw Problem("BAD_PARAMETER", "?id must be the beginning of an id: digits 0-9, a-f and dashes");
    auto jobs = jobs_that_begin(call.store(), prefix, 1000);
    std::erase_if(jobs, [&](const JobInfo& job) { return !matches(job, query); });
    std::ranges::sort(jobs, std::greater(), &JobInfo::id);
    if (jobs.size() > query.limit) jobs.resize(query.limit);
    return jobs;
}

using Dependencies = std::map<std::string, std::vector<std::string>>;

/// Returns the steps that each step of the job waits for; empty when the definition cannot be read.
Dependencies dependencies_of(store::ClientStore& store, const JobInfo& job) {
    Dependencies dependencies;
    const auto bundle = core::parse_workflow_bundle(store.job_definition(job.id));
    if (!bundle.ok() || !bundle->workflows.contains(job.workflow)) return dependencies;
    for (const core::WorkflowStep& step : bundle->workflows.at(job.workflow).steps)
        dependencies[step.name] = step.depends_on;
    return dependencies;
}

views::JobStory story_of(const JobInfo& job, const std::vector<StepInfo>& steps, const Dependencies& dependencies) {
    views::JobStory story{.job = job};
    for (const StepInfo& step : steps) {
        const auto needed = dependencies.find(step.name);
        story.steps.push_back({step, needed == dependencies.end() ? std::vector<std::string>() : needed->second});
    }
    for (const auto& [step, needed] : dependencies)
        for (const std::string& each : needed) story.edges.push_back({.from = each, .to = step});
    return story;
}

// ---- Orders -------------------------------------------------------------------------------------

using Verb = std::vector<SteerStatus> (store::ClientStore::*)(const store::SteerJobsParams&);

http::Response steer(Call& call, Verb verb, std::string_view applied) {
    const Uuid id = find_job(call.store(), call.path("id")).id;
    const auto status =
        (call.store().*verb)({.jobs = {id}, .who = call.caller.who(), .reason = call.body_text("reason")}).front();
    require_steered(status, "job", id);
    return steered(id, status == SteerStatus::Already ? "already" : applied);
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

http::Reply start_job(Call& call) {
    const core::WorkflowBundle bundle = wanted_bundle(call);
    require_queues_of(call.caller, bundle);
    if (call.body.contains("yaml") || call.body.contains("definition")) require_known_work(call, bundle);
    const store::NewJob job{
        .id = given<Value>(call.body, "id") ? id_in(call.body) : platform::new_task_id(),
        .definition = core::to_json_text(bundle),
        .input = checked_input(bundle.workflows.at(bundle.main), core::json_member(call.request.body, "input")),
        .who = call.caller.who()};
    return started(client::asked_until_certain([&] { return call.store().start_jobs({job}).front(); }));
}

http::Reply list_jobs(Call& call) {
    const JobQuery query = query_of(call);
    const auto jobs = call.is_given("id") ? jobs_with_id(call, query) : call.store().list_jobs(query);
    const bool is_full = jobs.size() == query.limit;
    return answer_list(jobs, is_full ? Json(jobs.back().id.to_string()) : Json());
}

http::Reply show_job(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    const Dependencies dependencies = dependencies_of(call.store(), job);
    const auto steps = call.store().steps({.job = job.id, .with_items = call.flag("items"), .step = {}});
    return answer(story_of(job, steps, dependencies));
}

http::Reply show_job_definition(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    return answer(views::embedded(call.store().job_definition(job.id)));
}

http::Reply wait_for_job(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    if (is_terminal(job.state)) return ending_answer("job", job.id, std::optional(job));
    return call.services.live.wait_for({Waited::Kind::Job, job.id}, call.patience());
}

/// A job with running steps becomes CANCELLED only after their workers have stopped them.
http::Reply cancel_job(Call& call) {
    http::Response response = steer(call, &store::ClientStore::cancel_jobs, "cancelled");
    const JobInfo job = find_job(call.store(), call.path("id"));
    return is_terminal(job.state) ? std::move(response) : steered(job.id, "requested");
}

http::Reply set_job_paused(Call& call, bool paused) {
    return paused ? steer(call, &store::ClientStore::pause_jobs, "paused")
                  : steer(call, &store::ClientStore::resume_jobs, "resumed");
}

http::Reply retry_job(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    if (!job.parent.is_nil())
        throw Problem("CONFLICT",
                      concat("job ", job.id.to_string(),
                             " was started by another; retry the one at the top: ", job.root.to_string()));
    const Uuid retry = client::retry_ended_job(call.store(), job.id, call.caller.who(), id_in(call.body));
    return answer({{"id", retry.to_string()}, {"retry_of", job.id.to_string()}}, 201);
}

http::Reply decide_step(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
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
