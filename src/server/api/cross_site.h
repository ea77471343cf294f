#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace holdfast::api {

// What keeps pages of other sites, in the browsers of our users, from asking in their name.

/// The host of "example.org:7070", "[::1]:7070", lower case, without brackets and port.
[[nodiscard]] std::string host_of(std::string_view authority);
/// localhost, *.localhost, 127.0.0.0/8, ::1
[[nodiscard]] bool is_loopback(std::string_view host);

/// Throws CROSS_SITE when the browser says that the request comes from another site.
void require_same_site(const http::Request& request);
/// The same, and a request that changes something must carry `X-Holdfast: page`, which other sites cannot send.
void require_page_request(const http::Request& request);

}  // namespace holdfast::api
