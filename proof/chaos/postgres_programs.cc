#include "proof/chaos/postgres_programs.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/text.h"
#include "platform/programs.h"

namespace holdfast::chaos {

std::string find_postgres_programs() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
        if (std::filesystem::exists(version.path() / "bin/initdb"))
            found.push_back((version.path() / "bin").string());
    if (!found.empty()) return std::ranges::max(found);
    const std::string initdb = platform::find_program("initdb");
    if (initdb.empty()) throw std::runtime_error("no PostgreSQL server is installed (initdb was not found)");
    return std::filesystem::path(initdb).parent_path().string();
}

std::vector<std::string> as_postgres_owner(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"setpriv", "--pdeathsig", "QUIT"};
    if (geteuid() == 0) all.insert(all.end(), {"--reuid", "postgres", "--regid", "postgres", "--init-groups"});
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

void give_to_postgres_owner(const std::string& path) {
    const passwd* owner = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    if (owner != nullptr && chown(path.c_str(), owner->pw_uid, owner->pw_gid) != 0)
        throw std::runtime_error(concat("cannot give ", path, " to the user postgres"));
}

std::vector<std::string> initdb_words(const std::string& programs, const std::string& folder) {
    return as_postgres_owner({programs + "/initdb", "-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                              "--locale", "C.UTF-8", "--wal-segsize=1"});
}

bool accepts_connections(const std::string& data, int pid) {
    const std::string state = content_of(data + "/postmaster.pid");
    return state.starts_with(std::to_string(pid) + "\n") && state.find("ready") != std::string::npos;
}

std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace holdfast::chaos
