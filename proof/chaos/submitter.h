#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "client/connect.h"
#include "proof/chaos/findings.h"
#include "proof/chaos/load.h"

namespace holdfast::chaos {

struct SubmitterParams {
    std::string store_url = {};
    std::uint64_t seed = 1;
    std::int64_t backlog = 60;  ///< how many tasks wait or run at any time
};

/// Keeps the store supplied with work, in its own thread. Like a client that repeats every failed call, it submits
/// unacknowledged tasks again under the same ids.
class Submitter {
public:
    explicit Submitter(SubmitterParams params);
    ~Submitter();
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;

    /// Stops submitting. Returns when the current call has returned.
    void stop();
    [[nodiscard]] bool has_stopped() const { return has_stopped_; }
    /// What the store has acknowledged. Only once stopped.
    [[nodiscard]] const std::vector<Acknowledged>& tasks() const { return tasks_; }
    [[nodiscard]] const std::vector<Acknowledged>& jobs() const { return jobs_; }
    /// Those of them of which it was told that the store has lost them. Only once stopped.
    [[nodiscard]] const std::set<Uuid>& told_lost() const { return told_lost_; }
    [[nodiscard]] std::size_t failed_calls() const { return failed_calls_; }
    /// Why it gave up: the store refused a task that it must accept. Empty: all went well.
    [[nodiscard]] const std::string& defect() const { return defect_; }

private:
    void run();
    void note_lost(const LostSubmits& lost);
    void supply(store::ClientStore& store);
    void make_more(std::int64_t missing);
    void submit_waiting(store::ClientStore& store);

    const SubmitterParams params_;
    Load load_;
    std::vector<store::NewTask> waiting_tasks_;  // not acknowledged yet
    std::vector<store::NewJob> waiting_jobs_;
    std::vector<Acknowledged> tasks_, jobs_;
    std::set<Uuid> told_lost_;
    std::size_t failed_calls_ = 0;
    std::string defect_;
    std::atomic<bool> stops_ = false;
    std::atomic<bool> has_stopped_ = false;
    std::thread thread_;
};

}  // namespace holdfast::chaos
