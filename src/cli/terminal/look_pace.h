#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "store/client_store.h"

namespace holdfast::cli {

/// How often a command that follows something looks at the store: soon after a change, at least four times a second,
/// and never so often that most of the store's work is to be looked at.
class LookPace {
public:
    explicit LookPace(store::ClientStore& store) : watch_(store.watch(store::Topic::Done)) {}

    /// Before each look.
    void begin() { looked_at_ = std::chrono::steady_clock::now(); }
    /// After it, until it is time for the next one.
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
