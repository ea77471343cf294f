#pragma once

#include <map>
#include <string>

#include "store/store.h"

namespace holdfast::contract {

/// Gives each store's lease numbers, event ids and the like the order of their first appearance, because the numbers
/// themselves may differ between two stores that agree.
class Ordinals {
public:
    [[nodiscard]] std::string of(std::int64_t number) {
        if (number == 0) return "#0";
        const auto [place, is_new] = ordinals_.try_emplace(number, ordinals_.size() + 1);
        return "#" + std::to_string(place->second);
    }

private:
    std::map<std::int64_t, std::size_t> ordinals_;
};

/// One store's answers as text, so that two stores can be compared and a difference can be read.
class AnswerText {
public:
    [[nodiscard]] std::string operator()(const std::vector<store::SubmitOutcome>& answer);
    [[nodiscard]] std::string operator()(const store::ClaimAnswer& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::Fenced>& answer);
    [[nodiscard]] std::string operator()(const store::TurnAnswer& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::RecoverOutcome>& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::CancelStatus>& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::ForceStatus>& answer);
    [[nodiscard]] std::string operator()(const std::vector<bool>& answer);
    [[nodiscard]] std::string operator()(const store::BeatAnswer& answer);
    [[nodiscard]] std::string operator()(const store::PruneAnswer& answer);
    [[nodiscard]] std::string operator()(const store::SweepLeaseAnswer& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::SweepNote>& answer);

    [[nodiscard]] std::string operator()(const std::vector<SteerStatus>& answer);
    [[nodiscard]] std::string operator()(store::DecideStatus answer);
    [[nodiscard]] std::string operator()(store::RetryStatus answer);
    [[nodiscard]] std::string operator()(const store::RepairAnswer& answer);
    [[nodiscard]] std::string operator()(const std::vector<store::ScheduleRecord>& answer);
    [[nodiscard]] std::string operator()(std::string answer) { return answer; }

    struct Known {
        std::vector<Uuid> tasks, jobs, workers;
    };
    /// Everything that the store's readers tell.
    [[nodiscard]] std::string dump(store::Store& store, const Known& known);
    /// ... of one job.
    [[nodiscard]] std::string job(store::Store& store, const Uuid& job);

private:
    [[nodiscard]] std::string lease(const store::TaskLease& lease);
    [[nodiscard]] std::string task(const store::TaskRecord& record);
    [[nodiscard]] std::string attempts(store::Store& store, const Uuid& task);
    [[nodiscard]] std::string logs(store::Store& store, const Uuid& task);
    [[nodiscard]] std::string statistics(store::Store& store);
    [[nodiscard]] std::string tokens(store::Store& store);
    [[nodiscard]] std::string job_lists(store::Store& store);
    [[nodiscard]] std::string snapshots(store::Store& store, const Uuid& worker);
    [[nodiscard]] std::string backlog(store::Store& store);
    [[nodiscard]] std::string workers(store::Store& store);
    [[nodiscard]] std::string leases(store::Store& store);
    [[nodiscard]] std::string event(const store::EventRecord& one);
    [[nodiscard]] std::string events(store::Store& store);

    Ordinals leases_;
};

}  // namespace holdfast::contract
