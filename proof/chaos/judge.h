#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// A kind of broken promise.
enum class Breach {
    Lost,          ///< acknowledged but not in the store, or not ended in time
    RanTwice,      ///< against its policy
    TwoAtOnce,     ///< runs of one task, or of one concurrency key beyond its limit
    FalseVerdict,  ///< certain evidence against a process that was alive
    Difference,    ///< ledger and store contradict each other
    WrongEnd,      ///< failed for a reason outside its policy, or cancelled
    OutOfOrder,    ///< a step ran before its dependencies, or a job ended otherwise than its steps
    Crash,         ///< a worker or server ended on its own, or did not leave when asked
    LeaseTwice,    ///< one lease number for two tasks
    StaleWrite,    ///< the store took the end of a run from another worker than the one that had the lease
    Untold,        ///< a submit was lost with a part of the history, and its client was not told
    Undelivered,   ///< the end of a run was lost, its claim was not, and its living worker did not deliver it again
};
inline constexpr Breach all_breaches[] = {Breach::Lost,         Breach::RanTwice,   Breach::TwoAtOnce,
                                          Breach::FalseVerdict, Breach::Difference, Breach::WrongEnd,
                                          Breach::OutOfOrder,   Breach::Crash,      Breach::LeaseTwice,
                                          Breach::StaleWrite,   Breach::Untold,     Breach::Undelivered};
[[nodiscard]] std::string_view to_text(Breach breach);  ///< "lost", "run twice against policy", ...

struct Complaint {
    Breach breach = Breach::Lost;
    std::string sentence = {};  ///< what is wrong with which task, worker or job

    friend bool operator==(const Complaint&, const Complaint&) = default;
};

/// What nobody can prevent when the database loses a part of its history.
struct Unavoidable {
    std::size_t submits_told = 0;  ///< lost, and their client was told
    std::size_t ran_again = 0;     ///< runs of tasks of which the store had forgotten a run
    std::size_t two_at_once = 0;   ///< runs that began while a run that the store had forgotten was still alive

    friend bool operator==(const Unavoidable&, const Unavoidable&) = default;
};

/// Every broken promise in these findings. Pure.
[[nodiscard]] std::vector<Complaint> judge(const Findings& findings, Unavoidable& unavoidable);
[[nodiscard]] std::vector<Complaint> judge(const Findings& findings);

}  // namespace holdfast::chaos
