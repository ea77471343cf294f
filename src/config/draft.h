#pragma once

#include <vector>

#include "config/config.h"
#include "config/fields.h"

namespace holdfast::config {

/// A value and where it came from.
struct Choice {
    Value value;
    Origin origin;
};

/// The configuration while it is being put together, one layer over the other.
class Draft {
public:
    Draft();  ///< all defaults

    /// A value that fits replaces what an earlier layer chose; one that does not becomes an error.
    void choose(const Field& field, const SourceNode& node, const Origin& origin);
    void complain(ConfigError error);
    void complain(ConfigErrors errors);

    [[nodiscard]] const Choice& choice(const Field& field) const;
    /// Has some layer given it a value that does not fit? Then nothing can be concluded from it.
    [[nodiscard]] bool is_faulty(const Field& field) const;

    [[nodiscard]] const ConfigErrors& errors() const { return errors_; }
    /// By layer, and within each file from top to bottom.
    [[nodiscard]] ConfigErrors sorted_errors() const;
    /// Copies the choices into the members of `config` and lists them in its settings.
    void fill(Config& config) const;

private:
    std::vector<Choice> choices_;  // by the field's place in the table
    std::vector<bool> faulty_;
    ConfigErrors errors_;
};

}  // namespace holdfast::config
