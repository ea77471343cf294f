#pragma once

#include "base/words.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// When a claimable task fails because no worker can run it. `recovery.unmatched_steps` is such a rule.
enum class UnmatchedRule {
    Known,  ///< when no worker that the store knows, present or away, can run it
    Fail,   ///< when no active worker with fresh beats can
    Wait,   ///< never
};
constexpr auto words_of(UnmatchedRule) {
    using enum UnmatchedRule;
    return words<UnmatchedRule>({{Known, "known"}, {Fail, "fail"}, {Wait, "wait"}});
}

/// The rule of a task; `steps` is that of steps without one of their own.
[[nodiscard]] UnmatchedRule rule_for(Unmatched says, UnmatchedRule steps);

/// The workers for one route, as seen by one observer in an unbroken view.
struct RouteSeen {
    bool served = false;      ///< by an active worker with fresh beats
    bool known = false;       ///< by a worker of any status, because a worker that restarts comes back
    Duration unserved_for{};  ///< how long the observer has seen it unserved
    Duration unknown_for{};   ///< how long the observer has seen it unknown
};

/// Whether a task with that rule fails now. The caller ensures that the task itself was claimable for `grace`.
[[nodiscard]] bool fails_unmatched(UnmatchedRule rule, const RouteSeen& route, Duration grace);

}  // namespace holdfast::core
