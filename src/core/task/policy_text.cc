#include "core/task/policy_text.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "core/expression/found_value.h"
#include "core/public_words.h"
#include "core/task/settlement.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Defect = std::string;  // empty: none

constexpr std::size_t max_delays = 100;
constexpr std::size_t max_codes = 100;
constexpr std::size_t max_code_bytes = 255;

// ---- Ranges, stated once for what people write and for what programs set -----------------------------------------

struct IntegerRange {
    std::int64_t least;
    std::int64_t most;
};
constexpr IntegerRange attempts_range{1, 1000};
constexpr IntegerRange crashes_range{0, 1000};

struct DurationRange {
    Duration least;
    Duration most;
};
constexpr DurationRange delay_range{0ms, 24h * 30};
constexpr DurationRange timeout_range{1ms, 24h * 7};

struct RealRange {
    double least;
    double most;
};
constexpr RealRange factor_range{1, 100};
constexpr RealRange jitter_range{0, 1};

constexpr std::int64_t milliseconds(Duration length) {
    return length / 1ms;
}

Defect integer_defect(std::string_view key, std::int64_t value, IntegerRange range) {
    if (value >= range.least && value <= range.most) return {};
    return concat(key, " must be a whole number from ", range.least, " to ", range.most, ", not ", value);
}

std::string wanted(std::string_view key, DurationRange range) {
    return concat(key, " must be from ", milliseconds(range.least), " to ", milliseconds(range.most),
                  " whole milliseconds (", format_duration(range.most), ")");
}

Defect duration_defect(std::string_view key, Duration value, DurationRange range) {
    if (value >= range.least && value <= range.most && value % 1ms == 0ms) return {};
    return concat(wanted(key, range), ", not ", format_duration(value));
}

Defect real_defect(std::string_view key, double value, RealRange range) {
    if (value >= range.least && value <= range.most) return {};  // false for NaN
    return concat(key, " must be a number from ", range.least, " to ", range.most, ", not ", value);
}

Defect delays_defect(std::string_view key, const std::vector<Duration>& delays) {
    if (delays.size() > max_delays)
        return concat(key, " must have at most ", max_delays, " members, not ", delays.size());
    for (std::size_t i = 0; i < delays.size(); ++i) {
        Defect defect = duration_defect(concat(key, "[", i, "]"), delays[i], delay_range);
        if (!defect.empty()) return defect;
    }
    return {};
}

Defect codes_defect(std::string_view key, const std::vector<std::string>& codes) {
    if (codes.size() > max_codes)
        return concat(key, " must have at most ", max_codes, " members, not ", codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (const auto defect = text_defect(codes[i])) return concat(key, "[", i, "] ", *defect);
        if (codes[i].empty() || codes[i].size() > max_code_bytes)
            return concat(key, "[", i, "] must have 1 to ", max_code_bytes, " bytes, not ", codes[i].size());
    }
    return {};
}

/// Of what is submitted; in a policy that was stored, such a code is read and never matches.
Defect retry_on_defect(std::string_view key, const std::vector<std::string>& codes) {
    for (const std::string& code : codes)
        if (const auto why = why_never_retried(code); !why.empty())
            return concat(key, " cannot name ", code, ": ", why);
    return codes_defect(key, codes);
}

// ---- Reading JSON values into typed ones -------------------------------------------------------------------------

/// nullopt for what is not a whole number, or none that 64 bits can hold.
std::optional<std::int64_t> integer_in(const json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    return value.get<std::int64_t>();
}

Defect read_integer(std::string_view key, const json& value, IntegerRange range, int& target) {
    const auto integer = integer_in(value);
    if (!integer)
        return concat(key, " must be a whole number from ", range.least, " to ", range.most, ", not ", found(value));
    if (Defect defect = integer_defect(key, *integer, range); !defect.empty()) return defect;
    target = static_cast<int>(*integer);
    return {};
}

Defect read_duration(std::string_view key, const json& value, DurationRange range, Duration& target) {
    const auto integer = integer_in(value);
    // Compared in milliseconds: the multiplication could overflow.
    if (!integer || *integer < milliseconds(range.least) || *integer > milliseconds(range.most))
        return concat(wanted(key, range), ", not ", found(value));
    target = *integer * 1ms;
    return {};
}

Defect read_real(std::string_view key, const json& value, RealRange range, double& target) {
    if (!value.is_number())
        return concat(key, " must be a number from ", range.least, " to ", range.most, ", not ", found(value));
    target = value.get<double>();
    return real_defect(key, target, range);
}

Defect read_delays(std::string_view key, const json& value, std::vector<Duration>& target) {
    if (!value.is_array()) return concat(key, " must be a list of whole milliseconds, not ", found(value));
    for (std::size_t i = 0; i < value.size(); ++i) {
        Duration delay{};
        if (Defect defect = read_duration(concat(key, "[", i, "]"), value[i], delay_range, delay); !defect.empty())
            return defect;
        target.push_back(delay);
    }
    return delays_defect(key, target);
}

Defect read_codes(std::string_view key, const json& value, std::vector<std::string>& target) {
    if (!value.is_array()) return concat(key, " must be a list of error codes, not ", found(value));
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!value[i].is_string())
            return concat(key, "[", i, "] must be an error code in quotes, not ", found(value[i]));
        target.push_back(value[i].get<std::string>());
    }
    return codes_defect(key, target);
}

template <Worded Enum>
Defect read_word(std::string_view key, const json& value, Enum& target) {
    const auto word = value.is_string() ? parse_word<Enum>(value.get_ref<const std::string&>()) : std::nullopt;
    if (!word) return concat(key, " must be ", words_to_choose<Enum>(), ", not ", found(value));
    target = *word;
    return {};
}

// ---- The members, sorted by key ----------------------------------------------------------------------------------

json delays_json(const std::vector<Duration>& delays) {
    json list = json::array();
    for (const Duration delay : delays) list.push_back(milliseconds(delay));
    return list;
}

struct PolicyMember {
    std::string_view key;
    Defect (*read)(std::string_view key, const json& value, TaskPolicy& policy);
    json (*write)(const TaskPolicy& policy);
    Defect (*check)(std::string_view key, const TaskPolicy& policy);
};

using Key = std::string_view;
using P = TaskPolicy;

Defect always_valid(Key, const P&) {
    return {};
}

constexpr PolicyMember policy_members[] = {
    {"fence", [](Key key, const json& value, P& p) { return read_word(key, value, p.fence); },
     [](const P& p) { return json(word_of(p.fence)); }, always_valid},
    {"max_attempts",
     [](Key key, const json& value, P& p) { return read_integer(key, value, attempts_range, p.retry.max_attempts); },
     [](const P& p) { return json(p.retry.max_attempts); },
     [](Key key, const P& p) { return integer_defect(key, p.retry.max_attempts, attempts_range); }},
    {"max_crashes",
     [](Key key, const json& value, P& p) { return read_integer(key, value, crashes_range, p.max_crashes); },
     [](const P& p) { return json(p.max_crashes); },
     [](Key key, const P& p) { return integer_defect(key, p.max_crashes, crashes_range); }},
    {"on_crash", [](Key key, const json& value, P& p) { return read_word(key, value, p.on_crash); },
     [](const P& p) { return json(word_of(p.on_crash)); }, always_valid},
    {"retry_base_ms",
     [](Key key, const json& value, P& p) { return read_duration(key, value, delay_range, p.retry.base); },
     [](const P& p) { return json(milliseconds(p.retry.base)); },
     [](Key key, const P& p) { return duration_defect(key, p.retry.base, delay_range); }},
    {"retry_cap_ms",
     [](Key key, const json& value, P& p) { return read_duration(key, value, delay_range, p.retry.cap); },
     [](const P& p) { return json(milliseconds(p.retry.cap)); },
     [](Key key, const P& p) { return duration_defect(key, p.retry.cap, delay_range); }},
    {"retry_delays_ms", [](Key key, const json& value, P& p) { return read_delays(key, value, p.retry.delays); },
     [](const P& p) { return delays_json(p.retry.delays); },
     [](Key key, const P& p) { return delays_defect(key, p.retry.delays); }},
    {"retry_factor",
     [](Key key, const json& value, P& p) { return read_real(key, value, factor_range, p.retry.factor); },
     [](const P& p) { return json(p.retry.factor); },
     [](Key key, const P& p) { return real_defect(key, p.retry.factor, factor_range); }},
    {"retry_jitter",
     [](Key key, const json& value, P& p) { return read_real(key, value, jitter_range, p.retry.jitter); },
     [](const P& p) { return json(p.retry.jitter); },
     [](Key key, const P& p) { return real_defect(key, p.retry.jitter, jitter_range); }},
    {"retry_on", [](Key key, const json& value, P& p) { return read_codes(key, value, p.retry.retry_on); },
     [](const P& p) { return json(p.retry.retry_on); },
     [](Key key, const P& p) { return retry_on_defect(key, p.retry.retry_on); }},
    {"timeout_ms",
     [](Key key, const json& value, P& p) { return read_duration(key, value, timeout_range, p.timeout.emplace()); },
     [](const P& p) { return p.timeout ? json(milliseconds(*p.timeout)) : json(); },
     [](Key key, const P& p) { return p.timeout ? duration_defect(key, *p.timeout, timeout_range) : Defect(); }},
    {"unmatched", [](Key key, const json& value, P& p) { return read_word(key, value, p.unmatched); },
     [](const P& p) { return json(word_of(p.unmatched)); }, always_valid},
};

Defect unknown_policy_key(const std::string& key) {
    std::vector<std::string> known;
    for (const PolicyMember& member : policy_members) known.emplace_back(member.key);
    const auto nearest = nearest_word(key, known);
    if (nearest) return concat("unknown key ", found(key), "; did you mean \"", *nearest, "\"?");
    return concat("unknown key ", found(key), "; the keys are ", join(known, ", "));
}

Defect read_member(const std::string& key, const json& value, TaskPolicy& policy) {
    for (const PolicyMember& member : policy_members)
        if (key == member.key) return member.read(member.key, value, policy);
    return unknown_policy_key(key);
}

/// Parses an object whose keys are all different; the JSON library itself would let the last one win.
json parse_object(std::string_view text, Defect& defect) {
    std::set<std::string> keys;
    const auto note_key = [&](int depth, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second)
            defect = concat("the key ", found(parsed), " stands there twice");
        return true;
    };
    json object = json::parse(text, note_key, false);
    if (object.is_discarded())
        defect = "a policy must be a JSON object, and this is not valid JSON";
    else if (!object.is_object())
        defect = concat("a policy must be a JSON object, not ", found(object));
    return object;
}

}  // namespace

std::string encode_policy(const TaskPolicy& policy) {
    static const TaskPolicy standard;
    json object = json::object();
    for (const PolicyMember& member : policy_members) {
        json value = member.write(policy);
        if (value != member.write(standard)) object[std::string(member.key)] = std::move(value);
    }
    return object.empty() ? std::string() : object.dump();
}

Result<TaskPolicy, std::string> decode_policy(std::string_view text) {
    TaskPolicy policy;
    if (text.empty()) return policy;
    Defect defect;
    const json object = parse_object(text, defect);
    if (!defect.empty()) return Failure{defect};
    for (const auto& [key, value] : object.items()) {
        defect = read_member(key, value, policy);
        if (!defect.empty()) return Failure{defect};
    }
    return policy;
}

std::string policy_defect(const TaskPolicy& policy) {
    for (const PolicyMember& member : policy_members) {
        Defect defect = member.check(member.key, policy);
        if (!defect.empty()) return defect;
    }
    return {};
}

}  // namespace holdfast::core
