#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "proof/chaos/cluster.h"
#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// Carries out one fault of a cluster, and repairs the cluster: when it returns, the cluster is whole again. Reports
/// each failover at once.
void strike_cluster(Cluster& cluster, const Fault& fault, const std::function<void(const Failover&)>& report);

/// A cluster in a thread of its own, in which it is struck by one fault after the other. Every function is safe from
/// any thread.
class StruckCluster {
public:
    /// Returns when the cluster is up. Throws std::runtime_error.
    explicit StruckCluster(ClusterParams params);
    ~StruckCluster();
    StruckCluster(const StruckCluster&) = delete;
    StruckCluster& operator=(const StruckCluster&) = delete;

    [[nodiscard]] const std::string& url() const { return url_; }
    /// Begins a fault, once the last one is over.
    void strike(const Fault& fault);
    /// Whether no fault is under way. Throws std::runtime_error when the cluster could not be repaired.
    [[nodiscard]] bool is_whole();
    /// Since when it has been whole.
    [[nodiscard]] std::chrono::steady_clock::time_point whole_since();
    [[nodiscard]] std::vector<Failover> failovers();
    /// Writes the database of the primary as SQL. Returns when this is done.
    void dump(const std::string& path);

private:
    using Job = std::function<void(Cluster&)>;

    void run(const ClusterParams& params);
    void begin(Job job);
    void wait_until_whole();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Job> job_;  // under way or about to be
    bool is_up_ = false;
    bool stops_ = false;
    std::string defect_;
    std::string url_;
    std::vector<Failover> failovers_;
    std::chrono::steady_clock::time_point whole_since_ = {};
    std::thread thread_;
};

}  // namespace holdfast::chaos
