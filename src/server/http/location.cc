#include "server/http/location.h"

#include <charconv>
#include <string_view>

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::http {

namespace {

[[noreturn]] void refuse(const std::string& url, std::string_view why) {
    throw BadInput(
        concat("\"", url, "\" is not the URL of a server: ", why, "; an example is http://127.0.0.1:7070"));
}

std::uint16_t parse_port(const std::string& url, std::string_view text) {
    unsigned port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535)
        refuse(url, "its port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(port);
}

}  // namespace

Location parse_location(const std::string& url) {
    Location location;
    std::string_view rest = url;
    location.secure = rest.starts_with("https://");
    if (!location.secure && !rest.starts_with("http://")) refuse(url, "it must begin with http:// or https://");
    rest.remove_prefix(location.secure ? 8 : 7);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find_first_of("/?#@ \t\r\n") != std::string_view::npos)
        refuse(url, "it must have no path, query or user");
    const bool is_bracketed = rest.starts_with('[');
    const std::size_t end_of_host = rest.find(is_bracketed ? ']' : ':');
    if (is_bracketed && end_of_host == std::string_view::npos) refuse(url, "its address has no ]");
    const std::size_t begin_of_host = is_bracketed ? 1 : 0;
    location.host = rest.substr(begin_of_host, end_of_host - begin_of_host);
    if (location.host.empty()) refuse(url, "it has no host");
    rest.remove_prefix(end_of_host == std::string_view::npos ? rest.size() : end_of_host + begin_of_host);
    if (!rest.empty() && rest.front() != ':') refuse(url, "its host is followed by something else than a port");
    location.port = rest.empty() ? (location.secure ? 443 : 80) : parse_port(url, rest.substr(1));
    return location;
}

}  // namespace holdfast::http
