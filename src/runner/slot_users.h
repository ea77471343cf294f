#pragma once

#include <map>
#include <optional>
#include <set>

#include "base/descriptor.h"
#include "core/task/run_as.h"
#include "engine/worker/runners.h"
#include "platform/identity.h"

namespace holdfast::runner {

/// The users of a worker's runners.
class SlotUsers {
public:
    /// Throws BadInput for an account that does not exist.
    explicit SlotUsers(const std::optional<core::RunAs>& run_as);

    /// Whether runs execute as other users than the worker's.
    [[nodiscard]] bool has_any() const { return run_as_.has_value(); }
    /// Chooses the user of a new runner; nullopt: the worker's own. Throws std::system_error when no id is free.
    [[nodiscard]] std::optional<platform::Identity> take(engine::RunnerId runner);
    /// To be called when no process of the runner is left.
    void give_back(engine::RunnerId runner);

private:
    std::optional<core::RunAs> run_as_;
    platform::Identity account_;
    std::set<uid_t> taken_;
    std::map<engine::RunnerId, uid_t> users_;
};

/// Throws BadInput, as one sentence that says what to do, unless this process can execute runs as these users.
/// `scratch_bytes`: of PoolLimits; it can also mount.
void check_privileges(const std::optional<core::RunAs>& run_as, std::int64_t scratch_bytes);

/// Reserves the user ids of each slot on this machine for as long as a duplicate of the descriptor is open: two
/// workers with a common id would kill each other's runs. Empty when there is nothing to reserve. Throws BadInput
/// when another worker has one of them, or when the lock file cannot be opened.
[[nodiscard]] Descriptor lock_users(const std::optional<core::RunAs>& run_as);

}  // namespace holdfast::runner
