#include "store/postgres/known_incarnation.h"

#include <unistd.h>

#include <array>

#include "store/errors.h"
#include "store/event_texts.h"

namespace holdfast::postgres {

namespace {

/// A rollover leaves a history that is accepted. Others may roll over in between, but not this often.
constexpr int max_meetings = 10;

std::string this_process() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return concat("process ", getpid(), " on ", host.data());
}

/// Whether it lacks the identity because its schema was not made yet, or is being made.
bool is_of_a_missing_schema(const Refusal& refusal) {
    return refusal.state == "3F000" || refusal.state == "42P01" || refusal.state == "42883";
}

std::string why_it_forked(const core::Meeting& meeting, const Identity& found) {
    if (!meeting.place_is_recorded)
        return concat("it was found at ", found.place, ", but was at ", found.recorded_place,
                      " (system/timeline/table): a failover or a restored backup");
    return "another history of the same rank is in use elsewhere";
}

constexpr std::string_view insufficient_privilege = "42501";

}  // namespace

Command set_clock(const Clock& clock) {
    return {"SELECT set_config('holdfast.clock', $1, true)",
            Params(std::string(concat(clock.now().time_since_epoch().count())))};
}

std::optional<Identity> read_identity(Connection& connection) {
    try {
        const auto answers =
            connection.run(std::vector<Command>{{R"sql(SELECT rank, nonce, place, holdfast.place(), server_start,
                     server_start <> pg_postmaster_start_time() AND NOT pg_is_in_recovery()
                   FROM holdfast.incarnation)sql",
                                                 Params()}});
        if (answers[0].empty()) throw Refusal("", "the row of holdfast.incarnation is missing");
        const Row row = answers[0][0];
        return Identity{{row.integer(0), row.uuid(1)}, row.string(2), row.string(3), row.time(4), row.boolean(5)};
    } catch (const Refusal& refusal) {
        if (is_of_a_missing_schema(refusal)) return std::nullopt;
        throw;
    }
}

void KnownIncarnation::meet(Connection& connection) {
    for (int meetings = 1;; ++meetings) {
        const auto found = read_identity(connection);
        if (!found) return;
        const core::Meeting meeting{known(), found->incarnation,
                                    core::is_recorded(found->recorded_place, found->place), found->was_restarted};
        switch (core::judge(meeting)) {
            case core::Welcome::Accept:
                connection.primary().know(found->incarnation);
                return remember(*found);
            case core::Welcome::NoteRestart:
                if (note_restart(connection, *found, meeting)) break;
                return remember(*found);
            case core::Welcome::Refuse:
                throw store::Unavailable(
                    concat("the database at ", where_, " has an older history of this store (rank ",
                           meeting.stored.rank, ", this process has seen rank ", meeting.known.rank,
                           "): a former primary that is to be stopped or made a standby, or a URL that has to name "
                           "the new primary"));
            case core::Welcome::RollOver:
                if (meetings == max_meetings)
                    throw store::Unavailable(concat("the database at ", where_, " rolls over again and again"));
                roll_over(connection, *found, core::next_rank(meeting), why_it_forked(meeting, *found));
        }
    }
}

void KnownIncarnation::give_up(const core::Incarnation& incarnation, Connection& connection) {
    const auto found = read_identity(connection);
    if (!found || found->incarnation != incarnation) return;
    roll_over(connection, *found, core::next_rank({known(), incarnation}),
              "a worker has seen numbers that the store does not know: a restored disk or backup");
}

void KnownIncarnation::roll_over(Connection& connection, const Identity& from, std::int64_t new_rank,
                                 const std::string& why) {
    if (new_rank > core::highest_rank)
        throw store::Unusable(concat("the store at ", where_, " has used up its ", core::highest_rank, " ranks"));
    const auto who = this_process();
    const auto event =
        store::rolled_over_event({from.incarnation.rank, new_rank, from.recorded_place, from.place, why}, who);
    std::vector<Command> commands;
    if (clock_) commands.push_back(set_clock(*clock_));
    commands.push_back(
        {"SELECT holdfast.roll_over($1, $2, $3, $4, $5, $6, $7)",
         Params(from.incarnation.rank, new_rank, from.place, event.kind, event.who, event.message, event.data)});
    try {
        connection.run(commands);
    } catch (const Refusal& refusal) {
        if (refusal.state != insufficient_privilege) throw;
        throw store::Unavailable(concat("the store at ", where_, " has gone back in time or was moved (", why,
                                        "), and this user may not give it the next rank: a worker or server does "
                                        "so when it connects"));
    }
}

bool KnownIncarnation::note_restart(Connection& connection, const Identity& found, const core::Meeting& meeting) {
    try {
        const auto answers = connection.run(std::vector<Command>{{"SELECT holdfast.note_restart()", Params()}});
        if (!answers[0][0].boolean(0))
            roll_over(connection, found, core::next_rank(meeting),
                      "the database server was restarted, and the lease numbers of the rank are nearly used up");
        return true;
    } catch (const Refusal& refusal) {
        if (refusal.state != insufficient_privilege) throw;
        return false;
    }
}

core::Incarnation KnownIncarnation::known() const {
    return all_known().incarnation;
}

std::int64_t KnownIncarnation::history() const {
    constexpr int bits_of_start = 48;
    const auto [incarnation, server_start] = all_known();
    const auto start = std::chrono::floor<std::chrono::milliseconds>(server_start).time_since_epoch().count();
    return (incarnation.rank << bits_of_start) + start;
}

std::optional<Command> KnownIncarnation::expectation() const {
    const auto [expected, server_start] = all_known();
    if (expected.rank == 0) return std::nullopt;
    return Command{
        "SELECT holdfast.refuse_history($1) WHERE NOT EXISTS (SELECT FROM holdfast.known_history($1, $2, $3))",
        Params(expected.rank, expected.nonce, server_start)};
}

KnownIncarnation::Known KnownIncarnation::all_known() const {
    const std::lock_guard lock(mutex_);
    return known_;
}

/// Another connection may have met a newer history meanwhile: that one stays.
void KnownIncarnation::remember(const Identity& identity) {
    const std::lock_guard lock(mutex_);
    if (identity.incarnation.rank >= known_.incarnation.rank) known_ = {identity.incarnation, identity.server_start};
}

}  // namespace holdfast::postgres
