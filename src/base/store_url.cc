#include "base/store_url.h"

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
    if (is_path) return StoreUrlFault{"not a store URL", concat("write sqlite:", url, " for a file")};
    return StoreUrlFault{"not a store URL",
                         colon == std::string_view::npos ? "" : scheme_suggestion(url.substr(0, colon))};
}

}  // namespace holdfast
