#pragma once

#include <string>
#include <vector>

#include "config/draft.h"
#include "core/task/concurrency.h"

namespace holdfast::config {

/// Reads the section `keys` of a file: a mapping of concurrency keys to what is declared about them. All that is
/// wrong goes to the draft, with file, line and key; the result is valid only if nothing does.
[[nodiscard]] std::vector<core::KeyDeclaration> read_keys(const SourceNode& section, const std::string& file,
                                                          Draft& draft);

/// One warning for each key that tasks or steps of different queues name and that is not declared shared: each of
/// these queues has slots of its own. A key with `{{ ... }}` is compared by its text.
[[nodiscard]] ConfigErrors unshared_keys(const std::vector<KeyUse>& uses,
                                         const std::vector<core::KeyDeclaration>& declared);

}  // namespace holdfast::config
