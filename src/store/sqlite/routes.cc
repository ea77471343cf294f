#include "store/sqlite/routes.h"

#include "base/text.h"
#include "store/encoding.h"
#include "store/errors.h"

namespace holdfast::sqlite {

std::int64_t Routes::intern(Transaction& tx, const std::string& queue, const std::vector<std::string>& tags) {
    const std::pair key(queue, store::encode_strings(tags));
    if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
    read_new(tx.db);
    if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
    tx.db.run("INSERT INTO route (queue, tags) VALUES (?, ?)", key.first, key.second);
    tx.db.run("INSERT INTO queue (name) VALUES (?) ON CONFLICT DO NOTHING", queue);
    read_new(tx.db);
    return ids_.at(key);
}

const store::Route& Routes::find(Database& db, std::int64_t id) {
    if (!routes_.contains(id)) read_new(db);
    const auto found = routes_.find(id);
    if (found == routes_.end())
        throw store::Unusable(concat("the database names route ", id, ", which it does not have"));
    return found->second;
}

std::vector<std::int64_t> Routes::served(Database& db, const Uuid& worker, std::string_view queues,
                                         std::string_view tags) {
    read_new(db);
    const auto newest = routes_.empty() ? 0 : routes_.rbegin()->first;
    auto& known = served_[worker];
    if (known.newest_route == newest && known.queues == queues && known.tags == tags) return known.routes;
    known = {std::string(queues), std::string(tags), newest, {}};
    const auto worker_queues = store::decode_strings(queues), worker_tags = store::decode_strings(tags);
    for (const auto& [id, route] : routes_)
        if (store::serves(worker_queues, worker_tags, route)) known.routes.push_back(id);
    return known.routes;
}

void Routes::forget() {
    routes_.clear();
    ids_.clear();
    served_.clear();
}

void Routes::read_new(Database& db) {
    auto rows = db.query("SELECT id, queue, tags FROM route WHERE id > ? ORDER BY id",
                         routes_.empty() ? std::int64_t{0} : routes_.rbegin()->first);
    while (rows.step()) {
        const auto id = rows.integer(0);
        ids_[{rows.string(1), rows.string(2)}] = id;
        routes_[id] = {id, rows.string(1), store::decode_strings(rows.text(2))};
    }
}

}  // namespace holdfast::sqlite
