#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::platform {

// ---- Content ----------------------------------------------------------------------------------------------------

/// The whole content of an open file, whatever the descriptor's offset is. Empty when the descriptor is not open.
[[nodiscard]] std::string content_of(int descriptor);
/// Empty when the file cannot be read.
[[nodiscard]] std::string content_of(const std::string& path);

/// The content of a regular file; nullopt when there is none at that path. Does not block on a pipe. Of a file that
/// is longer it returns a beginning of more than `at_most` bytes. `flags`: more flags of open(). `owner`: nullopt
/// also when the file belongs to another user.
[[nodiscard]] std::optional<std::string> read_regular_file(const std::string& path, std::size_t at_most, int flags,
                                                           std::optional<uid_t> owner = {});

/// False when it could not write everything; see errno.
[[nodiscard]] bool write_all(int descriptor, std::string_view content);

/// A file in memory without a path, closed on exec; to be read from its beginning. Unlike a pipe it holds any length
/// without a reader. `name` is its name in /proc. Throws std::system_error.
[[nodiscard]] Descriptor memory_file(const char* name, std::string_view content);
/// The same, but its content cannot be changed any more.
[[nodiscard]] Descriptor sealed_file(const char* name, std::string_view content);

// ---- Directories ------------------------------------------------------------------------------------------------

/// A directory that only this user may enter, below $TMPDIR or /tmp. The destructor removes it with its contents. The
/// directory of a killed process is removed by the next PrivateFolder with the same prefix.
class PrivateFolder {
public:
    /// Throws std::system_error.
    explicit PrivateFolder(const std::string& prefix);
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    Descriptor lock_;  // shows other processes that it is in use
};

/// An empty directory at this path that only this user may enter. A file or directory that was there is removed, or
/// renamed when it cannot be removed. The destructor removes the directory with its contents.
class FreshFolder {
public:
    /// Throws std::system_error.
    explicit FreshFolder(std::string path);
    ~FreshFolder();
    FreshFolder(const FreshFolder&) = delete;
    FreshFolder& operator=(const FreshFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Removes the directory with its contents, whatever their modes, owners and depth are. Follows no link, not even
/// one that another process puts there meanwhile. Skips entries that it cannot remove. Unmounts file systems mounted
/// in it first; when that fails, it removes nothing.
void remove_folder(const std::string& path);

/// Mounts an empty file system in memory on the directory, which holds at most so many bytes. Throws
/// std::system_error.
void mount_memory(const std::string& folder, std::int64_t bytes);

/// The mount points at or below the folder, deepest first. `mountinfo`: as in /proc/self/mountinfo.
[[nodiscard]] std::vector<std::string> mounts_in(const std::string& folder, std::istream& mountinfo);

}  // namespace holdfast::platform
