#include "store/postgres/routes.h"

#include "base/text.h"

namespace holdfast::postgres {

int Routes::intern(const std::string& queue, const std::vector<std::string>& tags) {
    if (const auto id = known(queue, tags)) return *id;
    const auto answer = lane_.write("SELECT holdfast.intern_route($1, $2)", queue, tags);
    const int id = answer[0].small(0);
    remember(id, queue, tags);
    return id;
}

int Routes::intern(Transaction& tx, const std::string& queue, const std::vector<std::string>& tags) {
    if (const auto id = known(queue, tags)) return *id;
    const int id = tx.run("SELECT holdfast.intern_route($1, $2)", queue, tags)[0].small(0);
    tx.when_committed.push_back([=, this] { remember(id, queue, tags); });
    return id;
}

void Routes::remember(int id, const std::string& queue, const std::vector<std::string>& tags) {
    const std::lock_guard lock(mutex_);
    ids_[{queue, tags}] = id;
    routes_[id] = {id, queue, tags};
}

std::optional<int> Routes::known(const std::string& queue, const std::vector<std::string>& tags) {
    const std::lock_guard lock(mutex_);
    const auto found = ids_.find({queue, tags});
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

store::Route Routes::find(int id) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = routes_.find(id); found != routes_.end()) return found->second;
    }
    read_all();
    const std::lock_guard lock(mutex_);
    if (const auto found = routes_.find(id); found != routes_.end()) return found->second;
    throw store::Unusable(concat("the database names route ", id, ", which it does not have"));
}

ServedRoutes Routes::served(const Uuid& worker) {
    const std::lock_guard lock(mutex_);
    return served_[worker];
}

void Routes::refresh(const Uuid& worker) {
    read_all();
    const auto row = lane_.read("SELECT queues, tags FROM holdfast.worker WHERE id = $1", worker);
    if (row.empty()) return;
    ServedRoutes served{row[0].strings(0), row[0].strings(1), 0, {}};
    const std::lock_guard lock(mutex_);
    served.route_count = std::ssize(routes_);
    for (const auto& [id, route] : routes_)
        if (store::serves(served.queues, served.tags, route)) served.routes.push_back(id);
    served_[worker] = std::move(served);
}

void Routes::read_all() {
    const auto rows = lane_.read("SELECT id, queue, tags FROM holdfast.route");
    const std::lock_guard lock(mutex_);
    routes_.clear();
    for (const Row row : rows) {
        const int id = row.small(0);
        routes_[id] = {id, row.string(1), row.strings(2)};
        ids_[{row.string(1), row.strings(2)}] = id;
    }
}

}  // namespace holdfast::postgres
