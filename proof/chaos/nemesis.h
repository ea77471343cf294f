#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "proof/chaos/cluster_faults.h"
#include "proof/chaos/crew.h"
#include "proof/chaos/fault_plan.h"
#include "proof/chaos/gate.h"
#include "proof/chaos/own_postgres.h"
#include "proof/chaos/small_disk.h"

namespace holdfast::chaos {

/// The targets of a nemesis.
struct Battlefield {
    Crew& crew;
    OwnPostgres* postgres = nullptr;                      ///< nullptr: none
    std::vector<std::unique_ptr<Gate>>* gates = nullptr;  ///< one for each member, then that of the client
    SmallDisk* disk = nullptr;
    StruckCluster* cluster = nullptr;
};

/// Carries out a plan of faults, records what it did, and replaces the processes that it ended.
class Nemesis {
public:
    Nemesis(Battlefield field, std::vector<Fault> plan);
    Nemesis(const Nemesis&) = delete;
    Nemesis& operator=(const Nemesis&) = delete;

    /// Carries out what is due, and notes which processes have ended. To be called again and again.
    void turn();
    /// Whether the plan is carried out, and a cluster is whole again.
    [[nodiscard]] bool is_done();
    /// Ends all faults, and starts everything again. Returns when a cluster is whole.
    void make_peace();

    [[nodiscard]] const std::vector<Blow>& blows() const { return blows_; }
    [[nodiscard]] std::size_t skipped() const { return skipped_; }

private:
    using Moment = std::chrono::steady_clock::time_point;

    void reap();
    void tend_postgres();
    void tend_cluster();
    [[nodiscard]] bool must_wait(const Fault& fault);
    void run_follow_ups();
    void carry_out(const Fault& fault);
    void hit_member(const Fault& fault, Role role);
    void hit_runner(const Fault& fault);
    void hit_keeper(const Fault& fault);
    void hit_path(const Fault& fault);
    void hit_postgres(const Fault& fault);
    void hit_cluster(const Fault& fault);
    void fill_disk(const Fault& fault);
    void burn_cpu(const Fault& fault);
    void apply_to_gate(Gate& gate, const Fault& fault);
    void end_on_gate(Gate& gate, Gate::Mode mode);
    void later(Duration delay, std::function<void()> what);
    Blow& note(const Fault& fault, std::string whom, pid_t pid = 0);

    Battlefield field_;
    const std::vector<Fault> plan_;
    Moment began_ = std::chrono::steady_clock::now();  // of the plan; later when the plan had to wait
    std::size_t next_ = 0;
    std::vector<std::pair<Moment, std::function<void()>>> follow_ups_;
    std::vector<Blow> blows_;
    std::size_t skipped_ = 0;
    Moment postgres_down_until_ = {};
    std::optional<std::size_t> cluster_blow_;        // the one under way
    std::map<Gate*, std::vector<Gate::Mode>> shut_;  // the faults that last, oldest first
    int fills_ = 0;                                  // how many last
    std::vector<crew::Process> burners_;
};

}  // namespace holdfast::chaos
