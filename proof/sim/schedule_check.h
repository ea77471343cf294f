#pragma once

#include <map>
#include <optional>
#include <string>

#include "proof/sim/ledger.h"
#include "proof/sim/store_reader.h"

namespace holdfast::sim {

class Process;
class Witness;
class World;

/// Checks schedules: each slot runs at most once, and only slots that its catch_up gives up are lost.
class ScheduleCheck {
public:
    ScheduleCheck(World& world, Witness& witness, StoreReader& reader)
        : world_(world), witness_(witness), reader_(reader) {}

    /// A sweeper that holds the row has swept to the end.
    void swept(const Process& process);
    /// The store told the process the time.
    void told_time(const Process& process, Timestamp now);
    /// A call of the process changed the schedule.
    void touched(const Process& process, const std::string& schedule);
    /// The store has gone back, and its schedules with it.
    void went_back();
    [[nodiscard]] std::optional<ScheduleSight> see(const std::string& schedule);
    /// `before`: the schedule before the call.
    void fired(const Process& process, const store::FireParams& params, const std::optional<ScheduleSight>& before);
    /// The job of a slot of any schedule; nullptr: it is none.
    [[nodiscard]] const TrueJob* find_job_of_slot(const Uuid& job);

private:
    void check_decision(const store::FireParams& params, const ScheduleSight& sight, Timestamp now);
    void check_slot(const store::FireParams& params, const ScheduleSight& sight, Timestamp now);
    [[nodiscard]] bool was_touched_meanwhile(const Process& process, const std::string& schedule);

    World& world_;
    Witness& witness_;
    StoreReader& reader_;
    std::map<std::string, Timestamp> told_times_;  // the last one, by process
};

}  // namespace holdfast::sim
