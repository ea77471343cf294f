#include "server/process/history_metrics.h"

#include <nlohmann/json.hpp>

#include "core/incarnation.h"
#include "core/task/verdict.h"

namespace holdfast::server {

namespace {

/// A transaction sets the timestamps of its rows before it commits, so younger rows may still be invisible.
constexpr Duration commit_lag = std::chrono::seconds(3);

/// Returns the evidence of a verdict and its age in seconds; nullopt when the event is not a verdict.
std::optional<std::pair<std::string, double>> verdict_in(const store::EventRecord& event) {
    if (event.task.is_nil()) return std::nullopt;
    const auto data = nlohmann::json::parse(event.data, nullptr, /*allow_exceptions=*/false);
    if (!data.is_object() || !data.contains("evidence") || !data["evidence"].is_string()) return std::nullopt;
    return std::pair(data["evidence"].get<std::string>(),
                     data.value("age_ms", nlohmann::json(0)).is_number() ? data.value("age_ms", 0.0) / 1000 : 0.0);
}

}  // namespace

HistoryMetrics::HistoryMetrics() {
    // Start every series at zero, so that the first event shows as an increase.
    for (const core::Evidence evidence :
         {core::Evidence::Silent, core::Evidence::Unregistered, core::Evidence::Disconnected,
          core::Evidence::Rebooted, core::Evidence::Exited})
        for (const char* outcome : {"requeued", "failed"})
            verdicts_.Add({{"evidence", std::string(word_of(evidence))}, {"outcome", outcome}});
}

void HistoryMetrics::read(store::Store& store) {
    if (!has_begun_) return begin(store);
    count_ended(store);
    for (const store::EventRecord& event : history_.read(store)) count(event);
    count_beats(store);
}

/// The task names that end most often at this time get a label of their own.
void HistoryMetrics::begin(store::Store& store) {
    ended_until_ = store.now() - commit_lag;
    history_.begin_now(store);
    last_lease_ = store.ended_tasks(ended_until_, ended_until_).last_lease;
    for (const store::NameStats& name : store.stats({}).names) (void)names_.bounded(name.name);
    for (const store::WorkerRecord& worker : store.workers()) beats_of_[worker.registration.id] = worker.beat;
    has_begun_ = true;
}

void HistoryMetrics::count_ended(store::Store& store) {
    const Timestamp until = store.now() - commit_lag;
    if (until <= ended_until_) return;
    const store::EndedTasks ended = store.ended_tasks(ended_until_, until);
    ended_until_ = until;
    for (const store::EndedTask& task : ended.tasks) count(task);
    claims_.Increment(static_cast<double>(core::leases_between(last_lease_, ended.last_lease)));
    last_lease_ = std::max(last_lease_, ended.last_lease);
}

void HistoryMetrics::count(const store::EndedTask& task) {
    const std::string queue = queues_.bounded(task.queue);
    ended_.Add({{"state", std::string(to_text(task.state))}, {"queue", queue}, {"name", names_.bounded(task.name)}})
        .Increment();
    if (!task.started_at) return;
    const auto observe = [&](Histograms& family, Duration length) {
        family.Add({{"queue", queue}}, long_buckets).Observe(in_seconds(std::max(length, Duration::zero())));
    };
    observe(wait_, *task.started_at - task.run_at);
    observe(run_, task.finished_at - *task.started_at);
}

void HistoryMetrics::count(const store::EventRecord& event) {
    events_.Add({{"kind", kinds_.bounded(event.kind)}}).Increment();
    if (event.kind == "late_result_refused") late_results_.Increment();
    const bool may_be_verdict = event.kind == "requeued" || event.kind == "failed" || event.kind == "cancelled";
    if (!may_be_verdict) return;
    if (const auto verdict = verdict_in(event)) {
        verdicts_.Add({{"evidence", verdict->first}, {"outcome", event.kind}}).Increment();
        recovery_.Observe(verdict->second);
    }
}

void HistoryMetrics::count_beats(store::ClientStore& store) {
    std::map<Uuid, std::int64_t> seen;
    for (const store::WorkerRecord& worker : store.workers()) {
        const std::int64_t before = beats_of_[worker.registration.id];
        beats_.Increment(static_cast<double>(core::beats_between(before, worker.beat)));
        seen[worker.registration.id] = worker.beat;
    }
    beats_of_ = std::move(seen);
}

}  // namespace holdfast::server
