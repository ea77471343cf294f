#pragma once

#include <string>

#include "api/access.h"
#include "core/workflow.h"

namespace holdfast::api {

/// Throws FORBIDDEN unless the caller may use every queue that the tasks of a bundle go to.
void require_queues_of(const Caller& caller, const core::WorkflowBundle& bundle);
/// The same of the text of a bundle; one that cannot be read may use any.
void require_queues_of(const Caller& caller, const std::string& definition);

}  // namespace holdfast::api
