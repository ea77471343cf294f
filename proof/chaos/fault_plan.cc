#include "proof/chaos/fault_plan.h"

#include <algorithm>
#include <array>
#include <random>

namespace holdfast::chaos {

namespace {

/// What must be there for a fault.
enum class Needs { Processes, OneServer, Cluster, OneDisk };

struct KindFacts {
    FaultKind kind;
    std::string_view word;
    Needs needs;
    int further_cards;  ///< in each deck, beyond the first
};

constexpr std::array<KindFacts, 23> facts = {{{FaultKind::KillWorker, "kill-worker", Needs::Processes, 2},
                                              {FaultKind::KillRunner, "kill-runner", Needs::Processes, 2},
                                              {FaultKind::KillKeeper, "kill-keeper", Needs::Processes, 1},
                                              {FaultKind::StopWorker, "stop-worker", Needs::Processes, 1},
                                              {FaultKind::StopRunner, "stop-runner", Needs::Processes, 0},
                                              {FaultKind::DrainWorker, "drain-worker", Needs::Processes, 1},
                                              {FaultKind::KillServer, "kill-server", Needs::Processes, 0},
                                              {FaultKind::StopServer, "stop-server", Needs::Processes, 0},
                                              {FaultKind::DrainServer, "drain-server", Needs::Processes, 0},
                                              {FaultKind::CutPath, "cut-path", Needs::OneServer, 1},
                                              {FaultKind::ResetPath, "reset-path", Needs::OneServer, 0},
                                              {FaultKind::RefusePath, "refuse-path", Needs::OneServer, 0},
                                              {FaultKind::RestartFast, "restart-fast", Needs::OneServer, 0},
                                              {FaultKind::RestartImmediate, "restart-immediate", Needs::OneServer, 0},
                                              {FaultKind::KillPostmaster, "kill-postmaster", Needs::OneServer, 0},
                                              {FaultKind::FillDisk, "fill-disk", Needs::OneDisk, 0},
                                              {FaultKind::BurnCpu, "burn-cpu", Needs::Processes, 0},
                                              {FaultKind::PromoteStandby, "promote-standby", Needs::Cluster, 1},
                                              {FaultKind::FreezePrimary, "freeze-primary", Needs::Cluster, 1},
                                              {FaultKind::LoseStandby, "lose-standby", Needs::Cluster, 0},
                                              {FaultKind::ZombiePrimary, "zombie-primary", Needs::Cluster, 0},
                                              {FaultKind::AsyncCut, "async-cut", Needs::Cluster, 0},
                                              {FaultKind::RestoreBackup, "restore-backup", Needs::Cluster, 0}}};

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
        case FaultKind::PromoteStandby:
            break;
        case FaultKind::FreezePrimary:
        case FaultKind::LoseStandby:
        case FaultKind::ZombiePrimary:
            return dealer.between(milliseconds(2000), milliseconds(7000));
        case FaultKind::AsyncCut:
        case FaultKind::RestoreBackup:
            return dealer.between(milliseconds(2500), milliseconds(3500));
    }
    return dealer.between(milliseconds(100), milliseconds(2500));
}

/// After these faults comes a quiet moment: a run in which nothing gets done proves nothing.
bool takes_the_store_away(FaultKind kind) {
    return kind == FaultKind::RestartFast || kind == FaultKind::RestartImmediate ||
           kind == FaultKind::KillPostmaster || kind == FaultKind::FillDisk;
}

/// A struck cluster is repaired after about so long, and then left alone for a moment.
constexpr Duration repair_of_cluster = std::chrono::seconds(5);

bool can_have(StoreKind store, Needs needs) {
    switch (needs) {
        case Needs::Processes:
            return true;
        case Needs::OneServer:
            return store == StoreKind::Postgres;
        case Needs::Cluster:
            return store == StoreKind::Cluster;
        case Needs::OneDisk:
            return store != StoreKind::Cluster;
    }
    return false;
}

}  // namespace

std::string_view to_text(StoreKind kind) {
    switch (kind) {
        case StoreKind::Sqlite:
            return "SQLite";
        case StoreKind::Postgres:
            return "PostgreSQL";
        case StoreKind::Cluster:
            return "a PostgreSQL cluster";
    }
    return "";
}

bool is_of_cluster(FaultKind kind) {
    return facts_of(kind).needs == Needs::Cluster;
}

bool is_failover(FaultKind kind) {
    return is_of_cluster(kind) && kind != FaultKind::LoseStandby;
}

std::string_view to_text(FaultKind kind) {
    return facts_of(kind).word;
}

std::optional<FaultKind> parse_fault(std::string_view text) {
    const auto found = std::ranges::find(facts, text, &KindFacts::word);
    if (found == facts.end()) return std::nullopt;
    return found->kind;
}

std::vector<FaultKind> all_faults() {
    std::vector<FaultKind> kinds;
    for (const KindFacts& each : facts) kinds.push_back(each.kind);
    return kinds;
}

std::vector<FaultKind> faults_for(StoreKind kind) {
    std::vector<FaultKind> kinds;
    for (const KindFacts& each : facts)
        if (can_have(kind, each.needs)) kinds.push_back(each.kind);
    return kinds;
}

std::vector<Fault> plan_faults(const FaultPlanParams& params) {
    using std::chrono::milliseconds;
    std::vector<FaultKind> of_cluster, others;
    for (const FaultKind kind : params.kinds) (is_of_cluster(kind) ? of_cluster : others).push_back(kind);
    Dealer other_dealer(params.seed, others), cluster_dealer(params.seed, of_cluster);
    std::vector<Fault> plan;
    if (params.kinds.empty()) return plan;
    Duration at = milliseconds(1500);  // by then tasks run
    Duration cluster_is_whole_at = at;
    int failovers = std::ranges::any_of(params.kinds, is_failover) ? params.failovers : 0;
    const bool ends_by_time = failovers == 0;
    while (ends_by_time ? at < params.duration : failovers > 0) {
        const bool hits_cluster = !of_cluster.empty() && (others.empty() || at >= cluster_is_whole_at);
        if (hits_cluster) at = std::max(at, cluster_is_whole_at);
        Dealer& dealer = hits_cluster ? cluster_dealer : other_dealer;
        Fault fault{.at = at, .kind = dealer.next_kind(), .draw = dealer.draw()};
        fault.hits_all = dealer.draw() % 3 == 0;
        fault.length = length_of(fault.kind, dealer, params.lease);
        if (ends_by_time) fault.length = std::min(fault.length, params.duration - at);
        plan.push_back(fault);
        if (hits_cluster) cluster_is_whole_at = at + fault.length + repair_of_cluster;
        if (is_failover(fault.kind)) --failovers;
        at += dealer.between(milliseconds(300), milliseconds(1100));
        if (takes_the_store_away(fault.kind)) at += fault.length + milliseconds(1000);
    }
    return plan;
}

}  // namespace holdfast::chaos
