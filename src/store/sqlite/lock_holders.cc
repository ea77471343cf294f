#include "store/sqlite/lock_holders.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace holdfast::sqlite {

namespace {

/// As /proc/locks names a file; "" for one that is not there.
std::string place_of(const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return "";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%02x:%02x:%llu", major(status.st_dev), minor(status.st_dev),
                  static_cast<unsigned long long>(status.st_ino));
    return text.data();
}

}  // namespace

std::vector<pid_t> lock_holders(const std::string& file) {
    std::vector<pid_t> holders;
    const std::string sought = place_of(file);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, access, place;
        pid_t holder = 0;
        words >> number >> kind >> advisory >> access >> holder >> place;
        if (holder > 0 && access == "WRITE" && place == sought) holders.push_back(holder);
    }
    return holders;
}

bool has_locked(pid_t pid, const std::string& file) {
    const auto holders = lock_holders(file);
    return std::find(holders.begin(), holders.end(), pid) != holders.end();
}

}  // namespace holdfast::sqlite
