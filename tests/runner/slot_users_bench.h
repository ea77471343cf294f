#pragma once

#include <optional>

#include "base/descriptor.h"
#include "core/task/run_as.h"

namespace holdfast::runner {

/// User ids that no other test has, while this exists.
class TestUsers {
public:
    explicit TestUsers(std::uint32_t count);

    [[nodiscard]] const core::RunAs& run_as() const { return run_as_; }
    [[nodiscard]] std::uint32_t first() const { return run_as_.first; }

private:
    core::RunAs run_as_;
    Descriptor lock_;
};

/// Whether this process may execute runs as other users; otherwise such tests are skipped.
[[nodiscard]] bool may_change_users();

}  // namespace holdfast::runner
