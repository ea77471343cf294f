#include "config/draft.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "config/shown.h"
#include "config/values.h"

namespace holdfast::config {

namespace {

std::size_t place(const Field& field) {
    return static_cast<std::size_t>(&field - fields().data());
}

Choice default_of(const Field& field) {
    const auto value = read_value(field, node_from_text(field, field.fallback));
    HOLDFAST_ASSERT(value.ok());
    return {value.value(), Origin{}};
}

}  // namespace

Draft::Draft() : faulty_(fields().size(), false) {
    for (const Field& field : fields()) choices_.push_back(default_of(field));
}

void Draft::choose(const Field& field, const SourceNode& node, const Origin& origin) {
    const auto value = read_value(field, node);
    if (value.ok()) {
        choices_[place(field)] = {value.value(), origin};
        return;
    }
    faulty_[place(field)] = true;
    complain({.where = origin,
              .key = field.key(),
              .title = value.error().title,
              .found = shown_node(node),
              .allowed = allowed_values(field),
              .suggestion = value.error().suggestion});
}

void Draft::complain(ConfigError error) {
    errors_.push_back(std::move(error));
}

void Draft::complain(ConfigErrors errors) {
    std::move(errors.begin(), errors.end(), std::back_inserter(errors_));
}

const Choice& Draft::choice(const Field& field) const {
    return choices_[place(field)];
}

bool Draft::is_faulty(const Field& field) const {
    return faulty_[place(field)];
}

ConfigErrors Draft::sorted_errors() const {
    std::map<std::string, std::size_t> files;  // in reading order
    for (const ConfigError& error : errors_) files.emplace(error.where.name, files.size());
    const auto rank = [&](const ConfigError& error) {
        const Origin& where = error.where;
        const std::size_t file = where.kind == OriginKind::File ? files.at(where.name) : 0;
        return std::tuple(where.kind, file, where.position.line, where.position.column);
    };
    ConfigErrors sorted = errors_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const ConfigError& left, const ConfigError& right) { return rank(left) < rank(right); });
    return sorted;
}

void Draft::fill(Config& config) const {
    for (const Field& field : fields()) {
        const Choice& chosen = choice(field);
        field.set(config, chosen.value);
        config.settings.push_back({field.key(), written(field, chosen.value), chosen.origin});
    }
}

}  // namespace holdfast::config
