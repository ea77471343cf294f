#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/task/task_spec.h"
#include "holdfast/result.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

/// The error code of a task whose worker cannot read one of its secrets.
inline constexpr std::string_view secret_not_available = "SECRET_NOT_AVAILABLE";

/// The secrets of a run: variables and their values, as they are on this machine now.
using Secrets = Variables;

/// Reads only from sources in `allowed`; nullptr: from all. The error names the secret and what is missing, never a
/// value.
[[nodiscard]] Result<Secrets, std::string> read_secrets(const core::TaskSpec& spec, const WorkerEnvironment& worker,
                                                        const std::vector<std::string>* allowed = nullptr);

/// Replaces secrets by "***". Each line of a secret with several lines counts as one. Parts shorter than 4 bytes are
/// not masked, because that would make everything else unreadable.
class SecretMask {
public:
    SecretMask() = default;
    explicit SecretMask(const Secrets& secrets);

    [[nodiscard]] std::string masked(std::string_view text) const;
    /// How many bytes at the end of a text may be the beginning of a secret that continues in the next text.
    [[nodiscard]] std::size_t hold_back(std::string_view text) const;

private:
    std::vector<std::string> parts_;  // longest first: one may be the beginning of another
};

}  // namespace holdfast::runner
