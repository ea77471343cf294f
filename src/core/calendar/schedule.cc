#include "core/calendar/schedule.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Defect = std::string;  // empty: none

constexpr Duration longest_delay = 1min;

// ---- Slots -------------------------------------------------------------------------------------------------------

std::optional<Timestamp> known(Timestamp slot) {
    if (slot > last_instant) return std::nullopt;
    return slot;
}

/// The newest slot of an interval that is not after `at`; also correct before 1970.
Timestamp slot_of_interval(Duration interval, Timestamp at) {
    const Duration since = at.time_since_epoch();
    const Duration past_slot = since % interval;
    return Timestamp(since - (past_slot < Duration(0) ? past_slot + interval : past_slot));
}

/// Skips local times before `after` one by one when the clocks were set back; these cover about an hour.
std::optional<Timestamp> next_named_time(const Cron& cron, const TimeZone& zone, Timestamp after) {
    LocalTime from = std::chrono::floor<std::chrono::minutes>(zone.local(after));
    while (const auto time = cron.next(from)) {
        const Timestamp slot = zone.first_reaching(*time);
        if (slot > after) return known(slot);
        from = *time + 1min;
    }
    return std::nullopt;
}

std::optional<Timestamp> next_by_the_clocks(const Cron& cron, const TimeZone& zone, Timestamp after) {
    for (Timestamp from = after + Duration(1); from <= last_instant;) {
        const TimeZone::Period period = zone.period_at(from);
        const auto time = cron.next(LocalTime(from.time_since_epoch() + period.offset));
        if (!time) return std::nullopt;
        const Timestamp slot(time->time_since_epoch() - period.offset);
        if (slot < period.end) return known(slot);
        from = period.end;
    }
    return std::nullopt;
}

std::optional<Timestamp> next_of_cron(const Cron& cron, const TimeZone& zone, Timestamp after) {
    return cron.is_every_hour() ? next_by_the_clocks(cron, zone, after) : next_named_time(cron, zone, after);
}

// ---- Due slots ---------------------------------------------------------------------------------------------------

/// Returns the newest slots in (last, now], oldest first: `wanted` of them, or all when there are fewer. Doubles the
/// span it looks back over, because a cron can only be followed forwards.
std::deque<Timestamp> newest_slots(const ScheduleTiming& timing, const TimeZone& zone, Timestamp last, Timestamp now,
                                   std::size_t wanted) {
    for (Duration reach = 1h;; reach *= 2) {
        const Timestamp begin = now - last <= reach ? last : now - reach;
        std::deque<Timestamp> newest;
        for (auto slot = next_slot(timing, zone, begin); slot && *slot <= now;
             slot = next_slot(timing, zone, *slot)) {
            newest.push_back(*slot);
            if (newest.size() > wanted) newest.pop_front();
        }
        if (newest.size() == wanted || begin == last) return newest;
    }
}

/// The number of slots in (last, end), counted up to DueSlots::max_counted.
std::int64_t count_slots(const ScheduleTiming& timing, const TimeZone& zone, Timestamp last, Timestamp end) {
    std::int64_t count = 0;
    for (auto slot = next_slot(timing, zone, last); slot && *slot < end && count < DueSlots::max_counted;
         slot = next_slot(timing, zone, *slot))
        ++count;
    return count;
}

/// The greatest age of a slot that is on time: the previous look may have been just before the slot, and its run may
/// wait for its jitter.
Duration oldest_on_time(const ScheduleTiming& timing) {
    return std::min(longest_delay, timing.interval.value_or(longest_delay)) + timing.jitter;
}

// ---- Defects -----------------------------------------------------------------------------------------------------

Defect interval_defect(Duration interval) {
    if (interval >= shortest_interval && interval <= longest_interval && interval % 1ms == 0ms) return {};
    return concat("interval must be from ", format_duration(shortest_interval), " to ",
                  format_duration(longest_interval), " in whole milliseconds, not ", format_duration(interval));
}

Defect jitter_defect(Duration jitter, Duration between_slots) {
    if (jitter >= 0ms && jitter < between_slots && jitter % 1ms == 0ms) return {};
    return concat("jitter must be shorter than the time between two slots, ", format_duration(between_slots),
                  ", and in whole milliseconds, not ", format_duration(jitter));
}

Defect catch_up_defect(int catch_up) {
    if (catch_up >= 0 && catch_up <= most_catch_up) return {};
    return concat("catch_up must be a whole number from 0 to ", most_catch_up, ", not ", catch_up);
}

// ---- Texts -------------------------------------------------------------------------------------------------------

Defect unlike(std::string_view key, std::string_view wanted, const json& value) {
    return concat(key, " must be ", wanted, ", not ", found(value));
}

/// Returns a whole number from 0 to `most`, small enough that arithmetic with it cannot overflow.
std::optional<std::int64_t> number_in(const json& value, std::uint64_t most) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) return std::nullopt;
    return value.get<std::int64_t>();
}

Defect read_duration(std::string_view key, const json& value, Duration& target) {
    const auto milliseconds = number_in(value, std::chrono::days(10'000) / 1ms);
    if (!milliseconds) return unlike(key, "a whole number of milliseconds", value);
    target = *milliseconds * 1ms;
    return {};
}

Defect read_catch_up(std::string_view key, const json& value, int& target) {
    const auto number = number_in(value, INT32_MAX);
    if (!number) return unlike(key, "a whole number", value);
    target = static_cast<int>(*number);
    return {};
}

Defect read_cron(std::string_view key, const json& value, std::optional<Cron>& target) {
    if (!value.is_string()) return unlike(key, "a text", value);
    auto cron = Cron::parse(value.get_ref<const std::string&>());
    if (!cron) return cron.error();
    target = std::move(cron).value();
    return {};
}

Defect read_overlap(std::string_view key, const json& value, Overlap& target) {
    const auto overlap = value.is_string() ? parse_word<Overlap>(value.get_ref<const std::string&>()) : std::nullopt;
    if (!overlap) return unlike(key, words_to_choose<Overlap>(), value);
    target = *overlap;
    return {};
}

Defect read_zone(std::string_view key, const json& value, std::string& target) {
    if (!value.is_string()) return unlike(key, "a text", value);
    target = value.get<std::string>();
    return {};
}

Defect read_member(std::string_view key, const json& value, ScheduleTiming& timing) {
    if (key == "catch_up") return read_catch_up(key, value, timing.catch_up);
    if (key == "cron") return read_cron(key, value, timing.cron);
    if (key == "interval_ms") return read_duration(key, value, timing.interval.emplace());
    if (key == "jitter_ms") return read_duration(key, value, timing.jitter);
    if (key == "overlap") return read_overlap(key, value, timing.overlap);
    if (key == "zone") return read_zone(key, value, timing.zone);
    return concat("unknown key ", found(key),
                  "; the keys are catch_up, cron, interval_ms, jitter_ms, overlap and zone");
}

}  // namespace

std::string timing_defect(const ScheduleTiming& timing) {
    if (timing.cron && timing.interval) return "a schedule must have a cron or an interval, not both";
    if (!timing.cron && !timing.interval) return "a schedule must have a cron or an interval";
    if (timing.zone.empty()) return R"(zone must be a name like "Europe/Berlin" or "UTC", not empty)";
    if (timing.interval)
        if (std::string defect = interval_defect(*timing.interval); !defect.empty()) return defect;
    const Duration between_slots = timing.interval ? *timing.interval : Duration(timing.cron->shortest_distance());
    if (std::string defect = jitter_defect(timing.jitter, between_slots); !defect.empty()) return defect;
    return catch_up_defect(timing.catch_up);
}

std::string to_json_text(const ScheduleTiming& timing) {
    static const ScheduleTiming standard;
    json object = json::object();
    if (timing.catch_up != standard.catch_up) object["catch_up"] = timing.catch_up;
    if (timing.cron) object["cron"] = timing.cron->text();
    if (timing.interval) object["interval_ms"] = *timing.interval / 1ms;
    if (timing.jitter != standard.jitter) object["jitter_ms"] = timing.jitter / 1ms;
    if (timing.overlap != standard.overlap) object["overlap"] = word_of(timing.overlap);
    if (timing.zone != standard.zone) object["zone"] = timing.zone;
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ScheduleTiming, std::string> parse_timing(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) return Failure{Defect("a schedule's timing must be a JSON object")};
    ScheduleTiming timing;
    for (const auto& [key, value] : object.items())
        if (Defect defect = read_member(key, value, timing); !defect.empty()) return Failure{defect};
    if (Defect defect = timing_defect(timing); !defect.empty()) return Failure{defect};
    return timing;
}

std::optional<Timestamp> next_slot(const ScheduleTiming& timing, const TimeZone& zone, Timestamp after) {
    after = std::clamp(after, first_instant, last_instant);
    if (timing.cron) return next_of_cron(*timing.cron, zone, after);
    return known(slot_of_interval(*timing.interval, after) + *timing.interval);
}

DueSlots due_slots(const ScheduleTiming& timing, const TimeZone& zone, Timestamp last, Timestamp now) {
    last = std::clamp(last, first_instant, last_instant);
    now = std::clamp(now, first_instant, last_instant);
    if (last >= now) return {};
    const Timestamp on_time_from = std::max(last, now - oldest_on_time(timing));
    const auto missed = newest_slots(timing, zone, last, on_time_from, static_cast<std::size_t>(timing.catch_up));
    DueSlots due{.slots = {missed.begin(), missed.end()}};
    due.given_up = count_slots(timing, zone, last, missed.empty() ? on_time_from + Duration(1) : missed.front());
    for (auto slot = next_slot(timing, zone, on_time_from); slot && *slot <= now;
         slot = next_slot(timing, zone, *slot))
        due.slots.push_back(*slot);
    return due;
}

Uuid slot_id(std::string_view schedule, Timestamp made_at, Timestamp slot) {
    return name_based_uuid(slot, concat(std::to_string(made_at.time_since_epoch().count()), ' ', schedule));
}

Timestamp fires_at(const ScheduleTiming& timing, std::string_view schedule, Timestamp slot) {
    if (timing.jitter <= Duration(0)) return slot;
    const std::uint64_t hash = hash_of(concat(std::to_string(slot.time_since_epoch().count()), ' ', schedule));
    return slot + Duration(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(timing.jitter.count())));
}

}  // namespace holdfast::core
