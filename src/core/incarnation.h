#pragma once

#include <cstdint>
#include <string_view>

#include "holdfast/uuid.h"

namespace holdfast::core {

/// A database can go back in time: a failover that lost the last commits, a restored backup, a snapshot of the disk.
/// What was written since then is gone, and the numbers that were handed out would be handed out again. So every
/// history of a store has a rank, which is part of each lease number. Whoever notices that history has forked gives
/// the store the next rank: it rolls over.
struct Incarnation {
    std::int64_t rank = 0;  ///< 0: not known
    Uuid nonce = {};        ///< drawn with the rank: two forks may have come to the same rank

    friend bool operator==(const Incarnation&, const Incarnation&) = default;
};

/// Lease numbers of a rank begin at rank * 2^40. They stay below 2^53, because they are JSON numbers.
inline constexpr int bits_of_lease = 40;
inline constexpr std::int64_t highest_rank = (std::int64_t{1} << (53 - bits_of_lease)) - 1;
[[nodiscard]] constexpr std::int64_t first_lease_of(std::int64_t rank) {
    return rank << bits_of_lease;
}
[[nodiscard]] constexpr std::int64_t rank_of(std::int64_t lease) {
    return lease >> bits_of_lease;
}

/// What is left out at least when a server was restarted (holdfast.note_restart).
inline constexpr std::int64_t leases_of_restart = std::int64_t{1} << 28;
/// How many leases were granted from the one to the other. 0 when numbers were left out, as they are between ranks.
[[nodiscard]] constexpr std::int64_t leases_between(std::int64_t earlier, std::int64_t later) {
    const bool is_counted = rank_of(earlier) == rank_of(later) && later - earlier < leases_of_restart;
    return is_counted && earlier < later ? later - earlier : 0;
}

/// A rollover raises the number of each worker's beat by this, so that no verdict that is based on an earlier one is
/// carried out (holdfast.roll_over).
inline constexpr std::int64_t beats_of_rollover = 1'000'000;
/// How many beats came from the one to the other. 0 when the store has gone back behind the earlier one.
[[nodiscard]] constexpr std::int64_t beats_between(std::int64_t earlier, std::int64_t later) {
    const std::int64_t beats = earlier < later ? (later - earlier) % beats_of_rollover : 0;
    return beats < beats_of_rollover / 2 ? beats : 0;
}

/// What a process learns when it meets a database.
struct Meeting {
    Incarnation known = {};         ///< what the process met last; rank 0: it meets the store for the first time
    Incarnation stored = {};        ///< what the store's identity row says
    bool place_is_recorded = true;  ///< the row names the place (server and timeline, or file) where it was found
    bool was_restarted = false;     ///< the server was started again since the row was written
};

enum class Welcome {
    Accept,
    RollOver,  ///< history may have forked here: give the store the next rank, then meet it again
    /// The server was restarted. It has hardly ever lost anything, but an older copy of its disk may have been put in
    /// place. So the next lease numbers are new ones, and processes look for what they wrote last. The rank stays:
    /// otherwise a former primary could rise above the present one by being restarted.
    NoteRestart,
    Refuse,  ///< an older history, at a place that has already been left: a former primary that came back
};
[[nodiscard]] Welcome judge(const Meeting& meeting);
/// The rank that a rollover gives: above everything that the process or the store has seen.
[[nodiscard]] std::int64_t next_rank(const Meeting& meeting);

/// Whether the recorded place of a store is the one where it was found. Both have parts, separated by '/'. A part of
/// the found one that cannot be read there is "?", and says nothing.
[[nodiscard]] bool is_recorded(std::string_view recorded, std::string_view found);

/// A number that only grows, as a worker saw it, and the rank under which it did.
struct Witness {
    std::int64_t rank = 0;    ///< 0: has seen nothing yet
    std::int64_t number = 0;  ///< of the last acknowledged beat, or the highest lease
};
/// Whether a store that knows only `number` has lost what the witness saw. A witness of another rank says nothing:
/// the store has rolled over since.
[[nodiscard]] bool has_gone_back(const Witness& witness, std::int64_t stored_rank, std::int64_t number);

}  // namespace holdfast::core
