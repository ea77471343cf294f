#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

inline constexpr std::string_view store_url_forms =
    "sqlite:PATH or postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE";

struct StoreUrlFault {
    std::string title;
    std::string suggestion;  ///< may be empty
};

/// What is wrong with the form of a store URL; nullopt when nothing is. Opens nothing.
[[nodiscard]] std::optional<StoreUrlFault> store_url_fault(std::string_view url);

}  // namespace holdfast
