#include "platform/zone_files.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "platform/files.h"

namespace holdfast::platform {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 100;
constexpr std::size_t largest_file = 1 << 20;  // the largest zone has some 4 kB

/// Words of letters, digits, '_', '+' and '-' with a '/' between them; so neither "..", nor "/etc".
bool is_zone_name(std::string_view name) {
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return !name.empty() && name.size() <= longest_name &&
           name.find_first_not_of(allowed) == std::string_view::npos && name.front() != '/' && name.back() != '/' &&
           name.find("//") == std::string_view::npos;
}

/// Empty when the folder cannot be read. Its folders "posix" and "right" repeat the same names.
std::vector<std::string> zone_names(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error, not_a_file;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().lexically_relative(folder).generic_string();
        if (name == "posix" || name == "right")
            entry.disable_recursion_pending();
        else if (is_zone_name(name) && entry->is_regular_file(not_a_file))
            names.push_back(name);
    }
    return names;
}

std::string unknown_zone(const std::string& name, const std::string& folder) {
    const std::vector<std::string> names = zone_names(folder);
    if (names.empty())
        return concat("there are no time zones in ", folder, "; install the package tzdata, or use the zone \"UTC\"");
    const auto nearest = nearest_word(name, names);
    if (nearest) return concat("unknown time zone \"", name, "\"; did you mean \"", *nearest, "\"?");
    return concat("unknown time zone \"", name, R"("; give a name like "Europe/Berlin" or "UTC")");
}

}  // namespace

Result<core::TimeZone, std::string> read_zone(const std::string& name, const std::string& folder) {
    if (name == "UTC") return core::TimeZone::utc();
    if (!is_zone_name(name))
        return Failure{concat(R"(a time zone must be a name like "Europe/Berlin" or "UTC", not ")",
                              name.substr(0, longest_name), '"')};
    const std::string path = concat(folder, '/', name);
    const auto bytes = read_regular_file(path, largest_file, 0);
    if (!bytes || bytes->size() > largest_file) return Failure{unknown_zone(name, folder)};
    auto zone = core::TimeZone::parse(*bytes);
    if (!zone) return Failure{concat("the time zone \"", name, "\" cannot be used: ", path, " ", zone.error())};
    return zone;
}

}  // namespace holdfast::platform
