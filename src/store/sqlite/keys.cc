#include "store/sqlite/keys.h"

#include "core/task/concurrency.h"
#include "store/admission.h"
#include "store/event_texts.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using core::KeyState;
using store::DeclareStatus;
using store::KeyRecord;

/// The queue whose limit counts for a key.
struct KeyOwner {
    std::string queue;  ///< empty: the key is declared shared
    std::string key;
};

KeyOwner owner_of(Database& db, std::int64_t route, const std::string& key) {
    auto row = db.query(
        R"sql(SELECT coalesce((SELECT queue FROM concurrency WHERE key = ?1 AND queue = ''),
              (SELECT queue FROM route WHERE id = ?2)))sql",
        key, route);
    row.step();
    return {row.string(0), key};
}

std::optional<KeyState> find_key(Database& db, const KeyOwner& owner) {
    const auto read = [](const Query& row) { return KeyState{.limit = row.small(0), .declared = row.boolean(1)}; };
    return db.first("SELECT max_slots, declared FROM concurrency WHERE key = ? AND queue = ?", read, owner.key,
                    owner.queue);
}

void put_key(Transaction& tx, const KeyOwner& owner, int limit, bool declared) {
    tx.db.run(
        R"sql(INSERT INTO concurrency (key, queue, max_slots, declared) VALUES (?1, ?2, ?3, ?4)
              ON CONFLICT (key, queue) DO UPDATE SET max_slots = ?3, declared = ?4)sql",
        owner.key, owner.queue, limit, declared);
}

/// Whether tasks of the queue with this key have not ended. The names are SQL. (CROSS JOIN keeps the order: one look
/// for each route of the queue, however many tasks other queues have with the key.)
#define HOLDFAST_KEY_IS_IN_USE(queue_name, key_name)                                                     \
    "(EXISTS (SELECT 1 FROM slot s WHERE s.key = " key_name " AND s.queue = " queue_name                 \
    ") OR EXISTS (SELECT 1 FROM route r CROSS JOIN ready x ON x.concurrency_key = " key_name             \
    " AND x.route_id = r.id WHERE r.queue = " queue_name                                                 \
    ") OR EXISTS (SELECT 1 FROM route r CROSS JOIN (VALUES ('future'), ('key'), ('overdue'), ('job')) y" \
    " CROSS JOIN waiting w ON w.concurrency_key = " key_name                                             \
    " AND w.why = y.column1 AND w.route_id = r.id WHERE r.queue = " queue_name "))"

bool is_in_use(Database& db, const KeyOwner& owner) {
    return db.number("SELECT " HOLDFAST_KEY_IS_IN_USE("?1", "?2"), owner.queue, owner.key) != 0;
}

Query slots_of(Database& db, const KeyOwner& owner) {
    if (owner.queue.empty()) return db.query("SELECT slot FROM slot WHERE key = ? ORDER BY slot", owner.key);
    return db.query("SELECT slot FROM slot WHERE key = ? AND queue = ? ORDER BY slot", owner.key, owner.queue);
}

struct UsedSlots {
    int count = 0;
    int lowest_free = 1;
};

UsedSlots used_slots(Database& db, const KeyOwner& owner) {
    UsedSlots used;
    for (auto rows = slots_of(db, owner); rows.step(); ++used.count)
        if (rows.small(0) == used.lowest_free) ++used.lowest_free;
    return used;
}

int limit_from_task(Database& db, const Uuid& task) {
    return db.first("SELECT coalesce(concurrency_limit, 1) FROM task WHERE id = ?", store::read_as<int>, task)
        .value_or(1);
}

bool serves(Database& db, std::int64_t route, const KeyOwner& owner) {
    return owner.queue.empty() || db.finds("SELECT 1 FROM route WHERE id = ? AND queue = ?", route, owner.queue);
}

void unpark(Transaction& tx, const KeyOwner& owner) {
    const auto key = find_key(tx.db, owner);
    const int free = (key ? key->limit : 1) - used_slots(tx.db, owner).count;
    if (free <= 0) return;
    // Of every route, because no worker may serve the route of the first task; those that come too late are parked
    // again.
    for (auto route = next_parked_route(tx.db, owner.key, 0); route;
         route = next_parked_route(tx.db, owner.key, *route)) {
        if (!serves(tx.db, *route, owner)) continue;
        for (const auto& task : parked_tasks(tx.db, owner.key, *route, free)) {
            remove_pending(tx, task);
            insert_ready(tx, task.task, task.position);
        }
    }
}

std::vector<std::string> queues_using(Database& db, const std::string& key) {
    return db.all("SELECT name FROM queue WHERE " HOLDFAST_KEY_IS_IN_USE("name", "?1") " ORDER BY name",
                  store::read_as<std::string>, key);
}

/// Every queue that uses the key gets a limit of its own.
void unshare(Transaction& tx, const std::string& key, int limit) {
    tx.db.run("DELETE FROM concurrency WHERE key = ? AND queue = ''", key);
    for (const auto& queue : queues_using(tx.db, key)) {
        put_key(tx, {queue, key}, limit, false);
        unpark(tx, KeyOwner{queue, key});
    }
    tx.brings_work = true;
}

}  // namespace

bool take_slot(Transaction& tx, const Position& position, const Uuid& task) {
    const auto owner = owner_of(tx.db, position.route, *position.key);
    auto key = find_key(tx.db, owner);
    if (!key) {
        key = KeyState{.limit = limit_from_task(tx.db, task)};
        put_key(tx, owner, key->limit, false);
    }
    const auto used = used_slots(tx.db, owner);
    if (used.count >= key->limit) return false;
    tx.db.run("INSERT INTO slot (key, queue, slot, task_id) SELECT ?1, queue, ?2, ?3 FROM route WHERE id = ?4",
              owner.key, used.lowest_free, task, position.route);
    return true;
}

void free_slot(Transaction& tx, const Position& position, const Uuid& task) {
    tx.db.run("DELETE FROM slot WHERE task_id = ?", task);
    tx.freed_keys.insert({position.route, *position.key});
}

void unpark(Transaction& tx, std::int64_t route, const std::string& key) {
    unpark(tx, owner_of(tx.db, route, key));
}

int settle_limit(Transaction& tx, std::int64_t route, const ConcurrencyKey& concurrency) {
    const auto owner = owner_of(tx.db, route, concurrency.key);
    auto key = find_key(tx.db, owner);
    const bool would_raise = key && !key->declared && concurrency.limit > key->limit;
    if (would_raise) key->in_use = is_in_use(tx.db, owner);
    const int limit = core::limit_in_force(key, concurrency.limit);
    if (!key || limit != key->limit) put_key(tx, owner, limit, false);
    return limit;
}

int find_limit(Database& db, std::int64_t route, const ConcurrencyKey& concurrency) {
    const auto key = find_key(db, owner_of(db, route, concurrency.key));
    return key ? key->limit : concurrency.limit;
}

void delete_idle_keys(Transaction& tx, std::size_t limit) {
    tx.db.run(
        "DELETE FROM concurrency WHERE (key, queue) IN (SELECT c.key, c.queue FROM concurrency c"
        " WHERE c.declared = 0 AND NOT " HOLDFAST_KEY_IS_IN_USE("c.queue", "c.key") " LIMIT ?)",
        limit);
}

std::vector<KeyRecord> SqliteStore::keys(const store::KeysParams& params) {
    const auto queues = store::encode_strings(params.queues);
    // A queue's own key means nothing while its name is declared shared.
    return work_.all(R"sql(SELECT c.key, c.queue, c.max_slots, c.declared,
                                  (SELECT count(*) FROM slot s
                                   WHERE s.key = c.key AND (c.queue = '' OR s.queue = c.queue)),
                                  (SELECT count(*) FROM waiting w JOIN route r ON r.id = w.route_id
                                   WHERE w.concurrency_key = c.key AND w.why = 'key'
                                     AND (c.queue = '' OR r.queue = c.queue))
                           FROM concurrency c
                           WHERE (?1 = '' OR c.key = ?1)
                             AND (?3 = '[]' OR c.queue IN (SELECT value FROM json_each(?3)))
                             AND (c.declared = 1 OR NOT EXISTS (SELECT 1 FROM concurrency o
                               WHERE o.key = c.key AND o.queue = ''))
                           ORDER BY c.declared DESC, c.key, c.queue LIMIT ?2)sql",
                     store::read_as<KeyRecord>, params.key, params.limit, queues);
}

DeclareStatus SqliteStore::declare_key(const core::KeyDeclaration& key, const std::string& who) {
    store::check_remark(who);
    store::check_key(key);
    return write([&](Transaction& tx) {
        const KeyOwner owner{key.queue, key.key};
        if (!key.is_shared() && find_key(tx.db, {"", key.key})) return DeclareStatus::IsShared;
        const auto old = find_key(tx.db, owner);
        const bool was_declared = old && old->declared;
        if (was_declared && old->limit == key.limit) return DeclareStatus::Unchanged;
        put_key(tx, owner, key.limit, true);
        if (key.is_shared()) tx.db.run("UPDATE concurrency SET declared = 0 WHERE key = ? AND queue <> ''", key.key);
        unpark(tx, owner);
        tx.brings_work = true;
        write_event(tx, store::key_declared_event(key, was_declared ? std::optional(old->limit) : std::nullopt, who));
        return was_declared ? DeclareStatus::Changed : DeclareStatus::New;
    });
}

bool SqliteStore::remove_key(const std::string& key, const std::string& queue, const std::string& who) {
    store::check_remark(who);
    store::check_key({.key = key, .queue = queue});
    return write([&](Transaction& tx) {
        const auto old = find_key(tx.db, {queue, key});
        if (!old || !old->declared) return false;
        if (queue.empty())
            unshare(tx, key, old->limit);
        else
            put_key(tx, {queue, key}, old->limit, false);
        write_event(tx, store::key_removed_event({.key = key, .queue = queue, .limit = old->limit}, who));
        return true;
    });
}

}  // namespace holdfast::sqlite
