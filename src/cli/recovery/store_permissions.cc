#include "cli/recovery/store_permissions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "client/connect.h"

namespace holdfast::cli {

namespace {

namespace fs = std::filesystem;
using store::Finding;

Finding folder_finding(const fs::path& folder) {
    if (access(folder.c_str(), F_OK) != 0)
        return {Finding::Grade::Problem, "folder", fmt::format("{} is missing", folder.string()), "create it"};
    if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
        return {Finding::Grade::Problem, "folder", fmt::format("{} may not be written", folder.string()),
                fmt::format("give user {} write permission: SQLite makes files beside the database", geteuid())};
    return {Finding::Grade::Ok, "folder", fmt::format("{} may be written", folder.string()), ""};
}

Finding file_finding(const fs::path& file) {
    if (access(file.c_str(), F_OK) != 0)
        return {Finding::Grade::Problem, "file", fmt::format("{} is missing", file.string()),
                "'holdfast migrate' creates it"};
    if (access(file.c_str(), R_OK | W_OK) != 0)
        return {Finding::Grade::Problem, "file", fmt::format("{} may not be written", file.string()),
                fmt::format("give user {} read and write permission", geteuid())};
    return {Finding::Grade::Ok, "file", fmt::format("{} may be read and written", file.string()), ""};
}

}  // namespace

std::vector<Finding> permission_findings(const std::string& store_url) {
    const client::StoreAddress address = client::parse_store_url(store_url);
    if (address.kind == client::StoreAddress::Kind::Postgres) return {};
    const fs::path file = fs::absolute(address.place);
    return {folder_finding(file.parent_path()), file_finding(file)};
}

}  // namespace holdfast::cli
