#include "platform/system_random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/assert.h"

namespace holdfast::platform {

std::uint64_t SystemRandom::next() {
    std::uint64_t bits = 0;
    // Up to 256 bytes are never cut short by a signal once the pool is ready; before that the call may be
    // interrupted.
    while (getrandom(&bits, sizeof bits, 0) != sizeof bits) HOLDFAST_ASSERT(errno == EINTR);
    return bits;
}

}  // namespace holdfast::platform
