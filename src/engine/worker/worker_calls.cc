#include "engine/log_lines.h"
#include "engine/worker/outcomes.h"
#include "engine/worker/starter.h"
#include "engine/worker/worker.h"

namespace holdfast::engine {

namespace {

/// Enough runs to share the cost of a commit, and few enough for a short transaction.
constexpr std::size_t finish_batch = 500;
constexpr std::size_t orphan_batch = 100;
constexpr std::size_t log_batch_bytes = 4 << 20;
constexpr std::size_t log_batch_chunks = 5000;

}  // namespace

void Worker::call_beat_lane(Duration now) {
    if (phase_ == Phase::Leaving || !beat_lane_.is_free(now)) return;
    if (!registered_) {
        commands_.push_back(CallStore{Lane::Beat, RegisterCall{settings_.registration}});
    } else if (auto params =
                   beater_.next(book_, drain_ ? store::WorkerStatus::Draining : store::WorkerStatus::Active, now)) {
        commands_.push_back(CallStore{Lane::Beat, BeatCall{std::move(*params)}});
    } else {
        return;
    }
    beat_lane_.called(now);
    beat_sent_at_ = now;
    claim_was_open_ = claimer_.is_unanswered();
}

void Worker::call_work_lane(Duration now) {
    if (phase_ == Phase::Joining || !work_lane_.is_free(now)) return;
    work_ = {};
    auto call = next_work_call(now);
    if (!call) return work_lane_.backoff.reset();  // nothing is left to retry
    work_lane_.called(now);
    commands_.push_back(CallStore{Lane::Work, std::move(*call)});
}

std::optional<StoreCall> Worker::next_work_call(Duration now) {
    if (auto call = last_logs_call()) return call;
    if (auto call = last_progress_call()) return call;
    if (auto call = turn_call(now)) return call;
    if (auto call = logs_call(book_.in(RunStage::Running))) return call;
    if (auto call = snapshot_call(now)) return call;
    return deregister_call();
}

/// The store takes logs and progress only for a current lease, so the last of them are sent before the finish.
std::optional<StoreCall> Worker::last_logs_call() {
    return logs_call(book_.in(RunStage::Ended));
}

std::optional<StoreCall> Worker::last_progress_call() {
    SaveProgressCall call{.worker = settings_.registration.id, .reports = {}};
    for (const store::Lease lease : book_.in(RunStage::Ended)) {
        const Run& run = book_.at(lease);
        if (!run.unsaved || !run.unsaved->checkpoint) continue;
        call.reports.push_back(*run.unsaved);
        work_.saving.push_back(lease);
    }
    if (call.reports.empty()) return std::nullopt;
    return call;
}

/// Not beside claims: those are for runners that are idle as soon as their runs have ended, whoever reports the ends.
/// A turn that failed is repeated when its time has come.
bool Worker::gathers(Duration now) {
    gathers_until_ = {};
    if (claims_beside_ || claimer_.is_unanswered() || work_lane_.backoff.failures() > 0) return false;
    const Duration until = gatherer_.wait_until(book_, settings_.capacity());
    if (now >= until) return false;
    gathers_until_ = until;
    return true;
}

std::optional<StoreCall> Worker::turn_call(Duration now) {
    if (gathers(now)) return std::nullopt;
    auto starts = choose_starts(book_, claimer_.reserved(), now);
    const bool may_claim = !claims_beside_ && claim_lane_.is_free(now);
    if (may_claim && book_.count(RunStage::Ended) > 0) claimer_.ends_are_reported();
    const auto claim = may_claim ? next_claim(now) : std::nullopt;
    work_.claims = claim.has_value();
    store::TurnParams params = claim.value_or(store::TurnParams{.worker = settings_.registration.id});
    params.may_wait = settings_.claims_go == ClaimsGo::InTurns;
    params.start = std::move(starts);
    for (const store::TaskLease& lease : params.start) work_.starting.push_back(lease.lease);
    add_finished(params);
    for (const store::Lease lease : book_.in(RunStage::Returning))
        params.hand_back.push_back(book_.at(lease).lease());
    params.hand_back.insert(params.hand_back.end(), orphans_.begin(), orphans_.end());
    work_.returning = params.hand_back;
    if (params.asks_for_nothing()) return std::nullopt;
    return TurnCall{std::move(params)};
}

/// Adds outcomes of its own runs, then of leases without a run, then those that the store may have lost.
void Worker::add_finished(store::TurnParams& params) {
    for (const store::Lease lease : book_.in(RunStage::Ended)) {
        if (work_.finishing.size() == finish_batch) break;
        params.finish.push_back(book_.at(lease).outcome);
        work_.finishing.push_back(lease);
    }
    for (const store::TaskLease& orphan : started_orphans_) {
        if (work_.finishing_orphans.size() == orphan_batch) break;
        params.finish.push_back(outcome_of_started_orphan(orphan));
        work_.finishing_orphans.push_back(orphan);
    }
    for (store::FinishedRun& outcome : delivered_.next_batch()) {
        work_.delivering_again.push_back(outcome.lease);
        params.finish.push_back(std::move(outcome));
    }
}

std::optional<store::TurnParams> Worker::next_claim(Duration now) {
    claim_lane_.retry_at = {};
    const bool may_claim = registered_ && !drain_ && !cordoned_ && !outage_.is_away();
    if (!claimer_.is_unanswered()) claim_trusted_since_ = beater_.last_acknowledged();
    auto claim = claimer_.next(book_, may_claim, now);
    if (claim) claim->highest_lease = highest_lease();
    return claim;
}

void Worker::call_claim_lane(Duration now) {
    if (phase_ == Phase::Joining || !claim_lane_.is_free(now)) return;
    auto claim = next_claim(now);
    if (!claim) return;
    claim_lane_.called(now);
    commands_.push_back(CallStore{Lane::Claim, TurnCall{std::move(*claim)}});
}

std::optional<StoreCall> Worker::logs_call(const std::set<store::Lease>& leases) {
    AppendLogsCall call{.worker = settings_.registration.id, .chunks = {}};
    std::size_t bytes = 0;
    for (const store::Lease lease : leases) {
        const Run& run = book_.at(lease);
        WorkUnderWay::Logs logs{.lease = lease, .runner = run.log_runner};
        for (const store::LogChunk& chunk : run.unsent_logs) {
            if (bytes >= log_batch_bytes || call.chunks.size() >= log_batch_chunks) break;
            call.chunks.push_back(chunk);
            bytes += chunk.text.size();
            logs.bytes += chunk.text.size();
            ++logs.chunks;
        }
        if (logs.chunks > 0) work_.logging.push_back(logs);
    }
    if (call.chunks.empty()) return std::nullopt;
    return call;
}

std::optional<StoreCall> Worker::snapshot_call(Duration now) {
    if (now < snapshot_at_ || phase_ == Phase::Leaving) return std::nullopt;
    snapshot_at_ = now + settings_.snapshot_interval;
    store::WorkerSnapshot snapshot{.worker = settings_.registration.id, .at = {}};
    snapshot.running = static_cast<int>(book_.count(RunStage::Running));
    snapshot.claimed = static_cast<int>(book_.runs().size()) - snapshot.running;
    snapshot.capacity = settings_.registration.capacity;
    return SnapshotCall{snapshot};
}

/// Waits for the beat under way: a beat after the deregistration would make the worker active again.
std::optional<StoreCall> Worker::deregister_call() {
    if (!is_drained() || beat_lane_.busy) return std::nullopt;
    if (std::exchange(phase_, Phase::Leaving) != Phase::Leaving)
        say(log_lines::deregistering(settings_.registration.id));
    return DeregisterCall{settings_.registration.id};
}

}  // namespace holdfast::engine
