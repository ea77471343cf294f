#include <unistd.h>

#include <array>

#include "base/text.h"
#include "store/event_texts.h"
#include "store/rows.h"
#include "store/sqlite/backup.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

constexpr const char* witness_saw_more =
    "a worker has seen numbers that the file does not know: an older copy was put in its place";

/// A worker's number is the byte that it locks to prove its life, so no two that may live at the same time may have
/// the same one. A rank has this many.
constexpr std::int64_t worker_numbers_of_rank = 1'000'000;

/// What is running is not held by the pause of its job.
void mark_all_started(Transaction& tx) {
    const auto tasks = tx.db.all("SELECT task_id FROM lease WHERE started_at IS NULL", store::read_id);
    tx.db.run(
        R"sql(UPDATE lease SET started_at = ?, stop_requested = nullif(stop_requested, 'pause')
              WHERE started_at IS NULL)sql",
        tx.now);
    tx.started_tasks.insert(tx.started_tasks.end(), tasks.begin(), tasks.end());
}

/// Lease numbers begin at a random one, so that two forks that come to the same rank do not hand out the same.
void raise_numbers(Database& db, std::int64_t rank) {
    db.run("UPDATE lease_number SET last = max(last, ? + (random() & ?))", core::first_lease_of(rank),
           (std::int64_t{1} << (core::bits_of_lease - 1)) - 1);
    db.run("UPDATE worker_number SET last = max(last, ?)", (rank - 1) * worker_numbers_of_rank);
    db.run("UPDATE worker SET beat = beat + ?", core::beats_of_rollover);
}

}  // namespace

Identity read_identity(Database& db) {
    auto row = db.query("SELECT rank, nonce, place FROM incarnation");
    if (!row.step())
        throw store::Unusable("the row of the table incarnation is missing; restore the file from a backup");
    return {{row.integer(0), row.uuid(1)}, row.string(2)};
}

/// There is one file at a path: one with a lower rank than this process has seen is not a former store that came back
/// beside the present one, but an older copy in its place.
std::optional<std::string> why_forked(const core::Incarnation& known, const Identity& stored,
                                      const std::string& place) {
    const core::Meeting meeting{known, stored.incarnation, core::is_recorded(stored.place, place)};
    if (core::judge(meeting) == core::Welcome::Accept) return std::nullopt;
    if (stored.place.empty()) return "its place was not recorded yet";
    if (!meeting.place_is_recorded)
        return concat("it is the file ", place, ", but was the file ", stored.place,
                      " (inode/birth): a backup or a copy");
    if (stored.incarnation.rank < known.rank) return "an older copy was put in its place";
    return "another history of the same rank was put in its place";
}

void roll_over(Transaction& tx, std::int64_t known_rank, const std::string& why, const std::string& who) {
    const auto from = read_identity(tx.db);
    const auto rank = core::next_rank({{known_rank, {}}, from.incarnation});
    if (rank > core::highest_rank)
        throw store::Unusable(concat("the store has used up its ", core::highest_rank, " ranks"));
    tx.db.run("UPDATE incarnation SET rank = ?, nonce = randomblob(16), place = ?", rank, tx.place);
    raise_numbers(tx.db, rank);
    mark_all_started(tx);
    write_event(tx, store::rolled_over_event({from.incarnation.rank, rank, from.place, tx.place, why}, who));
    tx.incarnation = read_identity(tx.db).incarnation;
    tx.gives_orders = true;  // workers beat at once, and learn of it
}

std::int64_t begin_incarnation(Transaction& tx, std::int64_t above, const std::string& who) {
    roll_over(tx, above, "it was restored from a backup", who);
    return tx.incarnation.rank;
}

std::string this_process() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return concat("process ", getpid(), " on ", host.data());
}

std::int64_t SqliteStore::rank() const {
    return known_.known().rank;
}

void SqliteStore::meet(Transaction& tx) {
    if (const auto why = why_to_roll_over(tx)) roll_over(tx, known_.known().rank, *why, this_process());
    if (tx.incarnation == routes_of_) return;
    routes_.forget();
    routes_of_ = tx.incarnation;
}

void SqliteStore::meet_on_beat(Transaction& tx) {
    if (const auto why = why_to_roll_over(tx)) throw HistoryForked{tx.incarnation, *why};
}

void SqliteStore::meet_in_read(Database& db, const std::string& place) {
    const auto known = known_.known();
    if (known.rank == 0) return;  // the schema may not exist yet
    const auto found = read_identity(db);
    if (found.incarnation != known && !why_forked(known, found, place)) known_.remember(found.incarnation);
}

void SqliteStore::meet_first() {
    const bool is_accepted = work_.read([&](Database& db) {
        const auto found = read_identity(db);
        if (why_forked({}, found, db.place())) return false;
        known_.remember(found.incarnation);
        return true;
    });
    if (!is_accepted) write([](Transaction&) { return true; });
}

std::optional<std::string> SqliteStore::why_to_roll_over(Transaction& tx) {
    const auto found = read_identity(tx.db);
    tx.incarnation = found.incarnation;
    return why_forked(known_.known(), found, tx.place);
}

void SqliteStore::hear_claim(Transaction& tx, const core::Witness& highest_lease) {
    if (highest_lease.rank != tx.incarnation.rank) return;
    const auto last = tx.db.number("SELECT last FROM lease_number");
    if (core::has_gone_back(highest_lease, tx.incarnation.rank, last))
        roll_over(tx, tx.incarnation.rank, witness_saw_more, this_process());
}

void SqliteStore::hear_beat(const Transaction& tx, const core::Witness& acknowledged, std::int64_t beat) {
    if (core::has_gone_back(acknowledged, tx.incarnation.rank, beat))
        throw HistoryForked{tx.incarnation, witness_saw_more};
}

void SqliteStore::give_up(const HistoryForked& history) {
    write([&](Transaction& tx) {
        if (tx.incarnation == history.forked) roll_over(tx, tx.incarnation.rank, history.why, this_process());
        return true;
    });
}

}  // namespace holdfast::sqlite
