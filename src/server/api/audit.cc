#include "views/audit.h"
#include "server/api/ids.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

/// A whole id is taken as it is: what the order was about may be gone.
template <typename Find>
std::optional<Uuid> id_of(Call& call, const char* parameter, Find find) {
    if (!call.is_given(parameter)) return std::nullopt;
    if (const auto id = Uuid::parse(call.text(parameter))) return id;
    return find(call.store(), call.text(parameter));
}

views::AuditFilter filter_of(Call& call) {
    const auto moment = [&](const char* name) {
        return call.is_given(name) ? parse_timestamp(call.text(name)) : std::nullopt;
    };
    return {.who = call.text("who"),
            .kind = call.text("kind"),
            .queue = call.text("queue"),
            .text = call.text("text"),
            .task = id_of(call, "task",
                          [](auto& store, const std::string& text) { return find_task(store, text).task.id; }),
            .job = id_of(call, "job", [](auto& store, const std::string& text) { return find_job(store, text).id; }),
            .worker =
                id_of(call, "worker",
                      [](auto& store, const std::string& text) { return find_worker(store, text).registration.id; }),
            .since = moment("since"),
            .until = moment("until")};
}

}  // namespace

http::Reply search_audit(Call& call) {
    std::optional<std::int64_t> before;
    if (call.is_given("after")) before = call.number("after", 0);
    const auto page = views::search_audit(call.store(), filter_of(call), before, call.limit());
    return answer_list(page.lines, page.next ? Json(*page.next) : Json());
}

}  // namespace holdfast::api
