#include "proof/sim/timeline.h"

#include <algorithm>

namespace holdfast::sim {

void Timeline::at(Duration when, Event event) {
    events_.push({std::max(when, now_), ++planned_, std::move(event)});
}

void Timeline::run_next() {
    // top() is const; moving from it is safe because pop() follows.
    Event event = std::move(const_cast<Planned&>(events_.top()).event);
    now_ = events_.top().when;
    events_.pop();
    ++happened_;
    event();
}

}  // namespace holdfast::sim
