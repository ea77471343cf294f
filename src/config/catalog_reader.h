#pragma once

#include <set>
#include <string>

#include "config/catalog.h"
#include "config/draft.h"
#include "config/source_node.h"

namespace holdfast::config {

/// Reads the section `tasks`. Whatever is wrong with any definition goes to the draft, with its line and key; only
/// definitions without fault are returned.
[[nodiscard]] Catalog read_catalog(const SourceNode& section, const std::string& file, Draft& draft);

/// The tasks that the section defines, but not so that they could be read into the catalog.
[[nodiscard]] std::set<std::string> faulty_names(const SourceNode& section, const Catalog& catalog);

}  // namespace holdfast::config
