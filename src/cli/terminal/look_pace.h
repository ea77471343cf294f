#pragma once

#include <chrono>

#include "store/store.h"

namespace holdfast::cli {

/// How often somebody who follows something looks at the store: soon after something may have changed, at least four
/// times a second, and never so often that looking is most of what the store does.
class LookPace {
public:
    explicit LookPace(store::Store& store) : watch_(store.watch(store::Topic::Done)) {}

    /// Before each look.
    void begin() { looked_at_ = std::chrono::steady_clock::now(); }
    /// After it, until it is time for the next one.
    void rest();

private:
    std::unique_ptr<store::Watch> watch_;
    std::chrono::steady_clock::time_point looked_at_ = std::chrono::steady_clock::now();
};

}  // namespace holdfast::cli
