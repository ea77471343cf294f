#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proof/sim/dice.h"

namespace holdfast::sim {

/// Everything that can go wrong. Faults up to BackAtVerdict strike store calls, with a probability; those of runners
/// and wake-ups strike what their name says, with a probability; the others come on their own, at a mean interval.
enum class Fault {
    KillWorker,       ///< before, during or after a store call
    KillSweeper,      ///<
    KillClient,       ///<
    AnswerLost,       ///< a call is applied, and its answer is lost
    RequestLost,      ///< a call that writes is not applied, and its caller cannot know
    CallFails,        ///< a call is not applied: the connection broke
    SlowCall,         ///< a call takes seconds or minutes
    CallHangs,        ///< a call is given up at its deadline, and applied before, much later or never
    Busy,             ///< SQLITE_BUSY from the k-th lock on
    DiskFull,         ///< SQLITE_FULL at the k-th write
    IoError,          ///< an error at the k-th operation of the disk
    PauseAtCall,      ///< SIGSTOP of a caller, just before its call reaches the store
    BackAtVerdict,    ///< SIGCONT of a worker while a verdict about it is on its way, or just after it
    Outage,           ///< the store is unreachable for 1 s to 2 h
    Partition,        ///< the same for one process
    PauseWorker,      ///< SIGSTOP, longer than any lease, then SIGCONT
    PauseSweeper,     ///<
    PauseClient,      ///<
    TermWorker,       ///< SIGTERM: it drains, and leaves
    FreezeMachine,    ///< with everything on it
    RebootMachine,    ///<
    PowerCut,         ///< of the machine with the database: what was not synced is lost or torn
    DiskStaysFull,    ///< for a while
    ClockJump,        ///< of the wall clock, to either side
    ClockSkew,        ///< of one process from its start on
    RunnerCrash,      ///< signal, or out of memory
    RunnerHang,       ///< gives no further sign of life
    RunnerSlowStart,  ///< or none at all
    WakeUpLost,       ///<
    WakeUpTwice,      ///<
    WakeUpLate,       ///<
    ForgetWorker,     ///< a person deletes the row of a worker, dead or alive
    ClockFarAhead,    ///< the clock is days ahead, for one call that prunes
    StoreGoesBack,    ///< the store is an older one at another place: a failover that lost the last commits
    DiskGoesBack,     ///< the same at the same place: a snapshot was restored
    FileReplaced,     ///< an older copy is moved over the file, under processes that have it open
    StartGoesBack,    ///< as StoreGoesBack, to just before the start of a task that was claimed ahead
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::StartGoesBack) + 1;
[[nodiscard]] std::string_view to_text(Fault fault);  ///< "kill-worker", ...
[[nodiscard]] std::optional<Fault> parse_fault(std::string_view text);
[[nodiscard]] const std::vector<Fault>& all_faults();
/// Whether it comes on its own, at a mean interval.
[[nodiscard]] bool is_timed(Fault fault);

/// One fault that was drawn: its kind, its place, and its number of that kind there. The same in every run of a seed,
/// also when other faults are left out.
struct FaultKey {
    Fault fault = Fault::KillWorker;
    std::string site;
    std::uint64_t number = 0;

    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const FaultKey&, const FaultKey&) = default;
};
[[nodiscard]] std::string to_text(const FaultKey& key);

/// Which faults a run may have, beside its seed.
struct FaultLimits {
    std::optional<std::set<Fault>> kinds;    ///< only these; nullopt: as the seed draws them
    std::optional<std::set<FaultKey>> only;  ///< only these; nullopt: all
};

/// Decides, from the seed alone, which faults strike.
class FaultPlan {
public:
    FaultPlan(std::uint64_t seed, FaultLimits limits);

    /// Whether the fault strikes here, this time: then dice for its details. `boost`: how much more often than
    /// elsewhere. Counted only by happened(): other faults may prevent it.
    [[nodiscard]] std::optional<Dice> draw(Fault fault, std::string_view site, double boost = 1);
    /// The same for a fault that strikes at once, and counts.
    [[nodiscard]] std::optional<Dice> strikes(Fault fault, std::string_view site, double boost = 1);
    void happened(Fault fault) { ++counts_[index(fault)]; }
    /// When a timed fault comes next; nullopt: never.
    [[nodiscard]] std::optional<Duration> next_after(Fault fault);
    /// No fault strikes from now on.
    void stop() { stopped_ = true; }

    [[nodiscard]] bool is_enabled(Fault fault) const { return rates_[index(fault)] > 0; }
    [[nodiscard]] const std::vector<FaultKey>& drawn() const { return drawn_; }
    /// How often it really happened.
    [[nodiscard]] std::uint64_t count(Fault fault) const { return counts_[index(fault)]; }

private:
    static std::size_t index(Fault fault) { return static_cast<std::size_t>(fault); }
    [[nodiscard]] Dice dice_for(const FaultKey& key) const;

    std::uint64_t seed_;
    FaultLimits limits_;
    bool stopped_ = false;
    /// A probability; for timed faults, how many in an hour.
    std::array<double, fault_count> rates_{};
    std::array<std::uint64_t, fault_count> counts_{};
    std::map<std::pair<Fault, std::string>, std::uint64_t, std::less<>> numbers_;
    std::vector<FaultKey> drawn_;
};

}  // namespace holdfast::sim
