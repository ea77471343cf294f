#pragma once

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
    std::string path;     ///< from the top: "tasks.backup.timeout", "worker.queues[1]"; empty for the root
    std::string key;      ///< the last part of the path, for an entry of a mapping
    std::string scalar;   ///< of Scalar: its text, without quotes
    bool quoted = false;  ///< of Scalar: written in quotes (or as a block), so it is always text
    Position at;          ///< where the value begins
    Position key_at;      ///< where its key begins; the same as `at` without a key
    std::vector<SourceNode> children;  ///< of Sequence and Mapping, in the order of the file; keys are unique

    /// The entry of a mapping with this key; nullptr when there is none.
    [[nodiscard]] const SourceNode* find(std::string_view wanted) const;
};

}  // namespace holdfast::config
