#pragma once

#include <string>

#include "store/server_store.h"
#include "views/members.h"

namespace holdfast::views {

/// A token that was just made, and its secret, which is told only now.
struct MadeToken {
    store::TokenRecord record = {};
    std::string secret = {};
};

/// Neither the secret of a token nor the hash of that is shown.
Table<store::TokenRecord> table(Of<store::TokenRecord>);
Table<MadeToken> table(Of<MadeToken>);

}  // namespace holdfast::views
