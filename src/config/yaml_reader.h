#pragma once

#include <string>
#include <string_view>

#include "config/config_error.h"
#include "config/source_node.h"
#include "holdfast/result.h"

namespace holdfast::config {

/// What a file may hold at most, so that a hostile or broken one costs neither memory nor stack.
inline constexpr std::size_t max_file_bytes = 16 * 1024 * 1024;
inline constexpr std::size_t max_tree_bytes = 128 * 1024 * 1024;  ///< in memory, with every alias written out
inline constexpr std::size_t max_depth = 64;

/// All of a file of at most max_file_bytes; or why it cannot be read, as a sentence.
[[nodiscard]] Result<std::string, std::string> read_content(const std::string& name);

/// A YAML document, read as far as it could be.
struct YamlText {
    SourceNode root;      ///< Null for an empty document, and for one that could not be read at all
    ConfigErrors errors;  ///< syntax, encoding, size, duplicate keys, ...
};

/// Reads one YAML document. `file` is its name, for the errors. Throws nothing for any content.
[[nodiscard]] YamlText read_yaml(const std::string& text, const std::string& file);

}  // namespace holdfast::config
