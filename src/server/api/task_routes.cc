#include "core/task/task_state.h"
#include "server/api/route_groups.h"

namespace holdfast::api {

using store::Scope;

void add_tasks(std::vector<Route>& all) {
    const auto tag = "Tasks";
    all.push_back({"POST",
                   "/api/tasks",
                   Scope::Submit,
                   tag,
                   "Submit a task, or up to 1000 of them",
                   {},
                   "TaskSubmissions",
                   "SubmitAnswer",
                   submit_tasks,
                   201,
                   "application/json",
                   false,
                   true});
    all.push_back({"GET",
                   "/api/tasks",
                   Scope::Read,
                   tag,
                   "Tasks, newest first",
                   {{"state", states_of(values_of<TaskState>())},
                    {"name", schema::text()},
                    {"queue", schema::text()},
                    {"worker", schema::text("id or name of the worker of its current or last lease")},
                    id_prefix,
                    after_id,
                    limit},
                   "",
                   "TaskList",
                   list_tasks});
    all.push_back({"GET",
                   "/api/tasks/{id}",
                   Scope::Read,
                   tag,
                   "One task, and its life so far",
                   {},
                   "",
                   "TaskStory",
                   show_task});
    all.push_back({"GET",
                   "/api/tasks/{id}/wait",
                   Scope::Read,
                   tag,
                   "Wait until a task has ended",
                   {wait_timeout},
                   "",
                   "TaskEnding",
                   wait_for_task});
}

void add_orders_to_tasks(std::vector<Route>& all) {
    const auto tag = "Tasks";
    all.push_back({"POST",
                   "/api/tasks/{id}/cancel",
                   Scope::Operate,
                   tag,
                   "End a task, or ask its worker to",
                   {},
                   "Reason",
                   "Steered",
                   cancel_task});
    all.push_back({"POST",
                   "/api/tasks/{id}/retry",
                   Scope::Operate,
                   tag,
                   "Submit a copy of an ended task",
                   {},
                   "",
                   "Retried",
                   retry_task,
                   201});
    all.push_back({"POST",
                   "/api/tasks/{id}/force",
                   Scope::Operate,
                   tag,
                   "End a task at once, whatever its worker is doing",
                   {},
                   "Force",
                   "Steered",
                   force_task});
}

void add_logs_of_tasks(std::vector<Route>& all) {
    const auto tag = "Tasks";
    all.push_back({"GET",
                   "/api/tasks/{id}/logs",
                   Scope::Read,
                   tag,
                   "What the runs of a task printed",
                   {after_offset, limit},
                   "",
                   "LogPage",
                   read_task_log});
    all.push_back({"GET",
                   "/api/tasks/{id}/logs/stream",
                   Scope::Read,
                   tag,
                   "The same as a stream, until the task has ended",
                   {after_offset},
                   "",
                   "",
                   stream_task_log,
                   200,
                   "text/event-stream"});
}

}  // namespace holdfast::api
