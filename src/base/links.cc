#include "base/links.h"

#include <filesystem>

namespace holdfast {

std::string follow_links(const std::string& path) {
    constexpr int most_links = 10;
    std::filesystem::path found = path;
    std::error_code failure;
    for (int links = 0; links < most_links && std::filesystem::is_symlink(found, failure); ++links) {
        const auto target = std::filesystem::read_symlink(found, failure);
        if (failure) break;
        found = found.parent_path() / target;  // an absolute one replaces it
    }
    return found;
}

}  // namespace holdfast
