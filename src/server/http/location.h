#pragma once

#include <cstdint>
#include <string>

namespace holdfast::http {

/// Where a server is.
struct Location {
    bool secure = false;
    std::string host = {};  ///< a name or an address, without brackets
    std::uint16_t port = 0;
};

/// Of "http://127.0.0.1:7070", "https://holdfast.example", "http://[::1]:7070/". Throws BadInput with a sentence when
/// it is not such a URL, or has a path, a query or a user.
[[nodiscard]] Location parse_location(const std::string& url);

}  // namespace holdfast::http
