#pragma once

#include "cli/io.h"
#include "cli/json_shapes.h"
#include "wire/worker_view.h"

namespace holdfast::cli {

using wire::to_json_shape;
using wire::view_of;
using wire::WorkerView;

[[nodiscard]] std::string status_text(const store::WorkerRecord& record);  ///< "active, cordoned"
[[nodiscard]] Cell freshness_cell(const WorkerView& worker);
[[nodiscard]] std::string beat_text(const store::WorkerRecord& record);  ///< "1.2s ago"
[[nodiscard]] std::string load_text(const store::WorkerRecord& record);  ///< "3/10"

}  // namespace holdfast::cli
