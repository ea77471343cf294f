#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::CancelStatus;
using store::ForceStatus;
using Place = Whereabouts::Place;

/// What became of the tasks of a batch, by task, and the event that says so.
template <typename Status>
struct Outcomes {
    std::unordered_map<Uuid, Status> statuses;
    std::unordered_map<Uuid, store::NewEvent> events;
    [[nodiscard]] std::vector<Uuid> without(const std::vector<Uuid>& tasks) const {
        std::vector<Uuid> open;
        for (const auto& task : tasks)
            if (!statuses.contains(task)) open.push_back(task);
        return open;
    }
};

store::Cause cause_of(const store::CancelParams& params) {
    return params.with_their_job ? store::Cause::Rule : store::Cause::Order;
}

void cancel_pending(Transaction& tx, const std::vector<Uuid>& tasks, const store::CancelParams& params,
                    Outcomes<CancelStatus>& outcomes) {
    const auto error = store::cancelled_error(params.who, params.reason);
    const auto cause = cause_of(params);
    for (const auto& task : end_pending(tx, tasks, TaskState::Cancelled, error)) {
        outcomes.statuses[task] = CancelStatus::Cancelled;
        outcomes.events[task] = store::cancelled_event(task, params.who, params.reason, cause);
    }
}

void request_cancels(Transaction& tx, const std::vector<Uuid>& tasks, const store::CancelParams& params,
                     Outcomes<CancelStatus>& outcomes) {
    constexpr std::optional<std::int64_t> any_lease;
    const auto asked = tx.run(Command{"SELECT task_id, worker_id FROM holdfast.request_stops($1, $2, $3)",
                                      columns(tasks, [&](const Uuid& task) {
                                          return std::tuple(task, any_lease, word_of(store::StopReason::Cancel));
                                      })});
    for (const Row row : asked) {
        const auto task = row.uuid(0);
        outcomes.statuses[task] = CancelStatus::Requested;
        outcomes.events[task] =
            store::cancel_requested_event(task, row.uuid(1), params.who, params.reason, cause_of(params));
        tx.brings_work = true;
        tx.gives_orders = true;
    }
}

void force_pending(Transaction& tx, const std::vector<Uuid>& tasks, const store::ForceParams& params,
                   Outcomes<ForceStatus>& outcomes) {
    for (const auto& task : end_pending(tx, tasks, params.state, store::forced_error(params))) {
        outcomes.statuses[task] = ForceStatus::Applied;
        outcomes.events[task] = store::forced_event(task, TaskState::Pending, params.state, params);
    }
}

void force_leased(Transaction& tx, const std::vector<Uuid>& tasks, const store::ForceParams& params,
                  Outcomes<ForceStatus>& outcomes) {
    LeaseEndings endings;
    for (const auto& [task, lease] : lock_leases(tx, tasks)) {
        endings.force(lease, params.state, store::forced_error(params));
        outcomes.statuses[task] = ForceStatus::Applied;
        tx.gives_orders = true;  // its run is to be killed
        const auto from = lease.started ? TaskState::Running : TaskState::Claimed;
        outcomes.events[task] = store::forced_event(task, from, params.state, params);
    }
    endings.apply(tx);
}

/// Tries one place after the other: leases first, because they are locked before jobs. A task that moved on in
/// between (a claim, a hand-back, a recovery) is left out of the outcomes, for another transaction.
template <typename Status, typename Try, typename Settled>
Outcomes<Status> steer(Transaction& tx, const std::vector<Uuid>& tasks, const Try& try_places,
                       const Settled& settled) {
    Outcomes<Status> outcomes;
    try_places(tasks, outcomes);
    for (const auto& [task, found] : find_places(tx, outcomes.without(tasks)))
        if (const auto status = settled(found)) outcomes.statuses[task] = *status;
    std::vector<store::NewEvent> events;
    for (const auto& task : tasks)
        if (const auto event = outcomes.events.find(task); event != outcomes.events.end())
            events.push_back(event->second);
    write_events(tx, events);
    return outcomes;
}

}  // namespace

/// Batch by batch, each again until all of its tasks are settled.
template <typename Status, typename Round>
std::vector<Status> PostgresStore::steer_all(const std::vector<Uuid>& tasks, const Round& round) {
    std::vector<Status> answers(tasks.size());
    for (const auto& batch : batches_by_task(tasks.size(), [&](std::size_t i) { return tasks[i]; })) {
        std::unordered_map<Uuid, Status> statuses;
        std::vector<Uuid> open;
        for (const auto index : batch) open.push_back(tasks[index]);
        while (!open.empty()) {
            const auto outcomes = transact([&](Transaction& tx) { return round(tx, open); });
            statuses.insert(outcomes.statuses.begin(), outcomes.statuses.end());
            open = outcomes.without(open);
        }
        for (const auto index : batch) answers[index] = statuses.at(tasks[index]);
    }
    return answers;
}

std::vector<CancelStatus> PostgresStore::cancel(const store::CancelParams& params) {
    store::check_remark(params.who, params.reason);
    const auto settled = [](const Whereabouts& found) -> std::optional<CancelStatus> {
        if (found.place == Place::Unknown) return CancelStatus::NotFound;
        if (found.place == Place::Stopping) return CancelStatus::Already;
        if (found.place != Place::Ended) return std::nullopt;
        return found.ended_as == TaskState::Cancelled ? CancelStatus::Already : CancelStatus::Finished;
    };
    return steer_all<CancelStatus>(params.tasks, [&](Transaction& tx, const std::vector<Uuid>& open) {
        tx.who = params.who;
        const auto try_places = [&](const std::vector<Uuid>& tasks, Outcomes<CancelStatus>& so_far) {
            request_cancels(tx, tasks, params, so_far);
            cancel_pending(tx, so_far.without(tasks), params, so_far);
        };
        return steer<CancelStatus>(tx, open, try_places, settled);
    });
}

std::vector<ForceStatus> PostgresStore::force(const store::ForceParams& params) {
    store::check_remark(params.who, params.reason);
    if (params.state != TaskState::Failed && params.state != TaskState::Cancelled)
        throw BadInput("a task can be forced to FAILED or CANCELLED only");
    const auto settled = [](const Whereabouts& found) -> std::optional<ForceStatus> {
        if (found.place == Place::Unknown) return ForceStatus::NotFound;
        if (found.place == Place::Ended) return ForceStatus::Finished;
        return std::nullopt;
    };
    return steer_all<ForceStatus>(params.tasks, [&](Transaction& tx, const std::vector<Uuid>& open) {
        tx.who = params.who;
        const auto try_places = [&](const std::vector<Uuid>& tasks, Outcomes<ForceStatus>& so_far) {
            force_leased(tx, tasks, params, so_far);
            force_pending(tx, so_far.without(tasks), params, so_far);
        };
        return steer<ForceStatus>(tx, open, try_places, settled);
    });
}

std::vector<store::QueueRecord> PostgresStore::queues() {
    return work_.all(
        R"sql(SELECT q.name, q.paused, coalesce(sum(c.pending), 0)::bigint, coalesce(sum(c.in_flight), 0)::bigint
              FROM holdfast.queue q LEFT JOIN holdfast.route r ON r.queue = q.name LEFT JOIN (
                SELECT route_id, count(*) AS pending, 0 AS in_flight FROM holdfast.ready
                GROUP BY route_id UNION ALL
                SELECT route_id, count(*), 0 FROM holdfast.waiting GROUP BY route_id UNION ALL
                SELECT route_id, 0, count(*) FROM holdfast.lease GROUP BY route_id) c ON c.route_id = r.id
              GROUP BY q.name, q.paused ORDER BY q.name)sql",
        store::read_as<store::QueueRecord>);
}

void PostgresStore::set_queue_paused(const std::string& queue, bool paused, const std::string& who) {
    store::check_remark(who);
    store::check_queue_name(queue);
    transact([&](Transaction& tx) {
        const auto changed = tx.run(
            R"sql(INSERT INTO holdfast.queue AS q (name, paused) VALUES ($1, $2)
                  ON CONFLICT (name) DO UPDATE SET paused = $2 WHERE q.paused <> $2)sql",
            queue, paused);
        if (changed.affected() > 0) write_events(tx, {store::queue_paused_event(queue, paused, who)});
        tx.brings_work = true;
        return true;
    });
}

}  // namespace holdfast::postgres
