#pragma once

#include <set>
#include <string>

#include "config/catalog.h"
#include "config/draft.h"
#include "config/source_node.h"

namespace holdfast::config {

/// Reads the section `tasks`. Every fault of a definition goes to the draft, with its line and key; only valid
/// definitions are returned.
[[nodiscard]] Catalog read_catalog(const SourceNode& section, const std::string& file, Draft& draft);

/// Returns the tasks that the section defines but that are missing from the catalog because their definitions are
/// invalid.
[[nodiscard]] std::set<std::string> faulty_names(const SourceNode& section, const Catalog& catalog);

}  // namespace holdfast::config
