#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "core/token_validity.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::store {

/// What a token lets its bearer do. Each scope from Read on includes those before it down to Read. Work is for
/// workers behind a server: it includes nothing else, and only Admin, which can create such a token anyway, includes
/// it.
enum class Scope { Work, Read, Submit, Operate, Admin };
constexpr auto words_of(Scope) {
    using enum Scope;
    return words<Scope>({{Work, "work"}, {Read, "read"}, {Submit, "submit"}, {Operate, "operate"}, {Admin, "admin"}});
}
[[nodiscard]] constexpr bool includes(Scope scope, Scope needed) {
    if (needed == Scope::Work) return scope == Scope::Work || scope == Scope::Admin;
    return scope >= needed;
}

/// A key to the server. The secret itself is shown once, when it is made; the store keeps its hash.
struct NewToken {
    Uuid id = {};
    std::string name = {};  ///< unique among those that are neither revoked nor expired
    std::string hash = {};  ///< of the secret: SHA-256, hexadecimal
    Scope scope = Scope::Read;
    std::vector<std::string> queues = {};  ///< submits and orders only to tasks of these; empty: of all
    std::optional<Timestamp> expires_at = {};
    std::string who = {};  ///< made it
};
struct TokenRecord {
    NewToken token = {};
    Timestamp created_at = {};
    std::optional<Timestamp> revoked_at = {};
    std::optional<Timestamp> last_used_at = {};
    std::string last_used_from = {};  ///< an address; empty: never used

    /// By the store's clock.
    [[nodiscard]] core::TokenState state_at(Timestamp now) const {
        return core::token_state(revoked_at, token.expires_at, now);
    }
};
/// Whether one of them is valid at `now`, by the store's clock.
[[nodiscard]] inline bool has_valid(const std::vector<TokenRecord>& tokens, Timestamp now) {
    return std::ranges::any_of(
        tokens, [&](const TokenRecord& record) { return record.state_at(now) == core::TokenState::Valid; });
}
enum class CreateTokenStatus { Created, NameTaken };

/// A login at the page. It ends with its token, by an order, or when it is not used for session_idle.
struct NewSession {
    Uuid id = {};
    std::string hash = {};  ///< of the secret in the cookie: SHA-256, hexadecimal
    Uuid token = {};
    std::string from = {};  ///< the address that logged in
};
struct SessionRecord {
    NewSession session = {};
    Timestamp created_at = {};
    Timestamp last_used_at = {};
    std::string last_used_from = {};
    TokenRecord token = {};

    /// By the store's clock.
    [[nodiscard]] bool is_valid(Timestamp now) const;
};
inline constexpr Duration session_idle = std::chrono::hours(12);
inline bool SessionRecord::is_valid(Timestamp now) const {
    return now < last_used_at + session_idle && token.state_at(now) == core::TokenState::Valid;
}

}  // namespace holdfast::store
