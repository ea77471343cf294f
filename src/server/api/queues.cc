#include "server/api/resources.h"
#include "store/admission.h"
#include "views/queue.h"

namespace holdfast::api {

namespace {

http::Response set_paused(Call& call, bool paused) {
    const std::string& queue = call.path("name");
    store::check_queue_name(queue);
    call.caller.require_queue(queue);
    call.store().set_queue_paused(queue, paused, call.caller.who());
    return answer({{"queue", queue}, {"paused", paused}});
}

}  // namespace

http::Reply list_queues(Call& call) {
    return answer(list_of(views::array_of(call.store().queues())));
}

http::Reply pause_queue(Call& call) {
    return set_paused(call, true);
}

http::Reply resume_queue(Call& call) {
    return set_paused(call, false);
}

}  // namespace holdfast::api
