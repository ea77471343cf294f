#include "proof/chaos/cluster_faults.h"

#include <signal.h>

#include <filesystem>
#include <stdexcept>

#include "platform/real_clock.h"

namespace holdfast::chaos {

namespace {

using std::chrono::milliseconds;
using Report = std::function<void(const Failover&)>;

/// Further choices of a fault, by the digits of its draw.
class Choices {
public:
    explicit Choices(std::uint64_t draw) : rest_(draw) {}
    [[nodiscard]] bool flip() { return next(2) == 0; }
    [[nodiscard]] Duration between(int least_ms, int most_ms) {
        return milliseconds(least_ms + static_cast<int>(next(static_cast<std::uint64_t>(most_ms - least_ms))));
    }

private:
    std::uint64_t next(std::uint64_t count) {
        const std::uint64_t chosen = rest_ % count;
        rest_ /= count;
        return chosen;
    }
    std::uint64_t rest_;
};

/// One fault of a cluster, step by step.
class Drill {
public:
    Drill(Cluster& cluster, const Fault& fault, const Report& report)
        : cluster_(cluster), fault_(fault), report_(report), choices_(fault.draw) {}

    void promote_standby() {
        Node& old = cluster_.primary();
        old.kill();
        fail_over();
        pause(fault_.length);
        come_home(old);
    }

    /// What wakes up believes for a moment that it is the primary, and still has its old connections.
    void freeze_primary() {
        Node& old = cluster_.primary();
        const Duration unnoticed = choices_.between(200, 2000);
        old.freeze();
        pause(unnoticed);
        fail_over();
        pause(fault_.length);
        old.thaw();
        pause(choices_.between(200, 1500));
        choices_.flip() ? old.stop(SIGINT) : old.kill();
        come_home(old);
    }

    void lose_standby() {
        const bool frozen = choices_.flip();
        for (Node* standby : cluster_.standbys()) frozen ? standby->freeze() : standby->stop(SIGINT);
        pause(fault_.length);
        for (Node* standby : cluster_.standbys()) frozen ? standby->thaw() : standby->start(NodeRole::Standby);
    }

    /// It accepts writes, and confirms them without any standby.
    void zombie_primary() {
        Node& old = cluster_.primary();
        old.kill();
        fail_over();
        pause(choices_.between(200, 2000));
        old.configure({});
        old.start(NodeRole::Primary);
        pause(fault_.length);
        choices_.flip() ? old.stop(SIGINT) : old.kill();
        come_home(old);
    }

    void async_cut() {
        cluster_.make_synchronous(false);
        const Timestamp lost_since = platform::real_clock().now();
        cluster_.detach_standbys();
        pause(fault_.length);
        Node& old = cluster_.primary();
        old.kill();
        fail_over(lost_since);
        cluster_.make_synchronous(true);
        come_home(old);
    }

    void restore_backup() {
        const Timestamp lost_since = platform::real_clock().now();
        std::filesystem::remove_all(cluster_.backup_folder());
        cluster_.primary().back_up(cluster_.backup_folder());
        pause(fault_.length);
        cluster_.restore(cluster_.backup_folder());
        note_failover(lost_since);
        for (Node* standby : cluster_.standbys()) cluster_.rejoin(*standby, false);
        cluster_.make_synchronous(true);
    }

private:
    static void pause(Duration length) { std::this_thread::sleep_for(length); }

    void fail_over(std::optional<Timestamp> lost_since = {}) {
        cluster_.promote();
        note_failover(lost_since);
    }
    void note_failover(std::optional<Timestamp> lost_since) {
        report_({.kind = fault_.kind, .promoted_at = platform::real_clock().now(), .lost_since = lost_since});
    }
    void come_home(Node& node) { cluster_.rejoin(node, choices_.flip()); }

    Cluster& cluster_;
    const Fault& fault_;
    const Report& report_;
    Choices choices_;
};

void carry_out(Drill& drill, FaultKind kind) {
    switch (kind) {
        case FaultKind::PromoteStandby:
            return drill.promote_standby();
        case FaultKind::FreezePrimary:
            return drill.freeze_primary();
        case FaultKind::LoseStandby:
            return drill.lose_standby();
        case FaultKind::ZombiePrimary:
            return drill.zombie_primary();
        case FaultKind::AsyncCut:
            return drill.async_cut();
        case FaultKind::RestoreBackup:
            return drill.restore_backup();
        case FaultKind::KillWorker:
        case FaultKind::KillRunner:
        case FaultKind::KillKeeper:
        case FaultKind::StopWorker:
        case FaultKind::StopRunner:
        case FaultKind::DrainWorker:
        case FaultKind::KillServer:
        case FaultKind::StopServer:
        case FaultKind::DrainServer:
        case FaultKind::CutPath:
        case FaultKind::ResetPath:
        case FaultKind::RefusePath:
        case FaultKind::RestartFast:
        case FaultKind::RestartImmediate:
        case FaultKind::KillPostmaster:
        case FaultKind::FillDisk:
        case FaultKind::BurnCpu:
            break;
    }
    throw std::logic_error("this is not a fault of a cluster");
}

}  // namespace

void strike_cluster(Cluster& cluster, const Fault& fault, const Report& report) {
    Drill drill(cluster, fault, report);
    carry_out(drill, fault.kind);
    cluster.wait_until_whole();
}

StruckCluster::StruckCluster(ClusterParams params) : thread_([this, given = std::move(params)] { run(given); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_up_ || !defect_.empty(); });
    if (defect_.empty()) return;
    lock.unlock();
    thread_.join();
    throw std::runtime_error(defect_);
}

StruckCluster::~StruckCluster() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

/// The nodes end with this thread.
void StruckCluster::run(const ClusterParams& params) {
    std::unique_lock lock(mutex_, std::defer_lock);
    try {
        Cluster cluster(params);
        lock.lock();
        url_ = cluster.url();
        is_up_ = true;
        changed_.notify_all();
        for (;;) {
            changed_.wait(lock, [this] { return stops_ || job_; });
            if (stops_) break;
            const Job job = *job_;
            lock.unlock();
            job(cluster);
            lock.lock();
            job_.reset();
            whole_since_ = std::chrono::steady_clock::now();
            changed_.notify_all();
        }
        lock.unlock();
    } catch (const std::exception& problem) {
        if (!lock.owns_lock()) lock.lock();
        defect_ = problem.what();
        changed_.notify_all();
    }
}

void StruckCluster::begin(Job job) {
    wait_until_whole();
    {
        const std::lock_guard lock(mutex_);
        job_ = std::move(job);
    }
    changed_.notify_all();
}

void StruckCluster::wait_until_whole() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !job_ || !defect_.empty(); });
    if (!defect_.empty()) throw std::runtime_error(defect_);
}

void StruckCluster::strike(const Fault& fault) {
    begin([this, fault](Cluster& cluster) {
        strike_cluster(cluster, fault, [this](const Failover& failover) {
            const std::lock_guard lock(mutex_);
            failovers_.push_back(failover);
        });
    });
}

bool StruckCluster::is_whole() {
    const std::lock_guard lock(mutex_);
    if (!defect_.empty()) throw std::runtime_error("the cluster could not be repaired: " + defect_);
    return !job_;
}

std::chrono::steady_clock::time_point StruckCluster::whole_since() {
    const std::lock_guard lock(mutex_);
    return whole_since_;
}

std::vector<Failover> StruckCluster::failovers() {
    const std::lock_guard lock(mutex_);
    return failovers_;
}

void StruckCluster::dump(const std::string& path) {
    begin([path](Cluster& cluster) { cluster.primary().dump(path); });
    wait_until_whole();
}

}  // namespace holdfast::chaos
