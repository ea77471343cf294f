#pragma once

#include <string>

#include "platform/descriptor.h"

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

/// Removes the directory with all that is in it, whatever its modes are. Ignores what it cannot remove.
void remove_folder(const std::string& path);

}  // namespace holdfast::platform
