#include "engine/worker/worker.h"

#include <algorithm>

#include "engine/fence.h"
#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"
#include "engine/worker/starter.h"

namespace holdfast::engine {

namespace {

/// How long a draining worker keeps trying to deliver outcomes after every run was killed.
constexpr Duration delivery_patience = std::chrono::seconds(30);
constexpr Duration hurried_delivery_patience = std::chrono::seconds(5);
/// A turn that is later than this was not merely slow: the process was suspended.
constexpr Duration latest_turn = std::chrono::seconds(5);
constexpr Duration never = Duration::max();

}  // namespace

Worker::Worker(WorkerSettings settings, Random& random)
    : settings_(std::move(settings)),
      random_(random),
      claimer_(settings_, random),
      beater_(settings_),
      stopper_(settings_, book_),
      beat_lane_(random),
      work_lane_(random),
      claim_lane_(random),
      claims_beside_(settings_.claims_go == ClaimsGo::Beside),
      spawn_backoff_(random) {}

// ---- Events ------------------------------------------------------------------------------------------------------

/// While the process was stopped, or its machine asleep, its runs and runners may have been too, so their deadlines
/// move by as much. The fence does not move: other workers went on meanwhile.
void Worker::notice_standstill(Duration now) {
    if (now - latest_turn > turn_due_) {
        book_.postpone(now - turn_due_);
        for (LaneState* lane : {&beat_lane_, &work_lane_, &claim_lane_}) lane->called_at += now - turn_due_;
    }
    turn_due_ = std::max(turn_due_, now);
}

void Worker::asked_to_drain(const std::string& why, Duration now) {
    begin_drain(why, now);
    const bool is_first = !std::exchange(drain_->was_asked, true);
    if (is_first || drain_->hurried) return;
    say(log_lines::hurrying(why));
    stopper_.hurry(why);
    drain_->hurried = true;
    drain_->stopped_all = false;
}

void Worker::begin_drain(const std::string& why, Duration now) {
    if (drain_) return;
    drain_ = Drain{.began = now};
    say(log_lines::draining(why, book_.runs().size(), settings_.shutdown_grace));
    commands_.push_back(Announce{Announce::What::Stopping});
    beater_.beat_soon(now);
}

void Worker::tags_changed(std::vector<std::string> tags, Duration now) {
    if (drain_ || settings_.registration.tags == tags) return;  // a worker that leaves claims nothing
    settings_.registration.tags = std::move(tags);
    registered_ = false;
    beat_lane_.retry_at = std::min(beat_lane_.retry_at, now);
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
        gatherer_.run_ended(now - run->since);
        const bool lost = !event.completed && run->stop && run->stop->cause == StopCause::LeaseLost;
        end_run(*run, lost ? store::FinishedRun{} : outcome_of_end(*run, event, settings_), now);
    }
    // A runner that was killed gets no other task, even if its run has ended meanwhile.
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
    if (run->stage != RunStage::Running) return;  // its start is being committed: another runner will run it
    const bool lost = run->stop && run->stop->cause == StopCause::LeaseLost;
    end_run(*run, lost ? store::FinishedRun{} : outcome_of_death(*run, event, settings_), now);
}

void Worker::on(const RunnerBeat& event, Duration now) {
    if (Runner* runner = book_.find_runner(event.runner)) runner->last_sign = now;
}

void Worker::on(const RunProgress& event, Duration now) {
    on(RunnerBeat{event.runner}, now);
    Run* run = book_.find(event.lease);
    if (run == nullptr || run->runner != event.runner) return;
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
    if (run == nullptr || run->runner != event.runner) {
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
    book_.move(run, RunStage::Ended, now);
    const bool as_usual = run.outcome.end == core::LeaseEnd::Completed;
    if (!as_usual) run.outcome.jitter = draw_fraction(random_);  // of the delay before it runs again
    if (run.outcome.lease.lease != 0 && (!as_usual || settings_.says_debug)) say(log_lines::ended(run));
}

// ---- Decisions ---------------------------------------------------------------------------------------------------

Commands Worker::decide(Duration now) {
    notice_standstill(now);
    if (has_nothing_to_lose()) leave(0);
    if (auto line = outage_.look(oldest_call(), now)) say(std::move(*line));
    if (phase_ != Phase::Left) take_turn(now);
    turn_due_ = std::max(wake_at(), now);
    return std::exchange(commands_, {});
}

void Worker::take_turn(Duration now) {
    forget_lost_runs();
    if (phase_ != Phase::Joining) stopper_.fence(beater_.last_acknowledged(), now, commands_);
    if (drain_) continue_drain(now);
    if (phase_ == Phase::Left) return;
    stopper_.tick(now, commands_);
    spawn_runners(now);
    begin_waiting(now);
    call_beat_lane(now);
    call_work_lane(now);
    if (claims_beside_) call_claim_lane(now);
    announce_ready(now);
}

/// It has joined, and its runners have booted: while they do, its first tasks would wait for the processor. Runners
/// that cannot boot do not keep it from the others.
void Worker::announce_ready(Duration now) {
    if (!ready_by_ || phase_ != Phase::Serving) return;
    const auto boots = [](const auto& each) { return each.second.stage == RunnerStage::Booting; };
    if (now < *ready_by_ && std::ranges::any_of(book_.runners(), boots)) return stopper_.look_at(*ready_by_);
    ready_by_.reset();
    commands_.push_back(Announce{Announce::What::Ready});
}

/// A lease that the store has given away is dropped, except when its run has an outcome: that is still reported, so
/// that the store refuses it and records the refusal.
void Worker::forget_lost_runs() {
    if (!may_have_lost_) return;
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
        if (bytes > 0) commands_.push_back(LogsStored{run.log_runner, bytes});  // its runner waits for this quota
        book_.remove(lease);
    }
    may_have_lost_ = std::ranges::any_of(book_.runs(), [](const auto& each) {
        return each.second.stop && each.second.stop->cause == StopCause::LeaseLost;
    });
}

/// Hands back leases that have not started, lets runs end within the grace, then stops them, and leaves when their
/// outcomes cannot be delivered in time.
void Worker::continue_drain(Duration now) {
    while (book_.count(RunStage::Held) > 0)
        book_.move(book_.at(*book_.in(RunStage::Held).begin()), RunStage::Returning, now);
    const Duration stop_at = drain_->hurried ? now : drain_->began + settings_.shutdown_grace;
    if (now < stop_at) return stopper_.look_at(stop_at);
    stop_for_drain(now);
    if (now < drain_->give_up_at) return stopper_.look_at(drain_->give_up_at);
    say(log_lines::left_undelivered(book_.runs().size()));
    leave(1);
}

void Worker::stop_for_drain(Duration now) {
    const bool stops_now = !std::exchange(drain_->stopped_all, true);
    if (stops_now) stopper_.stop_all(StopCause::Drain, now, commands_);
    // Threads cannot be killed. While one runs, the worker stays and beats, so that its task is not given away.
    const bool waits_for_threads = !settings_.runners_can_die && book_.count(RunStage::Running) > 0;
    if (!stops_now && !waits_for_threads) return;
    drain_->give_up_at =
        now + (drain_->hurried ? hurried_delivery_patience : settings_.stop_grace + delivery_patience);
}

bool Worker::wants_runners() const {
    if (!registered_ && phase_ == Phase::Joining) return true;  // they boot while the worker joins
    return !drain_ || book_.count(RunStage::Starting) + book_.count(RunStage::Waiting) > 0 ||
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
    const std::set<store::Lease> waiting = book_.in(RunStage::Waiting);  // a copy: runs that begin leave the stage
    for (const store::Lease lease : waiting)
        if (book_.idle_runners() > 0) begin(book_.at(lease), now);
}

/// The start is on disk, so a runner may now begin the run. But a run that the fence would stop at once, or whose
/// claim was answered so late that another worker may hold the task by now, or whose lease the store may have
/// forgotten, waits for a beat: its answer tells whether the lease is still this worker's.
void Worker::begin(Run& run, Duration now) {
    // Its runner may have been killed while the start was being committed: take another one.
    if (run.runner != 0 && book_.find_runner(run.runner)->killed) book_.release(run, now);
    const bool must_wait = is_beyond_fence(run, now) || is_unconfirmed(run) || runs_already(run);
    if (must_wait || (run.runner == 0 && !book_.assign(run, now))) {
        book_.release(run, now);
        if (run.stage != RunStage::Waiting) book_.move(run, RunStage::Waiting, now);
        return;
    }
    book_.move(run, RunStage::Running, now);
    begun_.add(run.claimed.lease);
    commands_.push_back(BeginRun{run.runner, order_for(run)});
    stopper_.look_at(now + run.timeout);
    book_.find_runner(run.runner)->last_sign = now;
}

bool Worker::is_beyond_fence(const Run& run, Duration now) const {
    const Duration ask = fence_times(settings_.registration.fence_after).ask;
    return is_fenced(run.claimed.task) && now - run.trusted_since >= ask;
}

/// Its lease is of an older history than the store's, and no beat has told yet whether the store still knows it: the
/// claim or the start may have been answered shortly before the store lost it.
bool Worker::is_unconfirmed(const Run& run) const {
    return std::max(core::rank_of(run.claimed.lease), run.confirmed_rank) < rank_;
}

/// The store has lost the lease of a run and given its task to this worker again, before a beat has told so. The lost
/// run ends first (P7).
bool Worker::runs_already(const Run& run) const {
    for (const store::Lease lease : book_.in(RunStage::Running)) {
        if (core::rank_of(lease) >= core::rank_of(run.claimed.lease)) return false;  // they are in order
        if (book_.runs().at(lease).claimed.task.id == run.claimed.task.id) return true;
    }
    return false;
}

/// It drains, has never joined, and no registration is under way.
bool Worker::has_nothing_to_lose() const {
    return phase_ == Phase::Joining && drain_ && !registered_ && !beat_lane_.busy;
}

void Worker::leave(int exit_code) {
    commands_.emplace_back(Leave{.exit_code = exit_code});
    phase_ = Phase::Left;
}

bool Worker::is_drained() const {
    return drain_ && book_.runs().empty() && orphans_.empty() && started_orphans_.empty() && !delivered_.has_due() &&
           !claimer_.is_unanswered();
}

// ---- When the next decision is due -------------------------------------------------------------------------------

Duration Worker::wake_at() const {
    if (phase_ == Phase::Left) return never;
    return std::min(
        {stopper_.look_at(), beat_due(), work_due(), claim_due(), spawn_due(), outage_.due_at(oldest_call())});
}

Duration Worker::beat_due() const {
    if (beat_lane_.busy || phase_ == Phase::Leaving) return never;
    return registered_ ? std::max(beater_.next_at(), beat_lane_.retry_at) : beat_lane_.retry_at;
}

/// Results and starts become possible by events, after which decide() is called anyway. Without events only a failed
/// call and the next snapshot fall due.
Duration Worker::work_due() const {
    if (phase_ == Phase::Leaving && !work_lane_.busy) return work_lane_.retry_at;
    if (!is_open(work_lane_)) return never;
    if (gathers_until_ > Duration::zero()) return std::max(work_lane_.retry_at, gathers_until_);
    const bool has_failed = work_lane_.backoff.failures() > 0;
    return has_failed ? work_lane_.retry_at : std::max(work_lane_.retry_at, snapshot_at_);
}

Duration Worker::claim_due() const {
    const LaneState& lane = claims_beside_ ? claim_lane_ : work_lane_;
    if (!is_open(lane)) return never;
    const bool is_put_off = claim_lane_.retry_at > Duration::zero();
    return std::max(lane.retry_at, is_put_off ? claim_lane_.retry_at : claimer_.due_at().value_or(never));
}

Duration Worker::spawn_due() const {
    return wants_runners() && book_.runners().size() < settings_.capacity() ? spawn_at_ : never;
}

std::optional<Duration> Worker::oldest_call() const {
    std::optional<Duration> oldest;
    for (const LaneState* lane : {&beat_lane_, &work_lane_, &claim_lane_})
        if (lane->busy) oldest = std::min(oldest.value_or(never), lane->called_at);
    return oldest;
}

}  // namespace holdfast::engine
