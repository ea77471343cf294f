#pragma once

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
    void complain(ConfigError error);
    void complain(ConfigErrors errors);

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

}  // namespace holdfast::config
