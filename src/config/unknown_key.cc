#include <algorithm>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "config/fields.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

/// The name that another system uses for one of our fields. It is refused, and the message names our key: an alias
/// would need a rule for files that contain both.
struct ForeignName {
    std::string_view name;
    std::string_view ours;
    Duration unit{};  ///< of a plain number under their name; zero when the value cannot be converted
};

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr ForeignName foreign_names[] = {
    {"sweep_interval_secs", "recovery.check_interval_ms", seconds(1)},
    {"sweep_interval", "recovery.check_interval_ms", seconds(1)},
    {"stale_detection_interval", "recovery.check_interval_ms", seconds(1)},
    {"heartbeat_timeout_secs", "recovery.worker_stale_threshold_ms", seconds(1)},
    {"heartbeat_timeout", "recovery.worker_stale_threshold_ms", seconds(1)},
    {"staleness_threshold", "recovery.worker_stale_threshold_ms", seconds(1)},
    {"heartbeat_staleness_multiplier", "recovery.worker_stale_threshold_ms"},
    {"staleness_multiplier", "recovery.worker_stale_threshold_ms"},
    {"stale_threshold_ms", "recovery.running_stale_threshold_ms", milliseconds(1)},
    {"stale_threshold_minutes", "recovery.running_stale_threshold_ms", minutes(1)},
    {"unmatched_step_timeout", "recovery.unmatched_step_timeout_secs", seconds(1)},
    {"heartbeat_interval_secs", "worker.heartbeat_interval", seconds(1)},
    {"heartbeat_interval_ms", "worker.heartbeat_interval", milliseconds(1)},
    {"shutdown_timeout", "worker.shutdown_grace", seconds(1)},
    {"max_concurrent", "worker.max_concurrent_tasks"},
    {"processes", "worker.max_concurrent_tasks"},
    {"job_days", "retention.terminal_record_retention_hours", hours(24)},
    {"worker_hours", "retention.worker_state_retention_hours", hours(1)},
    {"heartbeat_cleanup_interval", "retention.heartbeat_retention_hours"},
    {"broker", "store.url"},
    {"database", "store.url"},
    {"database_url", "store.url"},
};

const ForeignName* find_foreign(std::string_view name) {
    const auto* found = std::ranges::find(foreign_names, name, &ForeignName::name);
    return found == std::end(foreign_names) ? nullptr : found;
}

/// ": 60000" for "60" under a name that counts in seconds; "" when the value cannot be converted.
std::string carried_over(const ForeignName& foreign, const Field& ours, const SourceNode& value) {
    if (foreign.unit == Duration(0) || value.kind != NodeKind::Scalar) return "";
    const std::optional<Duration> duration = parse_duration(value.scalar, foreign.unit);
    if (!duration) return "";
    SourceNode written_as_duration = value;
    written_as_duration.scalar = format_duration(*duration);
    const auto read = read_value(ours, written_as_duration);
    return read.ok() ? concat(": ", written(ours, read.value())) : "";
}

std::vector<std::string> candidates_in(std::string_view section) {
    if (!section.empty()) return field_names(section);
    std::vector<std::string> names = field_sections();
    names.insert(names.end(), kept_sections().begin(), kept_sections().end());
    return names;
}

KeyAdvice advice_on_foreign(const ForeignName& foreign, const SourceNode& value) {
    const Field& ours = *find_field(foreign.ours);
    return {.title = concat("unknown key; here it is called ", foreign.ours),
            .allowed = concat("for ", foreign.ours, " ", allowed_values(ours)),
            .suggestion = concat("write ", foreign.ours, carried_over(foreign, ours, value)),
            .meant = &ours};
}

KeyAdvice advice_on_misspelt(std::string_view section, std::string_view name) {
    KeyAdvice advice{.title = "unknown key", .allowed = known_keys(section)};
    if (const Field* elsewhere = find_field_by_name(name)) {
        advice.suggestion = concat("it belongs under ", elsewhere->section);
        advice.meant = elsewhere;
    } else if (const auto near = nearest_word(name, candidates_in(section))) {
        advice.suggestion = concat("did you mean ", *near, "?");
        advice.meant = find_field(concat(section, '.', *near));
    } else if (const auto near_elsewhere = nearest_word(name, core::names_of(fields()))) {
        advice.meant = find_field_by_name(*near_elsewhere);
        advice.suggestion = concat("did you mean ", advice.meant->key(), "?");
    }
    return advice;
}

}  // namespace

KeyAdvice advice_on_key(std::string_view section, std::string_view name, const SourceNode& value) {
    const ForeignName* foreign = find_foreign(name);
    return foreign != nullptr ? advice_on_foreign(*foreign, value) : advice_on_misspelt(section, name);
}

std::string known_keys(std::string_view section) {
    return join(candidates_in(section), ", ");
}

}  // namespace holdfast::config
