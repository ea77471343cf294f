#include "runner/memory_text.h"

#include "base/text.h"

namespace holdfast::runner {

std::string memory_limit_text(std::int64_t bytes) {
    constexpr std::int64_t mib = 1024 * 1024;
    if (bytes % mib == 0) return concat("memory limit ", bytes / mib, " MiB");
    return concat("memory limit ", bytes / 1024, " KiB");
}

}  // namespace holdfast::runner
