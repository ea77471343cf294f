#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::platform {

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

/// Removes the directory with its contents, whatever their modes are. Skips entries that it cannot remove. Unmounts
/// file systems mounted in it first; when that fails, it removes nothing.
void remove_folder(const std::string& path);

/// Makes an empty directory that only this user may enter. A file or directory at that path is removed, or renamed
/// when it cannot be removed. Throws std::system_error.
void make_fresh_folder(const std::string& path);

/// The mount points at or below the folder, deepest first. `mountinfo`: as in /proc/self/mountinfo.
[[nodiscard]] std::vector<std::string> mounts_in(const std::string& folder, std::istream& mountinfo);

}  // namespace holdfast::platform
