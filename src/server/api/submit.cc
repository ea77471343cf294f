#include "base/text.h"
#include "client/operations.h"
#include "config/catalog.h"
#include "core/json_text.h"
#include "server/api/definitions.h"
#include "server/api/resources.h"
#include "views/task_options.h"

namespace holdfast::api {

namespace {

using config::Submission;

// ---- The work -----------------------------------------------------------------------------------

core::TaskSpec read_spec(const Value& value) {
    auto spec = core::parse_task_spec(value.dump());
    if (!spec.ok()) throw Problem("REFUSED", concat("spec: ", spec.error()));
    return std::move(spec).value();
}

Submission from_catalog(const config::Catalog& catalog, const std::string& name, const Value& args) {
    const auto definition = catalog.find(name);
    if (definition == catalog.end()) return {.name = name};
    auto submission = config::submission_of(definition->second, args);
    if (!submission.ok()) throw Problem("REFUSED", submission.error());
    return std::move(submission).value();
}

/// Overrides the work of a catalog definition with the script or specification of the item, if it has one.
void override_work(const Value& item, bool is_function, Submission& submission) {
    const auto script = given<std::string>(item, "script");
    const auto spec = given<Value>(item, "spec");
    if (script && spec) throw Problem("BAD_PARAMETER", "script and spec say the same: give one of them");
    if (!script && !spec) return;
    if (is_function)
        throw Problem("REFUSED",
                      concat("task ", submission.name, " is a function: script and spec have no meaning for it"));
    if (spec) submission.spec = read_spec(*spec);
    if (script && !submission.spec) submission.spec.emplace();
    if (script) submission.spec->script = *script;
}

Submission read_work(Call& call, const Value& item) {
    const config::Catalog& catalog = call.config().tasks;
    const std::string name = text_in(item, "name");
    const bool brings_its_own = given<Value>(item, "script") || given<Value>(item, "spec");
    if (name.empty() && !brings_its_own)
        throw Problem("BAD_PARAMETER", "a submit needs the name of a task, a script or a spec");
    Submission submission = from_catalog(catalog, name, item.value("args", Value()));
    const auto known = submission.spec;
    override_work(item, catalog.contains(name) && !submission.spec, submission);
    // A client with the same catalog sends what it defines.
    if (brings_its_own && submission.spec != known) require_own_work(call);
    if (submission.name.empty())
        submission.name = submission.spec && submission.spec->kind != core::TaskKind::Script ? "container" : "script";
    return submission;
}

// ---- The options --------------------------------------------------------------------------------

void read_times(Call& call, const Value& item, Submission& submission) {
    SubmitOptions& options = submission.options;
    const auto run_at = given<std::string>(item, "run_at"), deadline = given<std::string>(item, "deadline");
    const auto delay = length_in(item, "delay");
    if (run_at && delay) throw Problem("BAD_PARAMETER", "run_at and delay say the same: give one of them");
    if (run_at) options.run_at = parse_timestamp(*run_at);
    const auto fixed = deadline ? parse_timestamp(*deadline) : std::nullopt;
    if (fixed) options.deadline = fixed;
    const auto relative = deadline ? length_in(item, "deadline") : submission.deadline;
    if (!delay && (fixed || !relative)) return;
    const Timestamp now = call.store().now();
    if (delay) options.run_at = now + *delay;
    if (!fixed && relative) options.deadline = now + *relative;
}

void read_treatment(Call& call, const Value& item, Submission& submission) {
    SubmitOptions& options = submission.options;
    options.id = id_in(item);
    options.idempotency_key = text_in(item, "idempotency_key");
    options.traceparent = text_in(item, "traceparent");
    views::read_options(item, options);
    const bool has_key = options.concurrency && !options.concurrency->key.empty();
    if (given<Value>(item, "concurrency") && !has_key) throw Problem("BAD_PARAMETER", "concurrency.key is missing");
    read_times(call, item, submission);
}

/// Returns the task of an item. `written`: the text of the item, from which the arguments are kept byte for byte.
store::NewTask read_task(Call& call, const Value& item, std::string_view written) {
    Submission submission = read_work(call, item);
    read_treatment(call, item, submission);
    call.caller.require_queue(submission.options.queue);
    std::string args = item.contains("args") ? std::string(core::json_member(written, "args")) : "null";
    if (submission.spec)
        return client::specified_task(submission.name, std::move(args), *submission.spec, submission.options);
    return client::function_task(submission.name, std::move(args), submission.options);
}

// ---- One task -----------------------------------------------------------------------------------

/// Returns the item, with members that the body omits taken from headers.
Value with_headers(const http::Request& request, Value item) {
    const auto take_over = [&](const char* member, std::string_view header) {
        if (!header.empty() && !given<Value>(item, member)) item[member] = header;
    };
    take_over("idempotency_key", request.header("idempotency-key"));
    take_over("traceparent", request.header("traceparent"));
    return item;
}

Json limit_in_force(const SubmitOutcome& outcome) {
    return outcome.concurrency_limit ? Json(*outcome.concurrency_limit) : Json();
}

http::Response submitted(const SubmitOutcome& outcome, const store::NewTask& task) {
    const std::string id = outcome.id.to_string();
    switch (outcome.status) {
        case SubmitStatus::Accepted:
        case SubmitStatus::Existing:
            return answer(
                {{"id", id}, {"status", word_of(outcome.status)}, {"concurrency_limit", limit_in_force(outcome)}},
                outcome.status == SubmitStatus::Accepted ? 201 : 200);
        case SubmitStatus::PayloadMismatch:
            if (outcome.id.is_nil())
                throw Problem("PAYLOAD_MISMATCH", "the id or idempotency key is taken: choose another one");
            throw Problem("PAYLOAD_MISMATCH",
                          concat("task ", id, " has the same ", outcome.id == task.id ? "id" : "idempotency key",
                                 " but another name, arguments, queue, tags or policy"));
        case SubmitStatus::TooOld:
            throw Problem(
                "TOO_OLD",
                concat("the id ", task.id.to_string(),
                       " is older than ended tasks are kept, so its task may have run already; use a new id"));
        case SubmitStatus::Refused:
            break;
    }
    throw Problem("REFUSED", outcome.complaint);
}

http::Response submit_one(Call& call) {
    const store::NewTask task = read_task(call, with_headers(call.request, call.body), call.request.body);
    return submitted(client::submit_all(call.store(), {task}).front(), task);
}

// ---- A batch of tasks ---------------------------------------------------------------------------

Json refused_item(const std::string& detail) {
    return {{"id", nullptr}, {"status", "refused"}, {"detail", detail}, {"concurrency_limit", nullptr}};
}

/// A batch: an answer for each item, the valid tasks, and for each task the index of its item.
struct Batch {
    Json answers = Json::array();
    std::vector<store::NewTask> tasks = {};
    std::vector<std::size_t> places = {};
};

void read_item(Call& call, const Value& item, std::string_view written, Batch& batch) {
    try {
        const auto faults = schema::faults_of(item, schemas().at("TaskSubmission"), schemas());
        if (!faults.empty()) {
            batch.answers.push_back(refused_item(concat(faults.front().where, " ", faults.front().detail)));
            return;
        }
        batch.tasks.push_back(read_task(call, item, written));
        batch.places.push_back(batch.answers.size());
        batch.answers.push_back(nullptr);
    } catch (const Problem& problem) {
        batch.answers.push_back(refused_item(problem.what()));
    } catch (const BadInput& refusal) {
        batch.answers.push_back(refused_item(refusal.what()));
    }
}

http::Response submit_many(Call& call) {
    if (!call.request.header("idempotency-key").empty())
        throw Problem("BAD_PARAMETER",
                      "Idempotency-Key is for one task; give each of many an idempotency_key of its own");
    Batch batch;
    const Value& items = call.body.at("tasks");
    const auto written = core::json_elements(core::json_member(call.request.body, "tasks"));
    for (std::size_t i = 0; i < items.size(); ++i) read_item(call, items[i], written.at(i), batch);
    const auto outcomes = client::submit_all(call.store(), batch.tasks);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const SubmitOutcome& outcome = outcomes[i];
        batch.answers[batch.places[i]] = {{"id", outcome.id.to_string()},
                                          {"status", word_of(outcome.status)},
                                          {"detail", outcome.complaint.empty() ? Json() : Json(outcome.complaint)},
                                          {"concurrency_limit", limit_in_force(outcome)}};
    }
    return answer({{"items", std::move(batch.answers)}});
}

}  // namespace

http::Reply submit_tasks(Call& call) {
    return call.body.contains("tasks") ? submit_many(call) : submit_one(call);
}

}  // namespace holdfast::api
