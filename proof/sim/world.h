#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proof/sim/change.h"
#include "proof/sim/faults.h"
#include "proof/sim/ledger.h"
#include "proof/sim/machine.h"
#include "proof/sim/plan.h"
#include "proof/sim/process.h"
#include "proof/sim/sqlite_vfs.h"
#include "proof/sim/timeline.h"
#include "proof/sim/trace.h"
#include "proof/sim/witness.h"

namespace holdfast::sim {

class WorkerProcess;

/// A scripted fault of a store call.
enum class CallFault { Before, AnswerLost, RequestLost, KillBefore, KillAfter, Stop };
[[nodiscard]] std::string_view to_text(CallFault fault);

/// The fault to inject into the n-th store call of a run.
struct ScriptedFault {
    std::uint64_t call = 0;
    CallFault fault = CallFault::Before;
};

struct RunOptions {
    std::uint64_t seed = 1;
    FaultLimits limits = {};
    std::optional<WorldPlan> plan = {};     ///< nullopt: drawn from the seed
    std::optional<Duration> busy_for = {};  ///< instead of the plan's
    std::vector<ScriptedFault> script = {};
    std::shared_ptr<const DiskImage> image = {};  ///< the content of the disk at the start; null: empty
    std::size_t keep_lines = 0;
    bool print_lines = false;
};

/// The outcome of a run.
struct RunReport {
    std::uint64_t seed = 0;
    std::uint64_t hash = 0;
    std::uint64_t store_calls = 0;
    std::uint64_t busy_calls = 0;  ///< those of them before the last fault
    std::uint64_t disk_operations = 0;
    std::uint64_t events = 0;
    Duration virtual_time{};
    std::size_t tasks = 0;
    std::size_t jobs = 0;
    std::size_t runs = 0;
    LostHistory lost = {};
    std::map<Fault, std::uint64_t> faults;  ///< those that really happened
    std::vector<FaultKey> drawn;            ///< all that were drawn
    std::vector<Violation> violations;
    std::vector<std::string> last_lines;
};

/// The wall clock of a machine, which may jump.
class WallClock : public Clock {
public:
    WallClock(World& world, Duration skew) : world_(world), skew_(skew) {}
    [[nodiscard]] Timestamp now() const override;

private:
    World& world_;
    const Duration skew_;
};

/// Machines, processes and a database on one timeline. Everything that happens follows from the seed.
class World {
public:
    explicit World(const RunOptions& options);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] RunReport run();
    /// Puts an empty database on the disk.
    void install();
    /// The same with an earlier version of the schema.
    void install_older(int version);

    // ---- The world that its processes see
    Timeline timeline;
    Trace trace;
    FaultPlan faults;
    const Dice dice;
    const WorldPlan plan;
    const std::string folder_before;
    const std::string folder;    ///< real, for the files beside the database that only serve as locks and bells
    const std::string database;  ///< its name on the simulated disk
    Disk disk;
    Ledger ledger;
    std::map<Uuid, TrueWorker> workers;
    std::vector<std::unique_ptr<Machine>> machines;
    Witness witness;
    std::uint64_t store_calls = 0;
    bool power_cut_is_due = false;
    std::uint64_t power_cuts_seen = 0;
    std::uint64_t histories = 1;     ///< of the store: it begins another one whenever it goes back
    bool keeps_connections = false;  ///< processes have kept what they had open when it went back last
    Duration wall_jumps{};
    Duration clock_ahead{};  ///< during the current call
    Timestamp latest_wall_clock;
    bool is_calm = false;        ///< the faults are over: clients let everything end
    std::size_t tasks_left = 0;  ///< to be submitted
    std::size_t jobs_left = 0;   ///< to be started

    /// The processes that a dead worker leaves behind.
    struct Remains {
        Uuid worker;
        int machine = 0;
        int keeper_pid = 0;
        std::vector<std::size_t> runs;
        Duration keeper_delay{};
        bool keeper_dies_too = false;  ///< the runs go on until they are killed
    };
    void worker_died(const Remains& remains);
    /// Ends the runs that a dead worker left behind.
    void end_leftovers(const Uuid& worker, const std::string& how);
    /// How far off the wall clock of a new process is.
    [[nodiscard]] Duration draw_skew(const std::string& process);

    [[nodiscard]] store::Limits limits() const;
    [[nodiscard]] bool is_reachable(const Process& process) const;
    /// Applies the scripted fault of this call, if any.
    void script_fate(Process& process, const std::function<void(CallFault)>& apply);
    /// Wakes the workers that wait for work.
    void ring();
    /// Wakes the workers: there may be orders for them.
    void ring_for_orders();
    /// The disk has lost its power: kills all processes of that machine, which boots again later.
    void lose_power();
    /// Removes a dead process after the current event, and starts it again under its name later.
    void bury(Process& process);
    /// Carries out a call after this time, unless the store has lost all connections by then.
    void carry_out_late(LateCall call, Duration wait);
    /// SIGSTOP, and SIGCONT after this time.
    void pause(Process& process, Duration length);
    /// The store is about to carry out a call.
    void about_to(const Change& change);
    /// SIGCONT after this time to those of the workers that are stopped. Counts as a fault when there are any.
    void rouse(const std::set<Uuid>& ids, Duration wait);
    /// The process of that name; null: it is dead.
    [[nodiscard]] const Process* find_living(const std::string& name) const;

private:
    /// The name of a process, and how to start it whenever it is gone.
    struct Slot {
        std::string name;
        int machine = 0;
        std::function<std::unique_ptr<Process>(int incarnation)> make;
        std::unique_ptr<Process> process;
        int incarnation = 0;
        bool is_due = false;
    };

    /// A stopped process.
    struct Stop {
        Slot* slot = nullptr;
        int incarnation = 0;
    };

    void add_slots();
    /// Plans a long outage, perhaps, and returns until when there are faults.
    [[nodiscard]] Duration plan_long_outage();
    void start(Slot& slot);
    void start_later(Slot& slot, Duration wait);
    void run_until(Duration end, const std::function<bool()>& is_done);
    void step();
    void plan_next(Fault fault);
    /// Returns false when there is no target, or the fault strikes later.
    [[nodiscard]] bool strike(Fault fault, Dice dice_of_fault);
    [[nodiscard]] bool cut_off_one(Dice& dice_of_fault);
    [[nodiscard]] bool terminate_one(Dice& dice_of_fault);
    [[nodiscard]] bool forget_one(Dice& dice_of_fault);
    // world_history.cc
    /// Takes an image of the disk, and puts it back later: then the fault strikes.
    void plan_going_back(Fault fault, Dice& dice_of_fault);
    void go_back(Fault fault, const DiskImage& image, Duration age);
    void carry_out(const LateCall& call);
    void go_away(Duration length);
    void wake_workers(const std::function<void(WorkerProcess&)>& wake);
    [[nodiscard]] Process* pick(std::string_view role, Dice& dice_of_fault);
    void reboot(Machine& machine, Duration away);
    bool freeze(Machine& machine, Duration length);
    void end_stop(std::uint64_t number);
    void calm_down();
    void settle();
    [[nodiscard]] bool is_over();
    void end_of_keeper(const Uuid& worker);
    [[nodiscard]] Slot* slot_of(const Process& process);
    [[nodiscard]] RunReport report() const;

    const RunOptions options_;
    std::unique_ptr<SqliteVfs> vfs_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<std::unique_ptr<Process>> graveyard_;
    Duration down_until_{};
    std::map<std::string, Duration> partitioned_until_;
    std::map<Uuid, Remains> leftovers_;
    std::map<std::uint64_t, Stop> stops_;
    std::uint64_t last_stop_ = 0;
    std::optional<Dice> goes_back_before_start_;  ///< a fault that waits for the next start
    Duration calm_since_{};
    Duration still_until_{};  ///< a process may be stopped until then
    std::uint64_t busy_calls_ = 0;
    std::uint64_t next_full_check_ = 1000;
    std::size_t next_scripted_ = 0;
    Duration look_at_{};  ///< when to check next whether everything has ended
};

}  // namespace holdfast::sim
