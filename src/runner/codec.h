#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::runner {

/// Appends values to a text, little-endian. A visitor of the messages' fields; its counterpart is WireReader.
class WireWriter {
public:
    explicit WireWriter(std::string& out) : out_(out) {}

    void operator()(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
    void operator()(std::uint32_t value) { number(value); }
    void operator()(std::uint64_t value) { number(value); }
    void operator()(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
    void operator()(std::int32_t value) { number(static_cast<std::uint32_t>(value)); }
    void operator()(bool value) { (*this)(static_cast<std::uint8_t>(value)); }
    void operator()(double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        number(bits);
    }
    void operator()(Duration value) { (*this)(static_cast<std::int64_t>(value.count())); }
    void operator()(Timestamp value) { (*this)(value.time_since_epoch()); }
    void operator()(const Uuid& value) {
        for (const std::uint8_t byte : value.bytes()) (*this)(byte);
    }
    void operator()(std::string_view text) {
        number(static_cast<std::uint32_t>(text.size()));
        out_.append(text);
    }
    void operator()(const std::vector<std::string>& texts) {
        number(static_cast<std::uint32_t>(texts.size()));
        for (const std::string& text : texts) (*this)(std::string_view(text));
    }
    template <typename Value>
    void operator()(const std::optional<Value>& value) {
        (*this)(value.has_value());
        if (value) (*this)(*value);
    }
    template <typename Enum>
    requires std::is_enum_v<Enum>
    void choice(Enum value, Enum /*last*/) { (*this)(static_cast<std::uint8_t>(value)); }

private:
    template <typename Number>
    void number(Number value) {
        for (std::size_t i = 0; i < sizeof value; ++i) out_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    }

    std::string& out_;
};

/// Reads back what a WireWriter wrote. Safe for any bytes: it never reads past their end, and ok() tells
/// whether they were a message. Values read after the first defect are empty.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : left_(bytes) {}

    /// Every value was present and valid, and no byte is left over.
    [[nodiscard]] bool ok() const { return ok_ && left_.empty(); }

    void operator()(std::uint8_t& value) { value = static_cast<std::uint8_t>(number<std::uint8_t>()); }
    void operator()(std::uint32_t& value) { value = number<std::uint32_t>(); }
    void operator()(std::uint64_t& value) { value = number<std::uint64_t>(); }
    void operator()(std::int64_t& value) { value = static_cast<std::int64_t>(number<std::uint64_t>()); }
    void operator()(std::int32_t& value) { value = static_cast<std::int32_t>(number<std::uint32_t>()); }
    void operator()(bool& value) {
        const auto byte = number<std::uint8_t>();
        if (byte > 1) ok_ = false;
        value = byte == 1;
    }
    void operator()(double& value) {
        const auto bits = number<std::uint64_t>();
        std::memcpy(&value, &bits, sizeof value);
    }
    void operator()(Duration& value) { value = Duration(static_cast<std::int64_t>(number<std::uint64_t>())); }
    void operator()(Timestamp& value) {
        Duration since{};
        (*this)(since);
        value = Timestamp(since);
    }
    void operator()(Uuid& value) {
        Uuid::Bytes bytes{};
        for (std::uint8_t& byte : bytes) (*this)(byte);
        value = Uuid(bytes);
    }
    void operator()(std::string& text) { text = take(number<std::uint32_t>()); }
    void operator()(std::vector<std::string>& texts) {
        constexpr std::uint32_t most = 10'000;  // an empty text takes more memory than it takes bytes of a message
        texts.clear();
        auto count = number<std::uint32_t>();
        if (count > most) ok_ = false;
        for (; count > 0 && ok_; --count) (*this)(texts.emplace_back());
    }
    template <typename Value>
    void operator()(std::optional<Value>& value) {
        bool is_there = false;
        (*this)(is_there);
        value.reset();
        if (is_there) (*this)(value.emplace());
    }
    template <typename Enum>
    requires std::is_enum_v<Enum>
    void choice(Enum& value, Enum last) {
        const auto byte = number<std::uint8_t>();
        if (byte > static_cast<std::uint8_t>(last)) ok_ = false;
        value = ok_ ? static_cast<Enum>(byte) : Enum{};
    }

private:
    std::string_view take(std::size_t size) {
        if (size > left_.size()) ok_ = false;
        if (!ok_) return {};
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(size);
        return taken;
    }
    template <typename Number>
    Number number() {
        const std::string_view bytes = take(sizeof(Number));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
        return static_cast<Number>(value);
    }

    std::string_view left_;
    bool ok_ = true;
};

}  // namespace holdfast::runner
