#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/text.h"

namespace holdfast {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::sys_days;

constexpr Timestamp first_writable = sys_days(std::chrono::year(0) / 1 / 1);
constexpr Timestamp last_writable = sys_days(std::chrono::year(10000) / 1 / 1) - Duration(1);

/// Consumes a text from the front; every `take` returns whether it found the expected part.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    bool take_any_of(std::string_view characters) {
        if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    [[nodiscard]] std::string_view take_digits() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const std::string_view digits = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return digits;
    }

    /// Exactly `width` digits whose value is at most `most`.
    bool take_number(std::size_t width, unsigned most, unsigned& value) {
        value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return false;
            value = value * 10 + static_cast<unsigned>(rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value <= most;
    }

private:
    std::string_view rest_;
};

bool read_date(Reader& reader, sys_days& date) {
    unsigned year = 0, month = 0, day = 0;
    if (!reader.take_number(4, 9999, year) || !reader.take("-") || !reader.take_number(2, 12, month) ||
        !reader.take("-") || !reader.take_number(2, 31, day))
        return false;
    const std::chrono::year_month_day calendar(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                               std::chrono::day(day));
    if (!calendar.ok()) return false;
    date = calendar;
    return true;
}

/// Digits beyond microseconds are dropped: other systems print nanoseconds, and no clock here keeps them.
bool read_fraction(Reader& reader, Duration& fraction) {
    fraction = Duration(0);
    if (!reader.take(".")) return true;
    const std::string_view digits = reader.take_digits();
    if (digits.empty()) return false;
    for (std::size_t i = 0; i < 6; ++i) fraction = fraction * 10 + Duration(i < digits.size() ? digits[i] - '0' : 0);
    return true;
}

bool read_time_of_day(Reader& reader, Duration& time, bool& is_leap_second) {
    unsigned hour = 0, minute = 0, second = 0;
    Duration fraction{};
    if (!reader.take_number(2, 23, hour) || !reader.take(":") || !reader.take_number(2, 59, minute) ||
        !reader.take(":") || !reader.take_number(2, 60, second) || !read_fraction(reader, fraction))
        return false;
    is_leap_second = second == 60;
    time = std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) + fraction;
    return true;
}

/// "Z", "+01:00", or the "+01" that PostgreSQL prints.
bool read_offset(Reader& reader, Duration& offset) {
    if (reader.take_any_of("Zz")) return true;
    const bool east = reader.take("+");
    if (!east && !reader.take("-")) return false;
    unsigned hour = 0, minute = 0;
    if (!reader.take_number(2, 23, hour)) return false;
    if (reader.take(":") && !reader.take_number(2, 59, minute)) return false;
    offset = std::chrono::hours(hour) + std::chrono::minutes(minute);
    if (!east) offset = -offset;
    return true;
}

struct Unit {
    std::string_view name;
    Duration length;
};
/// "ms" stands before "m", which is its prefix.
constexpr Unit units[] = {{"d", 24h}, {"h", 1h}, {"ms", 1ms}, {"m", 1min}, {"s", 1s}, {"us", 1us}};

const Unit* take_unit(Reader& reader) {
    for (const Unit& unit : units)
        if (reader.take(unit.name)) return &unit;
    return nullptr;
}

/// A decimal number, kept exact.
struct Decimal {
    std::int64_t whole = 0;
    std::int64_t fraction = 0;  // of `scale`
    std::int64_t scale = 1;
};

bool append_digits(std::string_view digits, std::int64_t& number) {
    for (const char digit : digits) {
        if (__builtin_mul_overflow(number, std::int64_t{10}, &number)) return false;
        if (__builtin_add_overflow(number, std::int64_t{digit - '0'}, &number)) return false;
    }
    return true;
}

bool read_decimal(Reader& reader, Decimal& number) {
    const std::string_view whole = reader.take_digits();
    if (whole.empty() || !append_digits(whole, number.whole)) return false;
    if (!reader.take(".")) return true;
    std::string_view fraction = reader.take_digits();
    if (fraction.empty()) return false;
    fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
    for (std::size_t i = 0; i < fraction.size(); ++i)
        if (__builtin_mul_overflow(number.scale, std::int64_t{10}, &number.scale)) return false;
    return append_digits(fraction, number.fraction);
}

/// `number` x `unit`; nullopt when that is too long, or not a whole number of microseconds.
std::optional<Duration> multiply(const Decimal& number, Duration unit) {
    std::int64_t whole = 0, part = 0;
    if (__builtin_mul_overflow(number.whole, unit.count(), &whole)) return std::nullopt;
    if (__builtin_mul_overflow(number.fraction, unit.count(), &part) || part % number.scale != 0) return std::nullopt;
    if (__builtin_add_overflow(whole, part / number.scale, &whole)) return std::nullopt;
    return Duration(whole);
}

bool add(std::optional<Duration> part, Duration& total) {
    std::int64_t sum = 0;
    if (!part || __builtin_add_overflow(total.count(), part->count(), &sum)) return false;
    total = Duration(sum);
    return true;
}

/// "1.5" for 1500 parts of which `scale`, 1000, make one.
std::string decimal_text(std::uint64_t parts, std::uint64_t scale) {
    std::string text = std::to_string(parts / scale);
    std::uint64_t fraction = parts % scale;
    if (fraction == 0) return text;
    text += '.';
    for (; fraction != 0; fraction = fraction * 10 % scale) text += static_cast<char>('0' + fraction * 10 / scale);
    return text;
}

}  // namespace

std::string format_timestamp(Timestamp at) {
    at = std::clamp(at, first_writable, last_writable);
    const sys_days date = std::chrono::floor<days>(at);
    const std::chrono::year_month_day calendar(date);
    const std::chrono::hh_mm_ss time(at - date);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(calendar.year()),
                  static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    const auto fraction = static_cast<int>(time.subseconds().count());
    char tail[16] = "";
    if (fraction % 1000 != 0)
        std::snprintf(tail, sizeof tail, ".%06d", fraction);
    else if (fraction != 0)
        std::snprintf(tail, sizeof tail, ".%03d", fraction / 1000);
    return concat(text, tail, "Z");
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    Reader reader(text);
    sys_days date;
    Duration time{}, offset{};
    bool is_leap_second = false;
    if (!read_date(reader, date) || !reader.take_any_of("Tt ") || !read_time_of_day(reader, time, is_leap_second) ||
        !read_offset(reader, offset) || !reader.at_end())
        return std::nullopt;
    const Timestamp at = Timestamp(date) + time - offset;
    // Leap seconds are only ever inserted before midnight UTC.
    if (is_leap_second && std::chrono::floor<std::chrono::seconds>(at) != std::chrono::floor<days>(at))
        return std::nullopt;
    if (at < first_writable || at > last_writable) return std::nullopt;
    return at;
}

std::string format_duration(Duration length) {
    if (length == Duration(0)) return "0s";
    const std::int64_t count = length.count();
    std::uint64_t rest = count < 0 ? -static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
    std::string text = count < 0 ? "-" : "";
    for (const auto& [name, unit] : {Unit{"d", 24h}, Unit{"h", 1h}, Unit{"m", 1min}}) {
        const auto size = static_cast<std::uint64_t>(unit.count());
        if (rest >= size) text += concat(rest / size, name);
        rest %= size;
    }
    if (rest >= 1'000'000)
        text += decimal_text(rest, 1'000'000) + "s";
    else if (rest >= 1'000)
        text += decimal_text(rest, 1'000) + "ms";
    else if (rest > 0)
        text += concat(rest, "us");
    return text;
}

std::optional<Duration> parse_duration(std::string_view text, Duration plain_unit) {
    Reader reader(text);
    Duration total{};
    Duration last_unit = Duration::max();
    do {
        Decimal number;
        if (!read_decimal(reader, number)) return std::nullopt;
        const bool is_plain = reader.at_end() && last_unit == Duration::max();
        const Unit* unit = is_plain ? nullptr : take_unit(reader);
        if (!is_plain && (unit == nullptr || unit->length >= last_unit)) return std::nullopt;
        last_unit = is_plain ? plain_unit : unit->length;
        if (!add(multiply(number, last_unit), total)) return std::nullopt;
    } while (!reader.at_end());
    return total;
}

}  // namespace holdfast
