#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "config/config_error.h"
#include "holdfast/result.h"

namespace holdfast::config {

enum class NodeKind { Null, Scalar, Sequence, Mapping };
constexpr auto words_of(NodeKind) {
    using enum NodeKind;
    return words<NodeKind>({{Null, "nothing"}, {Scalar, "a value"}, {Sequence, "a list"}, {Mapping, "a mapping"}});
}

/// One node of a configuration file, independent of the parser that read it: its content and its position, so that
/// later checks can report its file, line and key. A value type: copies are deep.
struct SourceNode {
    NodeKind kind = NodeKind::Null;
    std::string path = {};    ///< from the top: "tasks.backup.timeout", "worker.queues[1]"; empty for the root
    std::string key = {};     ///< the last part of the path, for an entry of a mapping
    std::string scalar = {};  ///< of Scalar: its text, without quotes
    bool quoted = false;      ///< of Scalar: written in quotes (or as a block), so it is always text
    Position at = {};         ///< where the value begins
    Position key_at = {};     ///< where its key begins; the same as `at` without a key
    std::vector<SourceNode> children = {};  ///< of Sequence and Mapping, in the order of the file; keys are unique

    /// The entry of a mapping with this key; nullptr when there is none.
    [[nodiscard]] const SourceNode* find(std::string_view wanted) const;
};

/// Converts a node to JSON by the rules of YAML: quoted text is text; unquoted `null`, `true`, `false` and numbers
/// have their own types.
[[nodiscard]] nlohmann::json json_of(const SourceNode& node);

/// The form in which an error repeats a value that a person wrote: on one line, shortened when long, without secrets.
/// Passwords in URLs are masked, and so is every value under a key that suggests a secret.
[[nodiscard]] std::string shown_text(std::string_view text);
[[nodiscard]] std::string shown_node(const SourceNode& node);

/// The same for a value under `key`.
[[nodiscard]] std::string shown_under(std::string_view key, const SourceNode& node);

// ---- Reading ------------------------------------------------------------------------------------------------------

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
