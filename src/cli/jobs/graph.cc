#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/run.h"
#include "core/workflow/graph.h"

namespace holdfast::cli {

namespace {

struct GraphCommand {
    WorkflowChoice what;  // its name may also be the id of a job
    bool dot = false;
};

using States = std::map<std::string, StepState>;

/// The graph of a definition or, with states, of a job.
struct Graph {
    core::Workflow workflow;
    std::optional<States> states = {};
    Uuid job = {};
};

Graph graph_of(store::ClientStore& store, const JobInfo& job) {
    auto bundle = core::parse_workflow_bundle(store.job_definition(job.id));
    if (!bundle.ok())
        throw BadInput(
            fmt::format("the definition of job {} cannot be read: {}", job.id.to_string(), bundle.error()));
    const auto found = bundle->workflows.find(job.workflow);
    if (found == bundle->workflows.end())
        throw BadInput(
            fmt::format("the definition of job {} lacks its workflow {}", job.id.to_string(), job.workflow));
    States states;
    for (const StepInfo& step : store.steps({.job = job.id, .with_items = false, .step = {}}))
        states.emplace(step.name, step.state);
    return {found->second, std::move(states), job.id};
}

Graph graph_of(const core::WorkflowBundle& bundle) {
    return {bundle.workflows.at(bundle.main), std::nullopt, {}};
}

/// A workflow name of the configuration takes precedence over the prefix of a job id.
Graph find_graph(const Session& session, const WorkflowChoice& what) {
    const config::Config config = session.load_config();
    const bool is_definition =
        !what.file.empty() || config.workflows.contains(what.name) || !may_begin_an_id(what.name);
    if (is_definition) return graph_of(choose_workflow(what, config));
    const auto store = session.open_store(config, Access::AsItIs);
    return graph_of(*store, resolve_job(*store, what.name));
}

Json shape_of(const Graph& graph, const core::WorkflowStep& step) {
    Json shape = {
        {"name", step.name}, {"kind", word_of(step.kind)}, {"depends_on", step.depends_on}, {"state", nullptr}};
    if (!graph.states) return shape;
    const auto state = graph.states->find(step.name);
    if (state != graph.states->end()) shape["state"] = to_text(state->second);
    return shape;
}

Json shape_of(const Graph& graph) {
    Json steps = Json::array();
    for (const core::WorkflowStep& step : graph.workflow.steps) steps.push_back(shape_of(graph, step));
    return {{"workflow", graph.workflow.name},
            {"job", graph.job.is_nil() ? Json() : Json(graph.job.to_string())},
            {"steps", std::move(steps)}};
}

ExitCode print_graph(Session& session, const GraphCommand& command) {
    const Graph graph = find_graph(session, command.what);
    const States* const states = graph.states ? &*graph.states : nullptr;
    if (session.globals.json)
        session.print(shape_of(graph));
    else
        session.io.out << (command.dot ? core::graph_dot(graph.workflow, states)
                                       : core::graph_text(graph.workflow, states));
    return ExitCode::Done;
}

}  // namespace

void add_jobs_graph(Command& jobs) {
    auto [command, given] =
        jobs.add("graph", "What depends on what: of a workflow or, with states, of a job", print_graph);
    command.optional_argument("ID|NAME", given.what.name, "A workflow's name, or a job's id or the beginning of it");
    add_file_option(command, given.what);
    command.flag("--dot", given.dot, "In the language of Graphviz");
}

}  // namespace holdfast::cli
