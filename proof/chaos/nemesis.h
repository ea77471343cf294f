#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "proof/chaos/crew.h"
#include "proof/chaos/fault_plan.h"
#include "proof/chaos/gate.h"
#include "proof/chaos/own_postgres.h"
#include "proof/chaos/small_disk.h"

namespace holdfast::chaos {

/// What a nemesis may hit.
struct Battlefield {
    Crew& crew;
    OwnPostgres* postgres = nullptr;                      ///< nullptr: none
    std::vector<std::unique_ptr<Gate>>* gates = nullptr;  ///< of each member; then that of the client
    SmallDisk* disk = nullptr;
};

/// Carries out a plan of faults, keeps book of what it did, and replaces whatever it has ended.
class Nemesis {
public:
    Nemesis(Battlefield field, std::vector<Fault> plan);
    ~Nemesis();
    Nemesis(const Nemesis&) = delete;
    Nemesis& operator=(const Nemesis&) = delete;

    /// Does what is due; takes note of processes that have ended. To be called again and again.
    void turn();
    /// No more faults: ends all that last, and everything that was ended is started again.
    void make_peace();

    [[nodiscard]] const std::vector<Blow>& blows() const { return blows_; }
    [[nodiscard]] std::size_t skipped() const { return skipped_; }

private:
    using Moment = std::chrono::steady_clock::time_point;

    void reap();
    void tend_postgres();
    void run_follow_ups();
    void carry_out(const Fault& fault);
    void hit_member(const Fault& fault, Role role);
    void hit_runner(const Fault& fault);
    void hit_keeper(const Fault& fault);
    void hit_path(const Fault& fault);
    void hit_postgres(const Fault& fault);
    void fill_disk(const Fault& fault);
    void burn_cpu(const Fault& fault);
    void apply_to_gate(Gate& gate, const Fault& fault);
    void end_on_gate(Gate& gate, Gate::Mode mode);
    void later(Duration delay, std::function<void()> what);
    Blow& note(const Fault& fault, std::string whom, pid_t pid = 0);
    void stop_burning();

    Battlefield field_;
    const std::vector<Fault> plan_;
    const Moment began_ = std::chrono::steady_clock::now();
    std::size_t next_ = 0;
    std::vector<std::pair<Moment, std::function<void()>>> follow_ups_;
    std::vector<Blow> blows_;
    std::size_t skipped_ = 0;
    Moment postgres_down_until_ = {};
    std::map<Gate*, std::vector<Gate::Mode>> shut_;  // what lasts, oldest first
    int fills_ = 0;                                  // that last
    std::vector<pid_t> burners_;
};

}  // namespace holdfast::chaos
