#include <chrono>

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

}  // namespace

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
                          store::unless_empty(task.traceparent));
    };
    return {
        R"sql(SELECT place, status, first_id, limit_in_force
              FROM holdfast.submit_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15))sql",
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
    std::vector<int> routes(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        outcomes.push_back({SubmitStatus::Accepted, tasks[i].id, ""});
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

void PostgresStore::submit_batch(const std::vector<NewTask>& tasks, const Batch& batch,
                                 const std::vector<int>& routes, const std::vector<bool>& old,
                                 std::vector<SubmitOutcome>& outcomes) {
    const auto answers = work_.run({submit_command(tasks, batch, routes, &old)}, Effect::Writes);
    read_outcomes(answers.front(), tasks, batch, outcomes);
    const auto is_new = [&](std::size_t index) { return outcomes[index].status == SubmitStatus::Accepted; };
    bell_.ring({.work = std::any_of(batch.begin(), batch.end(), is_new)});
}

}  // namespace holdfast::postgres
