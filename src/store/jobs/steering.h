#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/jobs/orchestrator.h"
#include "store/store.h"

namespace holdfast::store {

/// The verbs that steer and repair jobs, over the few steps in which the stores differ.
class JobSteering : public Store {
public:
    std::vector<SteerStatus> cancel_jobs(const SteerJobsParams& params) override;
    std::vector<SteerStatus> pause_jobs(const SteerJobsParams& params) override;
    std::vector<SteerStatus> resume_jobs(const SteerJobsParams& params) override;
    DecideStatus decide_approval(const DecideParams& params) override;
    RetryStatus retry_job(const RetryJobParams& params) override;
    RepairAnswer repair_jobs(const RepairParams& params) override;

protected:
    /// Runs `body` inside a transaction of its own, which holds the tree that the job belongs to; in the name of
    /// `who`. It may run several times.
    virtual void in_tree(const Uuid& job, const std::string& who, const std::function<void(Orchestrator&)>& body) = 0;
    /// Cancels what is left of the tasks of a job and its descendants whose cancel is requested, for the given reason
    /// or for that of each job. Returns how many.
    virtual std::size_t cancel_tasks_of(const Uuid& job, const std::string& who,
                                        const std::optional<std::string>& reason = std::nullopt) = 0;
    /// Jobs at the top that have not ended, in the order of their ids.
    virtual std::vector<Uuid> open_roots(const RepairParams& params) = 0;
    virtual void repair_tree(const Uuid& root, const std::string& who, RepairAnswer& answer) = 0;

private:
    template <typename Order>
    auto ordered(const Uuid& job, const std::string& who, const Order& order);
    template <typename Order>
    std::vector<SteerStatus> steer_each(const SteerJobsParams& params, const Order& order);
};

/// Starts the job of a schedule's slot, and cancels the job that it replaces (nil: none).
[[nodiscard]] SubmitOutcome start_slot(Orchestrator& orchestrator, const FireParams& params,
                                       const ScheduleRecord& record, const Uuid& replaced);
/// Whether the job is there, started now or before.
[[nodiscard]] bool is_started(const SubmitOutcome& outcome);

/// Runs `body`; returns why it failed when its jobs are to blame, nullopt when it succeeded. An unreachable or full
/// store is not their fault: what says so is thrown on, as is any error that is not an `Error`.
template <typename Error, typename Body>
[[nodiscard]] std::optional<std::string> fault_of_jobs(const Body& body) {
    try {
        body();
        return std::nullopt;
    } catch (const Unavailable&) {
        throw;
    } catch (const Full&) {
        throw;
    } catch (const Error& fault) {
        return fault.what();
    }
}

}  // namespace holdfast::store
