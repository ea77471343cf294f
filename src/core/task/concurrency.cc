#include "core/task/concurrency.h"

#include <algorithm>

namespace holdfast::core {

int limit_in_force(const std::optional<KeyState>& key, int asked) {
    if (!key) return asked;
    if (key->declared) return key->limit;
    return key->in_use ? std::min(key->limit, asked) : asked;
}

}  // namespace holdfast::core
