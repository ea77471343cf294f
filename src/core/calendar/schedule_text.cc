#include "core/calendar/schedule.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Defect = std::string;  // empty: none

/// Reads a whole number from 0 to `most`, small enough that arithmetic with it cannot overflow.
bool read_number(const json& value, std::int64_t most, std::int64_t& number) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) return false;
    number = value.get<std::int64_t>();
    return true;
}

Defect read_duration(std::string_view key, const json& value, Duration& target) {
    constexpr std::int64_t most = std::chrono::days(10'000) / 1ms;
    std::int64_t milliseconds = 0;
    if (!read_number(value, most, milliseconds))
        return concat(key, " must be a whole number of milliseconds, not ", found(value));
    target = milliseconds * 1ms;
    return {};
}

Defect read_catch_up(const json& value, int& target) {
    std::int64_t number = 0;
    if (!read_number(value, INT32_MAX, number)) return concat("catch_up must be a whole number, not ", found(value));
    target = static_cast<int>(number);
    return {};
}

Defect read_cron(const json& value, std::optional<Cron>& target) {
    if (!value.is_string()) return concat("cron must be a text, not ", found(value));
    auto cron = Cron::parse(value.get_ref<const std::string&>());
    if (!cron) return cron.error();
    target = std::move(cron).value();
    return {};
}

Defect read_overlap(const json& value, Overlap& target) {
    const auto overlap = value.is_string() ? parse_word<Overlap>(value.get_ref<const std::string&>()) : std::nullopt;
    if (!overlap) return concat("overlap must be ", words_to_choose<Overlap>(), ", not ", found(value));
    target = *overlap;
    return {};
}

Defect read_zone(const json& value, std::string& target) {
    if (!value.is_string()) return concat("zone must be a text, not ", found(value));
    target = value.get<std::string>();
    return {};
}

Defect read_member(std::string_view key, const json& value, ScheduleTiming& timing) {
    if (key == "catch_up") return read_catch_up(value, timing.catch_up);
    if (key == "cron") return read_cron(value, timing.cron);
    if (key == "interval_ms") return read_duration(key, value, timing.interval.emplace());
    if (key == "jitter_ms") return read_duration(key, value, timing.jitter);
    if (key == "overlap") return read_overlap(value, timing.overlap);
    if (key == "zone") return read_zone(value, timing.zone);
    return concat("unknown key ", found(key),
                  "; the keys are catch_up, cron, interval_ms, jitter_ms, overlap and zone");
}

}  // namespace

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

}  // namespace holdfast::core
