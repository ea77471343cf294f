#pragma once

#include <string>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// The data of the plot of a run.
struct Timeline {
    std::string title = {};
    std::string subtitle = {};
    Timestamp began = {};
    Timestamp faults_ended = {};
    Timestamp ended = {};
    Duration width = std::chrono::seconds(1);  ///< of one interval of the curve
    std::vector<std::size_t> ends = {};        ///< of tasks, in each interval
    std::vector<Blow> blows = {};
};

[[nodiscard]] Timeline timeline_of(const Findings& findings, std::string title, std::string subtitle);

/// A self-contained SVG picture: tasks per second over time, and below it a lane for each kind of fault with a mark
/// for each that was carried out. Pure.
[[nodiscard]] std::string draw(const Timeline& timeline);

}  // namespace holdfast::chaos
