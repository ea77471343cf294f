#pragma once

namespace holdfast::runner {

/// True when this process has called holdfast::runner_main(): a new process of its program can be a keeper or runner.
[[nodiscard]] bool has_roles();

}  // namespace holdfast::runner
