#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// Which promise was broken.
enum class Breach {
    Lost,          ///< acknowledged, and not in the store; or not ended when everything had to be
    RanTwice,      ///< against its policy
    TwoAtOnce,     ///< runs of one task, or of one concurrency key beyond its limit
    FalseVerdict,  ///< certain evidence against a process that was alive
    Difference,    ///< ledger and store do not tell the same story
    WrongEnd,      ///< failed for a reason that its policy does not know, or cancelled
    OutOfOrder,    ///< a step before what it depends on had succeeded, or a job that ended otherwise than its steps
    Crash,         ///< a worker or server died or left of itself, or did not leave when it was asked to
};
inline constexpr Breach all_breaches[] = {Breach::Lost,         Breach::RanTwice,   Breach::TwoAtOnce,
                                          Breach::FalseVerdict, Breach::Difference, Breach::WrongEnd,
                                          Breach::OutOfOrder,   Breach::Crash};
[[nodiscard]] std::string_view to_text(Breach breach);  ///< "lost", "run twice against policy", ...

struct Complaint {
    Breach breach = Breach::Lost;
    std::string sentence = {};  ///< what, about which task, worker or job: where to look

    friend bool operator==(const Complaint&, const Complaint&) = default;
};

/// Every broken promise in these findings. Pure.
[[nodiscard]] std::vector<Complaint> judge(const Findings& findings);

}  // namespace holdfast::chaos
