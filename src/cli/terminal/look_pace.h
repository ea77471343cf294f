#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "store/client_store.h"

namespace holdfast::cli {

/// Paces a command that polls the store: it looks soon after a change, otherwise about four times a second, and less
/// often when a look is slow, so that looking stays a small part of the store's load.
class LookPace {
public:
    explicit LookPace(store::ClientStore& store) : watch_(store.watch(store::Topic::Done)) {}

    /// Called before each look.
    void begin() { looked_at_ = std::chrono::steady_clock::now(); }
    /// Called after each look; returns when the next one is due.
    void rest() {
        using namespace std::chrono_literals;
        const auto cost = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - looked_at_);
        std::this_thread::sleep_for(std::clamp<Duration>(4 * cost, 50ms, 5s));
        (void)watch_->wait(200ms);
    }

private:
    std::unique_ptr<store::Watch> watch_;
    std::chrono::steady_clock::time_point looked_at_ = std::chrono::steady_clock::now();
};

}  // namespace holdfast::cli
