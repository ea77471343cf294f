#include "server/page/page.h"

#include "server/http/message.h"

namespace holdfast::page {

namespace {

constexpr std::string_view start = "/index.html";
constexpr std::string_view not_built =
    "This server was built without its web page. The API is at /api, described at /api/docs.\n"
    "To have the page, install npm (scripts/install-deps does) and build with -DHOLDFAST_WITH_PAGE=ON.\n";

std::optional<EmbeddedFile> smallest(std::string_view path, std::string_view accept_encoding) {
    for (const EmbeddedFile& file : embedded_files())
        if (file.path == path && (file.encoding.empty() || http::accepts_encoding(accept_encoding, file.encoding)))
            return file;
    return std::nullopt;
}

}  // namespace

std::optional<EmbeddedFile> find_file(std::string_view path, std::string_view accept_encoding) {
    const bool is_start = path == "/";
    if (!embedded_files().empty()) return smallest(is_start ? start : path, accept_encoding);
    if (!is_start) return std::nullopt;
    return EmbeddedFile{start, "text/plain; charset=utf-8", "", not_built};
}

}  // namespace holdfast::page
