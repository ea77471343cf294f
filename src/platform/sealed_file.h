#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace holdfast::platform {

/// A file in memory without a path, whose content cannot be changed any more. It is closed on exec. Throws
/// std::system_error. `name` is the name in /proc.
[[nodiscard]] Descriptor sealed_file(const char* name, std::string_view content);

/// All of its content, whatever the descriptor's offset is. Empty when the descriptor is not open.
[[nodiscard]] std::string content_of(int sealed_file);

}  // namespace holdfast::platform
