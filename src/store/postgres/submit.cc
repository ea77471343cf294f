#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "core/task/function_tag.h"
#include "core/task/task_options.h"
#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::NewTask;
using store::SubmitOutcome;
using store::SubmitStatus;

/// Batches of acceptable items in which neither an id nor an idempotency key occurs twice, in the order given: the
/// first of several limits of a key settles it.
std::vector<Batch> batches_of(const std::vector<NewTask>& tasks, const std::vector<SubmitOutcome>& outcomes) {
    std::unordered_set<Uuid> ids;
    std::unordered_set<std::string_view> keys;
    const auto start = [&] {
        ids.clear();
        keys.clear();
    };
    auto batches = split_batches(tasks.size(), start, [&](std::size_t index) {
        const auto& task = tasks[index];
        const bool id_is_new = ids.insert(task.id).second;
        const bool key_is_new = task.idempotency_key.empty() || keys.insert(task.idempotency_key).second;
        return !id_is_new || !key_is_new;
    });
    for (auto& batch : batches)
        std::erase_if(batch, [&](std::size_t index) { return outcomes[index].status == SubmitStatus::Refused; });
    return batches;
}

SubmitStatus read_status(std::string_view text) {
    if (text == "accepted") return SubmitStatus::Accepted;
    if (text == "existing") return SubmitStatus::Existing;
    if (text == "mismatch") return SubmitStatus::PayloadMismatch;
    if (text == "too_new") return SubmitStatus::Refused;
    return SubmitStatus::TooOld;
}

/// Whether the short statement can accept it: it has no key, idempotency key or policy, and need not wait.
bool is_plain(const NewTask& task) {
    return !task.concurrency && task.idempotency_key.empty() && !task.run_at && task.policy == TaskPolicy();
}

std::size_t payload_bytes(const NewTask& task) {
    return task.args.size() + task.spec.size();
}

std::vector<PlainSubmit*> pointers_to(std::vector<PlainSubmit>& submits) {
    std::vector<PlainSubmit*> pointers;
    for (auto& submit : submits) pointers.push_back(&submit);
    return pointers;
}

/// The server's clock, when a submitter whose clock leads by as much as it may can have made the id.
Timestamp earliest_submit(const Uuid& id) {
    return Timestamp(std::chrono::milliseconds(id.unix_milliseconds() + 1)) - store::most_clock_lead;
}

auto plain_values(const PlainSubmit* submit) {
    const auto& task = submit->task;
    return std::tuple(task.id, earliest_submit(task.id), task.name, task.args, store::unless_empty(task.spec),
                      submit->route, task.priority, task.deadline, unless_nil(task.retry_of),
                      store::unless_empty(task.traceparent), by_name(task));
}

#define HOLDFAST_ADD_TASK                                                                                   \
    "WITH added AS (INSERT INTO holdfast.task (id, name, args, spec, route_id, priority, run_at, deadline," \
    " retry_of, created_at, traceparent, by_name) SELECT "
#define HOLDFAST_MAKE_READY                                                                                \
    " RETURNING id, run_at, deadline, route_id, priority"                                                  \
    "), due AS (INSERT INTO holdfast.ready (task_id, run_at, deadline, last_lease, route_id, priority,"    \
    " attempts, crashes, requeues) SELECT id, run_at, deadline, 0, route_id, priority, 0, 0, 0 FROM added" \
    " RETURNING 1) "

/// One task, with a fifth less work for the server than an array of one.
Command single_command(const PlainSubmit* submit) {
    return {HOLDFAST_ADD_TASK
            "$1, $3, $4, $5, $6, $7, c.at, $8, $9, c.at, $10, $11"
            " FROM (SELECT holdfast.now() AS at OFFSET 0) c WHERE $2 <= c.at" HOLDFAST_MAKE_READY
            "SELECT holdfast.admit(count(*), 1, $1) FROM due",
            std::apply([](const auto&... values) { return Params(values...); }, plain_values(submit))};
}

/// Accepts all of them, in the order of their ids, or none. Overtaken: one was there before, may have been there and
/// was removed, or is from the future. (Without ON CONFLICT, which costs a fifth of the statement: that a task is
/// there before is rare, and the long way tells about it.)
Command plain_command(const std::vector<PlainSubmit*>& submits) {
    if (submits.size() == 1) return single_command(submits.front());
    auto params = columns(submits, plain_values);
    params.add(std::ssize(submits));
    params.add(submits.front()->task.id);
    return {HOLDFAST_ADD_TASK
            "g.id, g.name, g.args, g.spec, g.route_id, g.priority, c.at, g.deadline, g.retry_of, c.at,"
            " g.traceparent, g.by_name FROM (SELECT holdfast.now() AS at OFFSET 0) c"
            " CROSS JOIN unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
            " AS g (id, earliest, name, args, spec, route_id, priority, deadline, retry_of, traceparent, by_name)"
            " WHERE g.earliest <= c.at" HOLDFAST_MAKE_READY "SELECT holdfast.admit(count(*), $12, $13) FROM due",
            std::move(params)};
}

#undef HOLDFAST_ADD_TASK
#undef HOLDFAST_MAKE_READY

}  // namespace

std::optional<bool> by_name(const NewTask& task) {
    const bool is_named_by_its_route = std::ranges::find(task.tags, core::function_tag(task.name)) != task.tags.end();
    return is_named_by_its_route ? std::nullopt : std::optional(true);
}

Command submit_command(const std::vector<NewTask>& tasks, const Batch& batch, const std::vector<int>& routes,
                       const std::vector<bool>* too_old) {
    const auto values_of = [&](std::size_t index) {
        const auto& task = tasks[index];
        const auto& concurrency = task.concurrency;
        const auto policy = core::encode_policy(task.policy);
        return std::tuple(task.id, task.name, task.args, store::unless_empty(task.spec), routes[index], task.priority,
                          task.run_at, task.deadline, policy.empty() ? std::nullopt : std::optional(policy),
                          concurrency ? std::optional(concurrency->key) : std::nullopt,
                          concurrency ? std::optional(concurrency->limit) : std::nullopt,
                          store::unless_empty(task.idempotency_key), unless_nil(task.retry_of),
                          too_old ? std::optional<bool>((*too_old)[index]) : std::nullopt,
                          store::unless_empty(task.traceparent), by_name(task));
    };
    return {
        R"sql(SELECT place, status, first_id, limit_in_force
              FROM holdfast.submit_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))sql",
        columns(batch, values_of)};
}

void read_outcomes(const Rows& rows, const std::vector<NewTask>& tasks, const Batch& batch,
                   std::vector<SubmitOutcome>& outcomes) {
    for (const auto index : batch)
        if (tasks[index].concurrency) outcomes[index].concurrency_limit = tasks[index].concurrency->limit;
    for (const Row row : rows) {
        auto& outcome = outcomes[batch[static_cast<std::size_t>(row.integer(0) - 1)]];
        outcome.status = read_status(row.text(1));
        outcome.id = row.uuid(2);
        if (!row.is_null(3)) outcome.concurrency_limit = row.small(3);
        const bool is_there = outcome.status == SubmitStatus::Accepted || outcome.status == SubmitStatus::Existing;
        if (!is_there) outcome.concurrency_limit.reset();
        if (outcome.status == SubmitStatus::TooOld)
            outcome.complaint = "the id is older than finished tasks are kept: it may have been used before";
        if (outcome.status == SubmitStatus::Refused) outcome.complaint = store::future_complaint(outcome.id);
    }
}

std::vector<bool> PostgresStore::too_old(const std::vector<NewTask>& tasks) {
    // Asking the server for the time costs a round trip. An id that is young by this machine's clock, give or take a
    // day, is young by the server's, too.
    constexpr auto slack = std::chrono::hours(24);
    const auto here = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) + slack;
    const auto may_be = [&](const NewTask& task) { return store::is_too_old(task.id, here, params_.limits); };
    if (!params_.clock && std::none_of(tasks.begin(), tasks.end(), may_be))
        return std::vector<bool>(tasks.size(), false);
    const auto server = now();
    std::vector<bool> old;
    for (const auto& task : tasks) old.push_back(store::is_too_old(task.id, server, params_.limits));
    return old;
}

std::vector<SubmitOutcome> PostgresStore::submit(const std::vector<NewTask>& tasks) {
    if (tasks.empty()) return {};
    std::vector<SubmitOutcome> outcomes;
    for (const auto& task : tasks) outcomes.push_back({SubmitStatus::Accepted, task.id, ""});
    if (tasks.size() <= store::max_batch_rows && submit_plain(tasks)) return outcomes;
    std::vector<int> routes(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (auto complaint = store::refusal(tasks[i], params_.limits))
            outcomes[i] = {SubmitStatus::Refused, tasks[i].id, std::move(*complaint)};
        else
            routes[i] = routes_.intern(tasks[i].queue, store::canonical_tags(tasks[i].tags));
    }
    const auto old = too_old(tasks);
    for (const auto& batch : batches_of(tasks, outcomes))
        if (!batch.empty()) submit_batch(tasks, batch, routes, old, outcomes);
    store::tell_last_limits(tasks, outcomes);
    return outcomes;
}

/// One task shares the statement with the submits of other threads.
bool PostgresStore::submit_plain(const std::vector<NewTask>& tasks) {
    if (!last_submits_were_new_ || !std::all_of(tasks.begin(), tasks.end(), is_plain)) return false;
    const auto is_refused = [this](const NewTask& task) { return store::refusal(task, params_.limits).has_value(); };
    if (std::any_of(tasks.begin(), tasks.end(), is_refused)) return false;
    const auto old = too_old(tasks);
    if (std::find(old.begin(), old.end(), true) != old.end()) return false;
    std::vector<PlainSubmit> submits;
    submits.reserve(tasks.size());
    for (const auto& task : tasks) {
        const auto* last = submits.empty() ? nullptr : &submits.back();
        const bool is_same = last && last->task.queue == task.queue && last->task.tags == task.tags;
        submits.push_back(
            {task, is_same ? last->route : routes_.intern(task.queue, store::canonical_tags(task.tags))});
    }
    try {
        if (submits.size() == 1 && payload_bytes(tasks.front()) <= store::max_shared_payload)
            share(submits.front());
        else
            accept_plain(pointers_to(submits));
    } catch (const Overtaken&) {
        last_submits_were_new_ = false;
        return false;
    }
    return true;
}

void PostgresStore::share(PlainSubmit& submit) {
    const auto& patience = work_patience.answer;
    if (!plain_submits_.call(submit, patience, [this](const auto& take) { accept_plain(take()); }))
        throw store::Unavailable(concat("other submits have kept the connection to ", describe(), " busy for ",
                                        format_duration(*patience)));
}

void PostgresStore::accept_plain(std::vector<PlainSubmit*> submits) {
    // One order for all: two processes with the same ids wait for each other instead of deadlocking.
    std::sort(submits.begin(), submits.end(),
              [](const PlainSubmit* a, const PlainSubmit* b) { return a->task.id < b->task.id; });
    work_.run({plain_command(submits)}, Effect::Writes);
    bell_.ring({.work = true});
}

void PostgresStore::submit_batch(const std::vector<NewTask>& tasks, const Batch& batch,
                                 const std::vector<int>& routes, const std::vector<bool>& old,
                                 std::vector<SubmitOutcome>& outcomes) {
    const auto answers = work_.run({submit_command(tasks, batch, routes, &old)}, Effect::Writes);
    read_outcomes(answers.front(), tasks, batch, outcomes);
    const auto is_new = [&](std::size_t index) { return outcomes[index].status == SubmitStatus::Accepted; };
    last_submits_were_new_ = std::all_of(batch.begin(), batch.end(), is_new);
    bell_.ring({.work = std::any_of(batch.begin(), batch.end(), is_new)});
}

}  // namespace holdfast::postgres
