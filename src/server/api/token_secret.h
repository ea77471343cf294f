#pragma once

#include <string>
#include <string_view>

namespace holdfast::api {

/// Returns a new secret for a token: "hf_" and 43 characters that encode 256 random bits. It authenticates as the
/// token. Shown once, never stored.
[[nodiscard]] std::string make_token_secret();

/// Returns the hash of a secret that the store keeps: SHA-256, in hexadecimal. The secret has too much entropy to be
/// guessed from it, so a plain hash suffices, without salt or a slow function.
[[nodiscard]] std::string hash_token_secret(std::string_view secret);

/// Whether the text has the form of a secret. The caller can refuse any other text without a lookup.
[[nodiscard]] bool looks_like_token_secret(std::string_view text);

}  // namespace holdfast::api
