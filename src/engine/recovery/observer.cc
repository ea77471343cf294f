#include "engine/recovery/observer.h"

#include "base/text.h"

namespace holdfast::engine {

void Observer::see(const store::LivenessView& view, const std::map<Uuid, Sight>& sights, Duration now) {
    const bool is_other_epoch = view.store_epoch != epoch_;
    const bool is_broken = !has_view_ || now - looked_at_ > longest_gap_ || is_other_epoch;
    std::map<Uuid, Known> before;
    before.swap(workers_);
    if (is_broken) {
        view_began_ = now;
        for (auto& [id, known] : before) known.beat_seen_at = now;
        for (auto& [id, known] : before) known.without_session_since.reset();
    }
    // A store that has gone back in time counts beats from a lower number.
    if (is_other_epoch)
        for (auto& [id, known] : before) known.beat_when_sighted.reset();
    has_view_ = true;
    epoch_ = view.store_epoch;
    looked_at_ = now;
    note_missing(view.unregistered, before, is_broken, now);
    for (const store::WorkerLiveness& worker : view.workers) {
        const auto found = before.find(worker.id);
        Known& known = workers_[worker.id];
        if (found != before.end()) known = std::move(found->second);
        const auto sight = sights.find(worker.id);
        const bool is_new = found == before.end();
        if (is_new) known.beat_seen_at = now;
        if (is_new) known.last = worker;
        note(known, worker, sight == sights.end() ? Sight{} : sight->second, now);
    }
}

void Observer::note_missing(const std::vector<Uuid>& ids, const std::map<Uuid, Known>& before, bool is_broken,
                            Duration now) {
    std::map<Uuid, Missing> missing;
    for (const Uuid& id : ids) {
        Missing& each = missing[id];
        const auto earlier = missing_.find(id);
        const auto row = before.find(id);
        if (earlier != missing_.end()) each = earlier->second;
        if (row != before.end())
            each = {.since = now,
                    .beat_interval = row->second.last.beat_interval,
                    .fence_after = row->second.last.fence_after};
        if (is_broken || earlier == missing_.end()) each.since = now;
    }
    missing_ = std::move(missing);
}

void Observer::note(Known& known, const store::WorkerLiveness& worker, const Sight& sight, Duration now) {
    // The view may have been read long before the sighting, so only beats after the first view since then count.
    if (known.sighted_at && !known.beat_when_sighted) known.beat_when_sighted = worker.beat;
    if (worker.beat != known.last.beat) note_beat(known, worker.beat, now);
    known.last = worker;
    const bool is_behind_server = worker.via == store::Via::Server;
    const bool without_session =
        is_behind_server ? worker.disconnected : worker.proves_session && !worker.session_held;
    if (!without_session) known.without_session_since.reset();
    if (without_session && !known.without_session_since) known.without_session_since = now;
    note_sight(known, sight, now);
}

void Observer::note_beat(Known& known, std::int64_t beat, Duration now) {
    known.beat_seen_at = now;
    known.without_session_since.reset();
    // One beat may have been under way when the worker died; a second one proves that it lives.
    if (known.beat_when_sighted && beat > *known.beat_when_sighted + 1) discredited_.insert(known.last.host.boot_id);
}

void Observer::note_sight(Known& known, const Sight& sight, Duration now) {
    const bool has_begun = known.last.beat > 0;  // before that its lock need not be held
    const bool counts = has_begun && core::is_certain(sight.evidence) && !is_discredited(known.last.host.boot_id);
    known.sight = counts ? sight : Sight{};
    if (counts && known.sighted_at) return;
    known.sighted_at = counts ? std::optional(now) : std::nullopt;
    known.beat_when_sighted.reset();
}

bool Observer::is_certain(const Known& known, Duration now) const {
    if (!known.sighted_at) return false;
    if (known.sight.stands_alone) return true;
    if (known.last.proves_session) return !known.last.session_held;
    return now - known.beat_seen_at > 2 * known.last.beat_interval;
}

core::WorkerSeen Observer::worker(const Uuid& id, Duration now) const {
    const Known& known = workers_.at(id);
    core::WorkerSeen seen{.evidence = core::Evidence::None,
                          .evidence_age = {},
                          .unbroken_view = unbroken_view(now),
                          .beat_interval = known.last.beat_interval,
                          .fence_after = known.last.fence_after};
    if (is_certain(known, now)) {
        seen.evidence = known.sight.evidence;
        seen.evidence_age = now - *known.sighted_at;
    } else if (known.without_session_since) {
        seen.evidence = core::Evidence::Disconnected;
        seen.evidence_age = now - *known.without_session_since;
    } else if (now - known.beat_seen_at > 2 * known.last.beat_interval) {
        seen.evidence = core::Evidence::Silent;
        seen.evidence_age = now - known.beat_seen_at;
    }
    return seen;
}

core::WorkerSeen Observer::unregistered(const Uuid& id, Duration now) const {
    const Missing& missing = missing_.at(id);
    return {.evidence = core::Evidence::Unregistered,
            .evidence_age = now - missing.since,
            .unbroken_view = unbroken_view(now),
            .beat_interval = missing.beat_interval,
            .fence_after = missing.fence_after};
}

std::string Observer::describe(const Uuid& id, Duration now) const {
    const core::WorkerSeen seen = worker(id, now);
    const Known& known = workers_.at(id);
    const std::string age = format_duration(std::chrono::floor<std::chrono::milliseconds>(seen.evidence_age));
    switch (seen.evidence) {
        case core::Evidence::None:
            return "alive";
        case core::Evidence::Silent:
            return concat("heartbeat is stale: last seen ",
                          std::chrono::floor<std::chrono::seconds>(seen.evidence_age).count(), " seconds ago");
        case core::Evidence::Disconnected:
            return concat("disconnected for ", age);
        case core::Evidence::Unregistered:
            return concat("without a row for ", age);
        case core::Evidence::Rebooted:
        case core::Evidence::Exited:
            return concat(word_of(seen.evidence), ": ", known.sight.how);
    }
    return "";
}

}  // namespace holdfast::engine
