#pragma once

#include <string>

#include "store/server_store.h"
#include "views/members.h"

namespace holdfast::views {

/// A new token with its secret, which is shown only this once.
struct MadeToken {
    store::TokenRecord record = {};
    std::string secret = {};
};

/// Contains neither the secret of a token nor its hash.
Table<store::TokenRecord> table(Of<store::TokenRecord>);
Table<MadeToken> table(Of<MadeToken>);
Table<store::SessionRecord> table(Of<store::SessionRecord>);

}  // namespace holdfast::views
