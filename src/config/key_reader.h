#pragma once

#include <string>
#include <vector>

#include "config/draft.h"
#include "core/task/concurrency.h"

namespace holdfast::config {

/// Reads the section `keys` of a file: a mapping of concurrency keys to their declarations. Every fault goes to the
/// draft, with file, line and key; the result is valid only when there are none.
[[nodiscard]] std::vector<core::KeyDeclaration> read_keys(const SourceNode& section, const std::string& file,
                                                          Draft& draft);

/// Returns one warning for each key that is used in several queues but not declared shared: each queue then has slots
/// of its own. A key with `{{ ... }}` is compared by its text.
[[nodiscard]] ConfigErrors unshared_keys(const std::vector<KeyUse>& uses,
                                         const std::vector<core::KeyDeclaration>& declared);

}  // namespace holdfast::config
