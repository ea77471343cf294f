#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "client/connect.h"
#include "proof/chaos/load.h"

namespace holdfast::chaos {

struct SubmitterParams {
    std::string store_url = {};
    std::uint64_t seed = 1;
    std::int64_t backlog = 60;  ///< how many tasks are to wait or run at any time
};

/// Keeps the store supplied with work, in a thread of its own, as a client does that takes no failure for an answer:
/// what was not acknowledged is submitted again, under the same ids.
class Submitter {
public:
    explicit Submitter(SubmitterParams params);
    ~Submitter();
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;

    /// No more work from now on. Returns when the call under way has come back.
    void stop();
    [[nodiscard]] bool has_stopped() const { return has_stopped_; }
    /// Once stopped: what the store has said that it has.
    [[nodiscard]] const std::vector<Uuid>& tasks() const { return tasks_; }
    [[nodiscard]] const std::vector<Uuid>& jobs() const { return jobs_; }
    [[nodiscard]] std::size_t failed_calls() const { return failed_calls_; }
    /// Empty: all went well. Else why it gave up: the store refused what it must accept.
    [[nodiscard]] const std::string& defect() const { return defect_; }

private:
    void run();
    void supply(store::Store& store);
    void make_more(std::int64_t missing);
    void submit_waiting(store::Store& store);

    const SubmitterParams params_;
    Load load_;
    std::vector<store::NewTask> waiting_tasks_;  // made, and not acknowledged
    std::vector<store::NewJob> waiting_jobs_;
    std::vector<Uuid> tasks_, jobs_;
    std::size_t failed_calls_ = 0;
    std::string defect_;
    std::atomic<bool> stops_ = false;
    std::atomic<bool> has_stopped_ = false;
    std::thread thread_;
};

}  // namespace holdfast::chaos
