#include "server/process/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "holdfast/version.h"
#include "server/process/replica_keeper.h"
#include "views/worker.h"

namespace holdfast::server {

namespace {

constexpr Duration history_interval = std::chrono::seconds(5);
constexpr Duration store_gauges_patience = std::chrono::seconds(1);
constexpr std::size_t most_queues_shown = 100;

using prometheus::ClientMetric;
using prometheus::MetricFamily;

void append(Families& families, const Families& more) {
    families.insert(families.end(), more.begin(), more.end());
}

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
    operator MetricFamily() const { return family_; }  // NOLINT(google-explicit-constructor): a builder

private:
    MetricFamily family_;
};

MetricFamily gauge(const char* name, const char* help, double value) {
    return GaugeFamily(name, help).add({}, value);
}

// ---- This server -------------------------------------------------------------------------------------------------

MetricFamily refused(std::uint64_t count) {
    MetricFamily family{.name = "holdfast_http_refused_total",
                        .help = "Connections and requests that a limit turned away",
                        .type = prometheus::MetricType::Counter,
                        .metric = {}};
    family.metric.emplace_back().counter.value = static_cast<double>(count);
    return family;
}

Families http_families(const http::ServerCounts& counts) {
    return {gauge("holdfast_http_connections", "Open connections", static_cast<double>(counts.connections)),
            gauge("holdfast_http_streams", "Open event streams", static_cast<double>(counts.streams)),
            gauge("holdfast_http_waiting_requests", "Requests that wait for a thread",
                  static_cast<double>(counts.waiting)),
            refused(counts.refused)};
}

// ---- The store ---------------------------------------------------------------------------------------------------

void add_tasks(store::ClientStore& store, Families& families) {
    const store::TaskCounts counts = store.count();
    families.push_back(GaugeFamily("holdfast_tasks", "Tasks in the store, by state")
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
    families.push_back(GaugeFamily("holdfast_jobs", "Jobs in the store, by state")
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
    const auto add = [&](const store::QueueRecord& queue) {
        tasks.add({{"queue", queue.name}, {"place", "waiting"}}, static_cast<double>(queue.pending));
        tasks.add({{"queue", queue.name}, {"place", "in_flight"}}, static_cast<double>(queue.in_flight));
    };
    store::QueueRecord other{.name = "other"};
    for (std::size_t i = 0; i < queues.size(); ++i) {
        const store::QueueRecord& queue = queues[i];
        if (i < most_queues_shown) {
            add(queue);
            paused.add("queue", queue.name, queue.paused ? 1 : 0);
        } else {
            other.pending += queue.pending;
            other.in_flight += queue.in_flight;
        }
    }
    if (queues.size() > most_queues_shown) add(other);
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
    families.push_back(gauge("holdfast_worker_capacity", "Worker slots of the fresh workers", capacity));
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
    families.push_back(GaugeFamily("holdfast_replicas", "Servers of the store, by whether they beat")
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

/// Returns the gauges of the current state of the store. A group that cannot be read is omitted rather than shown as
/// zero; once the store is unreachable, the remaining ones are skipped.
Families store_gauges(store::Store& store, const config::RecoveryConfig& recovery) {
    const std::vector<std::function<void(Families&)>> groups = {
        [&](Families& found) { add_tasks(store, found); },
        [&](Families& found) { add_jobs(store, found); },
        [&](Families& found) { add_queues(store, found); },
        [&](Families& found) { add_workers(store, recovery, found); },
        [&](Families& found) { add_pulse(store, found); },
        [&](Families& found) { add_replicas(store, found); },
        [&](Families& found) { add_sweeping(store, found); },
    };
    Families families;
    for (const auto& add_group : groups) {
        Families found;
        try {
            add_group(found);
        } catch (const Unavailable&) {
            break;
        } catch (const StoreError&) {
            continue;
        }
        append(families, found);
    }
    return families;
}

}  // namespace

Metrics::Metrics(MetricsParts parts, const OwnMetrics& own, Log& log)
    : parts_(std::move(parts)), own_(own), log_(log), thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::string Metrics::text() {
    Families families = {
        GaugeFamily("holdfast_build_info", "1, with the version of this server").add("version", HOLDFAST_VERSION, 1)};
    append(families, http_families(parts_.http_counts()));
    families.push_back(
        gauge("holdfast_sweeping", "1: this server holds the sweep row", parts_.is_sweeping() ? 1 : 0));
    append(families, own_.collect());
    append(families, history_.collect());
    const Families from_store = fresh_gauges();
    families.push_back(
        gauge("holdfast_store_up", "1: this server could read the store just now", from_store.empty() ? 0 : 1));
    append(families, from_store);
    std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
    return prometheus::TextSerializer().Serialize(families);
}

Families Metrics::fresh_gauges() {
    std::unique_lock lock(mutex_);
    // A read that takes this long already will not end in time for this scrape either.
    if (reading_since_ && Steady::now() - *reading_since_ > store_gauges_patience) return {};
    const std::uint64_t own = ++asked_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, store_gauges_patience, [&] { return answered_ >= own; })) return {};
    return gauges_;
}

void Metrics::run(const std::stop_token& stop) {
    auto history_at = Steady::now();
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const std::uint64_t asked = asked_;
        const bool is_asked = asked > answered_;
        reading_since_ = Steady::now();
        lock.unlock();
        Families found;
        if (is_asked) found = read_gauges();
        if (Steady::now() >= history_at) {
            read_history();
            history_at = Steady::now() + history_interval;
        }
        lock.lock();
        reading_since_.reset();
        if (is_asked) {
            gauges_ = std::move(found);
            answered_ = asked;
            changed_.notify_all();
        }
        changed_.wait_until(lock, stop, history_at, [&] { return asked_ > answered_; });
    }
}

Families Metrics::read_gauges() {
    try {
        return store_gauges(store(), parts_.config()->recovery);
    } catch (const StoreError&) {
        return {};
    }
}

store::Store& Metrics::store() {
    if (store_ == nullptr) store_ = parts_.open_store();
    return *store_;
}

/// The server itself reports that the store does not answer.
void Metrics::read_history() {
    try {
        history_.read(store());
        is_away_ = false;
    } catch (const StoreError& fault) {
        const bool is_of_outage = dynamic_cast<const Unavailable*>(&fault) != nullptr;
        if (!std::exchange(is_away_, true))
            log_.write({is_of_outage ? LogLevel::Debug : LogLevel::Warning,
                        concat("The metrics cannot be read from the store: ", fault.what()),
                        {}});
    }
}

}  // namespace holdfast::server
