#pragma once

#include <string>
#include <string_view>

#include "config/source_node.h"

namespace holdfast::config {

/// The form in which an error repeats a value that a person wrote: on one line, shortened when long, without secrets.
/// Passwords in URLs are masked, and so is every value under a key that suggests a secret.
[[nodiscard]] std::string shown_text(std::string_view text);
[[nodiscard]] std::string shown_node(const SourceNode& node);

/// The same for a value under `key`.
[[nodiscard]] std::string shown_under(std::string_view key, const SourceNode& node);

}  // namespace holdfast::config
