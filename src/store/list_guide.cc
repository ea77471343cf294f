#include "store/list_guide.h"

#include <algorithm>

namespace holdfast::store {

namespace {

std::optional<unsigned> hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
    return std::nullopt;
}

/// Sets the n-th hexadecimal digit.
void set_digit(Uuid::Bytes& bytes, std::size_t n, unsigned value) {
    auto& byte = bytes[n / 2];
    byte = static_cast<std::uint8_t>(n % 2 == 0 ? ((byte & 0x0f) | (value << 4)) : ((byte & 0xf0) | value));
}

Uuid predecessor(const Uuid& id) {
    auto bytes = id.bytes();
    for (std::size_t i = bytes.size(); i > 0; --i)
        if (bytes[i - 1]-- != 0) break;
    return Uuid(bytes);
}

}  // namespace

std::optional<IdRange> id_range(std::string_view prefix, const std::optional<Uuid>& before) {
    Uuid::Bytes lowest{}, highest{};
    highest.fill(0xff);
    std::size_t digits = 0;
    for (const char c : prefix) {
        if (c == '-') continue;
        const auto value = hex_value(c);
        if (!value || digits == 32) return std::nullopt;
        set_digit(lowest, digits, *value);
        set_digit(highest, digits, *value);
        ++digits;
    }
    if (Uuid(lowest).is_nil()) lowest.back() = 1;  // no task has the nil id
    IdRange range{Uuid(lowest), Uuid(highest)};
    if (before && before->is_nil()) return std::nullopt;
    if (before) range.highest = std::min(range.highest, predecessor(*before));
    if (range.highest < range.lowest) return std::nullopt;
    return range;
}

Uuid first_id_at(Timestamp at) {
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
    auto milliseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(since_epoch, 0));
    Uuid::Bytes bytes{};
    for (std::size_t i = 6; i-- > 0; milliseconds >>= 8) bytes[i] = static_cast<std::uint8_t>(milliseconds & 0xff);
    return Uuid(bytes);
}

bool ChosenGuide::leads_to(TaskState state) const {
    if (by == ListGuide::Order || !is_terminal(state)) return false;
    return is_rare || state == TaskState::Completed;
}

ChosenGuide choose_guide(const TaskFilter& filter, const std::function<bool(ListGuide)>& is_rare) {
    std::vector<ListGuide> given;
    if (!filter.worker.is_nil()) given.push_back(ListGuide::Worker);
    if (!filter.name.empty()) given.push_back(ListGuide::Name);
    if (!filter.queue.empty()) given.push_back(ListGuide::Queue);
    if (given.empty()) return {};
    for (const ListGuide guide : given)
        if (is_rare(guide)) return {.by = guide, .is_rare = true};
    return {.by = given.front(), .is_rare = false};
}

}  // namespace holdfast::store
