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
};
inline constexpr Breach all_breaches[] = {Breach::Lost,         Breach::RanTwice,   Breach::TwoAtOnce,
                                          Breach::FalseVerdict, Breach::Difference, Breach::WrongEnd,
                                          Breach::OutOfOrder,   Breach::Crash};
[[nodiscard]] std::string_view to_text(Breach breach);  ///< "lost", "run twice against policy", ...

struct Complaint {
    Breach breach = Breach::Lost;
    std::string sentence = {};  ///< what is wrong with which task, worker or job

    friend bool operator==(const Complaint&, const Complaint&) = default;
};

/// Every broken promise in these findings. Pure.
[[nodiscard]] std::vector<Complaint> judge(const Findings& findings);

}  // namespace holdfast::chaos
