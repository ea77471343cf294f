#pragma once

#include <cstdint>
#include <string>

namespace holdfast::chaos {

/// A file system in memory, visible only to this process and its children, that can be made full.
class SmallDisk {
public:
    /// Mounts it at `path`, an empty directory. Throws std::system_error where that is not permitted.
    SmallDisk(std::string path, std::int64_t bytes);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Shrinks it to its content, so that nothing can be added until free() restores its size.
    void fill() const;
    void free() const;

private:
    [[nodiscard]] bool resize(std::int64_t bytes) const;

    std::string path_;
    std::int64_t bytes_;
};

}  // namespace holdfast::chaos
