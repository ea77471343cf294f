#pragma once

#include <string>

#include "holdfast/result.h"

namespace holdfast::config {

/// All of a file of at most max_file_bytes; or why it cannot be read, as a sentence.
[[nodiscard]] Result<std::string, std::string> read_content(const std::string& name);

}  // namespace holdfast::config
