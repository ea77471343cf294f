#pragma once

#include "cli/terminal/io.h"
#include "cli/terminal/json_shapes.h"
#include "views/worker.h"

namespace holdfast::cli {

using views::to_json_shape;
using views::view_of;
using views::WorkerView;

[[nodiscard]] std::string status_text(const store::WorkerRecord& record);  ///< "active, cordoned"
[[nodiscard]] Cell freshness_cell(const WorkerView& worker);
[[nodiscard]] std::string beat_text(const store::WorkerRecord& record);  ///< "1.2s ago"
[[nodiscard]] std::string load_text(const store::WorkerRecord& record);  ///< "3/10"

}  // namespace holdfast::cli
