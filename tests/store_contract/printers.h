#pragma once

#include <ostream>

#include "base/text.h"
#include "store/store.h"

/// So that a failed expectation names what it saw.
namespace holdfast {

inline void PrintTo(const Uuid& id, std::ostream* out) {
    *out << id.to_string();
}
inline void PrintTo(TaskState state, std::ostream* out) {
    *out << to_text(state);
}

namespace store {

inline void PrintTo(const TaskLease& lease, std::ostream* out) {
    *out << lease.task.to_string() << "#" << lease.lease;
}

inline void PrintTo(SubmitStatus status, std::ostream* out) {
    static constexpr const char* names[] = {"Accepted", "Existing", "PayloadMismatch", "TooOld", "Refused"};
    *out << names[static_cast<int>(status)];
}
inline void PrintTo(Fenced fenced, std::ostream* out) {
    static constexpr const char* names[] = {"Applied", "Already", "LeaseLost", "Withdrawn"};
    *out << names[static_cast<int>(fenced)];
}
inline void PrintTo(CancelStatus status, std::ostream* out) {
    static constexpr const char* names[] = {"Cancelled", "Requested", "Already", "Finished", "NotFound"};
    *out << names[static_cast<int>(status)];
}
inline void PrintTo(ForceStatus status, std::ostream* out) {
    static constexpr const char* names[] = {"Applied", "Finished", "NotFound"};
    *out << names[static_cast<int>(status)];
}
inline void PrintTo(ClaimRefusal refusal, std::ostream* out) {
    static constexpr const char* names[] = {"None", "UnknownWorker", "NotActive", "Cordoned"};
    *out << names[static_cast<int>(refusal)];
}
inline void PrintTo(RemoveStatus status, std::ostream* out) {
    static constexpr const char* names[] = {"Removed", "HoldsLeases", "StillActive", "NotFound"};
    *out << names[static_cast<int>(status)];
}

}  // namespace store
}  // namespace holdfast
