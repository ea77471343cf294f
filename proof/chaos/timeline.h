#pragma once

#include <string>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// What the plot of a run shows.
struct Timeline {
    std::string title = {};
    std::string subtitle = {};
    Timestamp began = {};
    Timestamp faults_ended = {};
    Timestamp ended = {};
    Duration width = std::chrono::seconds(1);  ///< of one step of the curve
    std::vector<std::size_t> ends = {};        ///< of tasks, in each step
    std::vector<Blow> blows = {};
};

[[nodiscard]] Timeline timeline_of(const Findings& findings, std::string title, std::string subtitle);

/// An SVG picture that needs nothing else: tasks per second over time, and below it a lane for each sort of fault
/// with a mark for each that was done. Pure.
[[nodiscard]] std::string draw(const Timeline& timeline);

}  // namespace holdfast::chaos
