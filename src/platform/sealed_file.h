#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace holdfast::platform {

/// A file in memory without a path, whose content can no longer be changed. It is closed on exec. Throws
/// std::system_error. `name` is what /proc shows of it.
[[nodiscard]] Descriptor sealed_file(const char* name, std::string_view content);

/// All of its content, wherever the descriptor's offset stands. Empty when there is no such file.
[[nodiscard]] std::string content_of(int sealed_file);

}  // namespace holdfast::platform
