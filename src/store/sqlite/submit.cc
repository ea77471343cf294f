#include "base/text.h"
#include "core/json_text.h"
#include "core/task/task_options.h"
#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/pruned_ids.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::SubmitOutcome;
using store::SubmitStatus;

/// The first task with this id or, failing that, with this idempotency key: same payload or another?
std::optional<SubmitOutcome> find_earlier(Database& db, const store::NewTask& task, std::int64_t route,
                                          const std::string& policy) {
    auto row = db.query(
        R"sql(SELECT id, name = ?3 AND (spec IS NULL) = ?4 AND route_id = ?5 AND priority = ?6 AND policy IS ?7
                AND concurrency_key IS ?8, args, coalesce(spec, '')
              FROM task WHERE id = ?1 OR idempotency_key = ?2 ORDER BY id = ?1 DESC LIMIT 1)sql",
        task.id, store::unless_empty(task.idempotency_key), task.name, task.spec.empty(), route, task.priority,
        store::unless_empty(policy),
        task.concurrency ? std::optional(std::string_view(task.concurrency->key)) : std::nullopt);
    if (!row.step()) return std::nullopt;
    const bool same =
        row.integer(1) != 0 && core::same_json(row.text(2), task.args) && core::same_json(row.text(3), task.spec);
    if (!same) return SubmitOutcome{SubmitStatus::PayloadMismatch, row.uuid(0), ""};
    SubmitOutcome existing{SubmitStatus::Existing, row.uuid(0), ""};
    if (task.concurrency) existing.concurrency_limit = find_limit(db, route, *task.concurrency);
    return existing;
}

bool insert_task(Transaction& tx, const store::NewTask& task, std::int64_t route, const std::string& policy) {
    return tx.db.run(
               R"sql(INSERT INTO task (id, name, args, spec, route_id, priority, run_at, deadline, policy,
                       concurrency_key, concurrency_limit, idempotency_key, retry_of, created_at, traceparent)
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING)sql",
               task.id, task.name, task.args, store::unless_empty(task.spec), route, task.priority,
               task.run_at.value_or(tx.now), task.deadline, store::unless_empty(policy),
               task.concurrency ? std::optional(std::string_view(task.concurrency->key)) : std::nullopt,
               task.concurrency ? std::optional(task.concurrency->limit) : std::nullopt,
               store::unless_empty(task.idempotency_key), task.retry_of, tx.now,
               store::unless_empty(task.traceparent)) == 1;
}

}  // namespace

std::vector<SubmitOutcome> SqliteStore::submit(const std::vector<store::NewTask>& tasks) {
    if (tasks.size() == 1 && payload_bytes(tasks.front()) <= store::max_shared_payload)
        return {submit_shared(tasks.front())};
    auto outcomes = write_each<SubmitOutcome>(
        tasks, [this](Transaction& tx, const store::NewTask& task) { return submit_one(tx, task); });
    store::tell_last_limits(tasks, outcomes);
    return outcomes;
}

SubmitOutcome SqliteStore::submit_shared(const store::NewTask& task) {
    SharedSubmit mine{task};
    const auto deadline = Deadline::in(work_.patience());
    const auto perform = [&](const auto& take) {
        write(
            [&](Transaction& tx) {
                for (SharedSubmit* each : take()) each->outcome = submit_one(tx, each->task);
                return true;
            },
            deadline);
    };
    if (!submits_.call(mine, work_.patience(), perform))
        throw store::Unavailable(concat("the database has been busy for ", format_duration(*work_.patience()),
                                        " with other submits of this process"));
    return mine.outcome;
}

SubmitOutcome SqliteStore::submit_one(Transaction& tx, const store::NewTask& task) {
    return submit_one(tx, task, store::is_too_old(task.id, tx.now, limits_) || is_pruned_up_to(tx.db, task.id));
}

SubmitOutcome SqliteStore::submit_one(Transaction& tx, const store::NewTask& task, bool too_old) {
    if (auto complaint = store::refusal(task, limits_))
        return {SubmitStatus::Refused, task.id, std::move(*complaint)};
    const auto route = routes_.intern(tx, task.queue, store::canonical_tags(task.tags));
    const auto policy = core::encode_policy(task.policy);
    auto from_the_future = store::future_complaint(task.id, tx.now);
    if (too_old || from_the_future || !insert_task(tx, task, route, policy)) {
        if (auto earlier = find_earlier(tx.db, task, route, policy)) return *earlier;
        if (from_the_future) return {SubmitStatus::Refused, task.id, std::move(*from_the_future)};
        return {SubmitStatus::TooOld, task.id,
                "the id is older than finished tasks are kept: it may have been used before"};
    }
    SubmitOutcome accepted{SubmitStatus::Accepted, task.id, ""};
    if (task.concurrency) accepted.concurrency_limit = settle_limit(tx, route, *task.concurrency);
    Position position;
    position.route = route;
    position.priority = task.priority;
    position.run_at = task.run_at.value_or(tx.now);
    position.deadline = task.deadline;
    if (task.concurrency) position.key = task.concurrency->key;
    position.fails_unmatched = task.policy.unmatched != Unmatched::Wait;
    place(tx, task.id, position);
    return accepted;
}

}  // namespace holdfast::sqlite
