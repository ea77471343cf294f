#include "server/api/secrets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace holdfast::api {

namespace {

constexpr std::string_view token_prefix = "hf_";
constexpr std::string_view session_prefix = "hs_";
constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int secret_bytes = 32;
constexpr std::size_t secret_characters = 43;

std::string make_secret(std::string_view prefix) {
    std::array<unsigned char, secret_bytes> bytes{};
    if (RAND_bytes(bytes.data(), secret_bytes) != 1) throw std::runtime_error("OpenSSL has no random bytes");
    std::string text(secret_characters + 1, '=');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), secret_bytes);
    text.pop_back();  // the padding
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return std::string(prefix) + text;
}

bool looks_like_secret(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix) || text.size() != prefix.size() + secret_characters) return false;
    text.remove_prefix(prefix.size());
    return text.find_first_not_of(base64url) == std::string_view::npos;
}

}  // namespace

std::string make_token_secret() {
    return make_secret(token_prefix);
}

std::string make_session_secret() {
    return make_secret(session_prefix);
}

std::string hash_token_secret(std::string_view secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
    std::string text;
    for (unsigned at = 0; at < size; ++at) {
        text.push_back("0123456789abcdef"[digest[at] >> 4]);
        text.push_back("0123456789abcdef"[digest[at] & 15]);
    }
    return text;
}

bool looks_like_token_secret(std::string_view text) {
    return looks_like_secret(text, token_prefix);
}

bool looks_like_session_secret(std::string_view text) {
    return looks_like_secret(text, session_prefix);
}

bool equal_in_constant_time(const std::string& left, const std::string& right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

Credential token_credential(const std::string& secret) {
    if (!looks_like_token_secret(secret)) return {};
    return {Credential::Kind::Token, hash_token_secret(secret)};
}

Credential session_credential(const std::string& secret) {
    if (!looks_like_session_secret(secret)) return {};
    return {Credential::Kind::Session, hash_token_secret(secret)};
}

}  // namespace holdfast::api
