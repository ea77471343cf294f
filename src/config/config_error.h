#pragma once

#include <string>
#include <vector>

namespace holdfast::config {

/// A position in a file, counted from 1 as in editors.
struct Position {
    int line = 1;
    int column = 1;

    friend bool operator==(const Position&, const Position&) = default;
};

enum class OriginKind { Default, File, Environment, Flag };

/// The source of a value.
struct Origin {
    OriginKind kind = OriginKind::Default;
    std::string name;   ///< the file as given, the variable, or the flag with its dashes
    Position position;  ///< of File; line 0 for the file as a whole

    friend bool operator==(const Origin&, const Origin&) = default;
};
/// "default", "holdfast.yaml:12", "env NAME", "flag --name"
[[nodiscard]] std::string to_text(const Origin& origin);

/// One fault of the configuration, for the person who has to repair it. Its members never contain a secret.
struct ConfigError {
    Origin where = {};
    std::string key = {};      ///< "recovery.check_interval_ms"; empty when the fault does not concern a single key
    std::string title = {};    ///< the fault: "unknown key", "running_stale_threshold_ms too low"
    std::string found = {};    ///< the value, passwords masked; empty when there is none to show
    std::string allowed = {};  ///< "1000 to 600000, in milliseconds, or a duration such as 30s"; may be empty
    std::string suggestion = {};  ///< a sentence without its full stop; may be empty
};

/// "holdfast.yaml:12:3: recovery.check_interval_ms: out of range: found 500; allowed: 1000 to ...; did you mean ...?"
[[nodiscard]] std::string to_text(const ConfigError& error);

using ConfigErrors = std::vector<ConfigError>;

}  // namespace holdfast::config
