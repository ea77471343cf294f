#include "config/source_node.h"

#include <algorithm>

namespace holdfast::config {

std::string_view to_text(NodeKind kind) {
    switch (kind) {
        case NodeKind::Null:
            return "nothing";
        case NodeKind::Scalar:
            return "a value";
        case NodeKind::Sequence:
            return "a list";
        case NodeKind::Mapping:
            return "a mapping";
    }
    return "";
}

const SourceNode* SourceNode::find(std::string_view wanted) const {
    if (kind != NodeKind::Mapping) return nullptr;
    const auto found =
        std::find_if(children.begin(), children.end(), [&](const SourceNode& child) { return child.key == wanted; });
    return found == children.end() ? nullptr : &*found;
}

}  // namespace holdfast::config
