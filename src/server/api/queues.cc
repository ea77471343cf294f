#include "base/text.h"
#include "client/catalog_changes.h"
#include "server/api/resources.h"
#include "store/admission.h"
#include "views/task.h"

namespace holdfast::api {

namespace {

/// A shared key affects all queues, so it requires permission for all of them.
void require_owner(const Caller& caller, const std::string& queue) {
    if (queue.empty())
        caller.require_all_queues();
    else
        caller.require_queue(queue);
}

Json queue_of(const std::string& queue) {
    return queue.empty() ? Json() : Json(queue);
}

/// Refuses an empty name: it would mean the shared key.
std::string named_queue(std::string name) {
    if (name.empty()) throw Problem("BAD_PARAMETER", "queue is empty; leave it out for a shared key");
    return name;
}

core::KeyDeclaration read_declaration(Call& call) {
    const auto queue = given<std::string>(call.body, "queue");
    const bool is_shared = call.body_flag("shared");
    if (is_shared == queue.has_value())
        throw Problem("BAD_PARAMETER", "say whose the key is: \"shared\": true, or the name of its queue");
    return {.key = call.path("key"),
            .queue = is_shared ? std::string() : named_queue(*queue),
            .limit = call.body.at("limit").get<int>()};
}

}  // namespace

http::Reply set_queue_paused(Call& call, bool paused) {
    const std::string& queue = call.path("name");
    store::check_queue_name(queue);
    call.caller.require_queue(queue);
    call.store().set_queue_paused(queue, paused, call.caller.who());
    return answer({{"queue", queue}, {"paused", paused}});
}

http::Reply list_keys(Call& call) {
    return answer_list(call.store().keys({.key = call.text("key"), .limit = call.limit()}));
}

http::Reply declare_key(Call& call) {
    const core::KeyDeclaration key = read_declaration(call);
    require_owner(call.caller, key.queue);
    const auto status = call.store().declare_key(key, call.caller.who());
    if (status == store::DeclareStatus::IsShared)
        throw Problem("CONFLICT",
                      concat("key ", key.key, " is declared shared, so that no queue has a limit of its own"));
    return answer(
        {{"key", key.key}, {"queue", queue_of(key.queue)}, {"limit", key.limit}, {"status", word_of(status)}});
}

http::Reply remove_key(Call& call) {
    const std::string key = call.path("key");
    const std::string queue = call.is_given("queue") ? named_queue(call.text("queue")) : std::string();
    require_owner(call.caller, queue);
    if (!call.store().remove_key(key, queue, call.caller.who()))
        throw Problem("NOT_FOUND", concat("key ", client::key_name(key, queue), " is not declared"));
    return answer({{"key", key}, {"queue", queue_of(queue)}, {"status", "removed"}});
}

}  // namespace holdfast::api
