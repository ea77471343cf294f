#pragma once

#include <cstdint>
#include <string>

namespace holdfast::chaos {

/// A file system of a few megabytes in memory, for this process and its children alone, that can be filled up.
class SmallDisk {
public:
    /// Mounts it at `path`, an empty directory. Throws std::system_error where that is not permitted.
    SmallDisk(std::string path, std::int64_t bytes);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Puts a ballast file into it that takes all that is free.
    void fill() const;
    void free() const;

private:
    [[nodiscard]] std::string ballast() const { return path_ + "/ballast"; }

    std::string path_;
};

}  // namespace holdfast::chaos
