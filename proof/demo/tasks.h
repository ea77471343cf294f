#pragma once

#include <string>
#include <vector>

#include "store/task_records.h"

namespace holdfast::proof {

/// Where all files of a demo are.
struct DemoPlace {
    std::string folder;

    [[nodiscard]] std::string database() const { return folder + "/demo.db"; }
    [[nodiscard]] std::string store_url() const { return "sqlite:" + database(); }
    [[nodiscard]] std::string config() const { return folder + "/holdfast.yaml"; }
    [[nodiscard]] std::string ledger() const { return folder + "/ledger"; }
    /// A task that holds goes on when this file appears.
    [[nodiscard]] std::string gate(int number) const { return folder + "/gate-" + std::to_string(number); }
};

inline constexpr std::size_t demo_slots = 4;  ///< of each worker
inline constexpr std::size_t demo_workers = 3;

/// One of the fifty. Those that hold come first, fill every slot of every worker, and run until their gate opens.
struct DemoTask {
    int number = 0;
    bool holds = false;
    store::NewTask task;

    [[nodiscard]] std::string label() const;  ///< "charge 07"
    [[nodiscard]] bool runs_again() const { return task.policy.on_crash == OnCrash::Requeue; }
};
/// Half of them charge a card, which nobody wants to happen twice (on_crash: fail); the others resize a picture,
/// which does no harm when it is repeated (on_crash: requeue).
[[nodiscard]] std::vector<DemoTask> fifty_tasks(const DemoPlace& place);

/// What the tasks themselves wrote about their runs: the truth about what ran, whatever the store says.
struct DemoLedgerLine {
    bool is_end = false;
    Uuid task;
    store::Lease lease = 0;
};
/// A last line that is not whole yet is left out.
[[nodiscard]] std::vector<DemoLedgerLine> read_demo_ledger(const std::string& path);

}  // namespace holdfast::proof
