#pragma once

#include <string>

#include "cli/json_shapes.h"
#include "wire/schedule_view.h"

namespace holdfast::cli {

using wire::local_text;
using wire::ScheduleView;
using wire::timing_text;
using wire::to_json_shape;
using wire::view_of;

/// The schedule of that name; throws UnknownSchedule, with the nearest name.
[[nodiscard]] store::ScheduleRecord find_schedule(store::Store& store, const std::string& name);

}  // namespace holdfast::cli
