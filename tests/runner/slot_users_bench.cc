#include "tests/runner/slot_users_bench.h"

#include "holdfast/errors.h"
#include "platform/identity.h"
#include "runner/slot_users.h"

namespace holdfast::runner {

TestUsers::TestUsers(std::uint32_t count) {
    for (std::uint32_t first = 61000; !lock_; first += count) {
        run_as_ = {.user = {}, .first = first, .last = first + count - 1};
        try {
            lock_ = lock_users(run_as_);
        } catch (const BadInput&) {
            if (first > 64000) throw;
        }
    }
}

bool may_change_users() {
    return platform::missing_capabilities(false).empty();
}

}  // namespace holdfast::runner
