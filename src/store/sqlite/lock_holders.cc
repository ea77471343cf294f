#include "store/sqlite/lock_holders.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace holdfast::sqlite {

namespace {

// The byte of SQLite's log index that a writer locks.
constexpr std::uint64_t write_lock_byte = 120;

struct Lock {
    pid_t holder = 0;
    std::string device;
    std::string inode;
    std::uint64_t first = 0, last = 0;  ///< bytes
};

/// The exclusive locks on all files.
std::vector<Lock> exclusive_locks() {
    std::vector<Lock> locks;
    std::ifstream lines("/proc/locks");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string number, kind, advisory, access, place, last;
        pid_t holder = 0;
        std::uint64_t first = 0;
        words >> number >> kind >> advisory >> access >> holder >> place >> first >> last;
        const auto end_of_device = place.rfind(':');
        if (holder <= 0 || access != "WRITE" || end_of_device == std::string::npos) continue;
        locks.push_back({holder, place.substr(0, end_of_device), place.substr(end_of_device + 1), first,
                         last == "EOF" ? UINT64_MAX : std::strtoull(last.c_str(), nullptr, 10)});
    }
    return locks;
}

std::string device_text(dev_t device) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%02x:%02x", major(device), minor(device));
    return text.data();
}

std::string name_process(pid_t process) {
    std::string program;
    std::ifstream file("/proc/" + std::to_string(process) + "/comm");
    std::getline(file, program);
    return program.empty() ? concat("process ", process) : concat("process ", process, " (", program, ")");
}

}  // namespace

std::vector<pid_t> lock_holders(const std::string& file, std::optional<std::uint64_t> byte) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return {};
    auto locks = exclusive_locks();
    std::erase_if(locks, [&](const Lock& lock) { return lock.inode != std::to_string(status.st_ino); });
    // Btrfs shows files on another device than locks: then the inode must do.
    const auto is_elsewhere = [&](const Lock& lock) { return lock.device != device_text(status.st_dev); };
    if (!std::ranges::all_of(locks, is_elsewhere)) std::erase_if(locks, is_elsewhere);
    std::vector<pid_t> holders;
    for (const Lock& lock : locks)
        if (!byte || (lock.first <= *byte && *byte <= lock.last)) holders.push_back(lock.holder);
    return holders;
}

bool has_locked(pid_t pid, const std::string& file) {
    const auto holders = lock_holders(file);
    return std::find(holders.begin(), holders.end(), pid) != holders.end();
}

std::string name_lock_holder(const std::string& database) {
    for (const pid_t writer : lock_holders(database + "-shm", write_lock_byte)) return name_process(writer);
    // The file itself is locked by a program that works exclusively or without a log. Else look at our own queue.
    for (const char* suffix : {"", "-turn", "-gate"})
        for (const pid_t holder : lock_holders(database + suffix)) return name_process(holder);
    return "another process";
}

}  // namespace holdfast::sqlite
