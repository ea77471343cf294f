#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

/// A 128-bit identifier. Tasks carry UUIDv7 (sortable by creation time), workers random ones.
class Uuid {
public:
    using Bytes = std::array<std::uint8_t, 16>;

    constexpr Uuid() = default;  ///< the nil UUID
    explicit constexpr Uuid(const Bytes& bytes) : bytes_(bytes) {}

    /// Parses the 36-character form (any letter case); nullopt for anything else.
    [[nodiscard]] static std::optional<Uuid> parse(std::string_view text);

    [[nodiscard]] std::string to_string() const;
    [[nodiscard]] constexpr const Bytes& bytes() const { return bytes_; }
    [[nodiscard]] constexpr bool is_nil() const { return *this == Uuid(); }

    /// Milliseconds since the Unix epoch that a UUIDv7 carries in its first 48 bits.
    [[nodiscard]] std::int64_t unix_milliseconds() const;

    // clang-tidy 14 takes the zero in what the compiler writes here for ours: NOLINTNEXTLINE(modernize-use-nullptr)
    friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;

private:
    Bytes bytes_{};
};

}  // namespace holdfast

template <>
struct std::hash<holdfast::Uuid> {
    std::size_t operator()(const holdfast::Uuid& id) const noexcept {
        std::size_t digest = 0;  // the low half: random in v4 and v7 alike
        for (std::size_t i = 8; i < 16; ++i) digest = (digest << 8) | id.bytes()[i];
        return digest;
    }
};
