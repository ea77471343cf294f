#include "views/why_waiting.h"

#include <algorithm>
#include <map>

#include "base/assert.h"
#include "base/text.h"
#include "store/route_match.h"

namespace holdfast::engine {

namespace {

using Workers = std::vector<store::WorkerRecord>;

std::string rounded(Duration length) {
    return format_duration(std::chrono::floor<std::chrono::seconds>(length));
}

std::string wanted(const store::NewTask& task) {
    return concat("queue ", task.queue, ", tags [", join(task.tags, ", "), "]");
}

template <typename Claim>
Workers only(const Workers& workers, Claim claim) {
    Workers found;
    std::ranges::copy_if(workers, std::back_inserter(found), claim);
    return found;
}

template <typename TextOf>
std::vector<std::string> texts_of(const Workers& workers, TextOf text_of) {
    std::vector<std::string> texts;
    std::ranges::transform(workers, std::back_inserter(texts), text_of);
    return texts;
}

std::string name_of(const store::WorkerRecord& worker) {
    return worker.registration.name;
}

bool is_open(const store::WorkerRecord& worker) {
    return worker.status == store::WorkerStatus::Active && !worker.cordoned && !worker.drain_requested;
}

bool is_full(const store::WorkerRecord& worker) {
    return std::ssize(worker.held) >= worker.registration.capacity;
}

bool is_fresh(const store::WorkerRecord& worker, Duration stale_after) {
    return worker.last_heartbeat &&
           worker.seconds_ago <= std::max(stale_after, 3 * worker.registration.beat_interval);
}

std::string age_of(const store::WorkerRecord& worker) {
    if (!worker.last_heartbeat) return concat(worker.registration.name, " has sent no heartbeat");
    return concat(worker.registration.name, " sent a heartbeat ", rounded(worker.seconds_ago), " ago");
}

std::string load_of(const store::WorkerRecord& worker) {
    return concat(worker.registration.name, " ", worker.held.size(), "/", worker.registration.capacity);
}

/// The reason with a sentence that ends in a text about each worker.
template <typename TextOf>
WhyWaiting because_of(const Workers& workers, Obstacle obstacle, std::string_view sentence, TextOf text_of) {
    return {obstacle, concat(sentence, ": ", join(texts_of(workers, text_of), ", ")), texts_of(workers, name_of)};
}

/// The latest worker of each name: every start of a worker creates a new row.
Workers last_of_each_name(const Workers& workers) {
    std::map<std::string, store::WorkerRecord> last;
    for (const auto& worker : workers) {
        const auto [known, is_new] = last.try_emplace(worker.registration.name, worker);
        if (!is_new && known->second.number < worker.number) known->second = worker;
    }
    Workers found;
    for (auto& [name, worker] : last) found.push_back(std::move(worker));
    return found;
}

WhyWaiting for_worker(const WaitingFacts& facts) {
    const store::NewTask& task = facts.task.task;
    const Workers matching = only(facts.workers, [&](const store::WorkerRecord& worker) {
        return store::serves(worker.registration.queues, worker.registration.tags, {0, task.queue, task.tags});
    });
    const std::string needs = wanted(task);
    if (matching.empty()) return {Obstacle::NoWorker, concat("waits for a worker: none has ", needs)};
    const Workers able =
        only(matching, [](const auto& worker) { return worker.status != store::WorkerStatus::Inactive; });
    if (able.empty())
        return because_of(last_of_each_name(matching), Obstacle::WorkerAway,
                          concat("waits for a worker with ", needs, " to come back"), age_of);
    const Workers fresh = only(able, [&](const auto& worker) { return is_fresh(worker, facts.stale_after); });
    if (fresh.empty())
        return because_of(able, Obstacle::NoFreshWorker,
                          concat("waits for a worker: No workers with fresh heartbeats available (", needs, ")"),
                          age_of);
    const Workers open = only(fresh, is_open);
    if (open.empty())
        return because_of(fresh, Obstacle::NoOpenWorker,
                          concat("waits for a worker: those with ", needs, " are cordoned or draining"), name_of);
    if (std::ranges::all_of(open, is_full))
        return because_of(open, Obstacle::Busy,
                          concat("waits for a free worker slot: all workers with ", needs, " are busy"), load_of);
    return because_of(open, Obstacle::Nothing, concat("is about to be claimed by a worker with ", needs), name_of);
}

WhyWaiting for_time(const WaitingFacts& facts) {
    const core::History& history = facts.task.history;
    const Timestamp due = facts.task.task.run_at.value_or(facts.now);
    const std::string when =
        due <= facts.now ? "is due"
                         : concat("waits until ", format_timestamp(due), " (in ", rounded(due - facts.now), ")");
    if (history == core::History{}) return {Obstacle::Future, when};
    return {Obstacle::Backoff, concat(when, " before it is tried again: ", history.attempts, " attempts, ",
                                      history.crashes, " crashes, ", history.requeues, " requeues so far")};
}

/// Whether the key of the task is full. A claim detects this only after it has selected the task.
bool key_is_full(const WaitingFacts& facts) {
    return facts.task.task.concurrency && std::ssize(facts.key_holders) >= facts.key_limit;
}

WhyWaiting for_key(const WaitingFacts& facts) {
    const ConcurrencyKey key = facts.task.task.concurrency.value_or(ConcurrencyKey{});
    std::vector<std::string> holders;
    for (const Uuid& task : facts.key_holders) holders.push_back(task.to_string());
    return {Obstacle::Key,
            concat("waits for one of the ", facts.key_limit, " slot(s) of the concurrency key '", key.key,
                   "', held by ", holders.empty() ? "no task any more" : join(holders, ", ")),
            {},
            facts.key_holders};
}

// ---- The facts ----------------------------------------------------------------------------------------------------

/// The declaration that applies to the task's key: that of its queue, or the shared one.
core::KeyDeclaration key_in_force(store::ClientStore& store, const store::NewTask& task) {
    core::KeyDeclaration found{task.concurrency->key, task.queue, task.concurrency->limit};
    for (const auto& record : store.keys({.key = task.concurrency->key})) {
        if (record.key.is_shared()) return record.key;
        if (record.key.queue == task.queue) found = record.key;
    }
    return found;
}

std::vector<Uuid> tasks_with_key(store::ClientStore& store, const std::vector<Uuid>& tasks,
                                 const core::KeyDeclaration& key) {
    std::vector<Uuid> holders;
    for (const auto& record : store.find(tasks))
        if (record && record->task.concurrency && record->task.concurrency->key == key.key &&
            (key.is_shared() || record->task.queue == key.queue))
            holders.push_back(record->task.id);
    return holders;
}

std::vector<Uuid> holders_of(store::Store& store, const core::KeyDeclaration& key) {
    std::vector<Uuid> holders;
    std::optional<Uuid> after;
    while (true) {
        const auto leases = store.leases({.worker = std::nullopt, .after = after, .limit = store::max_batch_rows});
        std::vector<Uuid> with_keys;
        for (const store::LeaseRecord& lease : leases)
            if (lease.holds_key) with_keys.push_back(lease.lease.task);
        const auto found = tasks_with_key(store, with_keys, key);
        holders.insert(holders.end(), found.begin(), found.end());
        if (leases.size() < store::max_batch_rows) return holders;
        after = leases.back().lease.task;
    }
}

bool is_paused(store::ClientStore& store, const std::string& name) {
    return std::ranges::any_of(store.queues(), [&](const auto& queue) { return queue.name == name && queue.paused; });
}

}  // namespace

WhyWaiting why_waiting(const WaitingFacts& facts) {
    switch (facts.task.waits_for) {
        case store::WaitReason::Overdue:
            return {Obstacle::Overdue, "its deadline has passed; it is about to be EXPIRED"};
        case store::WaitReason::Future:
            return for_time(facts);
        case store::WaitReason::Key:
            return for_key(facts);
        case store::WaitReason::Job:
            return {Obstacle::Paused, "waits, because its job is paused: 'holdfast jobs resume' lets it go on"};
        case store::WaitReason::None:
            if (key_is_full(facts)) return for_key(facts);
            if (!facts.queue_is_paused) return for_worker(facts);
            return {Obstacle::Paused,
                    concat("waits, because queue ", facts.task.task.queue, " is paused: 'holdfast queues resume ",
                           facts.task.task.queue, "' opens it")};
    }
    HOLDFAST_ASSERT(false);
}

WaitingFacts waiting_facts(store::Store& store, const store::TaskRecord& task, Duration stale_after) {
    WaitingFacts facts;
    facts.task = task;
    facts.now = store.now();
    facts.stale_after = stale_after;
    if (task.task.concurrency) {
        const auto key = key_in_force(store, task.task);
        facts.key_limit = key.limit;
        facts.key_holders = holders_of(store, key);
    }
    if (task.waits_for != store::WaitReason::None) return facts;
    facts.queue_is_paused = is_paused(store, task.task.queue);
    facts.workers = store.workers();
    return facts;
}

}  // namespace holdfast::engine
