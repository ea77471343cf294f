#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/text.h"
#include "core/incarnation.h"
#include "store/postgres/connection.h"

namespace holdfast::postgres {

/// Makes holdfast.now() answer the injected clock, for one transaction.
[[nodiscard]] Command set_clock(const Clock& clock);

/// What the identity row of a database says, and where the database was found.
struct Identity {
    core::Incarnation incarnation;
    std::string recorded_place;
    std::string place;
    Timestamp server_start = {};  ///< of the server that was met last
    bool was_restarted = false;   ///< this server was started since
};
/// One round trip. nullopt: the database has no schema, or one that is older than identities. Throws Refusal or
/// ConnectionLost.
[[nodiscard]] std::optional<Identity> read_identity(Connection& connection);

/// The history of the database that a store uses, as its connections met it last: they share this object, so that a
/// connection to a former primary is refused as soon as another one has met the new primary. Thread-safe.
class KnownIncarnation {
public:
    /// `url` is for messages.
    KnownIncarnation(const std::string& url, const Clock* clock) : where_(mask_password(url)), clock_(clock) {}

    /// To be called with every new connection, and whenever the database says that its history is another one. Rolls
    /// over where history may have forked. Throws store::Unavailable for an older history, where another host may
    /// have the newer one; Refusal or ConnectionLost.
    void meet(Connection& connection);
    /// A worker has seen more of this incarnation than the database knows: rolls over, unless that was done since.
    /// Throws as meet() does.
    void give_up(const core::Incarnation& incarnation, Connection& connection);

    /// Rank 0: no database with an identity was met yet.
    [[nodiscard]] core::Incarnation known() const;
    /// See store::Store::history().
    [[nodiscard]] std::int64_t history() const;
    /// Makes a transaction fail with other_history unless the database is still the known one. It travels before the
    /// first statement. nullopt: nothing is known yet.
    [[nodiscard]] std::optional<Command> expectation() const;

    // SQLSTATEs
    static constexpr std::string_view other_history = "HF003";  ///< meet the database again
    static constexpr std::string_view went_back = "HF004";      ///< give up the incarnation

private:
    struct Known {
        core::Incarnation incarnation = {};
        Timestamp server_start = {};
    };
    [[nodiscard]] Known all_known() const;
    void remember(const Identity& identity);
    /// Returns false when this user may not: one who only reads. Others do it.
    bool note_restart(Connection& connection, const Identity& found, const core::Meeting& meeting);
    void roll_over(Connection& connection, const Identity& from, std::int64_t new_rank, const std::string& why);

    std::string where_;
    const Clock* clock_;
    mutable std::mutex mutex_;
    Known known_;
};

}  // namespace holdfast::postgres
