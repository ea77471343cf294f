#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::platform {

/// A directory that only this user may enter, below $TMPDIR or /tmp, removed with its contents when this is
/// destroyed. A killed process leaves its own behind: the next one to make a PrivateFolder with the same prefix
/// removes it.
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
    Descriptor lock_;  // says to others that it is in use
};

/// Removes the directory with all that is in it, whatever its modes are. Ignores what it cannot remove. What is
/// mounted in it is unmounted first; removes nothing when that does not work.
void remove_folder(const std::string& path);

/// Makes an empty directory that only this user may enter. What had the path is removed, or gets another name beside
/// it when it cannot be. Throws std::system_error.
void make_fresh_folder(const std::string& path);

/// Where something is mounted at or below the folder, deepest first. `mountinfo`: as in /proc/self/mountinfo.
[[nodiscard]] std::vector<std::string> mounts_in(const std::string& folder, std::istream& mountinfo);

}  // namespace holdfast::platform
