#include "server/api/token_secret.h"

#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/throw_errno.h"

namespace holdfast::api {

namespace {

constexpr std::string_view prefix = "hf_";
constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t secret_characters = 43;

using Bytes = std::array<unsigned char, secret_bytes>;

Bytes random_bytes() {
    Bytes bytes{};
    for (std::size_t have = 0; have < bytes.size();) {
        const ssize_t got = getrandom(bytes.data() + have, bytes.size() - have, 0);
        if (got < 0 && errno != EINTR) throw_errno("getrandom");
        if (got > 0) have += static_cast<std::size_t>(got);
    }
    return bytes;
}

std::string in_base64url(const Bytes& bytes) {
    std::string text;
    unsigned bits = 0;
    unsigned held = 0;
    for (const unsigned char byte : bytes) {
        bits = (bits << 8) | byte;
        for (held += 8; held >= 6; held -= 6) text.push_back(base64url[(bits >> (held - 6)) & 63]);
    }
    text.push_back(base64url[(bits << (6 - held)) & 63]);
    return text;
}

}  // namespace

std::string make_token_secret() {
    return std::string(prefix) + in_base64url(random_bytes());
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
    if (!text.starts_with(prefix) || text.size() != prefix.size() + secret_characters) return false;
    text.remove_prefix(prefix.size());
    return text.find_first_not_of(base64url) == std::string_view::npos;
}

}  // namespace holdfast::api
