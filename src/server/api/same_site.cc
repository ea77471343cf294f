#include "server/api/same_site.h"

#include <algorithm>

#include "base/text.h"
#include "server/api/answers.h"

namespace holdfast::api {

namespace {

/// Returns "example.org:443" for "https://example.org": as in a Host header, always with the port.
std::string authority_of(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    if (scheme_end == std::string_view::npos) return "";
    std::string authority = lower_case(origin.substr(scheme_end + 3));
    const auto colon = authority.rfind(':');
    const bool has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
    if (!has_port) authority += origin.starts_with("https:") ? ":443" : ":80";
    return authority;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
    const std::string theirs = authority_of(origin);
    if (theirs.empty()) return false;
    const std::string scheme(origin.substr(0, origin.find("://")));
    return theirs == authority_of(concat(scheme, "://", host));
}

[[noreturn]] void refuse(const std::string& why) {
    throw Problem("CROSS_SITE", concat(why, ": requests of other sites' pages are refused"));
}

bool changes_something(const http::Request& request) {
    return request.method != "GET" && request.method != "HEAD";
}

}  // namespace

std::string host_of(std::string_view authority) {
    if (authority.starts_with('[')) return lower_case(authority.substr(1, authority.find(']') - 1));
    return lower_case(authority.substr(0, authority.find(':')));
}

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host.ends_with(".localhost") || host == "::1" || host == "::ffff:127.0.0.1")
        return true;
    // Only digits and three dots: 127.0.0.1.example.org is not a loopback address.
    return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos &&
           std::ranges::count(host, '.') == 3;
}

void require_same_site(const http::Request& request) {
    const std::string_view origin = request.header("origin");
    if (!origin.empty() && !is_own_origin(origin, request.header("host")))
        refuse(concat("the Origin '", origin, "' is not the server's own"));
    const std::string_view site = request.header("sec-fetch-site");
    if (changes_something(request) && (site == "cross-site" || site == "same-site"))
        refuse("the browser says that another site asks");
}

void require_page_request(const http::Request& request) {
    require_same_site(request);
    if (changes_something(request) && request.header("x-holdfast") != "page")
        refuse("a request with the page's cookie that changes something needs the header 'X-Holdfast: page'");
}

}  // namespace holdfast::api
