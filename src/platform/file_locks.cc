#include "platform/file_locks.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace holdfast::platform {

bool has_locked(pid_t pid, const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return false;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, access, place;
        pid_t holder = 0;
        words >> number >> kind >> advisory >> access >> holder >> place;
        const std::string inode = place.substr(place.rfind(':') + 1);
        if (holder == pid && access == "WRITE" && inode == std::to_string(status.st_ino)) return true;
    }
    return false;
}

}  // namespace holdfast::platform
