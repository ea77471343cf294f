#include "engine/worker/worker.h"

#include <algorithm>

#include "engine/fence.h"
#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"
#include "engine/worker/starter.h"

namespace holdfast::engine {

namespace {

/// How long a draining worker goes on trying to deliver what it holds, after everything was killed.
constexpr Duration delivery_patience = std::chrono::seconds(30);
constexpr Duration hurried_delivery_patience = std::chrono::seconds(5);
/// A turn that comes later than this was not merely slow: the process stood still.
constexpr Duration latest_turn = std::chrono::seconds(5);

}  // namespace

Worker::Worker(WorkerSettings settings, Random& random)
    : settings_(std::move(settings)),
      random_(random),
      claimer_(settings_, random),
      beater_(settings_),
      stopper_(settings_, book_),
      beat_backoff_(random),
      work_backoff_(random),
      claim_backoff_(random),
      spawn_backoff_(random) {}

// ---- Events ------------------------------------------------------------------------------------------------------

/// While the process was stopped, or its machine asleep, its runs and runners may have been too: nothing that they
/// did not do by now is held against them. What others may do meanwhile, the fence, is another matter.
void Worker::notice_standstill(Duration now) {
    if (now - latest_turn > turn_due_) book_.postpone(now - turn_due_);
    turn_due_ = std::max(turn_due_, now);
}

void Worker::asked_to_drain(const std::string& why, Duration now) {
    if (!std::exchange(was_asked_to_drain_, true)) return begin_drain(why, now);
    if (hurried_) return;
    say(log_lines::hurrying(why));
    hurried_ = true;
    stopper_.hurry(why);
    stopped_all_ = false;
}

void Worker::begin_drain(const std::string& why, Duration now) {
    if (drain_began_) return;
    drain_began_ = now;
    drain_reason_ = why;
    say(log_lines::draining(why, book_.runs().size(), settings_.shutdown_grace));
    commands_.push_back(Announce{Announce::What::Stopping});
    beater_.beat_soon(now);
}

void Worker::handle(const RunnerEvent& event, Duration now) {
    notice_standstill(now);
    std::visit([&](const auto& each) { on(each, now); }, event);
}

void Worker::on(const RunnerReady& event, Duration now) {
    Runner* runner = book_.find_runner(event.runner);
    if (runner == nullptr || runner->stage != RunnerStage::Booting) return;
    runner->pid = event.pid;
    runner->last_sign = now;
    spawn_backoff_.reset();
    book_.move_runner(event.runner, runner->killed ? RunnerStage::Leaving : RunnerStage::Idle, now);
}

void Worker::on(const RunEnded& event, Duration now) {
    Runner* runner = book_.find_runner(event.runner);
    if (runner == nullptr) return;
    runner->last_sign = now;
    Run* run = book_.find(event.lease);
    if (run != nullptr && run->stage == RunStage::Running && run->runner == event.runner) {
        run->runner = 0;
        const bool lost = !event.completed && run->stop && run->stop->cause == StopCause::LeaseLost;
        end_run(*run, lost ? store::FinishedRun{} : outcome_of_end(*run, event, settings_), now);
    }
    // One that was told to die is given nothing more, even if its task has ended meanwhile.
    const bool leaves = event.leaves || runner->killed;
    book_.move_runner(event.runner, leaves ? RunnerStage::Leaving : RunnerStage::Idle, now);
    claimer_.run_ended(now);
}

void Worker::on(const RunnerGone& event, Duration now) {
    Runner* runner = book_.find_runner(event.runner);
    if (runner == nullptr) return;
    const Runner gone = *runner;
    book_.remove_runner(event.runner);
    if (gone.stage == RunnerStage::Booting) spawn_at_ = now + spawn_backoff_.next(std::chrono::seconds(30));
    if (gone.stage != RunnerStage::Leaving && !gone.killed) say(log_lines::runner_died(event));
    Run* run = gone.lease == 0 ? nullptr : book_.find(gone.lease);
    if (run == nullptr) return;
    run->runner = 0;
    if (run->stage != RunStage::Running) return;  // its start is being committed: another runner will be told
    const bool lost = run->stop && run->stop->cause == StopCause::LeaseLost;
    end_run(*run, lost ? store::FinishedRun{} : outcome_of_death(*run, event, settings_), now);
}

void Worker::on(const RunnerBeat& event, Duration now) {
    if (Runner* runner = book_.find_runner(event.runner)) runner->last_sign = now;
}

void Worker::on(const RunProgress& event, Duration now) {
    on(RunnerBeat{event.runner}, now);
    Run* run = book_.find(event.lease);
    if (run == nullptr) return;
    if (!run->unsaved)
        run->unsaved = store::ProgressReport{.lease = run->lease(), .fraction = {}, .text = "", .checkpoint = {}};
    if (event.fraction) {
        run->unsaved->fraction = event.fraction;
        run->unsaved->text = event.text;
    }
    if (event.checkpoint) run->unsaved->checkpoint = event.checkpoint;
}

void Worker::on(const RunLog& event, Duration now) {
    on(RunnerBeat{event.runner}, now);
    Run* run = book_.find(event.lease);
    if (run == nullptr) {
        commands_.push_back(LogsStored{event.runner, event.text.size()});
        return;
    }
    run->log_runner = event.runner;
    run->unsent_logs.push_back({.task = run->claimed.task.id,
                                .lease = event.lease,
                                .sequence = run->next_log_sequence++,
                                .stream = event.stream,
                                .text = event.text,
                                .at = event.at});
}

void Worker::end_run(Run& run, store::FinishedRun outcome, Duration now) {
    run.outcome = std::move(outcome);
    run.outcome.jitter = draw_fraction(random_);
    book_.move(run, RunStage::Ended, now);
    const bool as_usual = run.outcome.end == core::LeaseEnd::Completed;
    if (run.outcome.lease.lease != 0 && (!as_usual || settings_.says_debug)) say(log_lines::ended(run));
}

// ---- Decisions ---------------------------------------------------------------------------------------------------

Commands Worker::decide(Duration now) {
    notice_standstill(now);
    if (has_nothing_to_lose()) leave_unregistered();
    if (!left_) {
        forget_lost_runs();
        if (announced_) stopper_.fence(beater_.last_acknowledged(), now, commands_);
        if (drain_began_) drain(now);
        stopper_.tick(now, commands_);
        spawn_runners(now);
        begin_waiting(now);
        call_beat_lane(now);
        if (settings_.claims_beside_work) {
            call_work_lane(now);
            call_claim_lane(now);
        } else {
            call_in_turns(now);
        }
    }
    turn_due_ = std::max(wake_at(), now);
    return std::exchange(commands_, {});
}

/// What the store says is not this worker's any more is not reported to it, unless it has a result: that is refused,
/// and is on record then.
void Worker::forget_lost_runs() {
    std::vector<store::Lease> lost;
    for (const RunStage stage : {RunStage::Ended, RunStage::Returning})
        for (const store::Lease lease : book_.in(stage)) {
            const Run& run = book_.at(lease);
            const bool has_outcome = stage == RunStage::Ended && run.outcome.lease.lease != 0;
            if (run.stop && run.stop->cause == StopCause::LeaseLost && !has_outcome) lost.push_back(lease);
        }
    for (const store::Lease lease : lost) {
        const Run& run = book_.at(lease);
        std::size_t bytes = 0;
        for (const store::LogChunk& chunk : run.unsent_logs) bytes += chunk.text.size();
        if (bytes > 0) commands_.push_back(LogsStored{run.log_runner, bytes});  // nobody else will give them back
        book_.remove(lease);
    }
}

void Worker::drain(Duration now) {
    while (book_.count(RunStage::Held) > 0)
        book_.move(book_.at(*book_.in(RunStage::Held).begin()), RunStage::Returning, now);
    const Duration stop_at = hurried_ ? now : *drain_began_ + settings_.shutdown_grace;
    if (now < stop_at) return stopper_.look_at(stop_at);
    const bool stops_now = !std::exchange(stopped_all_, true);
    if (stops_now) stopper_.stop_all(StopCause::Drain, now, commands_);
    // Threads cannot be killed. While one runs, the worker stays and beats, so that nobody else is given the task.
    const bool waits_for_threads = !settings_.runners_can_die && book_.count(RunStage::Running) > 0;
    if (stops_now || waits_for_threads)
        give_up_at_ = now + (hurried_ ? hurried_delivery_patience : settings_.stop_grace + delivery_patience);
    if (now < give_up_at_) return stopper_.look_at(give_up_at_);
    say(log_lines::left_undelivered(book_.runs().size()));
    commands_.push_back(Leave{.exit_code = 1});
    left_ = true;
}

bool Worker::wants_runners() const {
    if (!registered_ && !announced_) return true;  // they boot while the worker joins
    return !drain_began_ || book_.count(RunStage::Starting) + book_.count(RunStage::Waiting) > 0 ||
           claimer_.is_unanswered();
}

void Worker::spawn_runners(Duration now) {
    if (!wants_runners() || now < spawn_at_) return;
    while (book_.runners().size() < settings_.capacity()) {
        const RunnerId id = ++last_runner_;
        book_.add_runner(id, now);
        commands_.push_back(SpawnRunner{id});
        stopper_.look_at(now + settings_.runner_boot);
    }
}

void Worker::begin_waiting(Duration now) {
    const std::set<store::Lease> waiting = book_.in(RunStage::Waiting);  // those that begin leave it
    for (const store::Lease lease : waiting)
        if (book_.idle_runners() > 0) begin(book_.at(lease), now);
}

/// Its start is on disk: from here on the run may be told. One that the fence would stop at once, or whose claim was
/// answered so late that others may have it by now, waits for a beat, which tells whether the lease is still this
/// worker's.
void Worker::begin(Run& run, Duration now) {
    // Its runner may have been told to die while the start was on its way: another one is told.
    if (run.runner != 0 && book_.find_runner(run.runner)->killed) book_.release(run, now);
    if (is_beyond_fence(run, now) || (run.runner == 0 && !book_.assign(run, now))) {
        book_.release(run, now);
        if (run.stage != RunStage::Waiting) book_.move(run, RunStage::Waiting, now);
        return;
    }
    book_.move(run, RunStage::Running, now);
    commands_.push_back(BeginRun{run.runner, order_for(run)});
    stopper_.look_at(now + run.timeout);
    book_.find_runner(run.runner)->last_sign = now;
}

bool Worker::is_beyond_fence(const Run& run, Duration now) const {
    const Duration ask = fence_times(settings_.registration.fence_after).ask;
    return is_fenced(run.claimed.task) && now - run.trusted_since >= ask;
}

/// It never joined, and no registration is on its way.
bool Worker::has_nothing_to_lose() const {
    return !left_ && drain_began_ && !registered_ && !announced_ && !beat_under_way_;
}

void Worker::leave_unregistered() {
    commands_.push_back(Leave{.exit_code = 0});
    left_ = true;
}

bool Worker::is_drained() const {
    return drain_began_ && book_.runs().empty() && orphans_.empty() && started_orphans_.empty() &&
           !claimer_.is_unanswered();
}

Duration Worker::wake_at() const {
    if (left_) return Duration::max();
    Duration at = stopper_.look_at();
    if (!beat_under_way_ && !leaving_)
        at = std::min(at, registered_ ? std::max(beater_.next_at(), beat_retry_at_) : beat_retry_at_);
    const bool takes_turns = !settings_.claims_beside_work;
    const bool work_lane_is_free = announced_ && !leaving_ && !work_ && !(takes_turns && claim_under_way_);
    const bool claim_lane_is_free = announced_ && !leaving_ && !claim_under_way_ && !(takes_turns && work_);
    if (work_lane_is_free) at = std::min(at, std::max(work_retry_at_, snapshot_at_));
    if (work_lane_is_free && work_backoff_.failures() > 0) at = std::min(at, work_retry_at_);
    if (claim_lane_is_free && claim_retry_at_ > Duration::zero()) at = std::min(at, claim_retry_at_);
    if (claim_lane_is_free && claimer_.due_at()) at = std::min(at, std::max(claim_retry_at_, *claimer_.due_at()));
    if (wants_runners() && book_.runners().size() < settings_.capacity()) at = std::min(at, spawn_at_);
    return at;
}

}  // namespace holdfast::engine
