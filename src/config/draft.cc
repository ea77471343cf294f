#include "config/draft.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/text.h"
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
    std::ranges::stable_sort(sorted, {}, rank);
    return sorted;
}

void Draft::fill(Config& config) const {
    for (const Field& field : fields()) {
        const Choice& chosen = choice(field);
        field.set(config, chosen.value);
        config.settings.push_back({field.key(), written(field, chosen.value), chosen.origin});
    }
}

std::string_view parent_path(std::string_view path) {
    const std::size_t end = path.find_last_of(".[");
    return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

void Complaints::misfit(const SourceNode& entry, std::string title, std::string allowed, std::string suggestion) {
    distrust(entry.path);
    draft_.complain({.where = origin(entry.key_at),
                     .key = mask_password(entry.path),
                     .title = std::move(title),
                     .found = shown_under(entry.key, entry),
                     .allowed = std::move(allowed),
                     .suggestion = std::move(suggestion)});
}

void Complaints::complain_at(Position at, const std::string& path, std::string title, std::string suggestion) {
    distrust(path);
    draft_.complain({.where = origin(at),
                     .key = mask_password(path),
                     .title = std::move(title),
                     .suggestion = std::move(suggestion)});
}

void Complaints::unknown_key(const SourceNode& entry, const std::vector<std::string>& known) {
    const auto near = nearest_word(entry.key, known);
    // The rest of the step depends on these two keys: without them, its other keys would cause follow-up errors.
    if (near == "depends_on" || near == "for_each") distrust(std::string(parent_path(entry.path)));
    misfit(entry, "unknown key", join(known, ", "), near ? concat("did you mean ", *near, "?") : "");
}

void Complaints::note_key(const SourceNode& entry, const ConcurrencyKey& key, const std::string& queue) {
    draft_.note({origin(entry.key_at), entry.path, key.key, queue, key.limit});
}

bool Complaints::is_distrusted(std::string_view path) const {
    for (; !path.empty(); path = parent_path(path))
        if (distrusted_.contains(path)) return true;
    return false;
}

bool Complaints::is_any_distrusted(const SourceNode& mapping) const {
    return std::ranges::any_of(mapping.children, [&](const auto& entry) { return is_distrusted(entry.path); });
}

bool Complaints::is_a(NodeKind kind, const SourceNode& node, std::string allowed) {
    if (node.kind == kind) return true;
    misfit(node, concat(word_of(node.kind), " instead of ", word_of(kind)), std::move(allowed));
    return false;
}

std::span<const SourceNode> Complaints::entries(const SourceNode& node, std::string allowed) {
    if (node.kind == NodeKind::Null || !is_mapping(node, std::move(allowed))) return {};
    return node.children;
}

std::optional<Value> Complaints::read(const Option& option, const SourceNode& entry) {
    auto value = read_value(option, entry);
    if (value.ok()) return std::move(value).value();
    misfit(entry, value.error().title, allowed_values(option), value.error().suggestion);
    return std::nullopt;
}

}  // namespace holdfast::config
