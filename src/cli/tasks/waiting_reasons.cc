#include "cli/tasks/waiting_reasons.h"

#include "server/remote/server_link.h"
#include "views/why_waiting.h"

namespace holdfast::cli {

WaitingReasons::WaitingReasons(const Session& session) : session_(session) {}

WaitingReasons::~WaitingReasons() = default;

std::string WaitingReasons::of(store::ClientStore& store, const Uuid& task) {
    const auto record = store.find({task}).front();
    if (!record || record->state != TaskState::Pending) return {};
    if (!server_ && !store_) connect();
    if (!server_) return engine::why_waiting(engine::waiting_facts(*store_, *record, stale_after_)).sentence;
    const views::TaskStory story = remote::task_story(*server_, task);
    return story.waiting ? story.waiting->sentence : std::string();
}

void WaitingReasons::connect() {
    server_ = session_.server();
    if (server_) return;
    const config::Config config = session_.load_config();
    stale_after_ = config.recovery.worker_stale_threshold;
    store_ = session_.open_store_itself(config, Access::AsItIs);
}

}  // namespace holdfast::cli
