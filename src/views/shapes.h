#pragma once

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "store/store.h"

namespace holdfast::views {

/// Members stand in the order in which docs/cli.md documents them.
using Json = nlohmann::ordered_json;

// The objects that the API answers and --json prints. Every member is always there; null where there is nothing to
// say.
[[nodiscard]] Json to_json_shape(const store::TaskRecord& record);
[[nodiscard]] Json to_json_shape(const store::AttemptRecord& record);
[[nodiscard]] Json to_json_shape(const store::EventRecord& record);
[[nodiscard]] Json to_json_shape(const store::QueueRecord& record);
[[nodiscard]] Json to_json_shape(const store::KeyRecord& record);
[[nodiscard]] Json to_json_shape(const store::LogRecord& record);
[[nodiscard]] Json to_json_shape(const store::WorkerSnapshot& snapshot);
[[nodiscard]] Json to_json_shape(const store::Finding& finding);
[[nodiscard]] Json to_json_shape(const JobInfo& job);
[[nodiscard]] Json to_json_shape(const StepInfo& step);
[[nodiscard]] Json to_json_shape(const StepCounts& counts);
[[nodiscard]] Json to_json_shape(const config::Setting& setting);
[[nodiscard]] Json to_json_shape(const config::ConfigError& error);

[[nodiscard]] std::string_view to_text(store::Finding::Grade grade);  ///< "ok", "warning", "problem"

/// An event as a job's own log tells it: with the task and the job that it is about.
[[nodiscard]] Json job_event_shape(const store::EventRecord& record);

/// One object each, in an array.
template <typename Records>
[[nodiscard]] Json array_of(const Records& records) {
    Json array = Json::array();
    for (const auto& record : records) array.push_back(to_json_shape(record));
    return array;
}

[[nodiscard]] Json text_or_null(const std::string& text);  ///< null for empty text

/// JSON text as a part of a larger value, which dump() writes byte for byte; null for empty text, and a string where
/// it is not JSON. Not for looking into: that is value_of().
[[nodiscard]] Json embedded(const std::string& text);
/// The value that JSON text holds; null where it holds none.
[[nodiscard]] Json value_of(const std::string& text);
/// JSON text, with what is embedded as it is written; bytes that are not UTF-8 are made readable.
[[nodiscard]] std::string dump(const Json& value);
/// The same as one line: line breaks of what is embedded become blanks.
[[nodiscard]] std::string dump_line(const Json& value);
/// Reads JSON so that dump() gives every number back with all of its digits. Discarded where it is not JSON.
[[nodiscard]] Json parse_exactly(std::string_view text);

}  // namespace holdfast::views
