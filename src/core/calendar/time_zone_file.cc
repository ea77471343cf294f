#include <cstdint>

#include "base/text.h"
#include "core/calendar/time_zone.h"

namespace holdfast::core {

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using Defect = std::string;  // empty: none

constexpr std::size_t header_bytes = 44;
constexpr std::size_t type_bytes = 6;

/// Reads a number of a zone file: big-endian.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint64_t number = 0;
    for (const char byte : bytes.substr(at, width)) number = number << 8 | static_cast<std::uint8_t>(byte);
    return number;
}

/// The number of entries of each kind that follow a header.
struct Header {
    char version = 0;
    std::size_t utc_marks = 0;
    std::size_t standard_marks = 0;
    std::size_t leap_seconds = 0;
    std::size_t times = 0;
    std::size_t types = 0;
    std::size_t name_bytes = 0;

    [[nodiscard]] std::size_t data_bytes(std::size_t time_bytes) const {
        return times * (time_bytes + 1) + types * type_bytes + name_bytes + leap_seconds * (time_bytes + 4) +
               standard_marks + utc_marks;
    }
};

}  // namespace

/// Reads one zone file. Every access is preceded by a check that the bytes exist.
class TimeZoneFile {
public:
    explicit TimeZoneFile(std::string_view bytes) : rest_(bytes) {}

    Defect read(TimeZone& zone) {
        Header header;
        if (Defect defect = read_header(header); !defect.empty()) return defect;
        if (header.version < '2')
            return "is a zone file of version 1, which knows no time after 2037; 2 or later is needed";
        if (!skip(header.data_bytes(4))) return "ends too early";
        if (Defect defect = read_header(header); !defect.empty()) return defect;
        if (header.data_bytes(8) > rest_.size()) return "ends too early";
        if (header.leap_seconds > 0) return "counts leap seconds, and no other clock here does";
        if (Defect defect = read_changes(header, zone); !defect.empty()) return defect;
        skip(header.data_bytes(8));
        return read_footer(zone);
    }

private:
    bool skip(std::size_t count) {
        if (count > rest_.size()) return false;
        rest_.remove_prefix(count);
        return true;
    }

    Defect read_header(Header& header) {
        if (!rest_.starts_with("TZif")) return "is not a zone file";
        if (rest_.size() < header_bytes) return "ends too early";
        const auto count = [&](std::size_t index) { return number_at(rest_, 20 + 4 * index, 4); };
        header = {rest_[4], count(0), count(1), count(2), count(3), count(4), count(5)};
        if (header.types == 0) return "names no offset from UTC";
        skip(header_bytes);
        return {};
    }

    [[nodiscard]] seconds offset_of(std::size_t type, const Header& header) const {
        const std::size_t at = header.times * 9 + type * type_bytes;
        return seconds(static_cast<std::int32_t>(number_at(rest_, at, 4)));
    }

    [[nodiscard]] Defect offsets_defect(const Header& header) const {
        using namespace std::chrono_literals;
        for (std::size_t type = 0; type < header.types; ++type)
            if (const seconds offset = offset_of(type, header); offset <= -25h || offset >= 26h)
                return concat("names an offset from UTC of ", format_duration(offset));
        return {};
    }

    /// Reads the changes of the clocks. The last one before the supported years holds at their beginning; those after
    /// them are dropped.
    Defect read_changes(const Header& header, TimeZone& zone) const {
        if (Defect defect = offsets_defect(header); !defect.empty()) return defect;
        zone.first_offset_ = offset_of(0, header);
        std::int64_t previous = INT64_MIN;
        for (std::size_t i = 0; i < header.times; ++i) {
            const auto time = static_cast<std::int64_t>(number_at(rest_, i * 8, 8));
            const std::size_t type = number_at(rest_, header.times * 8 + i, 1);
            if (i > 0 && time <= previous) return "has changes of the clocks that are not in order";
            if (type >= header.types) return "has a change of the clocks to an offset that it does not name";
            previous = time;
            note_change(time, offset_of(type, header), zone);
        }
        return {};
    }

    static void note_change(std::int64_t time, seconds offset, TimeZone& zone) {
        const sys_seconds at{seconds(time)};
        if (at <= std::chrono::floor<seconds>(first_instant))
            zone.first_offset_ = offset;
        else if (at <= std::chrono::floor<seconds>(last_instant))
            zone.changes_.push_back({at, offset});
    }

    Defect read_footer(TimeZone& zone) {
        const std::size_t end = rest_.find('\n', 1);
        if (!rest_.starts_with('\n') || end == std::string_view::npos)
            return "has no rule for later times at its end";
        const std::string_view text = rest_.substr(1, end - 1);
        if (text.empty()) return {};
        zone.rule_ = TimeZoneRule::parse(text);
        if (!zone.rule_) return concat("ends with a rule that cannot be read: \"", text.substr(0, 100), '"');
        return {};
    }

    std::string_view rest_;
};

Result<TimeZone, std::string> TimeZone::parse(std::string_view bytes) {
    TimeZone zone;
    if (Defect defect = TimeZoneFile(bytes).read(zone); !defect.empty()) return Failure{defect};
    return zone;
}

}  // namespace holdfast::core
