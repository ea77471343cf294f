#include "config/source_node.h"

#include <algorithm>

namespace holdfast::config {

const SourceNode* SourceNode::find(std::string_view wanted) const {
    if (kind != NodeKind::Mapping) return nullptr;
    const auto found =
        std::find_if(children.begin(), children.end(), [&](const SourceNode& child) { return child.key == wanted; });
    return found == children.end() ? nullptr : &*found;
}

}  // namespace holdfast::config
