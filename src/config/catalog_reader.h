#pragma once

#include <string>

#include "config/catalog.h"
#include "config/draft.h"
#include "config/source_node.h"

namespace holdfast::config {

/// Reads the section `tasks`. Whatever is wrong with any definition goes to the draft, with its line and key; only
/// definitions without fault are returned.
[[nodiscard]] Catalog read_catalog(const SourceNode& section, const std::string& file, Draft& draft);

}  // namespace holdfast::config
