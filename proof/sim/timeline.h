#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::sim {

/// Virtual time: a queue of events in their order. Time jumps from one event to the next.
class Timeline {
public:
    using Event = std::function<void()>;

    [[nodiscard]] Duration now() const { return now_; }
    /// Events of the same time happen in the order in which they were planned.
    void at(Duration when, Event event);
    void after(Duration wait, Event event) { at(now_ + wait, std::move(event)); }

    [[nodiscard]] bool is_empty() const { return events_.empty(); }
    [[nodiscard]] Duration next_at() const { return events_.top().when; }
    void run_next();
    [[nodiscard]] std::uint64_t count() const { return happened_; }

private:
    struct Planned {
        Duration when;
        std::uint64_t order;
        Event event;
        friend bool operator<(const Planned& a, const Planned& b) {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };

    Duration now_{};
    std::uint64_t planned_ = 0;
    std::uint64_t happened_ = 0;
    std::priority_queue<Planned> events_;
};

}  // namespace holdfast::sim
