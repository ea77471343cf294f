#include "server/remote/task_story.h"

#include "base/text.h"
#include "holdfast/errors.h"
#include "views/readings.h"

namespace holdfast::remote {

views::TaskStory task_story(ServerLink& server, const Uuid& task) {
    const Json story = server.find(path_of({"tasks", task.to_string()}));
    if (story.is_null()) throw UnknownTask(concat("there is no task ", task.to_string()));
    return views::read_task_story(story, views::read_time(server.get(path_of({"overview"})).at("now")));
}

}  // namespace holdfast::remote
