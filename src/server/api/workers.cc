#include <algorithm>
#include <tuple>

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

}  // namespace

http::Reply list_workers(Call& call) {
    auto records = call.store().workers();
    if (!call.flag("all")) std::erase_if(records, views::has_left);
    sort_for_people(records);
    std::vector<views::WorkerView> workers;
    for (const auto& record : records) workers.push_back(views::view_of(record, call.config().recovery));
    return answer_list(workers);
}

http::Reply show_worker(Call& call) {
    const auto record = find_worker(call.store(), call.path("id"));
    return answer(views::read_story(call.store(), record, call.config().recovery));
}

http::Reply list_worker_states(Call& call) {
    const Uuid worker = find_worker(call.store(), call.path("id")).registration.id;
    return answer_list(call.store().worker_snapshots(worker, call.limit()));
}

http::Reply order_worker(Call& call, store::WorkerOrder order) {
    const Uuid worker = find_worker(call.store(), call.path("id")).registration.id;
    if (!call.store().order_worker({.worker = worker, .order = order, .who = call.caller.who()}))
        refuse_gone("worker", worker);
    if (order == store::WorkerOrder::Drain) return steered(worker, "asked");
    return steered(worker, order == store::WorkerOrder::Cordon ? "cordoned" : "uncordoned");
}

http::Reply remove_worker(Call& call) {
    const auto record = find_worker(call.store(), call.path("id"));
    const Uuid& worker = record.registration.id;
    switch (call.store().remove_worker(worker, call.caller.who())) {
        case store::RemoveStatus::Removed:
            return steered(worker, "removed");
        case store::RemoveStatus::HoldsLeases:
            throw Problem("CONFLICT",
                          "the worker still holds tasks: recovery settles those first; nothing was changed");
        case store::RemoveStatus::StillActive:
            throw Problem("CONFLICT", "the worker has not left: drain it first; nothing was changed");
        case store::RemoveStatus::NotFound:
            break;
    }
    refuse_gone("worker", worker);
}

}  // namespace holdfast::api
