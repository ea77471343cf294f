#pragma once

#include <string>
#include <string_view>

#include "config/config_error.h"
#include "config/source_node.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// The limits of a file, so that a hostile or broken one cannot exhaust memory or stack.
inline constexpr std::size_t max_file_bytes = 16 * 1024 * 1024;
inline constexpr std::size_t max_tree_bytes = 128 * 1024 * 1024;  ///< in memory, with every alias expanded
inline constexpr std::size_t max_depth = 64;

/// Returns the content of a file of at most max_file_bytes; or a sentence that explains why it cannot be read.
[[nodiscard]] Result<std::string, std::string> read_content(const std::string& name);

/// A YAML document and the errors that were found in it.
struct YamlText {
    SourceNode root;      ///< Null for an empty document, and for one that could not be read at all
    ConfigErrors errors;  ///< syntax, encoding, size, duplicate keys, ...
};

/// Reads one YAML document. `file` is its name in errors. Never throws because of the content.
[[nodiscard]] YamlText read_yaml(const std::string& text, const std::string& file);

}  // namespace holdfast::config
