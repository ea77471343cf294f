#pragma once

#include <string>
#include <string_view>

namespace holdfast::api {

/// A new secret of a token: "hf_" and 43 characters that stand for 256 random bits. Whoever has it is whom the token
/// names; it is shown once and kept nowhere.
[[nodiscard]] std::string make_token_secret();

/// What the store keeps of a secret: SHA-256, in hexadecimal. The secret has too much chance in it to be guessed from
/// this, so that no salt and no slow function is needed.
[[nodiscard]] std::string hash_token_secret(std::string_view secret);

/// Whether it has the form of one: anything else need not be looked for.
[[nodiscard]] bool looks_like_token_secret(std::string_view text);

}  // namespace holdfast::api
