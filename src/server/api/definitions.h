#pragma once

#include <string>

#include "core/workflow/workflow.h"
#include "server/api/access.h"
#include "server/api/schema.h"

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

/// Throws FORBIDDEN unless the caller may use every queue that the tasks of the bundle go to.
void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle);
/// The same for the text of a bundle. An unreadable text requires all queues.
void require_queues_of(const Caller& caller, const std::string& definition);

}  // namespace holdfast::api
