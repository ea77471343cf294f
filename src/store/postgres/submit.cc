#include <chrono>

#include "store/admission.h"
#include "store/key_limits.h"
#include "store/postgres/batches.h"
#include "store/postgres/store_impl.h"
#include "store/postgres/submit_batch.h"

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

}  // namespace

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
