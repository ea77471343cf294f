#include "server/process/store_gauges.h"

#include <functional>
#include <map>

#include "server/process/own_metrics.h"
#include "server/process/replica_keeper.h"
#include "views/worker.h"

namespace holdfast::server {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

constexpr std::size_t most_queues_shown = 100;

/// Collects the values of a gauge with labels.
class GaugeFamily {
public:
    GaugeFamily(const char* name, const char* help)
        : family_{.name = name, .help = help, .type = prometheus::MetricType::Gauge, .metric = {}} {}

    GaugeFamily& add(std::vector<ClientMetric::Label> labels, double value) {
        ClientMetric metric;
        metric.label = std::move(labels);
        metric.gauge.value = value;
        family_.metric.push_back(std::move(metric));
        return *this;
    }
    template <typename Number>
    GaugeFamily& add(const char* label, const std::string& of, Number value) {
        return add({{label, of}}, static_cast<double>(value));
    }
    explicit operator MetricFamily() const { return family_; }

private:
    MetricFamily family_;
};

using Families = std::vector<MetricFamily>;

void add_tasks(store::ClientStore& store, Families& families) {
    const store::TaskCounts counts = store.count();
    families.emplace_back(GaugeFamily("holdfast_tasks", "Tasks in the store, by state")
                              .add("state", "PENDING", counts.pending)
                              .add("state", "CLAIMED", counts.claimed)
                              .add("state", "RUNNING", counts.running)
                              .add("state", "COMPLETED", counts.completed)
                              .add("state", "FAILED", counts.failed)
                              .add("state", "CANCELLED", counts.cancelled)
                              .add("state", "EXPIRED", counts.expired));
}

void add_jobs(store::ServerStore& store, Families& families) {
    const store::JobCounts counts = store.count_jobs();
    families.emplace_back(GaugeFamily("holdfast_jobs", "Jobs in the store, by state")
                              .add("state", "PENDING", counts.pending)
                              .add("state", "RUNNING", counts.running)
                              .add("state", "PAUSED", counts.paused)
                              .add("state", "COMPLETED", counts.completed)
                              .add("state", "FAILED", counts.failed)
                              .add("state", "CANCELLED", counts.cancelled));
}

/// The queues with the most tasks get their own label; the rest are summed up as "other".
void add_queues(store::ClientStore& store, Families& families) {
    auto queues = store.queues();
    std::sort(queues.begin(), queues.end(), [](const store::QueueRecord& one, const store::QueueRecord& other) {
        return one.pending + one.in_flight > other.pending + other.in_flight;
    });
    GaugeFamily tasks("holdfast_queue_tasks", "Tasks that have not ended, by queue and by whether a worker has them");
    GaugeFamily paused("holdfast_queue_paused", "1: nothing is given out from the queue");
    store::QueueRecord other{.name = "other"};
    for (std::size_t at = 0; at < queues.size(); ++at) {
        const store::QueueRecord& queue = queues[at];
        other.pending += at < most_queues_shown ? 0 : queue.pending;
        other.in_flight += at < most_queues_shown ? 0 : queue.in_flight;
        if (at >= most_queues_shown) continue;
        tasks.add({{"queue", queue.name}, {"place", "waiting"}}, static_cast<double>(queue.pending));
        tasks.add({{"queue", queue.name}, {"place", "in_flight"}}, static_cast<double>(queue.in_flight));
        paused.add("queue", queue.name, queue.paused ? 1 : 0);
    }
    if (queues.size() > most_queues_shown) {
        tasks.add({{"queue", other.name}, {"place", "waiting"}}, static_cast<double>(other.pending));
        tasks.add({{"queue", other.name}, {"place", "in_flight"}}, static_cast<double>(other.in_flight));
    }
    families.emplace_back(tasks);
    families.emplace_back(paused);
}

void add_workers(store::ClientStore& store, const config::RecoveryConfig& recovery, Families& families) {
    std::map<std::string, int> by_status = {{"fresh", 0}, {"stale", 0}, {"draining", 0}, {"inactive", 0}};
    double capacity = 0, busy = 0;
    for (const store::WorkerRecord& record : store.workers()) {
        if (views::has_left(record)) {
            ++by_status["inactive"];
            continue;
        }
        const bool is_fresh = views::view_of(record, recovery).fresh;
        const bool is_draining = record.status == store::WorkerStatus::Draining;
        ++by_status[!is_fresh ? "stale" : is_draining ? "draining" : "fresh"];
        if (!is_fresh) continue;
        capacity += record.registration.capacity;
        busy += static_cast<double>(record.held.size());
    }
    GaugeFamily workers("holdfast_workers", "Workers, by how they are");
    for (const auto& [status, count] : by_status) workers.add("status", status, count);
    families.emplace_back(workers);
    families.push_back(gauge("holdfast_worker_capacity", "Tasks that the fresh workers can run at once", capacity));
    families.push_back(
        gauge("holdfast_worker_tasks", "Tasks that the fresh workers hold, by their last beats", busy));
}

void add_pulse(store::ServerStore& store, Families& families) {
    const store::Vitals vitals = store.vitals();
    families.push_back(gauge("holdfast_oldest_waiting_seconds",
                             "How long the task has waited that could have been claimed for longest; 0: none waits",
                             vitals.oldest_waits ? in_seconds(*vitals.oldest_waits) : 0));
    families.push_back(gauge("holdfast_approvals_waiting", "Steps that wait for a person's decision",
                             static_cast<double>(vitals.approvals)));
}

void add_replicas(store::ServerStore& store, Families& families) {
    int fresh = 0, stale = 0;
    for (const store::ReplicaRecord& replica : store.replicas())
        ++(replica.seconds_ago > replica_stale_after ? stale : fresh);
    families.emplace_back(GaugeFamily("holdfast_replicas", "Servers of the store, by whether they beat")
                              .add("status", "fresh", fresh)
                              .add("status", "stale", stale));
}

void add_sweeping(store::RecoveryStore& store, Families& families) {
    const bool is_held = !store.sweep_lease("metrics", Duration::zero()).holder.empty();
    families.push_back(gauge("holdfast_sweeper_present", "1: some process sweeps for the store", is_held ? 1 : 0));
    GaugeFamily ages("holdfast_sweep_last_run_age_seconds",
                     "Since a recovery service last left word of its work, in any process, by service");
    const Timestamp now = store.now();
    const auto notes = store.sweep_notes();
    for (const store::SweepNote& note : notes)
        ages.add("service", note.service, in_seconds(std::max(now - note.at, Duration::zero())));
    if (!notes.empty()) families.emplace_back(ages);
}

/// Collects families. A family that fails is omitted, and the others are kept; once the store is unreachable, the
/// remaining ones are skipped.
class Gathering {
public:
    void add(const std::function<void(Families&)>& read) {
        if (is_away_) return;
        Families found;
        try {
            read(found);
        } catch (const Unavailable&) {
            is_away_ = true;
            return;
        } catch (const StoreError&) {
            return;
        }
        families_.insert(families_.end(), found.begin(), found.end());
    }
    [[nodiscard]] Families take() { return std::move(families_); }

private:
    Families families_;
    bool is_away_ = false;
};

}  // namespace

MetricFamily gauge(const std::string& name, const std::string& help, double value) {
    return MetricFamily(GaugeFamily(name.c_str(), help.c_str()).add(std::vector<ClientMetric::Label>(), value));
}

std::vector<MetricFamily> store_gauges(store::Store& store, const config::RecoveryConfig& recovery) {
    Gathering gathering;
    gathering.add([&](Families& found) { add_tasks(store, found); });
    gathering.add([&](Families& found) { add_jobs(store, found); });
    gathering.add([&](Families& found) { add_queues(store, found); });
    gathering.add([&](Families& found) { add_workers(store, recovery, found); });
    gathering.add([&](Families& found) { add_pulse(store, found); });
    gathering.add([&](Families& found) { add_replicas(store, found); });
    gathering.add([&](Families& found) { add_sweeping(store, found); });
    return gathering.take();
}

}  // namespace holdfast::server
