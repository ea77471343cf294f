#pragma once

#include <string>

#include "core/workflow/workflow.h"
#include "server/api/call.h"

namespace holdfast::api {

/// Parses and checks a bundle that a client sent. Throws REFUSED with every fault of it.
[[nodiscard]] core::WorkflowBundle checked_bundle(const schema::Value& definition);
/// Returns the input of a job of that workflow, completed with defaults, as JSON text. `input` is empty when the
/// client gave none. Throws REFUSED.
[[nodiscard]] std::string checked_input(const core::Workflow& workflow, std::string_view input);

/// The most YAML that the server parses for a client: parsing takes many times its size in memory.
inline constexpr std::size_t max_yaml_bytes = 1 << 20;
/// Throws TOO_LARGE when the text exceeds max_yaml_bytes.
void require_bearable(const std::string& yaml);

/// Throws FORBIDDEN unless the caller may run a script or container that is not in the catalog: see `server.scripts`.
void require_own_work(Call& call);
/// The same for each script and container of the bundle, unless the catalog has its workflow or its task so. A client
/// with the same catalog sends what it defines.
void require_known_work(Call& call, const core::WorkflowBundle& bundle);

/// Throws FORBIDDEN unless the caller may use every queue that the tasks of the bundle go to. One without tasks
/// belongs to no queue, and requires all.
void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle);

}  // namespace holdfast::api
