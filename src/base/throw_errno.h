#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace holdfast {

/// Throws std::system_error for errno. To be called right after a failed system call.
[[noreturn]] inline void throw_errno(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace holdfast
