#pragma once

#include <string>

namespace holdfast {

/// The file that the path leads to through symbolic links, also one that does not exist yet. Folders of the path that
/// are links themselves stay as they are.
[[nodiscard]] std::string follow_links(const std::string& path);

}  // namespace holdfast
