#pragma once

#include <optional>
#include <string_view>

#include "holdfast/task.h"
#include "store/sqlite/database.h"

namespace holdfast::sqlite {

/// A missing text stands as NULL.
[[nodiscard]] inline std::optional<std::string_view> unless_empty(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return text;
}

/// An error as three columns, alive as long as the error is.
struct ErrorColumns {
    explicit ErrorColumns(const std::optional<TaskError>& error) {
        if (!error) return;
        code = error->code;
        message = error->message;
        data = unless_empty(error->data);
    }
    std::optional<std::string_view> code, message, data;
};

}  // namespace holdfast::sqlite
