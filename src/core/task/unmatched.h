#pragma once

#include "base/words.h"
#include "holdfast/task.h"

namespace holdfast::core {

/// When a task that could be claimed fails for want of a worker. `recovery.unmatched_steps` is one of them.
enum class UnmatchedRule {
    Known,  ///< when no worker that the store knows, present or away, can run it
    Fail,   ///< when no active worker with fresh beats can
    Wait,   ///< never
};
constexpr auto words_of(UnmatchedRule) {
    using enum UnmatchedRule;
    return words<UnmatchedRule>({{Known, "known"}, {Fail, "fail"}, {Wait, "wait"}});
}

/// The rule for a task that says so, where steps that leave it open follow `steps`.
[[nodiscard]] UnmatchedRule rule_for(Unmatched says, UnmatchedRule steps);

/// The workers for one route, as seen by one observer in an unbroken view.
struct RouteSeen {
    bool served = false;      ///< by an active worker with fresh beats
    bool known = false;       ///< by a worker of any status: one that restarts, or was deployed anew, comes back
    Duration unserved_for{};  ///< for how long it has been seen not to be served
    Duration unknown_for{};   ///< for how long it has been seen not to be known
};

/// Does a task with that rule fail now? The caller sees to it that the task itself could be claimed for `grace`.
[[nodiscard]] bool fails_unmatched(UnmatchedRule rule, const RouteSeen& route, Duration grace);

}  // namespace holdfast::core
