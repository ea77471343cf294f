#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

/// What holds in every store, on every snapshot of it. `holdfast check` looks for rows that break one of these rules.
enum class CheckRule {
    Pages,
    TaskInOnePlace,
    PlaceHasTask,
    References,
    LeaseHasWorker,
    LeaseBelowCounter,
    LeaseIsUnique,
    SlotOfLease,
    KeyWithinLimit,
    EndingIsComplete,
    JobEndsWithSteps,
    JobCounters,
    StepCounters,
    StepFollowsTask,
};

struct RuleText {
    CheckRule rule;
    std::string_view name;
    std::string_view sentence;  ///< what holds, for people
};
inline constexpr auto check_rules = std::to_array<RuleText>({
    {CheckRule::Pages, "pages", "every page of the database can be read, and its indexes match its tables"},
    {CheckRule::TaskInOnePlace, "task_in_one_place", "every task is either ready, waiting, leased or ended"},
    {CheckRule::PlaceHasTask, "place_has_task", "every row that places a task names a task that exists"},
    {CheckRule::References, "references", "every row names only routes, tasks, jobs and definitions that exist"},
    {CheckRule::LeaseHasWorker, "lease_has_worker", "every lease names its worker"},
    {CheckRule::LeaseBelowCounter, "lease_below_counter", "no lease number is above the counter of leases"},
    {CheckRule::LeaseIsUnique, "lease_is_unique", "no lease number was given twice"},
    {CheckRule::SlotOfLease, "slot_of_lease",
     "slots of concurrency keys belong to the leases of tasks with that key"},
    {CheckRule::KeyWithinLimit, "key_within_limit", "no concurrency key has more tasks than its limit allows"},
    {CheckRule::EndingIsComplete, "ending_is_complete", "every ended task has its result or error, and its last run"},
    {CheckRule::JobEndsWithSteps, "job_ends_with_steps", "a job has ended exactly when all of its steps have"},
    {CheckRule::JobCounters, "job_counters", "the counters of an open job match its steps"},
    {CheckRule::StepCounters, "step_counters", "the counters of a step match its dependencies or items"},
    {CheckRule::StepFollowsTask, "step_follows_task", "a step has ended when its task or child job has"},
});
[[nodiscard]] const RuleText& text_of(CheckRule rule);

inline constexpr std::size_t most_offenders_shown = 10;

/// A rule that does not hold.
struct Violation {
    CheckRule rule = CheckRule::Pages;
    std::int64_t count = 0;              ///< how many rows break it
    std::vector<std::string> offenders;  ///< the first `most_offenders_shown`: what they are, and what is wrong
};

struct CheckReport {
    std::int64_t tasks = 0;  ///< in the snapshot
    std::int64_t jobs = 0;
    std::vector<Violation> violations;  ///< in the order of the rules; empty: the store is sound

    /// Records rows that break a rule: `count` of them, of which `offender` is one.
    void add(CheckRule rule, const std::string& offender, std::int64_t count = 1);
    [[nodiscard]] bool violates(CheckRule rule) const;
};

/// One line for an offending row: its id and what is wrong with it, either of which may be empty.
[[nodiscard]] std::string offender_text(const std::string& id, std::string_view wrong);

}  // namespace holdfast::store
