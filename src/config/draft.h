#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/fields.h"

namespace holdfast::config {

/// A value and its origin.
struct Choice {
    Value value;
    Origin origin;
};

/// A task or step that names a concurrency key.
struct KeyUse {
    Origin where;
    std::string path;  ///< "tasks.backup.concurrency_key"
    std::string key;   ///< as written, with its `{{ ... }}`
    std::string queue;
    int limit = 1;
};

/// The configuration during loading: each layer overrides the earlier ones.
class Draft {
public:
    Draft();  ///< all defaults

    /// Sets a field. A valid value replaces that of an earlier layer; an invalid one is recorded as an error.
    void choose(const Field& field, const SourceNode& node, const Origin& origin);
    void complain(ConfigError error) { errors_.push_back(std::move(error)); }
    void complain(ConfigErrors errors) { std::ranges::move(errors, std::back_inserter(errors_)); }

    void note(KeyUse use) { key_uses_.push_back(std::move(use)); }
    [[nodiscard]] const std::vector<KeyUse>& key_uses() const { return key_uses_; }

    [[nodiscard]] const Choice& choice(const Field& field) const;
    /// Whether a layer gave the field an invalid value. Checks that involve such a field are skipped.
    [[nodiscard]] bool is_faulty(const Field& field) const;

    [[nodiscard]] const ConfigErrors& errors() const { return errors_; }
    /// The errors by layer, and within each file from top to bottom.
    [[nodiscard]] ConfigErrors sorted_errors() const;
    /// Copies the choices into the members of `config`, and lists them in its settings.
    void fill(Config& config) const;

private:
    std::vector<Choice> choices_;  // by the position of the field in the table
    std::vector<bool> faulty_;
    ConfigErrors errors_;
    std::vector<KeyUse> key_uses_;
};

/// Reports the faults of the tasks, workflows, schedules and keys of one file with their positions, and remembers
/// their paths, so that later checks skip the parts that could not be read.
class Complaints {
public:
    Complaints(std::string file, Draft& draft) : file_(std::move(file)), draft_(draft) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] Origin origin(Position at) const { return {OriginKind::File, file_, at}; }

    /// How many faults the draft has, of all files.
    [[nodiscard]] std::size_t count() const { return draft_.errors().size(); }

    /// Reports an invalid value.
    void misfit(const SourceNode& entry, std::string title, std::string allowed, std::string suggestion = "");
    /// Reports a fault of an entry, or of a path below it that is missing.
    void complain(const SourceNode& entry, const std::string& path, std::string title, std::string suggestion = "") {
        complain_at(entry.key_at, path, std::move(title), std::move(suggestion));
    }
    void complain_at(Position at, const std::string& path, std::string title, std::string suggestion = "");
    void unknown_key(const SourceNode& entry, const std::vector<std::string>& known);
    /// Records that the task or step at `entry` uses a concurrency key.
    void note_key(const SourceNode& entry, const ConcurrencyKey& key, const std::string& queue);
    /// Excludes everything below this path from later checks.
    void distrust(const std::string& path) { distrusted_.insert(path); }

    [[nodiscard]] bool is_distrusted(std::string_view path) const;
    /// Whether one of the entries of a mapping is invalid.
    [[nodiscard]] bool is_any_distrusted(const SourceNode& mapping) const;

    /// Whether the node is a mapping, or a list; when it is not, this is reported.
    [[nodiscard]] bool is_mapping(const SourceNode& node, std::string allowed) {
        return is_a(NodeKind::Mapping, node, std::move(allowed));
    }
    [[nodiscard]] bool is_list(const SourceNode& node, std::string allowed) {
        return is_a(NodeKind::Sequence, node, std::move(allowed));
    }
    /// The entries of a mapping, which may be empty: none when the node is something else, which is reported.
    [[nodiscard]] std::span<const SourceNode> entries(const SourceNode& node, std::string allowed);

    /// Reads the value of an option; nullopt when it is invalid, which is reported.
    [[nodiscard]] std::optional<Value> read(const Option& option, const SourceNode& entry);

private:
    [[nodiscard]] bool is_a(NodeKind kind, const SourceNode& node, std::string allowed);

    std::string file_;
    Draft& draft_;
    std::set<std::string, std::less<>> distrusted_;
};

/// The path without its last part: "a.b[1]" for "a.b[1].c"; empty for a path of one part.
[[nodiscard]] std::string_view parent_path(std::string_view path);

}  // namespace holdfast::config
