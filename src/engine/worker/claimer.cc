#include "engine/worker/claimer.h"

#include <algorithm>

#include "base/ids.h"

namespace holdfast::engine {

namespace {

constexpr Duration window = std::chrono::milliseconds(100);
constexpr Duration claim_ahead = std::chrono::milliseconds(50);  // well below the time after which it is handed back
// A task claimed ahead costs the store one write more than one that is claimed and started at once, so only enough
// are claimed to hide the duration of a claim.
constexpr std::size_t most_ahead = 32;

}  // namespace

void Pace::roll(Duration now) {
    const Duration passed = now - window_began_;
    if (passed < window) return;
    const double measured = static_cast<double>(ended_in_window_) * 1e6 / static_cast<double>(passed.count());
    per_second_ = passed > 10 * window ? measured : (per_second_ + measured) / 2;
    window_began_ = now;
    ended_in_window_ = 0;
}

void Pace::run_ended(Duration now) {
    roll(now);
    ++ended_in_window_;
}

std::size_t Pace::ends_within(Duration span, Duration now) {
    roll(now);
    return static_cast<std::size_t>(per_second_ * static_cast<double>(span.count()) / 1e6);
}

void Claimer::work_arrived() {
    may_start_more_ = may_hold_more_ = true;
    arrived_meanwhile_ = unanswered_.has_value();
}

/// Where a claim is a part of the turn that reports the ends, claiming ahead hides nothing: the start of a task that
/// was claimed ahead would have to wait for the same turn.
std::size_t Claimer::wanted_ahead(const RunBook& book, Duration now) {
    if (settings_.claims_go != ClaimsGo::Beside) return 0;
    const std::size_t target = std::min({pace_.ends_within(claim_ahead, now), 2 * settings_.capacity(), most_ahead});
    const std::size_t held = book.count(RunStage::Held);
    return held <= target / 2 ? target - held : 0;  // prefers few large claims to many small ones
}

std::optional<store::TurnParams> Claimer::next(const RunBook& book, bool may_claim, Duration now) {
    if (due_at_ && *due_at_ <= now) {
        due_at_.reset();
        work_arrived();
    }
    if (unanswered_) return unanswered_;
    if (!may_claim) return std::nullopt;
    const std::size_t first = book.count(RunStage::Held) + book.count(RunStage::Waiting);
    const std::size_t idle = book.idle_runners();
    store::TurnParams params{.worker = settings_.registration.id};
    if (may_start_more_ && idle > first) params.to_start = std::min(idle - first, store::max_batch_rows);
    if (may_hold_more_) params.to_hold = std::min(wanted_ahead(book, now), store::max_batch_rows - params.to_start);
    if (!params.claims()) return std::nullopt;
    params.request = make_uuid_v4(random_);
    unanswered_ = params;
    return unanswered_;
}

void Claimer::answered(const store::ClaimAnswer& answer, Duration now) {
    const store::TurnParams asked = unanswered_.value_or(store::TurnParams{});
    unanswered_.reset();
    if (answer.next_due) due_at_ = now + *answer.next_due;
    const bool news = std::exchange(arrived_meanwhile_, false) || answer.more;
    if (news || answer.refusal != store::ClaimRefusal::None) return;
    const auto started = static_cast<std::size_t>(
        std::ranges::count_if(answer.tasks, [](const store::ClaimedTask& task) { return task.started; }));
    const std::size_t held = answer.tasks.size() - started;
    if (started < asked.to_start) may_start_more_ = false;
    // Tasks with a key are never claimed ahead, so "nothing to hold" does not mean "nothing to start".
    if (held < asked.to_hold) may_hold_more_ = false;
    if (!may_start_more_) may_hold_more_ = false;
}

}  // namespace holdfast::engine
