#include "proof/sim/faults.h"

#include <cmath>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::sim {

namespace {

/// The name of a fault, and its usual rate.
struct FaultKind {
    std::string_view name;
    double usual_rate;  ///< a probability; for timed faults, how many in an hour
    bool timed;
    double share = 0.5;  ///< of the runs that have it
};

constexpr std::array<FaultKind, fault_count> kinds = {{
    {"kill-worker", 0.001, false},
    {"kill-sweeper", 0.001, false},
    {"kill-client", 0.005, false},
    {"answer-lost", 0.03, false},
    {"request-lost", 0.02, false},
    {"call-fails", 0.03, false},
    {"slow-call", 0.01, false},
    {"call-hangs", 0.003, false, 0.3},
    {"busy", 0.02, false},
    {"disk-full", 0.02, false},
    {"io-error", 0.02, false},
    {"pause-at-call", 0.001, false},
    {"back-at-verdict", 0.3, false},
    {"outage", 4, true},
    {"partition", 12, true},
    {"pause-worker", 12, true},
    {"pause-sweeper", 8, true},
    {"pause-client", 4, true},
    {"term-worker", 12, true},
    {"freeze-machine", 4, true},
    {"reboot-machine", 4, true},
    {"power-cut", 4, true},
    {"disk-stays-full", 3, true},
    {"clock-jump", 6, true},
    {"clock-skew", 0.5, false},
    {"runner-crash", 0.05, false},
    {"runner-hang", 0.02, false},
    {"runner-slow-start", 0.1, false},
    {"wake-up-lost", 0.3, false},
    {"wake-up-twice", 0.1, false},
    {"wake-up-late", 0.2, false},
    {"forget-worker", 6, true},
    {"clock-far-ahead", 0.3, false},
    {"store-goes-back", 6, true, 0.15},
    {"disk-goes-back", 6, true, 0.15},
    {"file-replaced", 6, true, 0.15},
    {"start-goes-back", 20, true, 0.15},
}};

constexpr double most_often = 0.5;

const FaultKind& kind_of(Fault fault) {
    return kinds[static_cast<std::size_t>(fault)];
}

/// Each run has about half of most kinds, each of them rare, usual or frequent.
double draw_rate(Fault fault, Dice dice) {
    if (dice.chance(1 - kind_of(fault).share)) return 0;
    const double rate = kind_of(fault).usual_rate * std::exp((dice.fraction() - 0.5) * 3);
    return is_timed(fault) ? rate : std::min(rate, most_often);
}

}  // namespace

std::string_view to_text(Fault fault) {
    return kind_of(fault).name;
}

std::optional<Fault> parse_fault(std::string_view text) {
    for (const Fault fault : all_faults())
        if (to_text(fault) == text) return fault;
    return std::nullopt;
}

const std::vector<Fault>& all_faults() {
    static const std::vector<Fault> all = [] {
        std::vector<Fault> made;
        for (std::size_t i = 0; i < fault_count; ++i) made.push_back(static_cast<Fault>(i));
        return made;
    }();
    return all;
}

bool is_timed(Fault fault) {
    return kind_of(fault).timed;
}

std::string to_text(const FaultKey& key) {
    return concat(to_text(key.fault), "/", key.site, "/", key.number);
}

FaultPlan::FaultPlan(std::uint64_t seed, FaultLimits limits) : seed_(seed), limits_(std::move(limits)) {
    const Dice dice = Dice(seed).fork("faults");
    for (const Fault fault : all_faults()) {
        const bool is_asked_for = limits_.kinds && limits_.kinds->contains(fault);
        const double drawn = draw_rate(fault, dice.fork(to_text(fault)));
        rates_[index(fault)] = is_asked_for && drawn == 0 ? kind_of(fault).usual_rate : drawn;
        if (limits_.kinds && !is_asked_for) rates_[index(fault)] = 0;
    }
}

Dice FaultPlan::dice_for(const FaultKey& key) const {
    return Dice(mixed(digest(key.site, digest(to_text(key.fault), seed_)) + key.number));
}

std::optional<Dice> FaultPlan::draw(Fault fault, std::string_view site, double boost) {
    const double rate = rates_[index(fault)];
    if (rate == 0 || stopped_) return std::nullopt;
    FaultKey key{fault, std::string(site), 0};
    key.number = ++numbers_[{fault, key.site}];
    Dice dice = dice_for(key);
    if (!is_timed(fault) && !dice.chance(std::min(rate * boost, most_often))) return std::nullopt;
    if (limits_.only && !limits_.only->contains(key)) return std::nullopt;
    drawn_.push_back(std::move(key));
    return dice;
}

std::optional<Dice> FaultPlan::strikes(Fault fault, std::string_view site, double boost) {
    auto dice = draw(fault, site, boost);
    if (dice) happened(fault);
    return dice;
}

std::optional<Duration> FaultPlan::next_after(Fault fault) {
    HOLDFAST_ASSERT(is_timed(fault));
    const double an_hour = rates_[index(fault)];
    if (an_hour == 0 || stopped_) return std::nullopt;
    Dice dice = dice_for({fault, "interval", ++numbers_[{fault, "interval"}]});
    const double hours = -std::log(1 - dice.fraction()) / an_hour;
    return Duration(std::llround(hours * 3.6e9));
}

}  // namespace holdfast::sim
