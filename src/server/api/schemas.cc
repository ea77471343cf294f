#include "server/api/schemas.h"

#include "core/task/task_state.h"
#include "core/workflow/job_state.h"

namespace holdfast::api {

namespace {

using namespace schema;  // NOLINT(google-build-using-namespace): the words of this file

template <typename States>
std::vector<std::string> words_of(const States& states) {
    std::vector<std::string> words;
    for (const auto state : states) words.emplace_back(to_text(state));
    return words;
}

Json list(const std::string& item) {
    return object(
        {{"items", array(ref(item))}, {"next", nullable(any("where the next page begins; null: there is none"))}});
}

Json counts(const std::vector<std::string>& names) {
    Members members;
    for (const std::string& name : names) members.emplace_back(name, integer());
    return object(members);
}

// ---- Tasks --------------------------------------------------------------------------------------

Json retry_form() {
    return form({{"max_attempts", integer("all attempts together; 1: no retry")},
                 {"delays", array(duration(), "what each retry waits; the last one repeats")},
                 {"base", duration("without delays: what the first retry waits")},
                 {"factor", number("... times this for each further one")},
                 {"cap", duration("... but at most this long")},
                 {"jitter", number("plus or minus this part of it, 0 to 1")},
                 {"retry_on", array(text(), "only after these error codes")}});
}

Json task_submission() {
    return form({{"name", text("of a task of the catalog, or of a function; not needed with a script")},
                 {"args", any("any JSON value")},
                 {"script", text("to run, once; needs the scope operate")},
                 {"spec", any("what to execute, whole, as a task's `spec` shows it; needs the scope operate")},
                 {"queue", text()},
                 {"priority", integer("1 to 100, lower first")},
                 {"tags", array(text(), "that its worker must carry, beside those that its kind needs")},
                 {"run_at", time("not before")},
                 {"delay", duration("not before this long from now")},
                 {"deadline", moment("EXPIRED when not started by then")},
                 {"timeout", duration("of one attempt")},
                 {"concurrency", form({{"key", text()}, {"limit", integer()}})},
                 {"retry", retry_form()},
                 {"on_crash", word({"fail", "requeue"})},
                 {"max_crashes", integer()},
                 {"fence", word({"auto", "stop", "continue"})},
                 {"unmatched", word({"wait", "fail"})},
                 {"id", uuid("of your own: submitting it again is harmless")},
                 {"idempotency_key", text("that only this task has: works as an id does")},
                 {"traceparent", text("W3C trace context")}});
}

Json batch_of(Json items) {
    Json tasks = array(std::move(items));
    tasks["minItems"] = 1;
    tasks["maxItems"] = 1000;
    return form({{"tasks", std::move(tasks)}}, {"tasks"});
}

Json error() {
    return object({{"code", text()}, {"message", text()}, {"data", any()}});
}

Json progress() {
    return object({{"fraction", number()}, {"text", text()}, {"at", time()}});
}

Json task() {
    return object({{"id", uuid()},
                   {"name", text()},
                   {"state", word(words_of(core::task_states()))},
                   {"waits_for", nullable(text())},
                   {"queue", text()},
                   {"priority", integer()},
                   {"tags", array(text())},
                   {"args", any()},
                   {"spec", any()},
                   {"result", any()},
                   {"error", nullable(ref("Error"))},
                   {"created_at", time()},
                   {"run_at", nullable(time())},
                   {"deadline", nullable(time())},
                   {"claimed_at", nullable(time())},
                   {"started_at", nullable(time())},
                   {"finished_at", nullable(time())},
                   {"attempts", integer()},
                   {"crashes", integer()},
                   {"requeues", integer()},
                   {"lease", nullable(integer())},
                   {"worker", nullable(uuid())},
                   {"cancel_requested", boolean()},
                   {"retry_of", nullable(uuid())},
                   {"idempotency_key", nullable(text())},
                   {"traceparent", nullable(text("W3C trace context of whoever submitted it"))},
                   {"concurrency", nullable(object({{"key", text()}, {"limit", integer()}}))},
                   {"policy", any()},
                   {"progress", nullable(ref("Progress"))},
                   {"checkpoint", any()}});
}

Json attempt() {
    return object({{"number", integer()},
                   {"end", text()},
                   {"error", nullable(ref("Error"))},
                   {"lease", integer()},
                   {"worker", nullable(uuid())},
                   {"claimed_at", time()},
                   {"started_at", time()},
                   {"finished_at", time()}});
}

Members event_members() {
    return {{"id", integer()},   {"at", time()},
            {"kind", text()},    {"who", text("a person, a worker, a sweeper")},
            {"message", text()}, {"worker", nullable(uuid())},
            {"data", any()}};
}

Json whole_event() {
    Members members = event_members();
    members.emplace_back("task", nullable(uuid()));
    members.emplace_back("job", nullable(uuid()));
    return object(members);
}

Members log_members() {
    return {{"offset", integer()}, {"at", time()}, {"lease", integer()}, {"stream", text()}, {"text", text()}};
}

Json step_log_line() {
    Members members{{"step", text()}, {"task", uuid()}};
    for (auto& member : log_members()) members.push_back(std::move(member));
    return object(members);
}

Json log_page(Json items) {
    return object({{"items", array(std::move(items))},
                   {"next", integer("an offset to go on from")},
                   {"ended", boolean("nothing more will come")}});
}

void add_tasks(Json& all) {
    all["Error"] = error();
    all["Progress"] = progress();
    all["Task"] = task();
    all["Attempt"] = attempt();
    all["Event"] = object(event_members());
    all["WholeEvent"] = whole_event();
    all["WholeEventList"] = list("WholeEvent");
    all["TaskList"] = list("Task");
    all["TaskStory"] =
        object({{"task", ref("Task")},
                {"step", nullable(object({{"job", uuid()}, {"name", text()}, {"hook", boolean()}}))},
                {"waiting",
                 nullable(object(
                     {{"for", text()}, {"sentence", text()}, {"tasks", array(uuid())}, {"workers", array(text())}}))},
                {"attempts", array(ref("Attempt"))},
                {"events", array(ref("Event"))}});
    all["TaskSubmission"] = task_submission();
    all["TaskBatch"] = batch_of(ref("TaskSubmission"));
    all["TaskSubmissions"] = {{"anyOf", Json::array({ref("TaskSubmission"), ref("TaskBatch")})}};
    all["TaskBatchFrame"] = batch_of(any("checked one by one"));
    const Json in_force = nullable(integer("the limit in force for its concurrency key; null: it has none"));
    all["Submitted"] = object({{"id", uuid()}, {"status", word({"accepted", "existing"})}});
    all["SubmittedTask"] =
        object({{"id", uuid()}, {"status", word({"accepted", "existing"})}, {"concurrency_limit", in_force}});
    all["SubmittedBatch"] = object(
        {{"items", array(object({{"id", nullable(uuid())},
                                 {"status", word({"accepted", "existing", "payload_mismatch", "too_old", "refused"})},
                                 {"detail", nullable(text())},
                                 {"concurrency_limit", in_force}}))}});
    all["SubmitAnswer"] = {{"anyOf", Json::array({ref("SubmittedTask"), ref("SubmittedBatch")})}};
    all["TaskEnding"] = object({{"id", uuid()}, {"timed_out", boolean()}, {"task", nullable(ref("Task"))}});
    all["Reason"] = form({{"reason", text("why, for those who read its history")}});
    all["Steered"] = object({{"id", uuid()}, {"status", text()}});
    all["Retried"] = object({{"id", uuid()}, {"retry_of", uuid()}});
    all["Force"] = form({{"state", word({"FAILED", "CANCELLED"})}, {"reason", text()}}, {"state", "reason"});
    all["LogLine"] = object(log_members());
    all["LogPage"] = log_page(ref("LogLine"));
    all["StepLogLine"] = step_log_line();
    all["StepLogPage"] = log_page({{"anyOf", Json::array({ref("StepLogLine"), ref("WholeEvent")})}});
}

// ---- Jobs ---------------------------------------------------------------------------------------

Members step_members() {
    return {{"name", text()},
            {"item", nullable(integer())},
            {"hook", boolean()},
            {"kind", word({"task", "workflow", "approval", "wait"})},
            {"state", word(words_of(core::step_states()))},
            {"task", nullable(uuid())},
            {"child", nullable(uuid())},
            {"attempts", integer()},
            {"ready_at", nullable(time())},
            {"started_at", nullable(time())},
            {"finished_at", nullable(time())},
            {"wakes_at", nullable(time())},
            {"message", nullable(text())},
            {"output", any()},
            {"error", nullable(ref("Error"))},
            {"progress", nullable(ref("Progress"))},
            {"items", nullable(ref("StepCounts"))}};
}

Json job() {
    return object({{"id", uuid()},
                   {"workflow", text()},
                   {"state", word(words_of(core::job_states()))},
                   {"input", any()},
                   {"output", any()},
                   {"error", nullable(ref("Error"))},
                   {"cancel_requested", boolean()},
                   {"created_at", time()},
                   {"started_at", nullable(time())},
                   {"finished_at", nullable(time())},
                   {"deadline", nullable(time())},
                   {"root", nullable(uuid())},
                   {"parent", nullable(uuid())},
                   {"parent_step", nullable(text())},
                   {"depth", integer()},
                   {"retry_of", nullable(uuid())},
                   {"steps", ref("StepCounts")}});
}

Json graph_step() {
    Members members = step_members();
    members.emplace_back("depends_on", array(text()));
    return object(members);
}

void add_jobs(Json& all) {
    all["StepCounts"] = counts({"waiting", "ready", "running", "completed", "failed", "skipped", "cancelled"});
    all["Job"] = job();
    all["JobList"] = list("Job");
    all["Step"] = object(step_members());
    all["GraphStep"] = graph_step();
    all["JobStory"] = object({{"job", ref("Job")},
                              {"steps", array(ref("GraphStep"))},
                              {"edges", array(object({{"from", text()}, {"to", text()}}))}});
    all["JobSubmission"] = form({{"workflow", text("its name in the catalog or, with yaml, in that text")},
                                 {"yaml", text("a definition of one's own; needs the scope operate")},
                                 {"definition", any("the same as a bundle, as a job's definition shows it")},
                                 {"input", any("an object")},
                                 {"id", uuid("of your own: starting it again is harmless")}});
    all["JobEnding"] = object({{"id", uuid()}, {"timed_out", boolean()}, {"job", nullable(ref("Job"))}});
    all["Definition"] = any("the bundle: the workflow with all that it starts");
    all["StepStory"] = object({{"step", ref("Step")}, {"items", array(ref("Step"))}});
    all["JobRetry"] = form({{"id", uuid("of your own: retrying it again is harmless")}});
    all["Decision"] = form({{"approve", boolean()}, {"reason", text()}}, {"approve"});
    all["Decided"] = object({{"id", uuid()}, {"step", text()}, {"status", word({"approved", "rejected"})}});
}

// ---- The catalog --------------------------------------------------------------------------------

void add_catalog(Json& all) {
    all["Retry"] = object({{"max_attempts", integer()},
                           {"delays", array(duration())},
                           {"base", duration()},
                           {"factor", number()},
                           {"cap", duration()},
                           {"jitter", number()},
                           {"retry_on", array(text())}});
    all["CatalogTask"] = object({{"name", text()},
                                 {"kind", word({"function", "script", "container", "pod"})},
                                 {"queue", text()},
                                 {"tags", array(text())},
                                 {"priority", integer()},
                                 {"timeout", nullable(duration())},
                                 {"retry", ref("Retry")},
                                 {"on_crash", word({"fail", "requeue"})},
                                 {"concurrency_key", nullable(text())},
                                 {"parameters", array(text(), "members of the arguments that its templates use")}});
    all["CatalogTaskList"] = list("CatalogTask");
    all["CatalogWorkflow"] = object({{"name", text()},
                                     {"description", nullable(text())},
                                     {"timeout", nullable(duration())},
                                     {"input", array(object({{"name", text()},
                                                             {"type", text()},
                                                             {"required", boolean()},
                                                             {"default", any()},
                                                             {"enum", nullable(array(any()))},
                                                             {"description", nullable(text())}}))},
                                     {"steps", array(object({{"name", text()},
                                                             {"kind", text()},
                                                             {"depends_on", array(text())},
                                                             {"task", nullable(text())},
                                                             {"workflow", nullable(text())}}))}});
    all["CatalogWorkflowList"] = list("CatalogWorkflow");
    all["Yaml"] = form({{"yaml", text()}}, {"yaml"});
    all["Validation"] = object({{"valid", boolean()},
                                {"errors", array(object({{"where", text()},
                                                         {"key", nullable(text())},
                                                         {"title", text()},
                                                         {"found", nullable(text())},
                                                         {"allowed", nullable(text())},
                                                         {"suggestion", nullable(text())}}))}});
}

// ---- Workers, queues, schedules -----------------------------------------------------------------

void add_workers(Json& all) {
    all["Worker"] = object({{"id", uuid()},
                            {"name", text()},
                            {"status", word({"active", "draining", "inactive"})},
                            {"cordoned", boolean()},
                            {"drain_requested", boolean()},
                            {"fresh", boolean()},
                            {"last_heartbeat", nullable(time())},
                            {"seconds_ago", number()},
                            {"running", integer()},
                            {"claimed", integer()},
                            {"capacity", integer()},
                            {"queues", array(text())},
                            {"tags", array(text())},
                            {"version", text()},
                            {"host", text()},
                            {"pid", integer()},
                            {"registered_at", time()}});
    all["WorkerList"] = list("Worker");
    all["WorkerState"] = object({{"at", time()},
                                 {"running", integer()},
                                 {"claimed", integer()},
                                 {"capacity", integer()},
                                 {"cpu_percent", number()},
                                 {"memory_mb", number()},
                                 {"machine_load", number()}});
    all["WorkerStateList"] = list("WorkerState");
    all["WorkerStory"] =
        object({{"worker", ref("Worker")},
                {"tasks", array(object({{"id", uuid()}, {"name", text()}, {"state", text()}, {"lease", integer()}}))},
                {"machine", nullable(ref("WorkerState"))},
                {"events", array(ref("Event"))}});
    all["Queue"] =
        object({{"name", text()}, {"paused", boolean()}, {"pending", integer()}, {"in_flight", integer()}});
    all["QueueList"] = list("Queue");
    all["QueueSteered"] = object({{"queue", text()}, {"paused", boolean()}});
    all["Key"] = object({{"key", text()},
                         {"queue", nullable(text("whose it is; null: shared by all"))},
                         {"shared", boolean()},
                         {"limit", integer("the one in force")},
                         {"declared", boolean("its limit is fixed; otherwise it follows the submits")},
                         {"held", integer("tasks that are CLAIMED or RUNNING")},
                         {"waiting", integer("tasks that have found it full")}});
    all["KeyList"] = list("Key");
    all["KeyForm"] = form({{"limit", integer_between(1, 10'000, "how many of its tasks run at once")},
                           {"queue", text("the queue that it belongs to; this or shared")},
                           {"shared", boolean("true: the tasks of all queues share it")}},
                          {"limit"});
    all["KeyDeclared"] = object({{"key", text()},
                                 {"queue", nullable(text())},
                                 {"limit", integer()},
                                 {"status", word({"new", "changed", "unchanged"})}});
    all["KeyRemoved"] = object({{"key", text()}, {"queue", nullable(text())}, {"status", word({"removed"})}});
    all["Schedule"] = object({{"name", text()},
                              {"paused", boolean()},
                              {"timing", any()},
                              {"workflow", nullable(text())},
                              {"input", any()},
                              {"created_at", time()},
                              {"decided_until", time()},
                              {"last_job", nullable(uuid())},
                              {"last_state", nullable(text())},
                              {"next", array(object({{"at", time()}, {"local", text()}}))},
                              {"problem", nullable(text())}});
    all["ScheduleList"] = list("Schedule");
    all["ScheduleSteered"] = object({{"schedule", text()}, {"status", word({"paused", "resumed", "removed"})}});
    all["ScheduleForm"] = form({{"schedules", array(form({{"name", text()},
                                                          {"timing", any("as GET shows it")},
                                                          {"definition", any("a bundle, as of a job")},
                                                          {"input", any()}},
                                                         {"name", "timing", "definition"}))},
                                {"dry_run", boolean()}},
                               {"schedules"});
    all["ScheduleChange"] =
        object({{"schedule", text()}, {"status", word({"new", "changed", "unchanged", "not_configured"})}});
    all["ScheduleChanges"] = list("ScheduleChange");
    all["ScheduleRun"] = object({{"id", uuid()}, {"schedule", text()}});
}

// ---- Recovery -----------------------------------------------------------------------------------

Json recovery_event() {
    Members members = event_members();
    members.emplace_back("task", nullable(uuid()));
    return object(members);
}

Json replica() {
    return object({{"id", uuid()},
                   {"host", text()},
                   {"pid", integer()},
                   {"version", text()},
                   {"address", text()},
                   {"started_at", time()},
                   {"last_heartbeat", time()},
                   {"seconds_ago", number()},
                   {"sweeping", boolean()}});
}

void add_recovery(Json& all) {
    all["Replica"] = replica();
    all["ReplicaList"] = list("Replica");
    all["Recovery"] = object(
        {{"sweeper", nullable(text())},
         {"services", array(object({{"service", text()},
                                    {"who", text()},
                                    {"at", time()},
                                    {"did", any()},
                                    {"failure", nullable(text())}}))},
         {"by_evidence", map(integer())},
         {"workers",
          array(object({{"id", uuid()}, {"name", text()}, {"host", text()}, {"evidence", text()}, {"how", text()}}))},
         {"events", array(recovery_event())},
         {"replicas", array(ref("Replica"))}});
    all["StaleTask"] = object({{"id", uuid()},
                               {"name", text()},
                               {"state", text()},
                               {"lease", integer()},
                               {"worker", uuid()},
                               {"worker_name", nullable(text())},
                               {"host", nullable(text())},
                               {"worker_is_alive", boolean()},
                               {"quiet_seconds", number()}});
    all["StaleTaskList"] = list("StaleTask");
    all["Threshold"] = form({{"threshold", duration("quiet for longer than this")}});
    all["Settled"] = object({{"settled", integer()}, {"asked", integer()}});
    all["Swept"] = object({{"services", array(any("its counts, remarks, and why it failed, by name"))}});
    all["Prune"] =
        form({{"dry_run", boolean("only count")},
              {"clock_is_right", boolean("remove even while the store's clock is in doubt: you have looked at it")}});
    all["Pruned"] = object({{"dry_run", boolean()},
                            {"tasks", integer()},
                            {"jobs", integer()},
                            {"workers", integer()},
                            {"heartbeats", integer()},
                            {"worker_states", integer()},
                            {"more", boolean()},
                            {"doubt", nullable(text("why nothing was removed"))}});
}

// ---- Everything ---------------------------------------------------------------------------------

Json percentiles() {
    return object({{"p50", nullable(number())},
                   {"p95", nullable(number())},
                   {"p99", nullable(number())},
                   {"max", nullable(number())}});
}

void add_overview(Json& all) {
    all["TaskCounts"] = counts({"pending", "claimed", "running", "completed", "failed", "cancelled", "expired"});
    all["JobCounts"] = counts({"pending", "running", "paused", "completed", "failed", "cancelled"});
    all["Overview"] =
        object({{"now", time()},
                {"version", text()},
                {"store", text()},
                {"tasks", ref("TaskCounts")},
                {"jobs", ref("JobCounts")},
                {"workers", counts({"fresh", "stale", "draining", "inactive", "capacity", "busy"})},
                {"queues", array(ref("Queue"))},
                {"oldest_waiting", nullable(object({{"task", uuid()}, {"seconds", number()}}))},
                {"attention", array(object({{"kind", text()},
                                            {"severity", word({"problem", "warning"})},
                                            {"text", text()},
                                            {"link", object({{"page", text()}, {"id", nullable(text())}})},
                                            {"count", integer()}}))}});
    all["Percentiles"] = percentiles();
    all["Stats"] = object(
        {{"window_seconds", number()},
         {"complete", boolean()},
         {"ended", integer()},
         {"buckets", array(object({{"at", time()},
                                   {"completed", integer()},
                                   {"failed", integer()},
                                   {"cancelled", integer()},
                                   {"expired", integer()},
                                   {"recovered", integer()}}))},
         {"wait", ref("Percentiles")},
         {"run", ref("Percentiles")},
         {"names",
          array(object(
              {{"name", text()}, {"completed", integer()}, {"failed", integer()}, {"run", ref("Percentiles")}}))}});
}

// ---- Access -------------------------------------------------------------------------------------

Members token_members() {
    return {{"id", uuid()},
            {"name", text()},
            {"scope", word({"read", "submit", "operate", "admin"})},
            {"queues", array(text())},
            {"created_at", time()},
            {"created_by", text()},
            {"expires_at", nullable(time())},
            {"revoked_at", nullable(time())},
            {"last_used_at", nullable(time())},
            {"last_used_from", nullable(text())}};
}

void add_access(Json& all) {
    all["Session"] = object({{"name", text()},
                             {"scope", word({"read", "submit", "operate", "admin"})},
                             {"queues", array(text())},
                             {"login", word({"none", "token"})},
                             {"version", text()},
                             {"store", text()}});
    all["Login"] = form({{"token", text()}}, {"token"});
    all["LoggedOut"] = object({{"status", word({"logged out"})}});
    all["Token"] = object(token_members());
    all["TokenList"] = list("Token");
    Members with_secret = token_members();
    with_secret.emplace_back("token", text("the secret, shown this once"));
    all["NewToken"] = object(with_secret);
    all["TokenForm"] = form({{"name", text()},
                             {"scope", word({"read", "submit", "operate", "admin"})},
                             {"queues", array(text())},
                             {"expires_in", duration()}},
                            {"name", "scope"});
    all["TokenRevoked"] = object({{"name", text()}, {"status", word({"revoked"})}});
    all["Health"] = object({{"status", word({"ok"})}});
    Json ready = object({{"status", word({"ready", "not ready"})},
                         {"reason", text("why it is not ready")},
                         {"checks", array(object({{"name", text()}, {"ok", boolean()}, {"detail", text()}}),
                                          "only for those with a token")}});
    ready["required"] = Json::array({"status"});
    all["Ready"] = ready;
    all["OpenApi"] = any("an OpenAPI 3.1 document");
    Json problem =
        object({{"type", text()}, {"title", text()}, {"status", integer()}, {"detail", text()}, {"code", text()}});
    problem["properties"]["errors"] = array(object({{"where", text()}, {"detail", text()}}));
    all["Problem"] = problem;
}

}  // namespace

const Json& schemas() {
    static const Json all = [] {
        Json made = Json::object();
        add_tasks(made);
        add_jobs(made);
        add_catalog(made);
        add_workers(made);
        add_recovery(made);
        add_overview(made);
        add_access(made);
        return made;
    }();
    return all;
}

}  // namespace holdfast::api
