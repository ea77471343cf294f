#include "engine/worker/outage.h"

#include <utility>

#include "engine/log_lines.h"

namespace holdfast::engine {

namespace {

constexpr Duration say_away_every = std::chrono::seconds(30);
constexpr Duration longest_call = std::chrono::seconds(5);

bool is_overdue(std::optional<Duration> made_at, Duration now) {
    return made_at && now - *made_at >= longest_call;
}

}  // namespace

std::optional<LogLine> Outage::failed(const std::string& why, Duration wait, Duration now) {
    const auto silent_since = std::exchange(silent_since_, std::nullopt);
    if (!away_since_) away_since_ = silent_since.value_or(now);
    if (now < say_away_at_) return std::nullopt;
    say_away_at_ = now + say_away_every;
    return log_lines::store_away(why, wait);
}

std::optional<LogLine> Outage::answered(std::optional<Duration> oldest, Duration now) {
    const auto since = away_since_ ? away_since_ : silent_since_;
    const bool goes_on = !away_since_ && is_overdue(oldest, now);
    if (!since || goes_on) return std::nullopt;
    away_since_.reset();
    silent_since_.reset();
    say_away_at_ = now;
    return log_lines::store_back(now - *since);
}

std::optional<LogLine> Outage::look(std::optional<Duration> oldest, Duration now) {
    if (away_since_ || silent_since_ || !is_overdue(oldest, now)) return std::nullopt;
    silent_since_ = oldest;
    return log_lines::store_silent(now - *oldest);
}

Duration Outage::due_at(std::optional<Duration> oldest) const {
    return away_since_ || silent_since_ || !oldest ? Duration::max() : *oldest + longest_call;
}

}  // namespace holdfast::engine
