#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "core/incarnation.h"
#include "store/sqlite/lane.h"

namespace holdfast::sqlite {

/// The history of the file, as this process met it last. Thread-safe: the lanes of a store share it.
class KnownIncarnation {
public:
    /// Rank 0: not met yet.
    [[nodiscard]] core::Incarnation known() const {
        const std::lock_guard lock(mutex_);
        return known_;
    }
    /// To be called once the transaction that met it is committed. Another lane may have met a newer one meanwhile:
    /// that one stays.
    void remember(const core::Incarnation& incarnation) {
        const std::lock_guard lock(mutex_);
        if (incarnation.rank > known_.rank) known_ = incarnation;
    }

private:
    mutable std::mutex mutex_;
    core::Incarnation known_;
};

/// What the file says about its history.
struct Identity {
    core::Incarnation incarnation;
    std::string place;  ///< where it was when it got its rank; "": not recorded yet
};
[[nodiscard]] Identity read_identity(Database& db);

/// Why the store has to roll over before it is used; nullopt: it is accepted. `place` is that of the file now.
[[nodiscard]] std::optional<std::string> why_forked(const core::Incarnation& known, const Identity& stored,
                                                    const std::string& place);

/// Gives the store the next rank, above its own and `known`: a new nonce, the place of the file now, numbers of
/// leases and workers that no other history gives. Every lease counts as started, because its start may be in the
/// part of history that is lost; the caller tells their jobs. Writes an event with `why`, a sentence without its full
/// stop.
void roll_over(Transaction& tx, std::int64_t known_rank, const std::string& why, const std::string& who);

/// How events name this process.
[[nodiscard]] std::string this_process();

/// Thrown inside a transaction of the lane for beats, which does not roll the store over itself: that concerns jobs.
struct HistoryForked {
    core::Incarnation forked;  ///< to be rolled over, unless it was meanwhile
    std::string why;
};

}  // namespace holdfast::sqlite
