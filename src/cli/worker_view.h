#pragma once

#include "cli/io.h"
#include "cli/json_shapes.h"
#include "config/config.h"
#include "store/store.h"

namespace holdfast::cli {

/// A worker, and whether its beats come as they should. For people: recovery judges by what it sees itself.
struct WorkerView {
    store::WorkerRecord record;
    bool fresh = false;
};

/// Fresh: it has not left, and its last beat is not older than the silence that recovery would wait for.
[[nodiscard]] WorkerView view_of(const store::WorkerRecord& record, const config::RecoveryConfig& recovery);

[[nodiscard]] std::string status_text(const store::WorkerRecord& record);  ///< "active, cordoned"
[[nodiscard]] Cell freshness_cell(const WorkerView& worker);
[[nodiscard]] std::string beat_text(const store::WorkerRecord& record);  ///< "1.2s ago"
[[nodiscard]] std::string load_text(const store::WorkerRecord& record);  ///< "3/10"

[[nodiscard]] Json to_json_shape(const WorkerView& worker);

}  // namespace holdfast::cli
