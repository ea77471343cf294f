#include "platform/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "base/throw_errno.h"

namespace holdfast::platform {

namespace {

namespace fs = std::filesystem;

// Not with read(): the processes that have inherited the descriptor share its offset.
std::string read_from(int descriptor, std::size_t at_most) {
    std::string content;
    std::array<char, 16 * 1024> buffer;
    ssize_t got = 0;
    while (content.size() <= at_most &&
           (got = pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(content.size()))) > 0)
        content.append(buffer.data(), static_cast<std::size_t>(got));
    return content;
}

std::string base_folder() {
    const char* wanted = getenv("TMPDIR");
    // Sockets are created in it, and their paths may have 107 bytes.
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

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/// mountinfo writes blanks and backslashes as a backslash with three octal digits.
std::string unescaped(const std::string& text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string digits = text[at] == '\\' ? text.substr(at + 1, 3) : "";
        const bool is_escape = digits.size() == 3 && std::ranges::all_of(digits, is_octal);
        plain += is_escape ? static_cast<char>(std::stoi(digits, nullptr, 8)) : text[at];
        if (is_escape) at += 3;
    }
    return plain;
}

/// False when a file system stays mounted: its contents must not be removed.
bool unmount_all_in(const std::string& path) {
    std::error_code missing;
    const std::string folder = fs::canonical(path, missing).string();
    if (missing) return true;
    std::ifstream mountinfo("/proc/self/mountinfo");
    return std::ranges::all_of(mounts_in(folder, mountinfo), [](const std::string& each) {
        return umount2(each.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0;
    });
}

// ---- Removal ----------------------------------------------------------------------------------------------------
// By descriptors, because a path could lead elsewhere by now.

/// Opens a directory, whoever owns it and whatever its mode is, as far as this process may. Empty: it is no
/// directory, or may not be opened.
Descriptor open_folder_in(int parent, const char* name) {
    constexpr int plain = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Descriptor opened(openat(parent, name, plain));
    if (opened || errno != EACCES) return opened;
    const Descriptor handle(openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const std::string path = "/proc/self/fd/" + std::to_string(handle.get());
    if (!handle) return {};
    [[maybe_unused]] const int ignored = fchownat(handle.get(), "", geteuid(), static_cast<gid_t>(-1), AT_EMPTY_PATH);
    chmod(path.c_str(), 0700);
    return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::vector<std::string> names_in(int folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(openat(folder, ".", O_RDONLY | O_CLOEXEC)), closedir);
    while (const dirent* entry = entries ? readdir(entries.get()) : nullptr)
        if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
    return names;
}

/// Empties a directory. One that is nested deeper than descriptors and stack allow is moved up and emptied there.
class FolderRemoval {
public:
    explicit FolderRemoval(int top) : top_(top) {}
    void run() {
        do {
            has_moved_ = false;
            empty(top_, 0);
        } while (has_moved_);
    }

private:
    void empty(int folder, int depth) {
        constexpr int deepest = 64;
        if (fchmod(folder, 0700) != 0 && fchown(folder, geteuid(), static_cast<gid_t>(-1)) == 0) fchmod(folder, 0700);
        for (const std::string& name : names_in(folder)) {
            if (unlinkat(folder, name.c_str(), 0) == 0) continue;
            if (depth == deepest)
                move_up(folder, name);
            else if (const Descriptor below = open_folder_in(folder, name.c_str()))
                empty(below.get(), depth + 1);
            unlinkat(folder, name.c_str(), AT_REMOVEDIR);
        }
    }
    void move_up(int folder, const std::string& name) {
        const std::string place = ".moved." + std::to_string(++moved_);
        if (renameat2(folder, name.c_str(), top_, place.c_str(), RENAME_NOREPLACE) == 0) has_moved_ = true;
    }

    int top_;
    int moved_ = 0;
    bool has_moved_ = false;
};

}  // namespace

// ---- Content ----------------------------------------------------------------------------------------------------

std::string content_of(int descriptor) {
    return read_from(descriptor, std::numeric_limits<std::size_t>::max() - 1);
}

std::string content_of(const std::string& path) {
    return content_of(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)).get());
}

std::optional<std::string> read_regular_file(const std::string& path, std::size_t at_most, int flags,
                                             std::optional<uid_t> owner) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    if (owner && status.st_uid != *owner) return std::nullopt;
    return read_from(file.get(), at_most);
}

bool write_all(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = write(descriptor, content.data(), content.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

Descriptor memory_file(const char* name, std::string_view content) {
    Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) throw_errno("memfd_create");
    if (!write_all(file.get(), content)) throw_errno("cannot write to a file in memory");
    lseek(file.get(), 0, SEEK_SET);
    return file;
}

Descriptor sealed_file(const char* name, std::string_view content) {
    Descriptor file = memory_file(name, content);
    if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        throw_errno("cannot seal a file in memory");
    return file;
}

// ---- Directories ------------------------------------------------------------------------------------------------

std::vector<std::string> mounts_in(const std::string& folder, std::istream& mountinfo) {
    std::vector<std::string> found;
    for (std::string line; std::getline(mountinfo, line);) {
        std::istringstream fields(line);
        std::string ignored, point;
        fields >> ignored >> ignored >> ignored >> ignored >> point;
        point = unescaped(point);
        if (point == folder || point.starts_with(folder + "/")) found.push_back(point);
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &std::string::size);
    return found;
}

FreshFolder::FreshFolder(std::string path) : path_(std::move(path)) {
    remove_folder(path_);
    bool is_made = mkdir(path_.c_str(), 0700) == 0;
    for (int number = 1; !is_made && errno == EEXIST; ++number) {
        const std::string aside = path_ + ".left." + std::to_string(number);
        // rename() replaces an existing directory only if that is empty.
        if (rename(path_.c_str(), aside.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST) break;
        is_made = mkdir(path_.c_str(), 0700) == 0;
    }
    if (!is_made) throw_errno("cannot make the directory " + path_);
}

FreshFolder::~FreshFolder() {
    remove_folder(path_);
}

void remove_folder(const std::string& path) {
    if (!unmount_all_in(path)) return;
    if (const Descriptor folder = open_folder_in(AT_FDCWD, path.c_str())) FolderRemoval(folder.get()).run();
    if (unlink(path.c_str()) != 0) rmdir(path.c_str());
}

void mount_memory(const std::string& folder, std::int64_t bytes) {
    // Each file takes memory of the kernel, even an empty one.
    const std::string options = "mode=0700,size=" + std::to_string(bytes) +
                                ",nr_inodes=" + std::to_string(std::max<std::int64_t>(bytes / 4096, 1024));
    if (mount("holdfast", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
        throw_errno("cannot mount a file system in memory on " + folder);
}

PrivateFolder::PrivateFolder(const std::string& prefix) {
    const std::string base = base_folder();
    remove_abandoned(base, prefix);
    // Another process may consider it abandoned before it is locked.
    do {
        path_ = base + "/" + prefix + "XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) throw_errno("cannot make a directory in " + base);
        lock_ = lock_folder(path_);
    } while (!lock_ || access(path_.c_str(), F_OK) != 0);
}

PrivateFolder::~PrivateFolder() {
    remove_folder(path_);
}

}  // namespace holdfast::platform
