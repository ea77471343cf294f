#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace holdfast::api {

// Protection against cross-site requests: a page of another site must not act in the name of our user.

/// Returns the host of "example.org:7070" or "[::1]:7070" in lower case, without brackets and port.
[[nodiscard]] std::string host_of(std::string_view authority);
/// Whether the host is localhost, *.localhost, in 127.0.0.0/8, ::1 or ::ffff:127.0.0.1.
[[nodiscard]] bool is_loopback(std::string_view host);

/// Throws CROSS_SITE when the headers of the browser show that the request comes from another site.
void require_same_site(const http::Request& request);
/// The same. In addition, a request that changes something must carry `X-Holdfast: page`, which other sites cannot
/// send.
void require_page_request(const http::Request& request);

}  // namespace holdfast::api
