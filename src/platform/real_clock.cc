#include "platform/real_clock.h"

namespace holdfast::platform {

Timestamp RealClock::now() const {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

const Clock& real_clock() {
    static const RealClock clock;
    return clock;
}

}  // namespace holdfast::platform
