#include "core/incarnation.h"

#include <algorithm>

namespace holdfast::core {

Welcome judge(const Meeting& meeting) {
    const auto& [known, stored, place_is_recorded, was_restarted] = meeting;
    if (!place_is_recorded) return Welcome::RollOver;
    if (stored.rank < known.rank) return Welcome::Refuse;
    if (stored.rank == known.rank && stored.nonce != known.nonce) return Welcome::RollOver;
    return was_restarted ? Welcome::NoteRestart : Welcome::Accept;
}

std::int64_t next_rank(const Meeting& meeting) {
    return std::max(meeting.known.rank, meeting.stored.rank) + 1;
}

namespace {

/// The part up to the next '/', which is taken off.
std::string_view next_part(std::string_view& place) {
    const auto part = place.substr(0, place.find('/'));
    place.remove_prefix(std::min(part.size() + 1, place.size()));
    return part;
}

}  // namespace

bool is_recorded(std::string_view recorded, std::string_view found) {
    while (!recorded.empty() && !found.empty()) {
        const auto known = next_part(recorded);
        const auto part = next_part(found);
        if (part != "?" && part != known) return false;
    }
    return recorded.empty() && found.empty();
}

bool has_gone_back(const Witness& witness, std::int64_t stored_rank, std::int64_t number) {
    return witness.rank == stored_rank && number < witness.number;
}

}  // namespace holdfast::core
