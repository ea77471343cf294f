#include <algorithm>
#include <map>

#include "base/text.h"
#include "client/certainty.h"
#include "config/workflow_file.h"
#include "core/json_text.h"
#include "core/workflow/choice.h"
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
    call.caller.require(store::Scope::Operate, "a definition of one's own");
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

core::WorkflowBundle bundle_of_definition(Call& call, const Value& definition) {
    call.caller.require(store::Scope::Operate, "a definition of one's own");
    return checked_bundle(definition);
}

core::WorkflowBundle bundle_of_catalog(Call& call) {
    const std::string name = call.body_text("workflow");
    if (name.empty()) throw Problem("BAD_PARAMETER", "the name of a workflow is missing, or yaml that defines one");
    const Workflows& known = call.config().workflows;
    return core::bundle_of(known_name(name, known, "the server's catalog"), known);
}

core::WorkflowBundle wanted_bundle(Call& call) {
    if (const Value* yaml = given(call.body, "yaml")) return bundle_of_text(call, yaml->get<std::string>());
    if (const Value* definition = given(call.body, "definition")) return bundle_of_definition(call, *definition);
    return bundle_of_catalog(call);
}

http::Response started(const SubmitOutcome& outcome) {
    const std::string id = outcome.id.to_string();
    switch (outcome.status) {
        case SubmitStatus::Accepted:
            return answer({{"id", id}, {"status", "accepted"}}, 201);
        case SubmitStatus::Existing:
            return answer({{"id", id}, {"status", "existing"}});
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
    if (call.is_given("state"))
        for (const Value& word : call.query.at("state"))
            query.states.push_back(*parse_job_state(word.get_ref<const std::string&>()));
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
std::vector<JobInfo> jobs_that_begin(Call& call, const JobQuery& query) {
    const std::string prefix = call.text("id");
    if (!may_begin_an_id(prefix))
        throw Problem("BAD_PARAMETER", "?id must be the beginning of an id: digits 0-9, a-f and dashes");
    std::vector<JobInfo> jobs;
    for (auto& job : call.store().find_jobs(call.store().jobs_with_prefix(prefix, 1000)))
        if (job && matches(*job, query)) jobs.push_back(*std::move(job));
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

}  // namespace

http::Reply start_job(Call& call) {
    const core::WorkflowBundle bundle = wanted_bundle(call);
    require_queues_of(call.caller, bundle);
    const Value* id = given(call.body, "id");
    const store::NewJob job{
        .id = id == nullptr ? platform::new_task_id() : Uuid::parse(id->get<std::string>()).value_or(Uuid()),
        .definition = core::to_json_text(bundle),
        .input = checked_input(bundle.workflows.at(bundle.main), core::json_member(call.request.body, "input")),
        .who = call.caller.who(),
        .retry_of = {}};
    return started(client::asked_until_certain([&] { return call.store().start_jobs({job}).front(); }));
}

http::Reply list_jobs(Call& call) {
    const JobQuery query = query_of(call);
    const auto jobs = call.is_given("id") ? jobs_that_begin(call, query) : call.store().list_jobs(query);
    const bool is_full = jobs.size() == query.limit;
    return answer(list_of(views::array_of(jobs), is_full ? Json(jobs.back().id.to_string()) : Json()));
}

http::Reply show_job(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    const Dependencies dependencies = dependencies_of(call.store(), job);
    const auto steps = call.store().steps({.job = job.id, .with_items = call.flag("items"), .step = {}});
    return answer(views::to_json_shape(story_of(job, steps, dependencies)));
}

http::Reply show_job_definition(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    return answer(views::embedded(call.store().job_definition(job.id)));
}

http::Reply wait_for_job(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    if (is_terminal(job.state)) return ending_answer(job.id, std::optional(job));
    return call.services.live.wait_for({Waited::Kind::Job, job.id}, call.patience());
}

}  // namespace holdfast::api
