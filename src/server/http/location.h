#pragma once

#include <cstdint>
#include <string>

namespace holdfast::http {

/// The address of a server, as its URL names it.
struct Location {
    bool secure = false;
    std::string host = {};  ///< a host name or an IP address, without brackets
    std::uint16_t port = 0;
};

/// Parses a URL such as "http://127.0.0.1:7070", "https://holdfast.example" or "http://[::1]:7070/". Throws
/// BadInput with a sentence when the URL is malformed, or has a path, a query or a user.
[[nodiscard]] Location parse_location(const std::string& url);

}  // namespace holdfast::http
