#pragma once

#include <string>
#include <string_view>

#include "config/source_node.h"

namespace holdfast::config {

/// How a value that a person wrote is repeated to them: in one line, cut when long, and without secrets: passwords in
/// URLs are masked, and so is everything under a key that speaks of a secret.
[[nodiscard]] std::string shown_text(std::string_view text);
[[nodiscard]] std::string shown_node(const SourceNode& node);

/// The same for a value that stands under `key`.
[[nodiscard]] std::string shown_under(std::string_view key, const SourceNode& node);

}  // namespace holdfast::config
