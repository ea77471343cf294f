#include "base/text.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"
#include "store/route_match.h"

namespace holdfast::sim {

namespace {

/// A second until the retry, and the longest time of three calls in a row that are not slow.
constexpr Duration slowest_beat = std::chrono::seconds(5);

bool rests_on(const std::string& evidence, std::string_view kind) {
    return evidence.find(concat(R"("evidence":")", kind, "\"")) != std::string::npos;
}

}  // namespace

std::string Witness::name_of_worker(const Uuid& worker) const {
    const auto found = world_.workers.find(worker);
    return found == world_.workers.end() ? worker.to_string() : found->second.process;
}

std::string Witness::key_of(const Process& process) {
    return concat(process.name(), "/", process.start_time());
}

/// A worker that nothing hinders beats at its declared interval, also right after the store was unreachable.
void Witness::beat_came(Process& process, const store::BeatParams& params, const store::BeatAnswer& answer) {
    if (answer.known && params.acknowledged.rank > 0 && answer.rank == params.acknowledged.rank &&
        answer.beat <= params.acknowledged.number)
        complain("Going back", concat(process.name(), " was told that this is its beat ", answer.beat,
                                      ", after beat ", params.acknowledged.number, " of the same history"));
    const auto found = world_.workers.find(params.worker);
    if (found == world_.workers.end()) return;
    const Duration waited = world_.timeline.now() - std::max(found->second.last_beat, process.hindered_until());
    if (waited > world_.plan.beat_interval + slowest_beat)
        complain("Beats", concat(process.name(), " beats for the first time in ", format_duration(waited),
                                 ", though nothing has hindered it"));
    found->second.last_beat = world_.timeline.now();
}

void Witness::registered(const Uuid& worker) {
    const auto found = world_.workers.find(worker);
    if (found == world_.workers.end()) return;
    found->second.registered_at = world_.timeline.now();
    found->second.forgotten_at.reset();
}

void Witness::looked(Process& process) {
    auto& looks = looks_[key_of(process)];
    looks.push_back(process.monotonic());
    if (looks.size() > 1000) looks.pop_front();
}

void Witness::lost_sight(Process& process) {
    looks_[key_of(process)].clear();
}

std::vector<Duration> Witness::unbroken_looks(const Process& process) const {
    const auto found = looks_.find(key_of(process));
    if (found == looks_.end() || found->second.empty()) return {};
    const Duration longest_gap = world_.plan.sweep.thresholds.worker_stale / 3;
    const std::deque<Duration>& looks = found->second;
    auto began = looks.end() - 1;
    while (began != looks.begin() && *began - *(began - 1) <= longest_gap) --began;
    return {began, looks.end()};
}

/// For how long the process has looked without a gap that breaks its view.
Duration Witness::unbroken_view(const Process& process) const {
    const auto looks = unbroken_looks(process);
    return looks.empty() ? Duration::zero() : looks.back() - looks.front();
}

void Witness::check_mark(Process& process, const Change& change) {
    for (const Uuid& worker : change.marked_lost) {
        const auto found = world_.workers.find(worker);
        if (found == world_.workers.end()) continue;
        const TrueWorker& truth = found->second;
        const std::string text = concat(process.name(), " has given up ", truth.process, " (", change.evidence, ")");
        if (truth.process == process.name() && truth.is_alive) complain("P6", concat(text, ", which is itself"));
        const bool is_certain = rests_on(change.evidence, "exited") || rests_on(change.evidence, "rebooted");
        if (is_certain && truth.is_alive) complain("P6", concat(text, ", which is alive"));
        if (!rests_on(change.evidence, "silent")) continue;
        const Duration required = std::max(world_.plan.sweep.thresholds.worker_stale, 3 * world_.plan.beat_interval);
        if (world_.timeline.now() - truth.last_beat <= required)
            complain("P6", concat(text, ", whose last beat came ",
                                  format_duration(world_.timeline.now() - truth.last_beat), " ago"));
        if (unbroken_view(process) <= required)
            complain("P6", concat(text, ", but has looked for no longer than ",
                                  format_duration(unbroken_view(process)), " without a gap"));
    }
}

void Witness::check_verdict(Process& process, const LeaseSight& lease, const Change::End& end) {
    const auto found = world_.workers.find(lease.worker);
    if (found == world_.workers.end()) return;
    const TrueWorker& truth = found->second;
    const core::Thresholds& thresholds = world_.plan.sweep.thresholds;
    const std::string text = concat(process.name(), " ended ", world_.ledger.name_of(lease.lease.task), "#",
                                    lease.lease.lease, " of ", truth.process, " (", end.evidence, ")");
    const Duration silence = world_.timeline.now() - truth.last_beat;
    if ((rests_on(end.evidence, "exited") || rests_on(end.evidence, "rebooted")) && truth.is_alive)
        complain("P6", concat(text, ", which is alive"));
    if (rests_on(end.evidence, "silent")) {
        const Duration required = std::max(thresholds.worker_stale, 3 * world_.plan.beat_interval);
        if (silence <= required) complain("P6", concat(text, ", which beat ", format_duration(silence), " ago"));
        if (unbroken_view(process) <= required) complain("P6", concat(text, ", without an unbroken view"));
    }
    if (rests_on(end.evidence, "unregistered")) check_unregistered(process, truth, text);
    if (end.code == error_code::task_timeout) check_timeout(lease, text);
    if (!rests_on(end.evidence, "none")) return;
    const Duration threshold = lease.started ? thresholds.running_stale : thresholds.claimed_stale;
    if (world_.timeline.now() - appeared_[lease.lease.lease] <= threshold)
        complain("P6", concat(text, ", which has been held for no longer than its threshold"));
    if (unbroken_view(process) <= threshold) complain("P6", concat(text, ", without an unbroken view"));
    const TrueRun* run = world_.ledger.run_of(lease.lease.lease, lease.worker);
    if (run != nullptr && !run->ended_at && !run->is_suspended && truth.is_alive &&
        world_.timeline.now() - run->last_sign < threshold / 2)
        complain("P6", concat(text, ", whose run gave a sign of life ",
                              format_duration(world_.timeline.now() - run->last_sign), " ago"));
}

/// Its row must have been gone, without a new registration, for as long as the threshold for silence.
void Witness::check_unregistered(Process& process, const TrueWorker& truth, const std::string& text) {
    const Duration required = world_.plan.sweep.thresholds.worker_stale;
    if (truth.process == process.name() && truth.is_alive) complain("P6", concat(text, ", which is itself"));
    if (truth.forgotten_at && world_.timeline.now() - *truth.forgotten_at <= required)
        complain("P6", concat(text, ", whose row was deleted ",
                              format_duration(world_.timeline.now() - *truth.forgotten_at), " ago"));
    if (unbroken_view(process) <= required) complain("P6", concat(text, ", without an unbroken view"));
}

void Witness::check_timeout(const LeaseSight& lease, const std::string& text) {
    const TrueTask* task = world_.ledger.find(lease.lease.task);
    const Duration held_for = world_.timeline.now() - appeared_[lease.lease.lease];
    if (task != nullptr && held_for <= task->task.policy.timeout.value_or(held_for))
        complain("P6", concat(text, ", which has been held for no longer than its timeout"));
}

/// Every worker that the store knew while this sweep lasted was seen by it.
void Witness::check_nobody_is_known(Process& process, const TrueTask& task) {
    if (!reader_.open(world_.disk)) return;
    for (const WorkerSight& row : reader_.workers()) {
        const auto worker = world_.workers.find(row.id);
        if (worker == world_.workers.end() || !worker->second.registered_at) continue;
        const bool was_there = *worker->second.registered_at < sweep_began(process);
        if (was_there && store::serves(row.queues, row.tags, {0, task.task.queue, task.task.tags}))
            complain("Policy", concat(process.name(), " rejected ", task.name, ", though ", worker->second.process,
                                      " is known and can run it"));
    }
}

void Witness::rejected(Process& process, const Uuid& task) {
    TrueTask* known = world_.ledger.find(task);
    if (known == nullptr) return;
    if (known->task.policy.unmatched == Unmatched::Wait)
        complain("Policy", concat(process.name(), " rejected ", known->name, ", which is to wait"));
    if (known->task.policy.unmatched == Unmatched::Auto) check_nobody_is_known(process, *known);
    if (unbroken_view(process) < world_.plan.sweep.unmatched_grace)
        complain("P6", concat(process.name(), " rejected ", known->name, " without an unbroken view"));
}

/// At once with certain evidence, else after the thresholds; a verdict that could not be written is tried again after
/// 5 min.
void Witness::check_owners(Duration calm_since) {
    const core::Thresholds& thresholds = world_.plan.sweep.thresholds;
    const Duration now = world_.timeline.now();
    for (const auto& [task, lease] : picture_) {
        const auto owner = world_.workers.find(lease.worker);
        if (owner == world_.workers.end() || owner->second.is_alive) continue;
        const TrueTask* known = world_.ledger.find(task);
        const bool waits_long = known != nullptr && known->task.policy.fence == Fence::Continue;
        const Duration bound = std::chrono::minutes(5) + 2 * thresholds.worker_stale + std::chrono::seconds(30) +
                               (waits_long ? thresholds.running_stale : Duration::zero()) +
                               (owner->second.forgotten_at ? core::longest_fence : Duration::zero());
        if (now - calm_since > bound && now - owner->second.died_at > bound)
            complain("P2", concat(world_.ledger.name_of(task), "#", lease.lease.lease, " is still held by ",
                                  owner->second.process, ", which died ",
                                  format_duration(now - owner->second.died_at), " ago"));
    }
}

}  // namespace holdfast::sim
