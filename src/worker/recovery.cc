#include "holdfast/recovery.h"

#include "client/connect.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/system_random.h"

namespace holdfast {

namespace {

StaleTask to_public(const engine::StaleTask& stale) {
    return {.id = stale.lease.lease.task,
            .name = stale.lease.name,
            .state = stale.lease.started ? TaskState::Running : TaskState::Claimed,
            .lease = stale.lease.lease.lease,
            .worker = stale.lease.worker,
            .worker_name = stale.worker_name,
            .host = stale.hostname,
            .quiet_for = stale.quiet_for,
            .worker_is_alive = stale.worker_is_alive};
}

}  // namespace

class Recovery::Connection {
public:
    Connection(const std::string& url, std::string name)
        : store(client::connect({.url = url, .limits = {}, .create = false})), who(std::move(name)) {}

    const std::unique_ptr<store::RecoveryStore> store;
    const std::string who;
    platform::SystemRandom random;
};

Recovery::Recovery(const std::string& store_url, std::string who)
    : connection_(std::make_unique<Connection>(store_url, std::move(who))) {}
Recovery::~Recovery() = default;
Recovery::Recovery(Recovery&&) noexcept = default;
Recovery& Recovery::operator=(Recovery&&) noexcept = default;

std::vector<StaleTask> Recovery::stale_tasks(Duration threshold) {
    std::vector<StaleTask> found;
    for (const auto& stale : engine::find_stale(*connection_->store, threshold)) found.push_back(to_public(stale));
    return found;
}

RecoveryCounts Recovery::fail_stale_running(Duration threshold) {
    const auto answer = engine::fail_stale_running(*connection_->store, connection_->random,
                                                   {.threshold = threshold, .who = connection_->who});
    return {answer.settled, answer.asked};
}

RecoveryCounts Recovery::requeue_stale_claimed(Duration threshold) {
    const auto answer = engine::requeue_stale_claimed(*connection_->store, connection_->random,
                                                      {.threshold = threshold, .who = connection_->who});
    return {answer.settled, answer.asked};
}

}  // namespace holdfast
