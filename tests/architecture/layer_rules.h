#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::architecture {

/// A folder of the tree, and what its files may include.
struct Layer {
    std::string folder;
    std::vector<std::string> may_see;   ///< folders of other layers; its own goes without saying
    std::vector<std::string> may_use;   ///< headers of libraries, by the start of their name
    bool may_touch_the_system = false;  ///< headers of the operating system
    bool is_pure = false;  ///< no clock, thread, socket, process, randomness or IO, directly or through others
};

/// The layers, ground first. This is where the direction of includes is stated.
[[nodiscard]] const std::vector<Layer>& layers();

/// The layer that a file (path from the root of the repository) belongs to; nullptr when it is in none.
[[nodiscard]] const Layer* layer_of(std::string_view path);

/// Texts by path from the root of the repository.
using Sources = std::map<std::string, std::string>;

/// One sentence per broken rule: file, line, what it does, which rule forbids it.
[[nodiscard]] std::vector<std::string> violations(const Sources& sources);

}  // namespace holdfast::architecture
