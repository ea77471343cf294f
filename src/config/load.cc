#include <algorithm>
#include <cctype>

#include "base/assert.h"
#include "base/text.h"
#include "config/sections.h"
#include "config/values.h"
#include "core/task/run_as.h"

namespace holdfast::config {

namespace {

// ---- Environment and flags ----------------------------------------------------------------------------------------

constexpr std::string_view prefix = "HOLDFAST_";

const Field* field_of_variable(std::string_view variable) {
    const auto found = std::ranges::find(fields(), variable, &Field::variable);
    return found == fields().end() ? nullptr : &*found;
}

/// Whether it is one of the variables that Kubernetes and Docker inject to describe a service such as
/// "holdfast-worker": HOLDFAST_WORKER_PORT and others.
bool describes_a_service(std::string_view variable) {
    static constexpr std::string_view port = "_PORT_";
    if (variable.ends_with("_SERVICE_HOST") || variable.ends_with("_PORT")) return true;
    if (variable.find("_SERVICE_PORT_") != std::string_view::npos) return true;
    const std::size_t at = variable.find(port);
    if (at == std::string_view::npos) return false;
    const std::string_view number = variable.substr(at + port.size());
    return !number.empty() && std::isdigit(static_cast<unsigned char>(number.front())) != 0;
}

/// Whether a platform injected the variable: HOLDFAST_SERVER_PORT may be one, although it is also the variable of a
/// key.
bool is_injected(std::string_view variable, std::string_view text) {
    return describes_a_service(variable) && (text.starts_with("tcp://") || text.starts_with("udp://"));
}

/// The section whose prefix the variable has; "" when it has none.
std::string section_of(std::string_view variable) {
    const std::string name = lower_case(variable.substr(prefix.size()));
    for (const std::string& section : field_sections())
        if (name.starts_with(section + '_')) return section;
    return "";
}

/// Variables without a key; the program reads them directly.
const std::vector<std::string> own_variables = {"HOLDFAST_CONFIG", "HOLDFAST_SERVER", "HOLDFAST_TOKEN",
                                                "HOLDFAST_CA_FILE"};

/// Compares names without the shared prefix; with it, all variables would look similar.
std::optional<std::string> nearest_variable(std::string_view variable) {
    std::vector<std::string> ends;
    for (const std::string& known : own_variables) ends.push_back(known.substr(prefix.size()));
    for (const Field& field : fields()) ends.push_back(field.variable().substr(prefix.size()));
    const auto near = nearest_word(variable.substr(prefix.size()), ends);
    return near ? std::optional(concat(prefix, *near)) : std::nullopt;
}

/// The variable that was probably meant; nullopt when none is similar.
std::optional<std::string> meant_variable(std::string_view variable, const std::string& section,
                                          const SourceNode& value) {
    if (!section.empty()) {
        const std::string name = lower_case(variable.substr(prefix.size() + section.size() + 1));
        if (const Field* meant = advice_on_key(section, name, value).meant) return meant->variable();
    }
    return nearest_variable(variable);
}

void refuse_if_meant_for_us(const std::string& variable, const std::string& text, Draft& draft) {
    if (std::ranges::count(own_variables, variable) > 0 || describes_a_service(variable)) return;
    const SourceNode value{.kind = NodeKind::Scalar, .scalar = text};
    const std::string section = section_of(variable);
    const std::optional<std::string> meant = meant_variable(variable, section, value);
    if (section.empty() && !meant) return;
    draft.complain({.where = {OriginKind::Environment, variable, {}},
                    .title = "unknown variable",
                    .found = shown_under(variable, value),
                    .allowed = section.empty() ? "" : concat("variables for the keys ", known_keys(section)),
                    .suggestion = meant ? concat("did you mean ", *meant, "?") : ""});
}

/// Overrides the draft with the HOLDFAST_* variables. An empty variable counts as unset. A variable that resembles a
/// setting but does not name one is an error; variables that container platforms inject for services are ignored.
void read_environment(const std::map<std::string, std::string>& environment, Draft& draft) {
    for (const auto& [variable, text] : environment) {
        if (!variable.starts_with(prefix) || text.empty() || is_injected(variable, text)) continue;
        if (const Field* field = field_of_variable(variable))
            draft.choose(*field, node_from_text(*field, text), {OriginKind::Environment, variable, {}});
        else
            refuse_if_meant_for_us(variable, text, draft);
    }
}

/// Overrides the draft with the flags. The caller must pass only keys that exist.
void read_flags(const std::vector<FlagOverride>& flags, Draft& draft) {
    for (const FlagOverride& flag : flags) {
        const Field* field = find_field(flag.key);
        HOLDFAST_ASSERT(field != nullptr);
        draft.choose(*field, node_from_text(*field, flag.value), {OriginKind::Flag, flag.flag, {}});
    }
}

// ---- Rules between fields -----------------------------------------------------------------------------------------

/// A rule about the effective values: requires `threshold` >= `factor` x `interval`.
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

void check(const Rule& rule, Draft& draft) {
    const Field& threshold = *find_field(rule.threshold);
    const Field& interval = *find_field(rule.interval);
    const Choice& chosen = draft.choice(threshold);
    const Choice& against = draft.choice(interval);
    if (draft.is_faulty(threshold) || draft.is_faulty(interval)) return;
    const Duration least = std::get<Duration>(against.value) * rule.factor;
    const Duration most = std::get<Duration>(chosen.value) / rule.factor;
    if (std::get<Duration>(chosen.value) >= least) return;
    // The error points at the value that the person wrote: the interval when the threshold is the default.
    const bool is_default = chosen.origin.kind == OriginKind::Default;
    draft.complain(
        {.where = is_default ? against.origin : chosen.origin,
         .key = threshold.key(),
         .title = concat(threshold.name, " too low"),
         .found = concat(written(threshold, chosen.value), is_default ? " (default)" : ""),
         .allowed = concat("at least ", written(threshold, Value(least)), ", ", rule.factor_word, " ", interval.name,
                           " (", written(interval, against.value), ", ", to_text(against.origin), ")"),
         .suggestion = remedy(threshold, least, interval, most)});
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

void complain_about_run_as(const Field& field, std::string title, std::string allowed, Draft& draft) {
    const Choice& chosen = draft.choice(field);
    draft.complain({.where = chosen.origin,
                    .key = field.key(),
                    .title = std::move(title),
                    .found = written(field, chosen.value),
                    .allowed = std::move(allowed)});
}

/// What other settings require of run_as, for a value that is valid by itself.
void check_against_others(const Field& field, const core::RunAs& run_as, Draft& draft) {
    const Field& slots = *find_field("worker.max_concurrent_tasks");
    const Field& isolation = *find_field("worker.isolation");
    if (!draft.is_faulty(slots) && run_as.user.empty()) {
        const auto needed = static_cast<std::size_t>(std::get<std::int64_t>(draft.choice(slots).value));
        if (run_as.count() < needed)
            complain_about_run_as(field, concat("run_as has ", run_as.count(), " uids for ", needed, " slots"),
                                  concat("at least as many uids as max_concurrent_tasks (", needed, ", ",
                                         to_text(draft.choice(slots).origin), ")"),
                                  draft);
    }
    if (!draft.is_faulty(isolation) && std::get<std::string>(draft.choice(isolation).value) == "thread")
        complain_about_run_as(field, "run_as with isolation thread, whose tasks run in the worker itself",
                              "run_as with isolation process", draft);
}

void check_run_as(Draft& draft) {
    const Field& field = *find_field("worker.run_as");
    const auto* members = std::get_if<std::map<std::string, std::string>>(&draft.choice(field).value);
    if (draft.is_faulty(field) || members == nullptr || members->empty()) return;
    const auto run_as = core::parse_run_as(*members);
    if (run_as) return check_against_others(field, run_as.value(), draft);
    for (const std::string& fault : run_as.error())
        complain_about_run_as(field, "run_as " + fault, std::string(field.form), draft);
}

/// Adds the sources from which the specification reads secrets.
void add_from(const std::optional<core::TaskSpec>& spec, std::vector<std::string>& sources) {
    if (!spec) return;
    for (const auto& [name, source] : spec->secrets) sources.push_back(source);
}

}  // namespace

Result<Config, ConfigErrors> load(const LoadParams& params) {
    Config config;
    Draft draft;
    read_config_file(params, draft, config);
    read_environment(params.environment, draft);
    read_flags(params.flags, draft);
    check_tls_pair(draft);
    check_run_as(draft);
    for (const Rule& rule : rules) check(rule, draft);
    if (!draft.errors().empty()) return Failure{draft.sorted_errors()};
    draft.fill(config);
    config.warnings = unshared_keys(draft.key_uses(), config.keys);
    return config;
}

std::vector<std::string> secret_sources(const Config& config) {
    std::vector<std::string> sources;
    for (const auto& [name, task] : config.tasks) add_from(task.spec, sources);
    for (const auto& [name, workflow] : config.workflows)
        for (const auto* steps : {&workflow.steps, &workflow.on_success, &workflow.on_failure, &workflow.on_cancel})
            for (const core::WorkflowStep& step : *steps) add_from(step.spec, sources);
    return sources;
}

std::vector<std::string> secret_variables(const Config& config) {
    constexpr std::string_view from_environment = "env:";
    std::vector<std::string> names;
    for (const std::string& source : secret_sources(config))
        if (source.starts_with(from_environment)) names.push_back(source.substr(from_environment.size()));
    return names;
}

}  // namespace holdfast::config
