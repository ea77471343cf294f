#pragma once

#include <cstdint>
#include <string>

namespace holdfast::chaos {

/// A file system in memory, for this process and its children alone, that can be made full.
class SmallDisk {
public:
    /// Mounts it at `path`, an empty directory. Throws std::system_error where that is not permitted.
    SmallDisk(std::string path, std::int64_t bytes);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Makes it no larger than what is in it: nothing can be added, until free() gives it its size again.
    void fill() const;
    void free() const;

private:
    [[nodiscard]] bool resize(std::int64_t bytes) const;

    std::string path_;
    std::int64_t bytes_;
};

}  // namespace holdfast::chaos
