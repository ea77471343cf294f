#include "server/api/route.h"
#include "views/task_options.h"

namespace holdfast::api {

namespace {

using namespace schema;  // NOLINT(google-build-using-namespace): the vocabulary of this file

Json list(const std::string& item) {
    return object(
        {{"items", array(ref(item))}, {"next", nullable(any("where the next page begins; null: there is none"))}});
}

Json task_submission() {
    Members members = {{"name", text("of a task of the catalog, or of a function; not needed with a script")},
                       {"args", any("any JSON value")},
                       {"script", text("to run, once; needs the scope operate")},
                       {"spec", any("what to execute, whole, as a task's `spec` shows it; needs the scope operate")},
                       {"run_at", time("not before")},
                       {"delay", duration("not before this long from now")},
                       {"deadline", moment("EXPIRED when not started by then")},
                       {"id", uuid("of your own: submitting it again is harmless")},
                       {"idempotency_key", text("that only this task has: works as an id does")},
                       {"traceparent", text("W3C trace context")}};
    for (auto& option : views::option_schemas()) members.push_back(std::move(option));
    return form(members);
}

Json batch_of(Json items) {
    Json tasks = array(std::move(items));
    tasks["minItems"] = 1;
    tasks["maxItems"] = 1000;
    return form({{"tasks", std::move(tasks)}}, {"tasks"});
}

Json log_page(Json items) {
    return object({{"items", array(std::move(items))},
                   {"next", integer("an offset to go on from")},
                   {"ended", boolean("nothing more will come")}});
}

/// Adds the schemas of requests, and of the answers that are not records of views/.
void add_own(Json& all) {
    // Tasks
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
    all["Reason"] = form({{"reason", text("the reason, recorded in its history")}});
    all["Steered"] = object({{"id", uuid()}, {"status", text()}});
    all["Retried"] = object({{"id", uuid()}, {"retry_of", uuid()}});
    all["Force"] = form({{"state", word({"FAILED", "CANCELLED"})}, {"reason", text()}}, {"state", "reason"});
    all["LogPage"] = log_page(ref("LogLine"));
    all["StepLogPage"] = log_page({{"anyOf", Json::array({ref("StepLogLine"), ref("WholeEvent")})}});

    // Jobs
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

    // The catalog
    all["Yaml"] = form({{"yaml", text()}}, {"yaml"});
    all["Validation"] = object({{"valid", boolean()}, {"errors", array(ref("ConfigError"))}});

    // Workers, queues, schedules
    all["QueueSteered"] = object({{"queue", text()}, {"paused", boolean()}});
    all["KeyForm"] = form({{"limit", integer_between(1, 10'000, "how many of its tasks run at once")},
                           {"queue", text("the queue that it belongs to; this or shared")},
                           {"shared", boolean("true: the tasks of all queues share it")}},
                          {"limit"});
    all["KeyDeclared"] = object({{"key", text()},
                                 {"queue", nullable(text())},
                                 {"limit", integer()},
                                 {"status", word({"new", "changed", "unchanged"})}});
    all["KeyRemoved"] = object({{"key", text()}, {"queue", nullable(text())}, {"status", word({"removed"})}});
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

    // Recovery
    all["Threshold"] = form({{"threshold", duration("quiet for longer than this")}});
    all["Swept"] = object({{"services", array(ref("ServicePass"))}});
    all["Prune"] =
        form({{"dry_run", boolean("only count")},
              {"clock_is_right", boolean("remove even while the store's clock is in doubt: you have looked at it")}});

    // Access
    all["Session"] = object({{"name", text()},
                             {"scope", ref("Scope")},
                             {"queues", array(text())},
                             {"login", word({"none", "token"})},
                             {"session", nullable(uuid("of the page's login"))},
                             {"version", text()},
                             {"store", nullable(text("as in the overview"))}});
    all["Login"] = form({{"token", text()}}, {"token"});
    all["LoggedOut"] = object({{"status", word({"logged out"})}});
    all["TokenForm"] =
        form({{"name", text()}, {"scope", ref("Scope")}, {"queues", array(text())}, {"expires_in", duration()}},
             {"name", "scope"});
    all["SessionEnded"] = object({{"id", uuid()}, {"status", word({"ended"})}});
    all["TokenRevoked"] = object({{"name", text()}, {"status", word({"revoked"})}});
    all["Health"] = object({{"status", word({"ok"})}});
    Json ready = object(
        {{"status", word({"ready", "not ready"})},
         {"reason", text("why it is not ready")},
         {"checks", array(object({{"name", text()}, {"ok", boolean()}, {"detail", text()}}), "only with a token")}});
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
        Json made = views::components();
        add_own(made);
        for (const Route& route : routes())
            if (route.answer.ends_with("List"))
                made[route.answer] = list(route.answer.substr(0, route.answer.size() - 4));
        return made;
    }();
    return all;
}

}  // namespace holdfast::api
