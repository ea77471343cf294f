#include "proof/chaos/fault_plan.h"

#include <algorithm>
#include <array>
#include <random>

namespace holdfast::chaos {

namespace {

struct KindFacts {
    FaultKind kind;
    std::string_view word;
    bool needs_postgres;
    int further_cards;  ///< in each deck, beyond the first
};

constexpr std::array<KindFacts, 17> facts = {{{FaultKind::KillWorker, "kill-worker", false, 2},
                                              {FaultKind::KillRunner, "kill-runner", false, 2},
                                              {FaultKind::KillKeeper, "kill-keeper", false, 1},
                                              {FaultKind::StopWorker, "stop-worker", false, 1},
                                              {FaultKind::StopRunner, "stop-runner", false, 0},
                                              {FaultKind::DrainWorker, "drain-worker", false, 1},
                                              {FaultKind::KillServer, "kill-server", false, 0},
                                              {FaultKind::StopServer, "stop-server", false, 0},
                                              {FaultKind::DrainServer, "drain-server", false, 0},
                                              {FaultKind::CutPath, "cut-path", true, 1},
                                              {FaultKind::ResetPath, "reset-path", true, 0},
                                              {FaultKind::RefusePath, "refuse-path", true, 0},
                                              {FaultKind::RestartFast, "restart-fast", true, 0},
                                              {FaultKind::RestartImmediate, "restart-immediate", true, 0},
                                              {FaultKind::KillPostmaster, "kill-postmaster", true, 0},
                                              {FaultKind::FillDisk, "fill-disk", false, 0},
                                              {FaultKind::BurnCpu, "burn-cpu", false, 0}}};

const KindFacts& facts_of(FaultKind kind) {
    return *std::ranges::find(facts, kind, &KindFacts::kind);
}

/// The shuffles and ranges of standard libraries differ: with these a seed means the same everywhere.
class Dealer {
public:
    Dealer(std::uint64_t seed, const std::vector<FaultKind>& kinds) : random_(seed), kinds_(kinds) {}

    std::uint64_t draw() { return random_(); }
    Duration between(Duration least, Duration most) {
        return least +
               Duration(static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>((most - least).count())));
    }
    FaultKind next_kind() {
        if (deck_.empty()) fill_deck();
        const FaultKind kind = deck_.back();
        deck_.pop_back();
        return kind;
    }

private:
    void fill_deck() {
        for (const FaultKind kind : kinds_)
            deck_.insert(deck_.end(), static_cast<std::size_t>(facts_of(kind).further_cards), kind);
        shuffle(0);
        const std::size_t further = deck_.size();
        deck_.insert(deck_.end(), kinds_.begin(), kinds_.end());  // dealt from the back: these come first
        shuffle(further);
    }
    void shuffle(std::size_t from) {
        for (std::size_t i = deck_.size(); i > from + 1; --i)
            std::swap(deck_[i - 1], deck_[from + draw() % (i - from)]);
    }

    std::mt19937_64 random_;
    const std::vector<FaultKind>& kinds_;
    std::vector<FaultKind> deck_;
};

Duration length_of(FaultKind kind, Dealer& dealer, Duration lease) {
    using std::chrono::milliseconds;
    switch (kind) {
        case FaultKind::StopWorker:
        case FaultKind::StopRunner:
        case FaultKind::StopServer:
        case FaultKind::CutPath:
            return dealer.between(lease + lease / 5, 2 * lease + lease / 5);
        case FaultKind::RefusePath:
        case FaultKind::FillDisk:
        case FaultKind::BurnCpu:
            return dealer.between(milliseconds(1500), milliseconds(5000));
        case FaultKind::KillWorker:
        case FaultKind::KillRunner:
        case FaultKind::KillKeeper:
        case FaultKind::DrainWorker:
        case FaultKind::KillServer:
        case FaultKind::DrainServer:
        case FaultKind::ResetPath:
        case FaultKind::RestartFast:
        case FaultKind::RestartImmediate:
        case FaultKind::KillPostmaster:
            break;
    }
    return dealer.between(milliseconds(100), milliseconds(2500));
}

/// After these faults comes a quiet moment: a run in which nothing gets done proves nothing.
bool takes_the_store_away(FaultKind kind) {
    return kind == FaultKind::RestartFast || kind == FaultKind::RestartImmediate ||
           kind == FaultKind::KillPostmaster || kind == FaultKind::FillDisk;
}

}  // namespace

std::string_view to_text(StoreKind kind) {
    return kind == StoreKind::Sqlite ? "SQLite" : "PostgreSQL";
}

std::string_view to_text(FaultKind kind) {
    return facts_of(kind).word;
}

std::optional<FaultKind> parse_fault(std::string_view text) {
    const auto found = std::ranges::find(facts, text, &KindFacts::word);
    if (found == facts.end()) return std::nullopt;
    return found->kind;
}

std::vector<FaultKind> faults_for(StoreKind kind) {
    std::vector<FaultKind> kinds;
    for (const KindFacts& each : facts)
        if (kind == StoreKind::Postgres || !each.needs_postgres) kinds.push_back(each.kind);
    return kinds;
}

std::vector<Fault> plan_faults(const FaultPlanParams& params) {
    using std::chrono::milliseconds;
    std::vector<Fault> plan;
    if (params.kinds.empty()) return plan;
    Dealer dealer(params.seed, params.kinds);
    Duration at = milliseconds(1500);  // by then tasks run
    while (at < params.duration) {
        Fault fault{.at = at, .kind = dealer.next_kind(), .draw = dealer.draw()};
        fault.hits_all = dealer.draw() % 3 == 0;
        fault.length = std::min(length_of(fault.kind, dealer, params.lease), params.duration - at);
        plan.push_back(fault);
        at += dealer.between(milliseconds(300), milliseconds(1100));
        if (takes_the_store_away(fault.kind)) at += fault.length + milliseconds(1000);
    }
    return plan;
}

}  // namespace holdfast::chaos
