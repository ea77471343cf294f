#pragma once

#include "server/api/call.h"

namespace holdfast::api {

// The handlers of the routes, one file for each resource. Each may throw Problem and the exceptions of the store.

// submit.cc
http::Reply submit_tasks(Call& call);
// tasks.cc
http::Reply list_tasks(Call& call);
http::Reply show_task(Call& call);
http::Reply wait_for_task(Call& call);
http::Reply cancel_task(Call& call);
http::Reply retry_task(Call& call);
http::Reply force_task(Call& call);
http::Reply read_task_log(Call& call);
http::Reply stream_task_log(Call& call);
// jobs.cc
http::Reply start_job(Call& call);
http::Reply list_jobs(Call& call);
http::Reply show_job(Call& call);
http::Reply show_job_definition(Call& call);
http::Reply wait_for_job(Call& call);
http::Reply cancel_job(Call& call);
http::Reply set_job_paused(Call& call, bool paused);
http::Reply retry_job(Call& call);
http::Reply decide_step(Call& call);
// job_steps.cc
http::Reply show_step(Call& call);
http::Reply read_step_log(Call& call);
// catalog.cc
http::Reply list_catalog_tasks(Call& call);
http::Reply show_catalog_task(Call& call);
http::Reply list_catalog_workflows(Call& call);
http::Reply show_catalog_workflow(Call& call);
http::Reply validate_yaml(Call& call);
// workers.cc
http::Reply list_workers(Call& call);
http::Reply show_worker(Call& call);
http::Reply list_worker_states(Call& call);
http::Reply order_worker(Call& call, store::WorkerOrder order);
http::Reply remove_worker(Call& call);
// queues.cc
http::Reply set_queue_paused(Call& call, bool paused);
http::Reply list_keys(Call& call);
http::Reply declare_key(Call& call);
http::Reply remove_key(Call& call);
// schedules.cc
http::Reply list_schedules(Call& call);
http::Reply apply_schedules(Call& call);
http::Reply show_schedule(Call& call);
http::Reply set_schedule_paused(Call& call, bool paused);
http::Reply run_schedule(Call& call);
http::Reply remove_schedule(Call& call);
// recovery.cc
http::Reply show_recovery(Call& call);
http::Reply list_stale_tasks(Call& call);
/// RUNNING tasks fail, CLAIMED ones are requeued.
http::Reply settle_stale(Call& call, TaskState state);
http::Reply sweep(Call& call);
http::Reply prune(Call& call);
// overview.cc, events.cc, audit.cc
http::Reply show_overview(Call& call);
http::Reply show_stats(Call& call);
http::Reply list_or_stream_events(Call& call);
http::Reply search_audit(Call& call);
// tokens.cc
http::Reply show_session(Call& call);
http::Reply log_in(Call& call);
http::Reply log_out(Call& call);
http::Reply end_session(Call& call);
http::Reply create_token(Call& call);
http::Reply revoke_token(Call& call);
// work.cc
http::Reply show_work_protocol(Call& call);
http::Reply register_work(Call& call);
http::Reply beat_work(Call& call);
http::Reply turn_work(Call& call);
http::Reply save_work_progress(Call& call);
http::Reply append_work_logs(Call& call);
http::Reply append_work_state(Call& call);
http::Reply leave_work(Call& call);
http::Reply testify_work(Call& call);
http::Reply stream_work(Call& call);
// health.cc, docs.cc
http::Reply show_health(Call& call);
http::Reply show_readiness(Call& call);
http::Reply show_metrics(Call& call);
http::Reply show_openapi(Call& call);
http::Reply show_docs(Call& call);
http::Reply show_docs_style(Call& call);

}  // namespace holdfast::api
