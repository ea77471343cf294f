#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

/// Environment variables by name.
using Variables = std::map<std::string, std::string>;

/// As "NAME=value".
[[nodiscard]] std::vector<std::string> assignments(const Variables& variables);

/// The names of the variables that runs do not inherit: the store's URL and password, tokens, and `secrets`, the
/// variables that secrets are read from; without those in `pass_env`.
[[nodiscard]] std::vector<std::string> withheld_names(const std::vector<std::string>& secrets,
                                                      const std::vector<std::string>& pass_env);

/// The environment of this process in two parts.
struct SplitEnvironment {
    std::vector<std::string> shown;  ///< "NAME=value": the environment of keeper and runners
    std::string withheld;            ///< for reading secrets: "NAME=value" with a NUL after each
};
/// Holdfast's own variables among `withheld` are in neither part: only the worker needs them.
[[nodiscard]] SplitEnvironment split_environment(const std::vector<std::string>& withheld);

/// What a runner knows about its worker.
class WorkerEnvironment {
public:
    /// `withheld`: of SplitEnvironment. `pass_env`: the names of variables that every script and container gets.
    WorkerEnvironment(std::string worker, std::vector<std::string> pass_env, std::string_view withheld);

    /// The worker's id.
    [[nodiscard]] const std::string& worker() const { return worker_; }
    /// The value of a variable, also of a withheld one; nullopt when the worker does not have it.
    [[nodiscard]] std::optional<std::string> find(const std::string& name) const;
    /// The variables of `pass_env` that the worker has.
    [[nodiscard]] Variables passed() const;
    /// From now on this process does not have the withheld variables.
    void forget_withheld();

private:
    std::string worker_;
    std::vector<std::string> pass_env_;
    Variables withheld_;
};

}  // namespace holdfast::runner
