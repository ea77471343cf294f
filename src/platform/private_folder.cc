#include "platform/private_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace holdfast::platform {

namespace {

namespace fs = std::filesystem;

std::string base_folder() {
    const char* wanted = getenv("TMPDIR");
    // Sockets are made in it: their paths may have 107 bytes.
    return wanted != nullptr && *wanted == '/' && std::string(wanted).size() < 50 ? wanted : "/tmp";
}

Descriptor lock_folder(const std::string& path) {
    Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) != 0) folder.close();
    return folder;
}

bool is_mine(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

void remove_abandoned(const std::string& base, const std::string& prefix) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(base, ignored)) {
        const std::string path = entry.path().string();
        if (!entry.path().filename().string().starts_with(prefix) || !is_mine(path)) continue;
        if (const Descriptor lock = lock_folder(path)) remove_folder(path);
    }
}

}  // namespace

void remove_folder(const std::string& path) {
    std::error_code ignored;
    if (fs::remove_all(path, ignored) != static_cast<std::uintmax_t>(-1)) return;
    // A directory without write permission keeps what is in it.
    for (auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored);
         entry != fs::recursive_directory_iterator(); entry.increment(ignored))
        if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) chmod(entry->path().c_str(), 0700);
    fs::remove_all(path, ignored);
}

PrivateFolder::PrivateFolder(const std::string& prefix) {
    const std::string base = base_folder();
    remove_abandoned(base, prefix);
    // Another process may take it for abandoned before it is locked.
    do {
        path_ = base + "/" + prefix + "XXXXXX";
        if (mkdtemp(path_.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "cannot make a directory in " + base);
        lock_ = lock_folder(path_);
    } while (!lock_ || access(path_.c_str(), F_OK) != 0);
}

PrivateFolder::~PrivateFolder() {
    remove_folder(path_);
}

}  // namespace holdfast::platform
