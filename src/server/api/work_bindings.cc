#include "server/api/work_bindings.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::api {

namespace {

constexpr auto read_at_most_every = std::chrono::milliseconds(250);
constexpr std::string_view secret_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool may_use(const Caller& caller, const std::vector<std::string>& queues) {
    return std::ranges::all_of(queues, [&](const std::string& queue) { return caller.may_use_queue(queue); });
}

[[noreturn]] void refuse_secret(const Uuid& worker) {
    throw Problem("FORBIDDEN", concat("worker ", worker.to_string(),
                                      " was registered with another secret: a worker acts only for itself"));
}

}  // namespace

bool looks_like_worker_secret(std::string_view text) {
    constexpr std::string_view prefix = "hw_";
    if (!text.starts_with(prefix) || text.size() != prefix.size() + 43) return false;
    return text.find_first_not_of(secret_alphabet, prefix.size()) == std::string_view::npos;
}

std::optional<WorkBindings::Known> WorkBindings::find(const Uuid& worker) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(worker);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void WorkBindings::read(store::ClientStore& store) {
    {
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (read_at_ && now - *read_at_ < read_at_most_every) return;
        read_at_ = now;
    }
    std::map<Uuid, Known> known;
    for (const auto& record : store.workers())
        known[record.registration.id] = {record.registration.secret_hash, record.registration.queues};
    const std::lock_guard lock(mutex_);
    known_ = std::move(known);
}

std::optional<WorkBindings::Known> WorkBindings::find_or_read(store::ClientStore& store, const Uuid& worker,
                                                              const std::string& secret_hash) {
    auto known = find(worker);
    if (known && known->secret_hash == secret_hash) return known;
    read(store);
    return find(worker);
}

void WorkBindings::require(store::ClientStore& store, const Uuid& worker, const std::string& secret_hash,
                           const Caller& caller) {
    const auto known = find_or_read(store, worker, secret_hash);
    // To a token without its queues a worker does not exist.
    if (!known || !may_use(caller, known->queues))
        throw Problem("UNKNOWN_WORKER",
                      concat("no worker ", worker.to_string(), " is registered: register it, under the same id"));
    if (known->secret_hash != secret_hash) refuse_secret(worker);
}

void WorkBindings::require_registrable(store::ClientStore& store, const store::WorkerRegistration& worker,
                                       const Caller& caller) {
    for (const std::string& queue : worker.queues) caller.require_queue(queue);
    // Read anew: a memory of a worker that was removed since must not keep it from coming back, and another server
    // may have registered it.
    std::optional<Known> known;
    for (const auto& record : store.workers())
        if (record.registration.id == worker.id)
            known = Known{record.registration.secret_hash, record.registration.queues};
    if (known && known->secret_hash != worker.secret_hash) refuse_secret(worker.id);
    const std::lock_guard lock(mutex_);
    known_[worker.id] = {worker.secret_hash, worker.queues};
}

}  // namespace holdfast::api
