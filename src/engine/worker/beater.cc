#include "engine/worker/beater.h"

#include <algorithm>

namespace holdfast::engine {

namespace {

constexpr Duration rest_between_orders = std::chrono::milliseconds(50);

store::HeldLease held(const Run& run, const RunBook& book, const WorkerSettings& settings, Duration now) {
    const bool running =
        run.stage == RunStage::Running || run.stage == RunStage::Waiting || run.stage == RunStage::Ended;
    store::HeldLease lease{.lease = run.lease(), .running = running};
    const auto runner = book.runners().find(run.runner);
    if (running && runner != book.runners().end()) {
        lease.runner_pid = runner->second.pid;
        if (settings.runners_can_die) lease.runner_beat_age = now - runner->second.last_sign;
    }
    return lease;
}

bool has_come(std::optional<Duration>& due, bool wanted, Duration interval, Duration now) {
    if (!wanted || (due && *due > now)) return false;
    due = now + interval;
    return true;
}

bool same_report(const store::ProgressReport& a, const store::ProgressReport& b) {
    return a.fraction == b.fraction && a.text == b.text && a.checkpoint == b.checkpoint;
}

}  // namespace

bool Beater::keeps_history(const RunBook& book, Duration now) {
    const std::size_t claimed =
        book.count(RunStage::Held) + book.count(RunStage::Starting) + book.count(RunStage::Returning);
    const bool claims = has_come(claimer_history_at_, claimed > 0, settings_.claimer_history, now);
    const bool runs = has_come(runner_history_at_, book.runs().size() > claimed, settings_.runner_history, now);
    return claims || runs;
}

std::optional<store::BeatParams> Beater::next(const RunBook& book, store::WorkerStatus status, Duration now) {
    if (now < next_at_) return std::nullopt;
    next_at_ = now + settings_.registration.beat_interval;
    sent_at_ = now;
    sent_progress_.clear();
    sent_leases_.clear();
    store::BeatParams params{.worker = settings_.registration.id, .status = status, .held = {}, .progress = {}};
    for (const auto& [lease, run] : book.runs()) {
        params.held.push_back(held(run, book, settings_, now));
        sent_leases_.push_back(lease);
        if (!run.unsaved) continue;
        params.progress.push_back(*run.unsaved);
        sent_progress_.emplace_back(lease, *run.unsaved);
    }
    params.keep_history = keeps_history(book, now);
    params.proves_session = settings_.proves_session;
    params.acknowledged = witness_;
    return params;
}

/// The store may have answered the beat under way before the order was written, so another beat follows it.
void Beater::beat_for_orders(Duration now) {
    beat_soon(std::max(now, sent_at_ + rest_between_orders));
}

void Beater::acknowledged(RunBook& book, const store::BeatAnswer& answer) {
    last_acknowledged_ = sent_at_;
    witness_ = {.rank = answer.rank, .number = answer.beat};
    for (const store::Lease lease : sent_leases_) {
        Run* run = book.find(lease);
        if (run == nullptr) continue;
        run->trusted_since = sent_at_;
        run->confirmed_rank = answer.rank;
    }
    for (const auto& [lease, sent] : sent_progress_) {
        Run* run = book.find(lease);
        if (run != nullptr && run->unsaved && same_report(*run->unsaved, sent)) run->unsaved.reset();
    }
    sent_progress_.clear();
}

}  // namespace holdfast::engine
