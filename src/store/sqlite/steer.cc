#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::CancelStatus;
using store::ForceStatus;

ForceStatus force_one(Transaction& tx, const Uuid& task, const store::ForceParams& params) {
    const auto error = store::forced_error(params);
    tx.who = params.who;
    if (const auto pending = find_pending(tx.db, task)) {
        end_pending(tx, *pending, params.state, error);
        write_event(tx, store::forced_event(task, TaskState::Pending, params.state, params));
        return ForceStatus::Applied;
    }
    if (const auto lease = find_lease(tx.db, task)) {
        force_lease(tx, *lease, params.state, error);
        const auto from = lease->started_at ? TaskState::Running : TaskState::Claimed;
        write_event(tx, store::forced_event(task, from, params.state, params));
        return ForceStatus::Applied;
    }
    return ended_as(tx.db, task) ? ForceStatus::Finished : ForceStatus::NotFound;
}

}  // namespace

std::vector<CancelStatus> SqliteStore::cancel(const store::CancelParams& params) {
    store::check_remark(params.who, params.reason);
    return write_each<CancelStatus>(params.tasks, [&](Transaction& tx, const Uuid& task) {
        return cancel_task(tx, task, params.who, params.reason,
                           params.with_their_job ? store::Cause::Rule : store::Cause::Order);
    });
}

std::vector<ForceStatus> SqliteStore::force(const store::ForceParams& params) {
    store::check_remark(params.who, params.reason);
    if (params.state != TaskState::Failed && params.state != TaskState::Cancelled)
        throw BadInput("a task can be forced to FAILED or CANCELLED only");
    return write_each<ForceStatus>(params.tasks,
                                   [&](Transaction& tx, const Uuid& task) { return force_one(tx, task, params); });
}

std::vector<store::QueueRecord> SqliteStore::queues() {
    return work_.all(R"sql(SELECT q.name, q.paused,
                                  (SELECT count(*) FROM ready x JOIN route ON route.id = x.route_id
                                    WHERE route.queue = q.name)
                                  + (SELECT count(*) FROM waiting x JOIN route ON route.id = x.route_id
                                    WHERE route.queue = q.name),
                                  (SELECT count(*) FROM lease x JOIN route ON route.id = x.route_id
                                    WHERE route.queue = q.name)
                           FROM queue q ORDER BY q.name)sql",
                     store::read_as<store::QueueRecord>);
}

void SqliteStore::set_queue_paused(const std::string& queue, bool paused, const std::string& who) {
    store::check_remark(who);
    store::check_queue_name(queue);
    write([&](Transaction& tx) {
        const auto changed = tx.db.run(
            R"sql(INSERT INTO queue (name, paused) VALUES (?1, ?2)
                  ON CONFLICT (name) DO UPDATE SET paused = ?2 WHERE paused <> ?2)sql",
            queue, paused);
        if (changed > 0) write_event(tx, store::queue_paused_event(queue, paused, who));
        tx.brings_work = true;
        return true;
    });
}

}  // namespace holdfast::sqlite
