#include "remote/task_story.h"

#include "base/text.h"
#include "holdfast/errors.h"
#include "wire/readings.h"

namespace holdfast::remote {

wire::TaskStory task_story(ServerLink& server, const Uuid& task) {
    const Json story = server.find(path_of({"tasks", task.to_string()}));
    if (story.is_null()) throw UnknownTask(concat("there is no task ", task.to_string()));
    return wire::read_task_story(story, wire::read_time(server.get(path_of({"overview"})).at("now")));
}

}  // namespace holdfast::remote
