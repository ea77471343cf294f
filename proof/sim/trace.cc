#include "proof/sim/trace.h"

#include <cstdio>

#include "proof/sim/dice.h"

namespace holdfast::sim {

namespace {

std::string as_text(Duration at, std::string_view who, std::string_view what) {
    const auto microseconds = at.count();
    char time[32];
    std::snprintf(
        time, sizeof time, "%02lld:%02lld:%02lld.%06lld ", static_cast<long long>(microseconds / 3600000000),
        static_cast<long long>(microseconds / 60000000 % 60), static_cast<long long>(microseconds / 1000000 % 60),
        static_cast<long long>(microseconds % 1000000));
    std::string text(time);
    text.append(who).append(who.size() < 12 ? 12 - who.size() : 0, ' ').append(" ").append(what);
    return text;
}

}  // namespace

void Trace::line(Duration at, std::string_view who, std::string_view what) {
    hash_ = digest(what, digest(who, mixed(hash_ ^ static_cast<std::uint64_t>(at.count()))));
    if (keeps_ == 0 && !prints_) return;
    lines_.push_back(as_text(at, who, what));
    if (prints_) std::printf("%s\n", lines_.back().c_str());
    if (lines_.size() > keeps_) lines_.pop_front();
}

}  // namespace holdfast::sim
