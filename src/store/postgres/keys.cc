#include "store/admission.h"
#include "store/event_texts.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::DeclareStatus;
using store::KeyRecord;

/// What is there before a declaration, and forbids it or makes it needless; nullopt: neither.
std::optional<DeclareStatus> settled_before(Transaction& tx, const core::KeyDeclaration& key) {
    const auto rows = tx.run(
        R"sql(SELECT c.queue, c.max_slots FROM holdfast.concurrency c
              WHERE c.key = $1 AND c.queue IN ('', $2) AND c.declared ORDER BY c.queue LIMIT 1)sql",
        key.key, key.queue);
    if (rows.empty()) return std::nullopt;
    if (rows[0].text(0) != key.queue) return DeclareStatus::IsShared;
    if (rows[0].small(1) == key.limit) return DeclareStatus::Unchanged;
    return std::nullopt;
}

/// Returns the limit that was declared before; nullopt: none was.
std::optional<int> put_declaration(Transaction& tx, const core::KeyDeclaration& key) {
    const auto old = tx.run(
        R"sql(SELECT c.max_slots FROM holdfast.concurrency c WHERE c.key = $1 AND c.queue = $2 AND c.declared
              FOR NO KEY UPDATE)sql",
        key.key, key.queue);
    tx.run(
        R"sql(INSERT INTO holdfast.concurrency (key, queue, max_slots, declared) VALUES ($1, $2, $3, true)
              ON CONFLICT (key, queue) DO UPDATE SET max_slots = $3, declared = true)sql",
        key.key, key.queue, key.limit);
    if (key.is_shared())
        tx.run("UPDATE holdfast.concurrency SET declared = false WHERE key = $1 AND queue <> '' AND declared",
               key.key);
    tx.run("SELECT holdfast.unpark_owned(ARRAY[$1], ARRAY[$2])", key.queue, key.key);
    return old.empty() ? std::nullopt : std::optional(old[0].small(0));
}

/// Every queue that uses the key gets a limit of its own. Returns the limit that was shared; nullopt: none was.
std::optional<int> unshare(Transaction& tx, const std::string& key) {
    tx.run("SELECT holdfast.change_sharing()");
    const auto shared =
        tx.run("DELETE FROM holdfast.concurrency WHERE key = $1 AND queue = '' RETURNING max_slots", key);
    if (shared.empty()) return std::nullopt;
    const auto queues = tx.run(
        R"sql(INSERT INTO holdfast.concurrency (key, queue, max_slots, declared)
              SELECT $1, q.name, $2, false FROM holdfast.queue q WHERE holdfast.key_in_use(q.name, $1, '{}')
              ORDER BY q.name ON CONFLICT (key, queue) DO UPDATE SET max_slots = excluded.max_slots
              RETURNING queue)sql",
        key, shared[0].small(0));
    for (const Row row : queues) tx.run("SELECT holdfast.unpark_owned(ARRAY[$1], ARRAY[$2])", row.text(0), key);
    return shared[0].small(0);
}

/// The limit follows the submits again. Returns it; nullopt: it was not declared.
std::optional<int> undeclare(Transaction& tx, const std::string& key, const std::string& queue) {
    const auto rows = tx.run(
        R"sql(UPDATE holdfast.concurrency SET declared = false WHERE key = $1 AND queue = $2 AND declared
              RETURNING max_slots)sql",
        key, queue);
    return rows.empty() ? std::nullopt : std::optional(rows[0].small(0));
}

}  // namespace

std::vector<KeyRecord> PostgresStore::keys(const store::KeysParams& params) {
    // A queue's own key means nothing while its name is declared shared.
    return work_.all(
        R"sql(SELECT c.key, c.queue, c.max_slots, c.declared,
                     (SELECT count(*) FROM holdfast.slot s
                      WHERE s.key = c.key AND (c.queue = '' OR s.queue = c.queue)),
                     (SELECT count(*) FROM holdfast.waiting w JOIN holdfast.route r ON r.id = w.route_id
                      WHERE w.concurrency_key = c.key AND w.why = 'key' AND (c.queue = '' OR r.queue = c.queue))
              FROM holdfast.concurrency c
              WHERE ($1 = '' OR c.key = $1) AND (cardinality($3::text[]) = 0 OR c.queue = ANY ($3))
                AND (c.declared OR NOT EXISTS (SELECT FROM holdfast.concurrency o
                  WHERE o.key = c.key AND o.queue = ''))
              ORDER BY c.declared DESC, c.key, c.queue LIMIT $2)sql",
        store::read_as<KeyRecord>, params.key, params.limit, params.queues);
}

DeclareStatus PostgresStore::declare_key(const core::KeyDeclaration& key, const std::string& who) {
    store::check_remark(who);
    store::check_key(key);
    return transact([&](Transaction& tx) {
        if (const auto settled = settled_before(tx, key)) return *settled;
        tx.run(key.is_shared() ? Sql("SELECT holdfast.change_sharing()") : Sql("SELECT holdfast.keep_sharing()"));
        if (const auto settled = settled_before(tx, key)) return *settled;  // while this waited
        const auto before = put_declaration(tx, key);
        tx.brings_work = true;
        write_events(tx, {store::key_declared_event(key, before, who)});
        return before ? DeclareStatus::Changed : DeclareStatus::New;
    });
}

bool PostgresStore::remove_key(const std::string& key, const std::string& queue, const std::string& who) {
    store::check_remark(who);
    store::check_key({.key = key, .queue = queue});
    return transact([&](Transaction& tx) {
        const auto limit = queue.empty() ? unshare(tx, key) : undeclare(tx, key, queue);
        if (!limit) return false;
        tx.brings_work = true;
        write_events(tx, {store::key_removed_event({.key = key, .queue = queue, .limit = *limit}, who)});
        return true;
    });
}

}  // namespace holdfast::postgres
