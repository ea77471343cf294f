#pragma once

#include <string>
#include <vector>

#include "config/draft.h"
#include "config/workflow_section.h"

namespace holdfast::config {

/// What schedules may start.
struct Startable {
    const KnownTasks& tasks;
    const Workflows& workflows;
    bool lacks_workflows = false;  ///< a file of them could not be read: a name that is not there may well be right
};

/// Reads the section `schedules` of a file: a mapping of names to schedules. All that is wrong goes to the draft,
/// with file, line and key; the result is valid only if nothing does.
[[nodiscard]] std::vector<Schedule> read_schedules(const SourceNode& section, const std::string& file,
                                                   const Startable& startable, const ZoneDefect& zone_defect,
                                                   Draft& draft);

}  // namespace holdfast::config
