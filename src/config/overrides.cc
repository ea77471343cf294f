#include "config/overrides.h"

#include <algorithm>
#include <cctype>

#include "base/assert.h"
#include "base/text.h"
#include "config/shown.h"
#include "config/unknown_key.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

constexpr std::string_view prefix = "HOLDFAST_";

const Field* field_of_variable(std::string_view variable) {
    for (const Field& field : fields()) {
        if (field.variable() == variable) return &field;
    }
    return nullptr;
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
    for (const std::string& section : field_sections()) {
        if (name.starts_with(section + '_')) return section;
    }
    return "";
}

/// Variables without a key; the program reads them directly.
const std::vector<std::string> own_variables = {"HOLDFAST_CONFIG", "HOLDFAST_SERVER", "HOLDFAST_TOKEN",
                                                "HOLDFAST_CA_FILE"};

std::vector<std::string> variables() {
    std::vector<std::string> names = own_variables;
    for (const Field& field : fields()) names.push_back(field.variable());
    return names;
}

/// Compares names without the shared prefix; with it, all variables would look similar.
std::optional<std::string> nearest_variable(std::string_view variable) {
    std::vector<std::string> ends;
    for (const std::string& known : variables()) ends.push_back(known.substr(prefix.size()));
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
    const bool is_own = std::ranges::find(own_variables, variable) != own_variables.end();
    if (is_own || describes_a_service(variable)) return;
    SourceNode value;
    value.kind = NodeKind::Scalar;
    value.scalar = text;
    const std::string section = section_of(variable);
    const std::optional<std::string> meant = meant_variable(variable, section, value);
    if (section.empty() && !meant) return;
    draft.complain({.where = {OriginKind::Environment, variable, {}},
                    .key = "",
                    .title = "unknown variable",
                    .found = shown_under(variable, value),
                    .allowed = section.empty() ? "" : concat("variables for the keys ", known_keys(section)),
                    .suggestion = meant ? concat("did you mean ", *meant, "?") : ""});
}

}  // namespace

void read_environment(const std::map<std::string, std::string>& environment, Draft& draft) {
    for (const auto& [variable, text] : environment) {
        if (!variable.starts_with(prefix) || text.empty()) continue;
        if (is_injected(variable, text)) continue;
        if (const Field* field = field_of_variable(variable)) {
            draft.choose(*field, node_from_text(*field, text), {OriginKind::Environment, variable, {}});
        } else {
            refuse_if_meant_for_us(variable, text, draft);
        }
    }
}

void read_flags(const std::vector<FlagOverride>& flags, Draft& draft) {
    for (const FlagOverride& flag : flags) {
        const Field* field = find_field(flag.key);
        HOLDFAST_ASSERT(field != nullptr);
        draft.choose(*field, node_from_text(*field, flag.value), {OriginKind::Flag, flag.flag, {}});
    }
}

}  // namespace holdfast::config
