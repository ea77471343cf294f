#include "store/postgres/endings.h"

#include <algorithm>

#include "store/rows.h"

namespace holdfast::postgres {

std::unordered_map<Uuid, LockedLease> lock_leases(Transaction& tx, const std::vector<Uuid>& tasks) {
    return read_leases(tx.run(lock_command(tasks)));
}

Command lock_command(const std::vector<Uuid>& tasks) {
    return {
        R"sql(SELECT task_id, lease, worker_id, started, stop_requested, deadline, attempts, crashes, requeues,
                policy, at, is_step, has_key
              FROM holdfast.lock_leases($1))sql",
        Params(tasks)};
}

std::unordered_map<Uuid, LockedLease> read_leases(const Rows& rows) {
    std::unordered_map<Uuid, LockedLease> leases;
    for (const Row row : rows) {
        auto& lease = leases[row.uuid(0)];
        std::string stop_requested;
        store::ColumnReader(row).read(lease.lease, lease.worker, lease.started, stop_requested, lease.deadline,
                                      lease.history, lease.policy, lease.now, lease.is_step, lease.has_key);
        lease.stop_requested = !stop_requested.empty();
        lease.cancel_requested = stop_requested == "cancel";
    }
    return leases;
}

const LockedLease* find_held(const std::unordered_map<Uuid, LockedLease>& leases, const store::TaskLease& lease,
                             const Uuid& worker) {
    const auto found = leases.find(lease.task);
    const bool is_held = found != leases.end() && found->second.lease == lease && found->second.worker == worker;
    return is_held ? &found->second : nullptr;
}

TaskState LeaseEndings::end(const LockedLease& lease, const LeaseReport& report) {
    const auto settlement = core::settle({report.end, report.error, lease.history, lease.cancel_requested, lease.now,
                                          lease.deadline, report.jitter, report.is_final},
                                         lease.policy);
    add(lease, report.end, settlement, report.result, report.error);
    return settlement.state;
}

void LeaseEndings::force(const LockedLease& lease, TaskState state, const TaskError& error) {
    core::Settlement settlement{state, core::TaskEvent::Reject, Duration::zero(), lease.history, error};
    add(lease, core::LeaseEnd::Stopped, settlement, "", error);
}

void LeaseEndings::add(const LockedLease& lease, core::LeaseEnd run_end, const core::Settlement& settlement,
                       const std::string& result, const TaskError& report) {
    const bool ran = lease.started && run_end != core::LeaseEnd::NotStarted;
    ended_.push_back({lease.lease.task, ran, lease.is_step, lease.has_key, run_end, settlement, result, report});
}

/// As it is stored.
std::optional<std::string> LeaseEndings::result_of(const Ended& ended) {
    return ended.settlement.state == TaskState::Completed ? std::optional(ended.result) : std::nullopt;
}

Command LeaseEndings::command(bool has_steps) const {
    const auto is_plain = [](const Ended& each) {
        return each.ran && !each.has_key && each.run_end == core::LeaseEnd::Completed &&
               each.settlement.state == TaskState::Completed;
    };
    if (std::ranges::all_of(ended_, is_plain))
        return {"SELECT holdfast.complete_locked($1, $2)", columns(ended_, [](const Ended& each) {
                    return std::tuple(each.task, std::string_view(each.result));
                })};
    auto params = columns(ended_, [](const Ended& each) {
        const auto& [state, event, delay, history, error] = each.settlement;
        return std::tuple_cat(
            std::tuple(each.task, to_text(state), each.ran ? std::optional(word_of(each.run_end)) : std::nullopt,
                       delay, history.attempts, history.crashes, history.requeues, result_of(each), each.report.code,
                       each.report.message, store::unless_empty(each.report.data)),
            store::column_values(error));
    });
    params.add(has_steps);
    return {"SELECT holdfast.end_leases($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            std::move(params)};
}

void LeaseEndings::apply(Transaction& tx) {
    if (ended_.empty()) return;
    const bool has_steps = std::ranges::any_of(ended_, &Ended::is_step);
    const bool frees_slots = std::ranges::any_of(ended_, &Ended::has_key);
    tx.later(command(has_steps));
    tx.brings_work |= frees_slots;
    for (const Ended& each : ended_) {
        const TaskState state = each.settlement.state;
        (state == TaskState::Pending ? tx.brings_work : tx.ends_tasks) = true;
        if (each.is_step && state != TaskState::Pending) {
            tx.ended_steps.push_back({each.task, state});
            tx.ahead.ends[each.task] = {each.task, state, result_of(each), each.settlement.error};
        }
        if (frees_slots && has_steps) tx.slots_to_free.push_back(each.task);
    }
}

std::vector<Uuid> end_pending(Transaction& tx, const std::vector<Uuid>& tasks, TaskState state,
                              const TaskError& error) {
    const auto rows = tx.run("SELECT task_id, is_step FROM holdfast.end_pending($1, $2, $3, $4, nullif($5, ''))",
                             tasks, to_text(state), error.code, error.message, error.data);
    std::vector<Uuid> ended;
    for (const Row row : rows) {
        ended.push_back(row.uuid(0));
        if (row.boolean(1)) tx.ended_steps.push_back({ended.back(), state});
    }
    if (!ended.empty()) tx.ends_tasks = true;
    if (!ended.empty()) tx.brings_work = true;  // tasks behind the same key may have moved up
    return ended;
}

void write_events(Transaction& tx, const std::vector<store::NewEvent>& events) {
    if (events.empty()) return;
    tx.later(Command{"SELECT holdfast.write_events($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                     columns(events, [](const store::NewEvent& event) {
                         return std::tuple(event.kind, unless_nil(event.task), unless_nil(event.worker),
                                           unless_nil(event.job), event.who, event.message,
                                           store::unless_empty(event.data), store::unless_empty(event.queue),
                                           event.is_order);
                     })});
}

std::unordered_map<Uuid, Whereabouts> find_places(Transaction& tx, const std::vector<Uuid>& tasks) {
    std::unordered_map<Uuid, Whereabouts> places;
    if (tasks.empty()) return places;
    const auto rows = tx.run("SELECT place, last_lease FROM holdfast.whereabouts($1)", tasks);
    for (int row = 0; row < rows.size(); ++row) {
        auto& found = places[tasks[static_cast<std::size_t>(row)]];
        const auto place = rows[row].text(0);
        if (place == "pending") {
            found = {Whereabouts::Place::Pending, TaskState::Pending, rows[row].integer(1)};
        } else if (place == "leased") {
            found.place = Whereabouts::Place::Leased;
        } else if (place == "stopping") {
            found.place = Whereabouts::Place::Stopping;
        } else if (!place.empty()) {
            found = {Whereabouts::Place::Ended, store::read_word<TaskState>(place), 0};
        }
    }
    return places;
}

std::vector<EarlierEnd> earlier_ends(Transaction& tx, const std::vector<LeaseOfWorker>& leases) {
    if (leases.empty()) return {};
    const auto values_of = [](const LeaseOfWorker& each) {
        return std::tuple(each.lease.task, each.lease.lease, each.worker);
    };
    return tx
        .run(Command{"SELECT state, run_end, known FROM holdfast.earlier_ends($1, $2, $3)",
                     columns(leases, values_of)})
        .all([](const Row& row) {
            EarlierEnd end;
            store::ColumnReader(row).read(end.state, end.run_end, end.task_is_known);
            return end;
        });
}

}  // namespace holdfast::postgres
