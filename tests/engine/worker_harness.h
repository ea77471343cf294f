#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/worker/worker.h"

namespace holdfast::engine::testing {

/// The middle of every range, always.
class EvenRandom : public Random {
public:
    std::uint64_t next() override { return ++count_ + (std::uint64_t{1} << 63); }

private:
    std::uint64_t count_ = 0;
};

/// A worker on a table: the test is its store, its runners and its clock.
class WorkerHarness {
public:
    explicit WorkerHarness(int capacity = 2, WorkerSettings settings = {}, ClaimsGo claims_go = ClaimsGo::Beside);

    /// Lets time pass, and collects what the worker decides then.
    void pass(Duration time);
    /// Time passes without the worker: its process is stopped, or its machine asleep.
    void stand_still(Duration time);
    /// Collects what the worker decides now.
    void decide() { pass(Duration::zero()); }

    /// Registered, beaten once, and every runner ready; nothing else under way than a first claim. `rank`: of the
    /// store's history; 0: the store tells none.
    void join(std::int64_t rank = 0);

    /// The store answers the call under way on that lane.
    void answer(Lane lane, const StoreAnswer& answer);
    void fail(Lane lane) { answer(lane, CallFailed{"connection refused"}); }
    /// The claim under way is answered with these tasks, and everything else in its turn is applied.
    void grant(const std::vector<store::ClaimedTask>& tasks, std::optional<Duration> next_due = std::nullopt);
    /// The call under way on the work lane succeeds; everything in a turn is answered in this way.
    void answer_work(store::Fenced fenced = store::Fenced::Applied);
    void tell(const RunnerEvent& event);
    /// The run of this lease completes.
    void complete(store::Lease lease);

    /// The call under way on the lane, if it is of this type.
    template <typename Call>
    [[nodiscard]] const Call* under_way(Lane lane) const {
        const auto found = calls_.find(lane);
        return found == calls_.end() ? nullptr : std::get_if<Call>(&found->second);
    }
    /// The lane of the turn that claims, if one is under way.
    [[nodiscard]] std::optional<Lane> claim_lane() const;
    /// The turn under way that claims, finishes, starts or hands back; nullptr: none does.
    [[nodiscard]] const store::TurnParams* claiming() const;
    [[nodiscard]] const store::TurnParams* finishing() const;
    [[nodiscard]] const store::TurnParams* starting() const;
    [[nodiscard]] const store::TurnParams* handing_back() const;

    /// Everything of this type that was commanded since the last take().
    template <typename Type>
    [[nodiscard]] std::vector<Type> take() {
        std::vector<Type> taken;
        for (auto each = commands_.begin(); each != commands_.end();) {
            if (const auto* found = std::get_if<Type>(&*each)) {
                taken.push_back(*found);
                each = commands_.erase(each);
            } else {
                ++each;
            }
        }
        return taken;
    }
    [[nodiscard]] RunnerId runner_of(store::Lease lease) const { return worker.book().runs().at(lease).runner; }

    EvenRandom random;
    WorkerSettings settings;
    Worker worker;
    Duration now = std::chrono::hours(1);

private:
    std::map<Lane, StoreCall> calls_;
    Commands commands_;
};

[[nodiscard]] store::ClaimedTask started_task(store::Lease lease);
/// Claimed ahead.
[[nodiscard]] store::ClaimedTask held_task(store::Lease lease);

/// In memory where that is possible: these tests let hours pass, and not by the disk's time.
[[nodiscard]] std::filesystem::path scratch_folder();

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace holdfast::engine::testing
