#include "core/incarnation.h"

#include <algorithm>

namespace holdfast::core {

Welcome judge(const Meeting& meeting) {
    const auto& [known, stored, place_is_recorded] = meeting;
    if (!place_is_recorded) return Welcome::RollOver;
    if (known.rank == 0 || stored.rank > known.rank) return Welcome::Accept;
    if (stored.rank < known.rank) return Welcome::Refuse;
    return stored.nonce == known.nonce ? Welcome::Accept : Welcome::RollOver;
}

std::int64_t next_rank(const Meeting& meeting) {
    return std::max(meeting.known.rank, meeting.stored.rank) + 1;
}

bool has_gone_back(const Witness& witness, std::int64_t stored_rank, std::int64_t number) {
    return witness.rank == stored_rank && number < witness.number;
}

}  // namespace holdfast::core
