#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/client_store.h"

namespace holdfast::client {

/// "db-orders of queue reports", "db-orders, shared,": a key in messages.
[[nodiscard]] std::string key_name(const std::string& key, const std::string& queue);

struct KeyChanges {
    std::vector<std::pair<core::KeyDeclaration, store::DeclareStatus>> configured =
        {};                                                 ///< in the order of those wanted
    std::vector<core::KeyDeclaration> not_configured = {};  ///< only the store has them

    [[nodiscard]] std::ptrdiff_t count(store::DeclareStatus status) const;
};

[[nodiscard]] KeyChanges compare_keys(store::ClientStore& store, const std::vector<core::KeyDeclaration>& wanted);

/// Declares them in the store, and removes nothing. Returns how each compared with the store before.
KeyChanges put_keys(store::ClientStore& store, const std::vector<core::KeyDeclaration>& wanted,
                    const std::string& who);

}  // namespace holdfast::client
