#include "proof/sim/client_process.h"

#include "base/text.h"
#include "proof/sim/job_shapes.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Policies are stored in whole milliseconds.
Duration whole(Duration length) {
    return std::chrono::ceil<std::chrono::milliseconds>(length);
}

/// Whether the wall clock went back since the id was made, so that the id is far in the future now.
bool is_ahead(const SubmitOutcome& outcome) {
    return outcome.status == SubmitStatus::Refused && outcome.complaint.find("in the future") != std::string::npos;
}

RetryPolicy draw_retry(Dice& dice) {
    RetryPolicy retry;
    retry.max_attempts = dice.between(2, 4);
    retry.base = whole(dice.logarithmic(10ms, 20s));
    retry.jitter = 0.2;
    if (dice.chance(0.3)) retry.retry_on = {"NO_LUCK"};
    return retry;
}

}  // namespace

void ClientProcess::start() {
    spawn([this] { run(); });
}

void ClientProcess::run() {
    while (true) {
        sleep(world().plan.only_submits ? Duration(100ms)
                                        : dice().logarithmic(world().plan.in_bursts ? 5ms : 50ms, 20s));
        try {
            world().is_calm ? put_in_order() : act();
        } catch (const store::StoreError&) {
            // The client does not try again.
        }
        look_for_lost();
    }
}

void ClientProcess::look_for_lost() {
    known_rank_ = std::max(known_rank_, store_.rank());
    submits_.check(store_, client::SubmitMemory::MonotonicTime(monotonic()));
}

/// An answer that came after the store went back says nothing of the task.
template <typename Item>
void ClientProcess::note_accepted(Item& item, client::SubmitMemory::Kind kind, const Uuid& id,
                                  const History& before) {
    submits_.note(kind, id, before.rank > 0 ? before.rank : store_.rank(),
                  client::SubmitMemory::MonotonicTime(monotonic()));
    if (before.number != world().histories) return;
    item.acknowledged = true;
    item.acknowledged_to = Witness::key_of(*this);
}

void ClientProcess::act() {
    const std::size_t chosen = world().plan.only_submits ? 0 : dice().below(10);
    if (world().jobs_left > 0 && (world().plan.only_submits || dice().chance(0.3))) return start_job();
    if (chosen < 6) return submit_some();
    if (chosen == 6) return submit_again();
    steer();
}

store::NewTask ClientProcess::draw_task() {
    World& all = world();
    store::NewTask task;
    task.id = ids_.make(clock_.now(), dice());
    task.name = "work";
    task.queue = dice().pick(all.plan.queues);
    task.priority = dice().between(1, 100);
    if (dice().chance(0.2)) task.tags = {"gpu"};
    if (dice().chance(0.3)) task.policy.retry = draw_retry(dice());
    if (dice().chance(0.4)) task.policy.on_crash = OnCrash::Requeue;
    task.policy.max_crashes = dice().between(1, 4);
    if (dice().chance(0.2)) task.policy.timeout = whole(dice().logarithmic(500ms, 2min));
    if (dice().chance(0.1)) task.policy.fence = Fence::Continue;
    if (!all.plan.keys.empty() && dice().chance(0.3)) {
        task.concurrency = ConcurrencyKey{dice().pick(all.plan.keys), dice().between(1, most_asked)};
        task.policy.fence = Fence::Auto;
    }
    if (all.plan.stops_after) return task;
    if (dice().chance(0.1)) task.run_at = clock_.now() + dice().logarithmic(1s, 5min);
    if (dice().chance(0.1)) task.deadline = task.run_at.value_or(clock_.now()) + dice().logarithmic(100ms, 10min);
    if (dice().chance(0.05)) {
        task.tags = {"nobody-has-this"};
        task.policy.unmatched = Unmatched::Fail;
    }
    return task;
}

void ClientProcess::submit_some() {
    if (world().tasks_left == 0) return;
    std::vector<store::NewTask> tasks;
    for (int count = dice().between(1, world().plan.in_bursts ? 50 : 5); count > 0 && world().tasks_left > 0;
         --count, --world().tasks_left) {
        tasks.push_back(draw_task());
        world().ledger.add(tasks.back());
    }
    insist(tasks);
}

/// Submits the same ids again until it is known that they are on disk.
void ClientProcess::insist(const std::vector<store::NewTask>& tasks) {
    while (!world().is_calm) {
        try {
            const auto before = history();
            const auto outcomes = store_.submit(tasks);
            look_for_lost();
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                const bool is_there =
                    outcomes[i].status == SubmitStatus::Accepted || outcomes[i].status == SubmitStatus::Existing;
                if (is_there)
                    note_accepted(*world().ledger.find(tasks[i].id), client::SubmitMemory::Kind::Task, tasks[i].id,
                                  before);
                if (!is_there && outcomes[i].status != SubmitStatus::TooOld && !is_ahead(outcomes[i]))
                    world().witness.complain("P1", concat("a submit was refused: ", outcomes[i].complaint));
            }
            return;
        } catch (const store::StoreError&) {
            sleep(dice().logarithmic(100ms, 10s));
        }
    }
}

const TrueTask* ClientProcess::draw_known() {
    auto& tasks = world().ledger.tasks();
    if (tasks.empty()) return nullptr;
    return &std::next(tasks.begin(), static_cast<std::ptrdiff_t>(dice().below(tasks.size())))->second;
}

/// Harmless in every state of the task.
void ClientProcess::submit_again() {
    const TrueTask* known = draw_known();
    if (known == nullptr) return;
    const store::NewTask task = known->task;
    const auto outcome = store_.submit({task}).front();
    if (outcome.status == SubmitStatus::PayloadMismatch ||
        (outcome.status == SubmitStatus::Refused && !is_ahead(outcome)))
        world().witness.complain("P1", concat("submitted again, ", known->name, " was refused"));
}

void ClientProcess::steer() {
    if (dice().chance(0.3)) return steer_job();
    if (world().plan.schedules > 0 && dice().chance(0.3)) return steer_schedule();
    const TrueTask* known = draw_known();
    if (known == nullptr) return;
    const Uuid id = known->task.id;
    switch (dice().below(10)) {
        case 0:
        case 1:
            store_.cancel({.tasks = {id}, .who = name(), .reason = "drawn"});
            return;
        case 2:
            store_.force({.tasks = {id}, .state = TaskState::Failed, .who = name(), .reason = "drawn"});
            return;
        case 3:
            store_.set_queue_paused(dice().pick(world().plan.queues), dice().chance(0.4), name());
            return;
        case 4:
        case 5:
            return order_some_worker();
        case 6:
            store_.migrate();
            return;
        case 7:
            store_.count({});
            store_.list({.filter = {}, .after = {}});
            return;
        case 8:
            store_.find({id});
            store_.attempts(id);
            store_.events({.task = id, .worker = {}});
            return;
        default:
            store_.queues();
    }
}

void ClientProcess::order_some_worker() {
    const auto workers = store_.workers();
    if (workers.empty()) return;
    const Uuid worker = dice().pick(workers).registration.id;
    const std::size_t order = dice().below(6);
    if (order == 0) {
        store_.remove_worker(worker, "client");
        return;
    }
    store_.order_worker({.worker = worker,
                         .order = order == 1   ? store::WorkerOrder::Drain
                                  : order == 2 ? store::WorkerOrder::Cordon
                                               : store::WorkerOrder::Uncordon,
                         .who = name()});
}

void ClientProcess::put_in_order() {
    for (const std::string& queue : world().plan.queues) store_.set_queue_paused(queue, false, name());
    for (const store::WorkerRecord& worker : store_.workers())
        if (worker.cordoned)
            store_.order_worker(
                {.worker = worker.registration.id, .order = store::WorkerOrder::Uncordon, .who = name()});
    pause_schedules();
    finish_jobs();
}

// ---- Jobs --------------------------------------------------------------------------------------------------------

void ClientProcess::start_job() {
    --world().jobs_left;
    store::NewJob job;
    job.id = ids_.make(clock_.now(), dice());
    const auto& given = world().plan.workflows;
    const core::WorkflowBundle bundle = given.empty() ? draw_workflow(dice(), world().plan.queues, world().plan.keys)
                                                      : given[world().jobs_left % given.size()];
    job.definition = core::to_json_text(bundle);
    job.who = name();
    world().ledger.add_job(job.id, bundle);
    while (!world().is_calm) {
        try {
            const auto before = history();
            const auto outcome = store_.start_jobs({job}).front();
            look_for_lost();
            if (outcome.status == SubmitStatus::Accepted || outcome.status == SubmitStatus::Existing) {
                note_accepted(*world().ledger.find_job(job.id), client::SubmitMemory::Kind::Job, job.id, before);
            } else if (outcome.status != SubmitStatus::TooOld && !is_ahead(outcome)) {
                world().witness.complain("P1", concat("a job was refused: ", outcome.complaint));
            }
            return;
        } catch (const store::StoreError&) {
            sleep(dice().logarithmic(100ms, 10s));
        }
    }
}

void ClientProcess::steer_job() {
    auto& jobs = world().ledger.jobs();
    if (jobs.empty()) return;
    const auto& [id, job] = *std::next(jobs.begin(), static_cast<std::ptrdiff_t>(dice().below(jobs.size())));
    const store::SteerJobsParams order{.jobs = {id}, .who = name(), .reason = "drawn"};
    switch (dice().below(6)) {
        case 0:
            store_.cancel_jobs(order);
            return;
        case 1:
            store_.pause_jobs(order);
            return;
        case 2:
        case 3:
            store_.resume_jobs(order);
            return;
        case 4: {
            const Uuid again = ids_.make(clock_.now(), dice());
            const core::WorkflowBundle bundle = job.bundle;
            world().ledger.add_job(again, bundle);
            try {
                store_.retry_job({.job = id, .new_id = again, .who = name()});
            } catch (const BadInput&) {
                // The wall clock went back since the id was made.
            }
            return;
        }
        default:
            store_.steps({.job = id});
            store_.find_jobs({id});
            store_.job_events({.job = id});
    }
}

/// No other client resumes paused jobs or approves.
void ClientProcess::finish_jobs() {
    for (const JobInfo& job : store_.list_jobs({.with_children = true, .limit = 1000}, {})) {
        if (job.state == JobState::Paused) store_.resume_jobs({.jobs = {job.id}, .who = name()});
        if (is_terminal(job.state)) continue;
        for (const StepInfo& step : store_.steps({.job = job.id}))
            if (step.kind == "approval" && step.state == StepState::Running)
                store_.decide_approval({.job = job.id, .step = step.name, .approve = true, .who = name()});
    }
}

}  // namespace holdfast::sim
