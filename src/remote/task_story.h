#pragma once

#include "remote/server_link.h"
#include "wire/task_story.h"

namespace holdfast::remote {

/// All that the server tells about a task. Throws UnknownTask.
[[nodiscard]] wire::TaskStory task_story(ServerLink& server, const Uuid& task);

}  // namespace holdfast::remote
