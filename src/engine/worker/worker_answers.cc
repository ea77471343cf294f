#include <algorithm>

#include "base/assert.h"
#include "engine/fence.h"
#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"
#include "engine/worker/worker.h"

namespace holdfast::engine {

namespace {

constexpr Duration longest_wait = std::chrono::seconds(30);
constexpr Duration wait_with_leases = std::chrono::seconds(1);
/// Also for a worker without leases: observers count its silence from the moment they reach the store again.
constexpr Duration wait_with_beat = std::chrono::seconds(1);

StopCause cause_of(store::StopReason reason) {
    switch (reason) {
        case store::StopReason::Cancel:
            return StopCause::Cancel;
        case store::StopReason::Timeout:
            return StopCause::Timeout;
    }
    return StopCause::Cancel;
}

}  // namespace

void Worker::answered(Lane lane, StoreAnswer answer, Duration now) {
    notice_standstill(now);
    if (const auto* failure = std::get_if<CallFailed>(&answer)) return on_failed(lane, *failure, now);
    if (is_outdated(answer)) return on_failed(lane, {"it answers from a history that it has left"}, now);
    state_of(lane).answered();
    store_answered(now);
    switch (lane) {
        case Lane::Beat:
            return beat_lane_answered(answer, now);
        case Lane::Claim:
            return on_claimed(std::get<store::TurnAnswer>(answer).claimed, now);
        case Lane::Work:
            return work_lane_answered(answer, now);
    }
}

LaneState& Worker::state_of(Lane lane) {
    switch (lane) {
        case Lane::Beat:
            return beat_lane_;
        case Lane::Claim:
            return claim_lane_;
        case Lane::Work:
            return work_lane_;
    }
    HOLDFAST_ASSERT(false);
}

void Worker::on_failed(Lane lane, const CallFailed& failure, Duration now) {
    const Duration longest = lane == Lane::Beat     ? wait_with_beat
                             : book_.runs().empty() ? longest_wait
                                                    : wait_with_leases;
    const Duration wait = state_of(lane).failed(longest, now);
    if (lane == Lane::Beat) beater_.failed(now + wait);
    if (lane == Lane::Work && work_.claims) claim_beside();  // ends of runs do not fail with it again
    if (auto line = outage_.failed(failure.why, wait, now)) say(std::move(*line));
}

void Worker::store_answered(Duration now) {
    const bool was_away = outage_.is_away();
    if (auto line = outage_.answered(oldest_call(), now)) say(std::move(*line));
    if (!was_away) return;
    for (LaneState* lane : {&beat_lane_, &work_lane_, &claim_lane_}) lane->retry_at = now;
    beater_.beat_soon(now);
    claimer_.work_arrived();
}

// ---- Beats -------------------------------------------------------------------------------------------------------

void Worker::beat_lane_answered(const StoreAnswer& answer, Duration now) {
    if (const auto* registered = std::get_if<store::RegisterAnswer>(&answer)) return on_registered(*registered, now);
    on_beat(std::get<store::BeatAnswer>(answer), now);
}

void Worker::on_registered(const store::RegisterAnswer& answer, Duration now) {
    registered_ = true;
    meet(answer.rank);
    beater_.registered(beat_sent_at_, answer.rank);
    set_fence();  // the one before may have passed
    beater_.beat_soon(now);
    say(log_lines::registered(settings_.registration));
}

void Worker::set_fence() {
    commands_.push_back(SetFence{beater_.last_acknowledged() + fence_times(settings_.registration.fence_after).kill});
}

void Worker::on_beat(const store::BeatAnswer& answer, Duration now) {
    const bool has_gone_back = meet(answer.rank);
    if (has_gone_back || !answer.known) registered_ = false;
    if (!has_gone_back && !answer.known) say(log_lines::forgotten_by_store());
    if (!answer.known) return;
    beater_.acknowledged(book_, answer);
    if (!has_gone_back) delivered_.forget_old(beat_sent_at_);
    if (settings_.says_debug) say(log_lines::beat_sent(book_.runs().size()));
    set_fence();
    if (phase_ == Phase::Joining) {
        phase_ = Phase::Serving;
        ready_by_ = now + settings_.runner_boot;
    }
    if (answer.drain) begin_drain("a drain was requested remotely", now);
    if (answer.cordoned != cordoned_) say(log_lines::cordoned(answer.cordoned));
    if (std::exchange(cordoned_, answer.cordoned) && !cordoned_) claimer_.work_arrived();
    may_have_lost_ = may_have_lost_ || !answer.lost.empty();
    for (const store::TaskLease& lost : answer.lost)
        if (Run* run = book_.find(lost)) stopper_.stop(*run, StopCause::LeaseLost, now, commands_);
    for (const store::StopRequest& request : answer.stop)
        if (Run* run = book_.find(request.lease)) stopper_.stop(*run, cause_of(request.reason), now, commands_);
    if (!claim_was_open_ && !claimer_.is_unanswered()) note_unlisted(answer.unlisted);
}

// ---- Work --------------------------------------------------------------------------------------------------------

void Worker::work_lane_answered(StoreAnswer& answer, Duration now) {
    if (auto* turn = std::get_if<store::TurnAnswer>(&answer)) return on_turn(*turn, now);
    on_saved();
    if (phase_ == Phase::Leaving) leave(0);
}

void Worker::claim_beside() {
    if (settings_.claims_go == ClaimsGo::InTurnsOrBeside) claims_beside_ = true;
}

/// While tasks with keys are claimed, the next claim would be put off, too.
void Worker::on_claimed(store::ClaimAnswer& answer, Duration now) {
    if (answer.refusal == store::ClaimRefusal::PutOff) {
        claimer_.put_off();
        return claim_beside();
    }
    const auto has_key = [](const store::ClaimedTask& task) { return task.task.concurrency.has_value(); };
    if (settings_.claims_go == ClaimsGo::InTurnsOrBeside) claims_beside_ = std::ranges::any_of(answer.tasks, has_key);
    claimer_.answered(answer, now);
    switch (answer.refusal) {
        case store::ClaimRefusal::None:
        case store::ClaimRefusal::PutOff:
            break;
        case store::ClaimRefusal::UnknownWorker:
            registered_ = false;
            beat_lane_.retry_at = now;
            return say(log_lines::forgotten_by_store());
        case store::ClaimRefusal::NotActive:  // its next beat makes it active
            claim_lane_.retry_at = now + std::chrono::milliseconds(100);
            return beater_.beat_soon(now);
        case store::ClaimRefusal::Cordoned:
            cordoned_ = true;
            return say(log_lines::cordoned(true));
    }
    for (store::ClaimedTask& task : answer.tasks)
        if (book_.find(task.lease) == nullptr) take_in(std::move(task), now);
}

void Worker::take_in(store::ClaimedTask task, Duration now) {
    if (settings_.says_debug) say(log_lines::claimed(task));
    // A lease of another rank than expected: the next beat tells whether the store has gone back, or still knows it.
    if (rank_ != 0 && core::rank_of(task.lease) != rank_) beater_.beat_soon(now);
    highest_lease_ = std::max(highest_lease_, task.lease);
    const bool is_started = task.started;
    Run& run = book_.add(std::move(task), is_started ? RunStage::Waiting : RunStage::Held, now);
    run.timeout = run.claimed.task.policy.timeout.value_or(settings_.task_timeout);
    run.trusted_since = claim_trusted_since_;
    if (is_started && drain_ && drain_->stopped_all) {
        stopper_.stop(run, StopCause::Drain, now, commands_);
    } else if (is_started) {
        begin(run, now);
    } else {
        stopper_.look_at(now + settings_.hold_at_most);
    }
}

void Worker::on_turn(store::TurnAnswer& answer, Duration now) {
    on_finished(answer.finished, now);
    for (std::size_t i = 0; i < work_.returning.size(); ++i)
        on_handed_back(work_.returning[i], answer.handed_back[i], now);
    for (std::size_t i = 0; i < work_.starting.size(); ++i) on_start(work_.starting[i], answer.started[i], now);
    if (work_.claims) on_claimed(answer.claimed, now);
}

/// The answers stand in the order of add_finished().
void Worker::on_finished(const std::vector<store::FinishOutcome>& outcomes, Duration now) {
    auto outcome = outcomes.begin();
    for (const store::Lease lease : work_.finishing) {
        const bool is_refused = (outcome++)->fenced == store::Fenced::LeaseLost;
        Run* run = book_.find(lease);
        if (run == nullptr) continue;
        if (is_refused) {
            say(log_lines::refused(*run));
        } else {
            delivered_.add(std::move(run->outcome), now);
        }
        book_.remove(lease);
    }
    for (const store::TaskLease& orphan : work_.finishing_orphans) {
        ++outcome;
        std::erase(started_orphans_, orphan);
    }
    for (const store::TaskLease& lease : work_.delivering_again) delivered_.answered(lease, (outcome++)->fenced, now);
    say_delivered_again();
}

/// A store that rolls over marks every lease as started, because it may have lost the start. Such a lease cannot be
/// handed back, and is finished instead.
void Worker::on_handed_back(const store::TaskLease& lease, store::Fenced fenced, Duration now) {
    const bool was_started = fenced == store::Fenced::LeaseLost;
    const bool is_orphan = std::erase(orphans_, lease) > 0;
    Run* run = book_.find(lease);
    if (run != nullptr && was_started && run->stop && !run->claimed.started &&
        run->stop->cause != StopCause::LeaseLost)
        return end_run(*run, outcome_of_stop(*run, run->stop->cause, settings_), now);
    const bool may_be_marked = core::rank_of(lease.lease) < rank_;
    if (was_started && (is_orphan || may_be_marked)) started_orphans_.push_back(lease);
    if (run != nullptr) book_.remove(lease.lease);
}

/// The progress or the logs of the call under way are stored.
void Worker::on_saved() {
    for (const store::Lease lease : work_.saving)
        if (Run* run = book_.find(lease)) run->unsaved.reset();
    for (const auto& logs : work_.logging) {
        commands_.push_back(LogsStored{logs.runner, logs.bytes});
        Run* run = book_.find(logs.lease);
        if (run == nullptr) continue;
        run->unsent_logs.erase(run->unsent_logs.begin(),
                               run->unsent_logs.begin() + static_cast<std::ptrdiff_t>(logs.chunks));
    }
}

void Worker::on_start(store::Lease lease, store::Fenced fenced, Duration now) {
    Run* run = book_.find(lease);
    if (run == nullptr) return;
    const bool is_started = fenced == store::Fenced::Applied || fenced == store::Fenced::Already;
    if (is_started && !run->stop) return begin(*run, now);
    book_.release(*run, now);
    if (is_started && run->stop->cause != StopCause::LeaseLost)
        return end_run(*run, outcome_of_stop(*run, run->stop->cause, settings_), now);
    if (fenced == store::Fenced::Withdrawn) return book_.move(*run, RunStage::Returning, now);
    book_.remove(lease);
}

}  // namespace holdfast::engine
