#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/workflow/workflow.h"
#include "proof/sim/store_reader.h"

namespace holdfast::sim {

class Process;
class Witness;
class World;

/// Checks jobs: steps run in order, joins and hooks are kept, what has ended stays, and jobs advance by themselves.
class JobCheck {
public:
    JobCheck(World& world, Witness& witness, StoreReader& reader)
        : world_(world), witness_(witness), reader_(reader) {}

    /// A run of this task begins.
    void step_begins(const Uuid& task);
    void repaired(const Process& process, const store::RepairAnswer& answer);
    /// Compares all jobs and steps with what was seen before. `tasks`: all in the store.
    void look_at_everything(const std::set<Uuid>& tasks);
    /// The store has gone back: what it shows now is true. Returns how many accepted jobs are lost.
    std::size_t went_back(bool at_its_place);
    [[nodiscard]] bool was_pruned(const Uuid& job) const { return pruned_jobs_.contains(job); }
    /// Something of this tree was removed.
    void check_pruned_tree(const std::string& name, const Uuid& root);
    /// The tasks of steps that were ever seen, with the jobs at the top of their trees.
    [[nodiscard]] const std::map<Uuid, Uuid>& roots() const { return roots_; }

private:
    [[nodiscard]] const core::Workflow* workflow_of(const JobSight& job);
    void check_origin(const std::set<Uuid>& tasks);
    void check_jobs();
    void check_job(const Uuid& id, const JobSight& sight);
    void check_steps();

    World& world_;
    Witness& witness_;
    StoreReader& reader_;
    std::map<Uuid, Uuid> roots_;
    std::map<Uuid, JobSight> jobs_;  // as they were seen last
    std::set<Uuid> pruned_jobs_;
    std::map<StepPlace, std::string> ended_steps_;
};

}  // namespace holdfast::sim
