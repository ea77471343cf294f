#include "server/page/page.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace holdfast::page {

namespace {

constexpr std::string_view start = "/index.html";
constexpr std::string_view not_built =
    "This server was built without its web page. The API is at /api, described at /api/docs.\n"
    "To have the page, install npm (scripts/install-deps does) and build with -DHOLDFAST_WITH_PAGE=ON.\n";

/// Removes and returns the part before the separator, trimmed.
std::string_view next_part(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(part);
}

/// Returns whether a weight is zero ("q=0", "q=0.0"), which excludes the encoding.
bool is_refusal(std::string_view weight) {
    return weight.starts_with("q=") && weight.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

std::optional<EmbeddedFile> smallest(std::string_view path, std::string_view accept_encoding) {
    for (const EmbeddedFile& file : embedded_files())
        if (file.path == path && (file.encoding.empty() || accepts(accept_encoding, file.encoding))) return file;
    return std::nullopt;
}

}  // namespace

bool accepts(std::string_view accept_encoding, std::string_view encoding) {
    while (!accept_encoding.empty()) {
        std::string_view item = next_part(accept_encoding, ',');
        if (next_part(item, ';') == encoding) return !is_refusal(trimmed(item));
    }
    return false;
}

std::optional<EmbeddedFile> find_file(std::string_view path, std::string_view accept_encoding) {
    const bool is_start = path == "/";
    if (!embedded_files().empty()) return smallest(is_start ? start : path, accept_encoding);
    if (!is_start) return std::nullopt;
    return EmbeddedFile{start, "text/plain; charset=utf-8", "", not_built};
}

}  // namespace holdfast::page
