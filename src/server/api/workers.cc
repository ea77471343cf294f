#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/text.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/worker.h"

namespace holdfast::api {

namespace {

// Sorts by name; workers of the same name, newest first.
void sort_for_people(std::vector<store::WorkerRecord>& records) {
    std::ranges::sort(records, [](const store::WorkerRecord& left, const store::WorkerRecord& right) {
        return std::tie(left.registration.name, right.registered_at) <
               std::tie(right.registration.name, left.registered_at);
    });
}

http::Response steered(const Uuid& worker, std::string_view status) {
    return answer({{"id", worker.to_string()}, {"status", status}});
}

http::Response give_order(Call& call, store::WorkerOrder order, std::string_view status) {
    const Uuid worker = find_worker(call.store(), call.path("id")).registration.id;
    if (!call.store().order_worker({.worker = worker, .order = order, .who = call.caller.who()}))
        throw Problem("NOT_FOUND", concat("worker ", worker.to_string(), " is not there any more"));
    return steered(worker, status);
}

}  // namespace

http::Reply list_workers(Call& call) {
    auto records = call.store().workers();
    if (!call.flag("all")) std::erase_if(records, views::has_left);
    sort_for_people(records);
    Json items = Json::array();
    for (const auto& record : records)
        items.push_back(views::to_json_shape(views::view_of(record, call.config().recovery)));
    return answer(list_of(std::move(items)));
}

http::Reply show_worker(Call& call) {
    const auto record = find_worker(call.store(), call.path("id"));
    return answer(views::to_json_shape(views::read_story(call.store(), record, call.config().recovery)));
}

http::Reply list_worker_states(Call& call) {
    const Uuid worker = find_worker(call.store(), call.path("id")).registration.id;
    return answer(list_of(views::array_of(call.store().worker_snapshots(worker, call.limit()))));
}

http::Reply drain_worker(Call& call) {
    return give_order(call, store::WorkerOrder::Drain, "asked");
}

http::Reply cordon_worker(Call& call) {
    return give_order(call, store::WorkerOrder::Cordon, "cordoned");
}

http::Reply uncordon_worker(Call& call) {
    return give_order(call, store::WorkerOrder::Uncordon, "uncordoned");
}

http::Reply remove_worker(Call& call) {
    const auto record = find_worker(call.store(), call.path("id"));
    const Uuid& worker = record.registration.id;
    switch (call.store().remove_worker(worker)) {
        case store::RemoveStatus::Removed:
            call.audit(concat("removed worker ", record.registration.name), {}, worker);
            return steered(worker, "removed");
        case store::RemoveStatus::HoldsLeases:
            throw Problem("CONFLICT",
                          "the worker still holds tasks: recovery settles those first; nothing was changed");
        case store::RemoveStatus::StillActive:
            throw Problem("CONFLICT", "the worker has not left: drain it first; nothing was changed");
        case store::RemoveStatus::NotFound:
            throw Problem("NOT_FOUND", concat("worker ", worker.to_string(), " is not there any more"));
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::api
