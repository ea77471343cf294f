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

struct Lock {
    pid_t holder = 0;
    std::string device;
    std::string inode;
};

/// Those that keep everybody else out, of all files.
std::vector<Lock> exclusive_locks() {
    std::vector<Lock> locks;
    std::ifstream lines("/proc/locks");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, access, place;
        pid_t holder = 0;
        words >> number >> kind >> advisory >> access >> holder >> place;
        const auto end_of_device = place.rfind(':');
        if (holder <= 0 || access != "WRITE" || end_of_device == std::string::npos) continue;
        locks.push_back({holder, place.substr(0, end_of_device), place.substr(end_of_device + 1)});
    }
    return locks;
}

std::string device_text(dev_t device) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%02x:%02x", major(device), minor(device));
    return text.data();
}

}  // namespace

std::vector<pid_t> lock_holders(const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return {};
    auto locks = exclusive_locks();
    std::erase_if(locks, [&](const Lock& lock) { return lock.inode != std::to_string(status.st_ino); });
    // Btrfs shows files on another device than locks: then the inode must do.
    const auto is_elsewhere = [&](const Lock& lock) { return lock.device != device_text(status.st_dev); };
    if (!std::ranges::all_of(locks, is_elsewhere)) std::erase_if(locks, is_elsewhere);
    std::vector<pid_t> holders;
    for (const Lock& lock : locks) holders.push_back(lock.holder);
    return holders;
}

bool has_locked(pid_t pid, const std::string& file) {
    const auto holders = lock_holders(file);
    return std::find(holders.begin(), holders.end(), pid) != holders.end();
}

}  // namespace holdfast::sqlite
