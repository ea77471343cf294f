#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace holdfast::config {

/// A position in a file, counted from 1 as in editors.
struct Position {
    int line = 1;
    int column = 1;

    friend bool operator==(const Position&, const Position&) = default;
};

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

}  // namespace holdfast::config
