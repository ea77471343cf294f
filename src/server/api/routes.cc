#include <algorithm>

#include "base/text.h"
#include "core/public_words.h"
#include "server/api/resources.h"
#include "views/recovery.h"
#include "views/task.h"
#include "views/token.h"

namespace holdfast::api {

// A namespace of its own, because the table uses short names.
namespace route_table {
namespace {

using enum store::Scope;
using enum store::WorkerOrder;

/// A row of the table, which names the parts of a route. A row without `scope` is open to every client.
struct Row : Route {
    Row scope(store::Scope least) && { return set(&Route::scope, least); }
    Row query(std::vector<Parameter> parameters) && { return set(&Route::query, std::move(parameters)); }
    Row takes(std::string schema) && { return set(&Route::body, std::move(schema)); }
    Row answers(std::string schema) && { return set(&Route::answer, std::move(schema)); }
    Row serves(std::string type) && { return set(&Route::content_type, std::move(type)); }
    Row creates() && { return set(&Route::status, 201); }
    Row or_finds() && { return set(&Route::may_exist, true); }
    Row of_all_queues() && { return set(&Route::needs_all_queues, true); }
    Row without_store() && { return set(&Route::answers_without_store, true); }
    Row in(http::Lane which) && { return set(&Route::lane, which); }

private:
    template <typename Value, typename Given>
    Row set(Value Route::*part, Given given) {
        this->*part = std::move(given);
        return std::move(*this);
    }
};

/// `at`: the method and the path.
Row row(std::string_view at, Handler handler, const char* summary) {
    const std::size_t blank = at.find(' ');
    Row made;
    made.method = at.substr(0, blank);
    made.path = at.substr(blank + 1);
    made.handler = handler;
    made.summary = summary;
    return made;
}

/// A handler that calls the given one with a fixed last argument.
template <auto handler, auto argument>
http::Reply with(Call& call) {
    return handler(call, argument);
}

/// A handler that lists all records that the verb of the store returns.
template <auto verb>
http::Reply list_all(Call& call) {
    return answer_list((call.store().*verb)());
}

// ---- Shared parameters ------------------------------------------------------------------------------------------

template <Worded State>
Parameter states_of() {
    return {"state", schema::array(schema::word(all_words<State>()), "one or more, separated by commas")};
}

const Parameter limit{"limit", schema::integer_between(1, 1000, "at most so many (default: 50)")};
const Parameter after_id{"after", schema::uuid("the last id of the page before")};
const Parameter after_offset{"after", schema::integer_between(0, INT64_MAX, "an offset to go on from")};
const Parameter after_line{"after", schema::integer_between(0, INT64_MAX, "the last line of the page before")};
const Parameter id_prefix{"id", schema::text("ids that begin so")};
const Parameter wait_timeout{"timeout", schema::duration("how long to wait (default: 30s, at most 60s)")};

Parameter flag(const char* name, const char* meaning) {
    return {name, schema::boolean(meaning)};
}
Parameter text(const char* name, const char* meaning = "") {
    return {name, schema::text(meaning)};
}

// ---- The table --------------------------------------------------------------------------------------------------

std::vector<std::pair<const char*, std::vector<Row>>> chapters() {
    // clang-format off
    return {
    {"Tasks", {
        row("POST /api/tasks", submit_tasks, "Submit a task, or up to 1000 of them")
            .scope(Submit).takes("TaskSubmissions").answers("SubmitAnswer").creates().or_finds(),
        row("GET /api/tasks", list_tasks, "Tasks, newest first").scope(Read).answers("TaskList")
            .query({states_of<TaskState>(), text("name"), text("queue"),
                    text("worker", "id or name of the worker of its current or last lease"),
                    id_prefix, after_id, limit}),
        row("GET /api/tasks/{id}", show_task, "One task, and its life so far").scope(Read).answers("TaskStory"),
        row("GET /api/tasks/{id}/wait", wait_for_task, "Wait until a task has ended")
            .scope(Read).query({wait_timeout}).answers("TaskEnding"),
        row("POST /api/tasks/{id}/cancel", cancel_task, "End a task, or ask its worker to")
            .scope(Operate).takes("Reason").answers("Steered"),
        row("POST /api/tasks/{id}/retry", retry_task, "Submit a copy of an ended task")
            .scope(Operate).answers("Retried").creates(),
        row("POST /api/tasks/{id}/force", force_task, "End a task at once, whatever its worker is doing")
            .scope(Operate).takes("Force").answers("Steered"),
        row("GET /api/tasks/{id}/logs", read_task_log, "What the runs of a task printed")
            .scope(Read).query({after_offset, limit}).answers("LogPage"),
        row("GET /api/tasks/{id}/logs/stream", stream_task_log, "The same as a stream, until the task has ended")
            .scope(Read).query({after_offset}).serves("text/event-stream"),
    }},
    {"Jobs", {
        row("POST /api/jobs", start_job, "Start a job of a workflow")
            .scope(Submit).takes("JobSubmission").answers("Submitted").creates().or_finds(),
        row("GET /api/jobs", list_jobs, "Jobs, newest first").scope(Read).answers("JobList")
            .query({states_of<JobState>(), text("workflow"), text("parent", "only jobs that this one started"),
                    flag("children", "true: also jobs that others started"), id_prefix, after_id, limit}),
        row("GET /api/jobs/{id}", show_job, "One job, its steps, and what depends on what")
            .scope(Read).query({flag("items", "true: the items of a for_each as well")}).answers("JobStory"),
        row("GET /api/jobs/{id}/definition", show_job_definition, "What the job was started with")
            .scope(Read).answers("Definition"),
        row("GET /api/jobs/{id}/wait", wait_for_job, "Wait until a job has ended")
            .scope(Read).query({wait_timeout}).answers("JobEnding"),
        row("POST /api/jobs/{id}/cancel", cancel_job, "End a job, and the jobs that it started")
            .scope(Operate).takes("Reason").answers("Steered"),
        row("POST /api/jobs/{id}/pause", with<set_job_paused, true>, "Let what runs end, and start nothing new")
            .scope(Operate).takes("Reason").answers("Steered"),
        row("POST /api/jobs/{id}/resume", with<set_job_paused, false>, "Let a paused job go on")
            .scope(Operate).takes("Reason").answers("Steered"),
        row("POST /api/jobs/{id}/retry", retry_job, "Start a job again from where it failed")
            .scope(Operate).takes("JobRetry").answers("Retried").creates(),
        row("GET /api/jobs/{id}/steps/{step}", show_step, "One step, and its items").scope(Read).answers("StepStory"),
        row("POST /api/jobs/{id}/steps/{step}/approve", decide_step, "Decide a step that waits for approval")
            .scope(Operate).takes("Decision").answers("Decided"),
        row("GET /api/jobs/{id}/steps/{step}/logs", read_step_log,
            "What a step printed; of _server: what the engine did to the job")
            .scope(Read).query({after_offset, limit}).answers("StepLogPage"),
    }},
    {"Catalog", {
        row("GET /api/catalog/tasks", list_catalog_tasks, "Tasks that the server's configuration defines")
            .scope(Read).answers("CatalogTaskList"),
        row("GET /api/catalog/tasks/{name}", show_catalog_task, "One of them").scope(Read).answers("CatalogTask"),
        row("GET /api/catalog/workflows", list_catalog_workflows, "Workflows that the server's configuration defines")
            .scope(Read).answers("CatalogWorkflowList"),
        row("GET /api/catalog/workflows/{name}", show_catalog_workflow, "One of them")
            .scope(Read).answers("CatalogWorkflow"),
        row("POST /api/catalog/validate", validate_yaml, "Whether a file of workflows is valid")
            .scope(Read).takes("Yaml").answers("Validation").in(http::Lane::Dear),
    }},
    {"Workers", {
        row("GET /api/workers", list_workers, "Every worker: its status, its slots, its tags")
            .scope(Read).query({flag("all", "true: also those that have left")}).answers("WorkerList"),
        row("GET /api/workers/{id}", show_worker, "One worker, by id or name").scope(Read).answers("WorkerStory"),
        row("GET /api/workers/{id}/states", list_worker_states, "Its tasks, slots, processor and memory, newest first")
            .scope(Read).query({limit}).answers("WorkerStateList"),
        row("POST /api/workers/{id}/drain", with<order_worker, Drain>,
            "Have it end what it runs, claim nothing more, and leave")
            .scope(Operate).answers("Steered").of_all_queues(),
        row("POST /api/workers/{id}/cordon", with<order_worker, Cordon>,
            "Have it claim nothing more; what it runs goes on")
            .scope(Operate).answers("Steered").of_all_queues(),
        row("POST /api/workers/{id}/uncordon", with<order_worker, Uncordon>, "Let it claim again")
            .scope(Operate).answers("Steered").of_all_queues(),
        row("DELETE /api/workers/{id}", remove_worker, "Forget a worker that has left")
            .scope(Operate).answers("Steered").of_all_queues(),
    }},
    {"Queues", {
        row("GET /api/queues", list_all<&store::Store::queues>, "Every queue, and how much waits in it")
            .scope(Read).answers("QueueList"),
        row("POST /api/queues/{name}/pause", with<set_queue_paused, true>, "Give out none of its tasks")
            .scope(Operate).answers("QueueSteered"),
        row("POST /api/queues/{name}/resume", with<set_queue_paused, false>, "Give out its tasks again")
            .scope(Operate).answers("QueueSteered"),
    }},
    {"Keys", {
        row("GET /api/keys", list_keys, "Concurrency keys that are declared or in use, declared ones first")
            .scope(Read).query({text("key", "only of this name"), limit}).answers("KeyList"),
        row("PUT /api/keys/{key}", declare_key, "Declare a key: its limit is fixed")
            .scope(Operate).takes("KeyForm").answers("KeyDeclared"),
        row("DELETE /api/keys/{key}", remove_key, "Let its limit follow the submits again")
            .scope(Operate).answers("KeyRemoved")
            .query({text("queue", "the queue that it belongs to (default: none, the key is shared)")}),
    }},
    {"Schedules", {
        row("GET /api/schedules", list_schedules, "Schedules, by name, with their next slots")
            .scope(Read).answers("ScheduleList"),
        row("POST /api/schedules", apply_schedules,
             "Make or change schedules, and say what they were before; none is removed")
            .scope(Admin).takes("ScheduleForm").answers("ScheduleChanges"),
        row("GET /api/schedules/{name}", show_schedule, "One of them").scope(Read).answers("Schedule"),
        row("POST /api/schedules/{name}/pause", with<set_schedule_paused, true>, "Let it start no jobs")
            .scope(Operate).answers("ScheduleSteered"),
        row("POST /api/schedules/{name}/resume", with<set_schedule_paused, false>, "Let it start jobs again")
            .scope(Operate).answers("ScheduleSteered"),
        row("POST /api/schedules/{name}/run", run_schedule, "Start a job of it now, beside its slots")
            .scope(Operate).answers("ScheduleRun").creates(),
        row("DELETE /api/schedules/{name}", remove_schedule, "Forget it; its jobs stay")
            .scope(Operate).answers("ScheduleSteered"),
    }},
    {"Recovery", {
        row("GET /api/recovery", show_recovery, "Who sweeps, what recovery did, which workers it doubts")
            .scope(Read).answers("Recovery").of_all_queues(),
        row("GET /api/recovery/stale", list_stale_tasks,
            "CLAIMED and RUNNING tasks of which nothing was heard for a while")
            .scope(Read).answers("StaleTaskList")
            .query({{"threshold", schema::duration("quiet for longer than this (default: 60s)")}}),
        row("POST /api/recovery/fail-running", with<settle_stale, TaskState::Running>,
            "End stale RUNNING tasks as crashed, each by its policy")
            .scope(Operate).takes("Threshold").answers("Settled").of_all_queues().in(http::Lane::Dear),
        row("POST /api/recovery/requeue-claimed", with<settle_stale, TaskState::Claimed>,
            "Send stale CLAIMED tasks back to PENDING")
            .scope(Operate).takes("Threshold").answers("Settled").of_all_queues().in(http::Lane::Dear),
        row("POST /api/recovery/sweep", sweep, "One pass of every recovery service, now")
            .scope(Operate).answers("Swept").of_all_queues().in(http::Lane::Dear),
        row("POST /api/recovery/prune", prune, "Remove history that is older than it has to be kept")
            .scope(Admin).takes("Prune").answers("Pruned").of_all_queues().in(http::Lane::Dear),
    }},
    {"Everything", {
        row("GET /api/overview", show_overview, "How things stand, and what needs a person")
            .scope(Read).answers("Overview"),
        row("GET /api/stats", show_stats, "What ended when, and how long it took").scope(Read).answers("Stats")
            .query({{"window", schema::duration("up to now (default: 1h)")},
                    {"buckets", schema::integer_between(1, 200, "that it is cut into (default: 60)")}}),
        row("GET /api/events", list_or_stream_events,
            "Lines of history; with Accept: text/event-stream as they happen")
            .scope(Read).answers("WholeEventList")
            .query({text("task", "about this task"), text("job", "about this job and the tasks of its steps"),
                    text("worker", "about this worker: id or name"), text("kind"), after_line, limit}),
        row("GET /api/audit", search_audit, "Orders, newest first: who, from where, what, and what it changed")
            .scope(Read).answers("AuditLineList")
            .query({text("who", "part of who or from where"), text("kind"), text("queue", "orders to this queue"),
                    text("task", "to this task"), text("job", "to this job"), text("worker", "to this worker: id or name"),
                    text("text", "part of the message or of the values"),
                    {"since", schema::time("given then or later")}, {"until", schema::time("given before")},
                    after_line, limit}),
        row("GET /api/replicas", list_all<&store::Store::replicas>, "The servers of this store")
            .scope(Read).answers("ReplicaList"),
    }},
    {"Access", {
        row("GET /api/session", show_session, "Who asks").answers("Session"),
        row("POST /api/session", log_in, "Log the page in").takes("Login").answers("Session"),
        row("DELETE /api/session", log_out, "Log the page out").answers("LoggedOut"),
        row("GET /api/sessions", list_all<&store::Store::sessions>, "Logins at the page that are valid, newest first")
            .scope(Admin).answers("PageSessionList").of_all_queues(),
        row("DELETE /api/sessions/{id}", end_session, "End a login at the page")
            .scope(Admin).answers("SessionEnded").of_all_queues(),
        row("GET /api/tokens", list_all<&store::Store::tokens>, "Tokens, newest first")
            .scope(Admin).answers("TokenList").of_all_queues(),
        row("POST /api/tokens", create_token, "Make a token; its secret is shown this once")
            .scope(Admin).takes("TokenForm").answers("NewToken").creates().of_all_queues(),
        row("DELETE /api/tokens/{name}", revoke_token, "Revoke a token")
            .scope(Admin).answers("TokenRevoked").of_all_queues(),
    }},
    {"Work", {
        row("GET /api/work", show_work_protocol, "Which versions of the worker protocol the server speaks")
            .scope(Work).answers("WorkWelcome").in(http::Lane::Work),
        row("POST /api/work/register", register_work, "A worker begins, or comes back under its id")
            .scope(Work).takes("WorkRegister").answers("WorkRegistered").in(http::Lane::Work),
        row("POST /api/work/beat", beat_work, "It lives, and holds these leases; what it has to do about them")
            .scope(Work).takes("WorkBeat").answers("WorkBeaten").in(http::Lane::Work),
        row("POST /api/work/turn", turn_work, "Finish runs, start tasks, hand tasks back and claim more, repeatably")
            .scope(Work).takes("WorkTurn").answers("WorkTurned").in(http::Lane::Work),
        row("POST /api/work/progress", save_work_progress, "What runs report about themselves")
            .scope(Work).takes("WorkProgress").answers("WorkFenced").in(http::Lane::Work),
        row("POST /api/work/logs", append_work_logs, "What runs printed")
            .scope(Work).takes("WorkLogs").answers("WorkFenced").in(http::Lane::Work),
        row("POST /api/work/state", append_work_state, "Its tasks, slots, processor and memory")
            .scope(Work).takes("WorkState").answers("WorkDone").in(http::Lane::Work),
        row("POST /api/work/leave", leave_work, "It has left")
            .scope(Work).takes("WorkLeave").answers("WorkDone").in(http::Lane::Work),
        row("POST /api/work/exited", testify_work, "Its keeper: the worker is dead, and nothing that it started is left")
            .scope(Work).takes("WorkLeave").answers("WorkDone").in(http::Lane::Work),
        row("GET /api/work/stream", stream_work, "Wakes a worker: there is work, or an order for it")
            .scope(Work).query({{"worker", schema::uuid("its id")}}).serves("text/event-stream")
            .in(http::Lane::Work),
    }},
    {"Beside it", {
        row("GET /healthz", show_health, "The process lives").answers("Health").in(http::Lane::Probe),
        row("GET /readyz", show_readiness, "The server can do its work").answers("Ready").in(http::Lane::Probe),
        row("GET /metrics", show_metrics, "For Prometheus")
            .scope(Read).serves("text/plain; version=0.0.4; charset=utf-8").of_all_queues().without_store().in(http::Lane::Memory),
        row("GET /api/openapi.json", show_openapi, "This, for programs").answers("OpenApi").in(http::Lane::Memory),
        row("GET /api/docs", show_docs, "This, for people").serves("text/html; charset=utf-8")
            .in(http::Lane::Memory),
        row("GET /api/docs.css", show_docs_style, "How that looks").serves("text/css; charset=utf-8")
            .in(http::Lane::Memory),
    }},
    };
    // clang-format on
}

}  // namespace
}  // namespace route_table

const std::vector<Route>& routes() {
    static const std::vector<Route> table = [] {
        std::vector<Route> all;
        for (auto& [chapter, rows] : route_table::chapters())
            for (Route& each : rows) {
                each.tag = chapter;
                all.push_back(std::move(each));
            }
        return all;
    }();
    return table;
}

// ---- The router ---------------------------------------------------------------------------------------------------

namespace {

using Pattern = std::vector<std::string_view>;
using Segments = std::vector<std::string>;

bool is_name(std::string_view segment) {
    return segment.starts_with('{');
}

/// Returns the route table with its paths split into segments, built once.
const std::vector<std::pair<Pattern, const Route*>>& cut_routes() {
    static const auto cut = [] {
        std::vector<std::pair<Pattern, const Route*>> made;
        for (const Route& route : routes())
            made.emplace_back(split(std::string_view(route.path).substr(1), '/'), &route);
        return made;
    }();
    return cut;
}

bool fits(const Pattern& pattern, const Segments& path) {
    return std::ranges::equal(pattern, path, [](std::string_view wanted, const std::string& segment) {
        return is_name(wanted) ? !segment.empty() : wanted == segment;
    });
}

RouteMatch matched(const Route& route, const Pattern& pattern, const Segments& path) {
    RouteMatch match{.route = &route, .path = {}};
    for (std::size_t i = 0; i < path.size(); ++i)
        if (is_name(pattern[i])) match.path.emplace(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    return match;
}

std::string method_of(const std::string& method) {
    return method == "HEAD" ? "GET" : method;
}

}  // namespace

RouteMatch match_route(const std::string& method, const Segments& path) {
    Segments allowed;
    for (const auto& [pattern, route] : cut_routes()) {
        if (!fits(pattern, path)) continue;
        if (route->method == method_of(method)) return matched(*route, pattern, path);
        allowed.push_back(route->method);
        if (route->method == "GET") allowed.emplace_back("HEAD");
    }
    if (allowed.empty())
        throw Problem("NO_SUCH_ROUTE", concat("there is no /", join(path, "/"), "; /api/docs lists what there is"));
    const std::string list = join(allowed, ", ");
    throw Problem("METHOD_NOT_ALLOWED", concat("this route knows ", list, ", not ", method))
        .with_header("allow", list);
}

bool belongs_to_page(const http::Request& request) {
    return !is_route(request.path) && (request.path.empty() || request.path.front() != "api");
}

http::Lane lane_of(const http::Request& request) {
    std::optional<http::Lane> lane;
    for (const auto& [pattern, route] : cut_routes())
        if (!lane && route->method == method_of(request.method) && fits(pattern, request.path)) lane = route->lane;
    if (lane == http::Lane::Work) return *lane;
    if (request.body.size() >= dear_body_bytes) return http::Lane::Dear;
    if (lane) return *lane;
    return belongs_to_page(request) ? http::Lane::Memory : http::Lane::Usual;
}

bool is_route(const Segments& path) {
    return std::ranges::any_of(cut_routes(), [&](const auto& cut) { return fits(cut.first, path); });
}

}  // namespace holdfast::api
