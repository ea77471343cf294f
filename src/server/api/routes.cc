#include "server/api/route_groups.h"

namespace holdfast::api {

namespace {

using store::Scope;

void add_catalog(std::vector<Route>& all) {
    const auto tag = "Catalog";
    all.push_back({"GET",
                   "/api/catalog/tasks",
                   Scope::Read,
                   tag,
                   "Tasks that the server's configuration defines",
                   {},
                   "",
                   "CatalogTaskList",
                   list_catalog_tasks});
    all.push_back({"GET",
                   "/api/catalog/tasks/{name}",
                   Scope::Read,
                   tag,
                   "One of them",
                   {},
                   "",
                   "CatalogTask",
                   show_catalog_task});
    all.push_back({"GET",
                   "/api/catalog/workflows",
                   Scope::Read,
                   tag,
                   "Workflows that the server's configuration defines",
                   {},
                   "",
                   "CatalogWorkflowList",
                   list_catalog_workflows});
    all.push_back({"GET",
                   "/api/catalog/workflows/{name}",
                   Scope::Read,
                   tag,
                   "One of them",
                   {},
                   "",
                   "CatalogWorkflow",
                   show_catalog_workflow});
    all.push_back({"POST",
                   "/api/catalog/validate",
                   Scope::Read,
                   tag,
                   "Whether a file of workflows is valid",
                   {},
                   "Yaml",
                   "Validation",
                   validate_yaml});
    all.back().lane = http::Lane::Dear;
}

Route worker_order(const char* word, const char* summary, Handler handler) {
    return {"POST",
            std::string("/api/workers/{id}/") + word,
            Scope::Operate,
            "Workers",
            summary,
            {},
            "",
            "Steered",
            handler,
            200,
            "application/json",
            true};
}

void add_workers(std::vector<Route>& all) {
    const auto tag = "Workers";
    all.push_back({"GET",
                   "/api/workers",
                   Scope::Read,
                   tag,
                   "Every worker: its state, its load, what it can do",
                   {{"all", schema::boolean("true: also those that have left")}},
                   "",
                   "WorkerList",
                   list_workers});
    all.push_back({"GET",
                   "/api/workers/{id}",
                   Scope::Read,
                   tag,
                   "One worker, by id or name",
                   {},
                   "",
                   "WorkerStory",
                   show_worker});
    all.push_back({"GET",
                   "/api/workers/{id}/states",
                   Scope::Read,
                   tag,
                   "Its load over time, newest first",
                   {limit},
                   "",
                   "WorkerStateList",
                   list_worker_states});
    all.push_back(worker_order("drain", "Have it end what it runs, claim nothing more, and leave", drain_worker));
    all.push_back(worker_order("cordon", "Have it claim nothing more; what it runs goes on", cordon_worker));
    all.push_back(worker_order("uncordon", "Let it claim again", uncordon_worker));
    all.push_back({"DELETE",
                   "/api/workers/{id}",
                   Scope::Operate,
                   tag,
                   "Forget a worker that has left",
                   {},
                   "",
                   "Steered",
                   remove_worker,
                   200,
                   "application/json",
                   true});
}

void add_queues(std::vector<Route>& all) {
    all.push_back({"GET",
                   "/api/queues",
                   Scope::Read,
                   "Queues",
                   "Every queue, and how much waits in it",
                   {},
                   "",
                   "QueueList",
                   list_queues});
    all.push_back({"POST",
                   "/api/queues/{name}/pause",
                   Scope::Operate,
                   "Queues",
                   "Give out none of its tasks",
                   {},
                   "",
                   "QueueSteered",
                   pause_queue});
    all.push_back({"POST",
                   "/api/queues/{name}/resume",
                   Scope::Operate,
                   "Queues",
                   "Give out its tasks again",
                   {},
                   "",
                   "QueueSteered",
                   resume_queue});
}

void add_keys(std::vector<Route>& all) {
    const auto tag = "Keys";
    all.push_back({"GET",
                   "/api/keys",
                   Scope::Read,
                   tag,
                   "Concurrency keys that are declared or in use, declared ones first",
                   {{"key", schema::text("only of this name")}, limit},
                   "",
                   "KeyList",
                   list_keys});
    all.push_back({"PUT",
                   "/api/keys/{key}",
                   Scope::Operate,
                   tag,
                   "Declare a key: its limit is fixed",
                   {},
                   "KeyForm",
                   "KeyDeclared",
                   declare_key});
    all.push_back({"DELETE",
                   "/api/keys/{key}",
                   Scope::Operate,
                   tag,
                   "Let its limit follow the submits again",
                   {{"queue", schema::text("the queue that it belongs to (default: none, the key is shared)")}},
                   "",
                   "KeyRemoved",
                   remove_key});
}

void add_schedules(std::vector<Route>& all) {
    const auto tag = "Schedules";
    all.push_back({"GET",
                   "/api/schedules",
                   Scope::Read,
                   tag,
                   "Schedules, by name, with their next slots",
                   {},
                   "",
                   "ScheduleList",
                   list_schedules});
    all.push_back({"POST",
                   "/api/schedules",
                   Scope::Admin,
                   tag,
                   "Make or change schedules, and say what they were before; none is removed",
                   {},
                   "ScheduleForm",
                   "ScheduleChanges",
                   apply_schedules});
    all.push_back(
        {"GET", "/api/schedules/{name}", Scope::Read, tag, "One of them", {}, "", "Schedule", show_schedule});
    all.push_back({"POST",
                   "/api/schedules/{name}/pause",
                   Scope::Operate,
                   tag,
                   "Let it start no jobs",
                   {},
                   "",
                   "ScheduleSteered",
                   pause_schedule});
    all.push_back({"POST",
                   "/api/schedules/{name}/resume",
                   Scope::Operate,
                   tag,
                   "Let it start jobs again",
                   {},
                   "",
                   "ScheduleSteered",
                   resume_schedule});
    all.push_back({"POST",
                   "/api/schedules/{name}/run",
                   Scope::Operate,
                   tag,
                   "Start a job of it now, beside its slots",
                   {},
                   "",
                   "ScheduleRun",
                   run_schedule,
                   201});
    all.push_back({"DELETE",
                   "/api/schedules/{name}",
                   Scope::Operate,
                   tag,
                   "Forget it; its jobs stay",
                   {},
                   "",
                   "ScheduleSteered",
                   remove_schedule});
}

Route recovery_order(const char* word, Scope scope, const char* summary, const char* body, const char* answer,
                     Handler handler) {
    return {"POST",
            std::string("/api/recovery/") + word,
            scope,
            "Recovery",
            summary,
            {},
            body,
            answer,
            handler,
            200,
            "application/json",
            true,
            false,
            false,
            http::Lane::Dear};
}

void add_recovery(std::vector<Route>& all) {
    const auto tag = "Recovery";
    all.push_back({"GET",
                   "/api/recovery",
                   Scope::Read,
                   tag,
                   "Who sweeps, what recovery did, which workers it doubts",
                   {},
                   "",
                   "Recovery",
                   show_recovery});
    all.push_back({"GET",
                   "/api/recovery/stale",
                   Scope::Read,
                   tag,
                   "CLAIMED and RUNNING tasks of which nothing was heard for a while",
                   {{"threshold", schema::duration("quiet for longer than this (default: 60s)")}},
                   "",
                   "StaleTaskList",
                   list_stale_tasks});
    all.push_back(recovery_order("fail-running", Scope::Operate,
                                 "End stale RUNNING tasks as crashed, each by its policy", "Threshold", "Settled",
                                 fail_running));
    all.push_back(recovery_order("requeue-claimed", Scope::Operate, "Send stale CLAIMED tasks back to PENDING",
                                 "Threshold", "Settled", requeue_claimed));
    all.push_back(
        recovery_order("sweep", Scope::Operate, "One pass of every recovery service, now", "", "Swept", sweep));
    all.push_back(recovery_order("prune", Scope::Admin, "Remove history that is older than it has to be kept",
                                 "Prune", "Pruned", prune));
}

void add_everything(std::vector<Route>& all) {
    const auto tag = "Everything";
    all.push_back({"GET",
                   "/api/overview",
                   Scope::Read,
                   tag,
                   "How things stand, and what needs a person",
                   {},
                   "",
                   "Overview",
                   show_overview});
    all.push_back({"GET",
                   "/api/stats",
                   Scope::Read,
                   tag,
                   "What ended when, and how long it took",
                   {{"window", schema::duration("up to now (default: 1h)")},
                    {"buckets", schema::integer_between(1, 200, "that it is cut into (default: 60)")}},
                   "",
                   "Stats",
                   show_stats});
    all.push_back({"GET",
                   "/api/events",
                   Scope::Read,
                   tag,
                   "Lines of history; with Accept: text/event-stream as they happen",
                   {{"task", schema::text("about this task")},
                    {"job", schema::text("about this job and the tasks of its steps")},
                    {"worker", schema::text("about this worker: id or name")},
                    {"kind", schema::text()},
                    {"after", schema::integer_between(0, INT64_MAX, "the last line of the page before")},
                    limit},
                   "",
                   "WholeEventList",
                   list_or_stream_events});
    all.push_back({"GET",
                   "/api/replicas",
                   Scope::Read,
                   tag,
                   "The servers of this store",
                   {},
                   "",
                   "ReplicaList",
                   list_replicas});
}

void add_access(std::vector<Route>& all) {
    const auto tag = "Access";
    all.push_back({"GET", "/api/session", std::nullopt, tag, "Who asks", {}, "", "Session", show_session});
    all.push_back({"POST", "/api/session", std::nullopt, tag, "Log the page in", {}, "Login", "Session", log_in});
    all.push_back({"DELETE", "/api/session", std::nullopt, tag, "Log the page out", {}, "", "LoggedOut", log_out});
    all.push_back(
        {"GET", "/api/tokens", Scope::Admin, tag, "Tokens, newest first", {}, "", "TokenList", list_tokens});
    all.push_back({"POST",
                   "/api/tokens",
                   Scope::Admin,
                   tag,
                   "Make a token; its secret is shown this once",
                   {},
                   "TokenForm",
                   "NewToken",
                   create_token,
                   201});
    all.push_back(
        {"DELETE", "/api/tokens/{name}", Scope::Admin, tag, "Revoke a token", {}, "", "TokenRevoked", revoke_token});
}

void add_beside(std::vector<Route>& all) {
    const auto tag = "Beside it";
    all.push_back({"GET", "/healthz", std::nullopt, tag, "The process lives", {}, "", "Health", show_health});
    all.back().lane = http::Lane::Probe;
    all.push_back(
        {"GET", "/readyz", std::nullopt, tag, "The server can do its work", {}, "", "Ready", show_readiness});
    all.back().lane = http::Lane::Probe;
    all.push_back({"GET",
                   "/metrics",
                   Scope::Read,
                   tag,
                   "For Prometheus",
                   {},
                   "",
                   "",
                   show_metrics,
                   200,
                   "text/plain; version=0.0.4; charset=utf-8",
                   false,
                   false,
                   true});
    all.push_back(
        {"GET", "/api/openapi.json", std::nullopt, tag, "This, for programs", {}, "", "OpenApi", show_openapi});
    all.push_back({"GET",
                   "/api/docs",
                   std::nullopt,
                   tag,
                   "This, for people",
                   {},
                   "",
                   "",
                   show_docs,
                   200,
                   "text/html; charset=utf-8"});
    all.push_back({"GET",
                   "/api/docs.css",
                   std::nullopt,
                   tag,
                   "How that looks",
                   {},
                   "",
                   "",
                   show_docs_style,
                   200,
                   "text/css; charset=utf-8"});
}

}  // namespace

const std::vector<Route>& routes() {
    static const std::vector<Route> table = [] {
        std::vector<Route> all;
        add_tasks(all);
        add_orders_to_tasks(all);
        add_logs_of_tasks(all);
        add_jobs(all);
        add_orders_to_jobs(all);
        add_steps_of_jobs(all);
        add_catalog(all);
        add_workers(all);
        add_queues(all);
        add_keys(all);
        add_schedules(all);
        add_recovery(all);
        add_everything(all);
        add_access(all);
        add_beside(all);
        return all;
    }();
    return table;
}

}  // namespace holdfast::api
