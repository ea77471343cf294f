#pragma once

#include <optional>
#include <string>

#include "base/text.h"
#include "holdfast/task.h"
#include "holdfast/time.h"

namespace holdfast::contract {

[[nodiscard]] inline std::string time_text(const std::optional<Timestamp>& at) {
    return at ? format_timestamp(*at) : "-";
}

[[nodiscard]] inline std::string error_text(const std::optional<TaskError>& error) {
    return error ? concat(error->code, "|", error->message, "|", error->data) : "-";
}

}  // namespace holdfast::contract
