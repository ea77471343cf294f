#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::runner {

/// What a run tells about itself while it goes on.
struct RunUpdate {
    std::optional<double> fraction;  ///< 0..1
    std::string text;
    std::optional<std::string> checkpoint;  ///< JSON text
};

/// Why it cannot be accepted, for people; nullopt when it can.
[[nodiscard]] std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload);

}  // namespace holdfast::runner
