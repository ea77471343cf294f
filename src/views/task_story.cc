#include "views/task_story.h"

#include "client/task_operations.h"

namespace holdfast::views {

namespace {

Json shape_of(const engine::WhyWaiting& waiting) {
    Json tasks = Json::array();
    for (const Uuid& task : waiting.tasks) tasks.push_back(task.to_string());
    return {{"for", engine::to_text(waiting.obstacle)},
            {"sentence", waiting.sentence},
            {"tasks", std::move(tasks)},
            {"workers", waiting.workers}};
}

Json shape_of(const std::pair<Uuid, std::string>& step, bool is_hook) {
    return {{"job", step.first.to_string()}, {"name", step.second}, {"hook", is_hook}};
}

}  // namespace

TaskStory read_story(store::Store& store, const store::TaskRecord& task, Duration worker_stale_threshold) {
    TaskStory story;
    story.task = task;
    story.step = store.step_of_task(task.task.id);
    story.is_hook = story.step && client::is_hook(store, *story.step);
    story.attempts = store.attempts(task.task.id);
    story.events = client::all_events(store, task.task.id);
    story.now = store.now();
    if (task.state == TaskState::Pending)
        story.waiting = engine::why_waiting(engine::waiting_facts(store, task, worker_stale_threshold));
    return story;
}

Json to_json_shape(const TaskStory& story) {
    return {{"task", to_json_shape(story.task)},
            {"step", story.step ? shape_of(*story.step, story.is_hook) : Json()},
            {"waiting", story.waiting ? shape_of(*story.waiting) : Json()},
            {"attempts", array_of(story.attempts)},
            {"events", array_of(story.events)}};
}

}  // namespace holdfast::views
