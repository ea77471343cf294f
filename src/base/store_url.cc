#include "base/store_url.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast {

namespace {

std::optional<StoreUrlFault> sqlite_fault(std::string_view path) {
    if (path.empty()) return StoreUrlFault{"names no file", "write sqlite:holdfast.db"};
    if (path == ":memory:") return StoreUrlFault{"a memory database is not durable", "write sqlite:holdfast.db"};
    // Elsewhere sqlite://x.db is a relative path; here it would be a file in the root directory. Better to ask.
    if (path.starts_with("//") && !path.starts_with("///"))
        return StoreUrlFault{"ambiguous path",
                             concat("write sqlite:", path.substr(2), " or sqlite:/", path.substr(2))};
    return std::nullopt;
}

std::string scheme_suggestion(std::string_view scheme) {
    const std::optional<std::string> meant = nearest_word(scheme, {"sqlite", "postgresql", "postgres"});
    return meant ? concat("did you mean ", *meant, ":?") : "";
}

// ---- Passwords ---------------------------------------------------------------------------------------------------

constexpr std::string_view mask = "***";

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Where the password of "scheme://user:password@host" stands in `url`; an empty range when there is none.
/// People forget to escape '/', '@' and '?' in passwords. libpq then refuses the URL, and the message that says so
/// must not show the password: everything that is neither host nor port counts as a part of it.
Range user_password(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    const std::size_t authority = scheme + 3;
    const std::size_t colon = url.find_first_of(":?/@[", authority);
    if (colon == std::string_view::npos || url[colon] != ':') return {};
    const std::size_t begin = colon + 1;

    const std::size_t query = std::min(url.find('?', begin), url.size());
    const std::size_t at = url.substr(0, query).rfind('@');
    if (at != std::string_view::npos && at >= begin) return {begin, at};

    const std::size_t port_end = std::min(url.find_first_not_of("0123456789", begin), url.size());
    const bool is_port =
        port_end == url.size() || std::string_view(",/?").find(url[port_end]) != std::string_view::npos;
    if (is_port) return {};
    const std::size_t late_at = url.rfind('@');
    return {begin, late_at != std::string_view::npos && late_at >= begin ? late_at : url.size()};
}

bool is_space(char character) {
    return std::string_view(" \t\r\n\f\v").find(character) != std::string_view::npos;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

/// Past the end of the value that begins at `at`: to '&' in a URL's query, else as libpq reads keyword strings.
std::size_t value_end(std::string_view text, std::size_t at, bool in_query) {
    if (in_query) return std::min(text.find('&', at), text.size());
    const bool quoted = at < text.size() && text[at] == '\'';
    if (quoted) ++at;
    for (; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (quoted && text[at] == '\'')
            return at + 1;
        else if (!quoted && is_space(text[at]))
            return at;
    }
    return text.size();
}

/// The next value of "password" or "sslpassword" at or after `from`; an empty range when there is none.
Range next_password_value(std::string_view text, std::size_t from) {
    const auto same_letter = [](char left, char right) { return (left | 0x20) == right; };
    constexpr std::string_view word = "password";
    for (;;) {
        const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), word.begin(),
                                       word.end(), same_letter);
        if (found == text.end()) return {};
        const auto at = static_cast<std::size_t>(found - text.begin());
        from = at + word.size();
        const std::size_t equals = skip_spaces(text, from);
        if (equals >= text.size() || text[equals] != '=') continue;
        const std::size_t separator = text.substr(0, at).find_last_of(" \t\r\n\f\v?&");
        const bool in_query =
            separator != std::string_view::npos && (text[separator] == '?' || text[separator] == '&');
        const std::size_t begin = in_query ? equals + 1 : skip_spaces(text, equals + 1);
        return {begin, value_end(text, begin, in_query)};
    }
}

}  // namespace

std::optional<StoreUrlFault> store_url_fault(std::string_view url) {
    if (url.empty()) return StoreUrlFault{"empty", ""};
    if (const auto defect = text_defect(url)) return StoreUrlFault{*defect, ""};
    if (url.starts_with("sqlite:")) return sqlite_fault(url.substr(7));
    if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return std::nullopt;

    const std::size_t colon = url.find(':');
    if (url.find('=') != std::string_view::npos && url.find("://") == std::string_view::npos)
        return StoreUrlFault{"a libpq keyword string", "write postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE"};
    const bool is_path = colon == std::string_view::npos;
    return StoreUrlFault{"not a store URL", is_path ? concat("write sqlite:", url, " for a file")
                                                    : scheme_suggestion(url.substr(0, colon))};
}

std::string mask_password(std::string_view url) {
    std::string masked(url);
    if (masked.starts_with("sqlite:")) return masked;  // a path, whatever it contains
    if (const Range user = user_password(masked); user.begin < user.end)
        masked.replace(user.begin, user.end - user.begin, mask);
    std::size_t from = 0;
    for (;;) {
        const Range value = next_password_value(masked, from);
        if (value.begin == 0) return masked;
        masked.replace(value.begin, value.end - value.begin, mask);
        from = value.begin + mask.size();
    }
}

}  // namespace holdfast
