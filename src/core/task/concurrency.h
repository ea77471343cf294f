#pragma once

#include <algorithm>
#include <optional>
#include <string>

namespace holdfast::core {

/// A concurrency key whose limit an operator has fixed.
struct KeyDeclaration {
    std::string key = {};
    std::string queue = {};  ///< whose tasks it counts; empty: it is shared, and counts those of all queues
    int limit = 1;

    [[nodiscard]] bool is_shared() const { return queue.empty(); }
    friend bool operator==(const KeyDeclaration&, const KeyDeclaration&) = default;
};

/// What a store remembers of a key when a submit names it.
struct KeyState {
    int limit = 1;
    bool declared = false;
    bool in_use = false;  ///< a task of its queue with this key has not ended
};

/// The limit in force once a submit that asks for `asked` is accepted. A declared limit is fixed. An undeclared key
/// has the limit of the first submit; while the key is in use, later submits lower it and never raise it. nullopt:
/// the store does not remember the key.
[[nodiscard]] constexpr int limit_in_force(const std::optional<KeyState>& key, int asked) {
    if (!key) return asked;
    if (key->declared) return key->limit;
    return key->in_use ? std::min(key->limit, asked) : asked;
}

}  // namespace holdfast::core
