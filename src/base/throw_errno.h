#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace holdfast {

/// For a call of the system that has just failed: throws std::system_error with what errno says.
[[noreturn]] inline void throw_errno(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace holdfast
