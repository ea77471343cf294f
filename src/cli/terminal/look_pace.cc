#include "cli/terminal/look_pace.h"

#include <algorithm>
#include <thread>

namespace holdfast::cli {

void LookPace::rest() {
    using namespace std::chrono_literals;
    const auto cost = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - looked_at_);
    std::this_thread::sleep_for(std::clamp<Duration>(4 * cost, 50ms, 5s));
    (void)watch_->wait(200ms);
}

}  // namespace holdfast::cli
