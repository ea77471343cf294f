#pragma once

#include <string>

#include "cli/terminal/json_shapes.h"
#include "views/schedule_view.h"

namespace holdfast::cli {

using views::local_text;
using views::ScheduleView;
using views::timing_text;
using views::to_json_shape;
using views::view_of;

/// The schedule of that name; throws UnknownSchedule, with the nearest name.
[[nodiscard]] store::ScheduleRecord find_schedule(store::Store& store, const std::string& name);

}  // namespace holdfast::cli
