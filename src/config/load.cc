#include "base/text.h"
#include "config/config.h"
#include "config/config_file.h"
#include "config/draft.h"
#include "config/key_reader.h"
#include "config/overrides.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

/// Requires `threshold` >= `factor` x `interval`.
struct Rule {
    std::string_view threshold;
    int factor;
    std::string_view factor_word;
    std::string_view interval;
};

constexpr Rule rules[] = {
    {"recovery.claimed_stale_threshold_ms", 2, "twice", "recovery.claimer_heartbeat_interval_ms"},
    {"recovery.running_stale_threshold_ms", 2, "twice", "recovery.runner_heartbeat_interval_ms"},
    // An observer must look at least every third of the threshold; otherwise its count restarts each time.
    {"recovery.worker_stale_threshold_ms", 3, "three times", "recovery.liveness_interval_ms"},
};

/// The advice for a broken rule. It offers a lower interval only when the range of the interval allows it.
std::string remedy(const Field& threshold, Duration least, const Field& interval, Duration most) {
    const std::string raise = concat("raise ", threshold.name, " to ", written(threshold, Value(least)));
    const bool can_lower = Duration(interval.range.least) <= most;
    return can_lower ? concat(raise, ", or lower ", interval.name, " to ", written(interval, Value(most))) : raise;
}

ConfigError breach(const Rule& rule, const Draft& draft) {
    const Field& threshold = *find_field(rule.threshold);
    const Field& interval = *find_field(rule.interval);
    const Choice& chosen = draft.choice(threshold);
    const Choice& against = draft.choice(interval);
    const Duration least = std::get<Duration>(against.value) * rule.factor;
    const Duration most = std::get<Duration>(chosen.value) / rule.factor;
    // The error points at the value that the person wrote: the interval when the threshold is the default.
    const bool is_default = chosen.origin.kind == OriginKind::Default;
    return {
        .where = is_default ? against.origin : chosen.origin,
        .key = threshold.key(),
        .title = concat(threshold.name, " too low"),
        .found = concat(written(threshold, chosen.value), is_default ? " (default)" : ""),
        .allowed = concat("at least ", written(threshold, Value(least)), ", ", rule.factor_word, " ", interval.name,
                          " (", written(interval, against.value), ", ", to_text(against.origin), ")"),
        .suggestion = remedy(threshold, least, interval, most)};
}

bool holds(const Rule& rule, const Draft& draft) {
    const Field& threshold = *find_field(rule.threshold);
    const Field& interval = *find_field(rule.interval);
    if (draft.is_faulty(threshold) || draft.is_faulty(interval)) return true;
    return std::get<Duration>(draft.choice(threshold).value) >=
           std::get<Duration>(draft.choice(interval).value) * rule.factor;
}

/// Requires a certificate and its key together.
void check_tls_pair(Draft& draft) {
    const Field& certificate = *find_field("server.tls_certificate");
    const Field& key = *find_field("server.tls_key");
    if (draft.is_faulty(certificate) || draft.is_faulty(key)) return;
    const auto is_given = [&](const Field& field) {
        return !std::holds_alternative<std::monostate>(draft.choice(field).value);
    };
    if (is_given(certificate) == is_given(key)) return;
    const Field& given = is_given(key) ? key : certificate;
    const Field& missing = is_given(key) ? certificate : key;
    draft.complain({.where = draft.choice(given).origin,
                    .key = given.key(),
                    .title = concat(given.name, " without ", missing.name),
                    .found = written(given, draft.choice(given).value),
                    .allowed = "both, or neither",
                    .suggestion = concat("also name ", missing.key())});
}

/// Checks the effective values against each other: a threshold must be at least a multiple of an interval.
void check_rules(Draft& draft) {
    check_tls_pair(draft);
    for (const Rule& rule : rules)
        if (!holds(rule, draft)) draft.complain(breach(rule, draft));
}

}  // namespace

Result<Config, ConfigErrors> load(const LoadParams& params) {
    Config config;
    Draft draft;
    if (const auto file = choose_file(params)) read_file(*file, params.zone_defect, draft, config);
    read_environment(params.environment, draft);
    read_flags(params.flags, draft);
    check_rules(draft);
    if (!draft.errors().empty()) return Failure{draft.sorted_errors()};
    draft.fill(config);
    config.warnings = unshared_keys(draft.key_uses(), config.keys);
    return config;
}

}  // namespace holdfast::config
