#pragma once

#include <string>
#include <vector>

#include "proof/crew/ledger.h"
#include "store/task_records.h"

namespace holdfast::proof {

/// The paths of a demo.
struct DemoPlace {
    std::string folder;

    [[nodiscard]] std::string database() const { return folder + "/demo.db"; }
    [[nodiscard]] std::string store_url() const { return "sqlite:" + database(); }
    [[nodiscard]] std::string config() const { return folder + "/holdfast.yaml"; }
    [[nodiscard]] crew::Ledger ledger() const { return crew::Ledger(folder + "/ledger"); }
    /// A holding task goes on when this file appears.
    [[nodiscard]] std::string gate(int number) const { return folder + "/gate-" + std::to_string(number); }
};

inline constexpr std::size_t demo_slots = 4;  ///< of each worker
inline constexpr std::size_t demo_workers = 3;

/// One of the fifty tasks. Holding tasks come first, fill every slot of every worker, and run until their gate opens.
struct DemoTask {
    int number = 0;
    bool holds = false;
    store::NewTask task;

    [[nodiscard]] std::string label() const;  ///< "charge 07"
    [[nodiscard]] bool runs_again() const { return task.policy.on_crash == OnCrash::Requeue; }
};
/// Half of them charge a card, which must not happen twice (on_crash: fail); the others resize a picture, which may
/// be repeated (on_crash: requeue).
[[nodiscard]] std::vector<DemoTask> fifty_tasks(const DemoPlace& place);

}  // namespace holdfast::proof
