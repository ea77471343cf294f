#pragma once

#include <string>
#include <vector>

#include "config/draft.h"
#include "config/workflow_section.h"

namespace holdfast::config {

/// The tasks and workflows that schedules may start.
struct Startable {
    const KnownTasks& tasks;
    const Workflows& workflows;
    bool lacks_workflows = false;  ///< a workflow file could not be read: an unknown name may be valid
};

/// Reads the section `schedules` of a file: a mapping of names to schedules. Every fault goes to the draft, with
/// file, line and key; the result is valid only when there are none.
[[nodiscard]] std::vector<Schedule> read_schedules(const SourceNode& section, const std::string& file,
                                                   const Startable& startable, const ZoneDefect& zone_defect,
                                                   Draft& draft);

}  // namespace holdfast::config
