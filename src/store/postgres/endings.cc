#include "store/postgres/endings.h"
#include "store/rows.h"

namespace holdfast::postgres {

std::unordered_map<Uuid, LockedLease> lock_leases(Transaction& tx, const std::vector<Uuid>& tasks) {
    const auto rows = tx.run(
        R"sql(SELECT task_id, lease, worker_id, started, stop_requested, deadline, attempts, crashes, requeues,
                policy, at, is_step
              FROM holdfast.lock_leases($1))sql",
        tasks);
    std::unordered_map<Uuid, LockedLease> leases;
    for (const Row row : rows) {
        auto& lease = leases[row.uuid(0)];
        lease.lease = {row.uuid(0), row.integer(1)};
        lease.worker = row.uuid(2);
        lease.started = row.boolean(3);
        lease.stop_requested = !row.is_null(4);
        lease.cancel_requested = row.text(4) == "cancel";
        lease.deadline = row.optional_time(5);
        lease.history = store::read_history(row, 6);
        lease.policy = store::read_policy(row, 9);
        lease.now = row.time(10);
        lease.is_step = row.boolean(11);
    }
    return leases;
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
    ids_.push_back(lease.lease.task);
    tasks_.add(lease.lease.task);
    states_.add(to_text(settlement.state));
    lease.started ? run_ends_.add(word_of(run_end)) : run_ends_.add_null();
    delays_.add(std::int64_t{settlement.delay.count()});
    attempts_.add(settlement.history.attempts);
    crashes_.add(settlement.history.crashes);
    requeues_.add(settlement.history.requeues);
    settlement.state == TaskState::Completed ? results_.add(result) : results_.add_null();
    report_codes_.add(report.code);
    report_messages_.add(report.message);
    report_datas_.add_unless_empty(report.data);
    if (settlement.error) {
        error_codes_.add(settlement.error->code);
        error_messages_.add(settlement.error->message);
        error_datas_.add_unless_empty(settlement.error->data);
    } else {
        error_codes_.add_null();
        error_messages_.add_null();
        error_datas_.add_null();
    }
    const bool runs_again = settlement.state == TaskState::Pending;
    (runs_again ? runs_again_ : ends_) = true;
    has_steps_ |= lease.is_step;
    if (lease.is_step && !runs_again) ended_steps_.push_back({lease.lease.task, settlement.state});
}

void LeaseEndings::apply(Transaction& tx) {
    if (tasks_.size() == 0) return;
    const auto answer =
        tx.run("SELECT holdfast.end_leases($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)", tasks_,
               states_, run_ends_, delays_, attempts_, crashes_, requeues_, results_, report_codes_, report_messages_,
               report_datas_, error_codes_, error_messages_, error_datas_, has_steps_);
    const bool frees_slots = answer[0].boolean(0);
    tx.brings_work |= runs_again_ || frees_slots;
    tx.frees_keys |= frees_slots;
    tx.ends_tasks |= ends_;
    tx.ended_steps.insert(tx.ended_steps.end(), ended_steps_.begin(), ended_steps_.end());
    if (frees_slots && has_steps_) tx.slots_to_free.insert(tx.slots_to_free.end(), ids_.begin(), ids_.end());
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
    Array<std::string_view> kinds, whos, messages, datas;
    Array<Uuid> tasks, workers, jobs;
    for (const auto& event : events) {
        kinds.add(event.kind);
        tasks.add_unless_nil(event.task);
        workers.add_unless_nil(event.worker);
        whos.add(event.who);
        messages.add(event.message);
        datas.add_unless_empty(event.data);
        jobs.add_unless_nil(event.job);
    }
    tx.run("SELECT holdfast.write_events($1, $2, $3, $4, $5, $6, $7)", kinds, tasks, workers, jobs, whos, messages,
           datas);
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
            found = {Whereabouts::Place::Ended, store::read_task_state(place), 0};
        }
    }
    return places;
}

std::vector<EarlierEnd> earlier_ends(Transaction& tx, const std::vector<store::TaskLease>& leases) {
    if (leases.empty()) return {};
    Array<Uuid> tasks;
    Array<std::int64_t> numbers;
    for (const auto& lease : leases) {
        tasks.add(lease.task);
        numbers.add(lease.lease);
    }
    const auto rows = tx.run("SELECT state, run_end, known FROM holdfast.earlier_ends($1, $2)", tasks, numbers);
    std::vector<EarlierEnd> ends;
    for (const Row row : rows) {
        auto& end = ends.emplace_back();
        if (!row.is_null(0)) end.state = store::read_task_state(row.text(0));
        if (!row.is_null(1)) end.run_end = store::read_lease_end(row.text(1));
        end.task_is_known = row.boolean(2);
    }
    return ends;
}

}  // namespace holdfast::postgres
