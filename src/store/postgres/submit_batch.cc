#include "store/postgres/submit_batch.h"

#include "core/task/policy_text.h"
#include "store/admission.h"

namespace holdfast::postgres {

namespace {

using store::NewTask;
using store::SubmitOutcome;
using store::SubmitStatus;

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
    Array<Uuid> ids, retry_ofs;
    Array<std::string_view> names, args, specs, policies, keys, idempotency_keys, traceparents;
    Array<int> route_ids, priorities, limits;
    Array<Timestamp> run_ats, deadlines;
    Array<bool> olds;
    for (const auto index : batch) {
        const auto& task = tasks[index];
        ids.add(task.id);
        names.add(task.name);
        args.add(task.args);
        specs.add_unless_empty(task.spec);
        route_ids.add(routes[index]);
        priorities.add(task.priority);
        run_ats.add_optional(task.run_at);
        deadlines.add_optional(task.deadline);
        policies.add_unless_empty(core::encode_policy(task.policy));
        task.concurrency ? keys.add(task.concurrency->key) : keys.add_null();
        task.concurrency ? limits.add(task.concurrency->limit) : limits.add_null();
        idempotency_keys.add_unless_empty(task.idempotency_key);
        retry_ofs.add_unless_nil(task.retry_of);
        too_old ? olds.add((*too_old)[index]) : olds.add_null();
        traceparents.add_unless_empty(task.traceparent);
    }
    return {
        R"sql(SELECT place, status, first_id, limit_in_force
              FROM holdfast.submit_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15))sql",
        Params(ids, names, args, specs, route_ids, priorities, run_ats, deadlines, policies, keys, limits,
               idempotency_keys, retry_ofs, olds, traceparents)};
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

}  // namespace holdfast::postgres
