#pragma once

#include "server/remote/server_link.h"
#include "views/task_story.h"

namespace holdfast::remote {

/// All that the server tells about a task. Throws UnknownTask.
[[nodiscard]] views::TaskStory task_story(ServerLink& server, const Uuid& task);

}  // namespace holdfast::remote
