#pragma once

#include <string>

#include "core/workflow/workflow.h"
#include "server/api/access.h"
#include "server/api/schema.h"

namespace holdfast::api {

/// A bundle that a client sent. Throws REFUSED with all that is wrong with it.
[[nodiscard]] core::WorkflowBundle checked_bundle(const schema::Value& definition);
/// The input of a job of that workflow, with its defaults, as JSON text; empty: none was given. Throws REFUSED.
[[nodiscard]] std::string checked_input(const core::Workflow& workflow, std::string_view input);

/// How much YAML a client may have read: reading takes many times its size in memory.
inline constexpr std::size_t max_yaml_bytes = 1 << 20;
/// Throws TOO_LARGE.
void require_bearable(const std::string& yaml);

/// Throws FORBIDDEN unless the caller may use every queue that the tasks of a bundle go to.
void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle);
/// The same of the text of a bundle; one that cannot be read may use any.
void require_queues_of(const Caller& caller, const std::string& definition);

}  // namespace holdfast::api
