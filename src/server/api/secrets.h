#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace holdfast::api {

/// Returns a new secret for a token: "hf_" and 43 characters that encode 256 random bits. It authenticates as the
/// token. Shown once, never stored.
[[nodiscard]] std::string make_token_secret();
/// The same for a session, "hs_": only the cookie of the page carries it, and it opens nothing as a token.
[[nodiscard]] std::string make_session_secret();

/// Returns the hash of a secret that the store keeps: SHA-256, in hexadecimal. The secret has too much entropy to be
/// guessed from it, so a plain hash suffices, without salt or a slow function.
[[nodiscard]] std::string hash_token_secret(std::string_view secret);

/// Whether the text has the form of a secret. The caller can refuse any other text without a lookup.
[[nodiscard]] bool looks_like_token_secret(std::string_view text);
[[nodiscard]] bool looks_like_session_secret(std::string_view text);

/// A secret that a client presented, by its hash: the token itself, or a session of the page.
struct Credential {
    enum class Kind { None, Token, Session } kind = Kind::None;
    std::string hash = {};  ///< of the secret; empty: the client presented none

    friend auto operator<=>(const Credential&, const Credential&) = default;
};
/// Each returns kind None for a text that does not have the form of such a secret.
[[nodiscard]] Credential token_credential(const std::string& secret);
[[nodiscard]] Credential session_credential(const std::string& secret);
/// Compares hashes in a time that does not tell where they differ.
[[nodiscard]] bool equal_in_constant_time(const std::string& left, const std::string& right);

}  // namespace holdfast::api
