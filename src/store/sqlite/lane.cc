#include "store/sqlite/lane.h"

#include <filesystem>

#include "base/links.h"
#include "base/text.h"
#include "store/errors.h"
#include "store/sqlite/file_place.h"

namespace holdfast::sqlite {

namespace {

// 16 MiB of log: often enough to keep the log short, seldom enough not to be felt.
constexpr int checkpoint_after_pages = 4096;

/// Settings of the connection alone: nothing is written.
void configure(Database& db) {
    db.execute(
        "PRAGMA synchronous = FULL;"
        "PRAGMA cache_size = -65536;"
        "PRAGMA temp_store = MEMORY;");
}

bool says(Database& db, Sql sql, std::string_view answer) {
    auto row = db.query(sql);
    return row.step() && row.text(0) == answer;
}

/// Whether another connection has set up the file. Doing so again would be a write, and would wait for every writer.
bool is_set_up(Database& db) {
    return !says(db, "PRAGMA page_count", "0") && says(db, "PRAGMA journal_mode", "wal");
}

void set_up(Database& db) {
    db.execute(
        "PRAGMA auto_vacuum = INCREMENTAL;"  // of a file that has no pages yet: so that prune can give space back
        "PRAGMA journal_mode = WAL;");
}

/// Empty: there are no links in the path.
std::string target_of_links(const std::string& path) {
    std::error_code failure;
    const auto as_given = std::filesystem::absolute(path, failure).lexically_normal();
    const auto target = std::filesystem::weakly_canonical(std::filesystem::absolute(follow_links(path)), failure);
    return failure || target == as_given ? "" : target.string();
}

/// Opens the file with its own log, never with that of a file which was at this path before.
const std::string& without_foreign_log(const std::string& path) {
    if (!has_foreign_log(path)) return path;
    Turnstile turnstile(path, Turnstile::Rank::Beat);
    turnstile.enter(beats_patience);  // others may be about to do the same
    try {
        set_aside_foreign_log(path);
    } catch (...) {
        turnstile.leave();
        throw;
    }
    turnstile.leave();
    return path;
}

/// Switches the file to a log, if it is not yet.
void prepare(Database& db, Turnstile& turnstile) {
    configure(db);
    if (is_set_up(db)) return;
    turnstile.enter(work_patience);
    try {
        set_up(db);
    } catch (...) {
        turnstile.leave();
        throw;
    }
    turnstile.leave();
}

}  // namespace

Lane::Files::Files(const LaneParams& params, Database::Mode mode)
    : db(without_foreign_log(params.path), mode),
      place(db.place()),
      turnstile(params.path, params.rank),
      work_bell(params.path, store::Topic::Work),
      done_bell(params.path, store::Topic::Done),
      orders_bell(params.path, store::Topic::Orders) {
    if (db.has_moved()) throw store::Unavailable(concat("the database file ", params.path, " is being replaced"));
    if (mode == Database::Mode::ReadWrite && says(db, "PRAGMA page_count", "0"))
        throw store::Unusable(concat(params.path, " is empty: put a database there, or run `holdfast migrate`"));
    prepare(db, turnstile);
    note_log(params.path);
}

Lane::Lane(LaneParams params)
    : params_(std::move(params)),
      files_(std::make_unique<Files>(params_, params_.mode)),
      target_(target_of_links(params_.given_path)) {}

Lane::~Lane() {
    if (!files_ || files_->db.wal_pages() == 0 || files_->db.has_moved()) return;  // nothing to copy, or nowhere
    try {
        files_->turnstile.enter(std::chrono::milliseconds(100));
    } catch (const store::StoreError&) {
        return;  // others are writing, and will checkpoint
    }
    files_->db.checkpoint();
    files_->turnstile.leave();
}

/// A database that is gone is never created again: its processes would go on with an empty one as if nothing had
/// happened. The connection to the old file stays open until another file is found, so a file that is put back is
/// used again.
void Lane::follow_path(const Deadline& deadline) {
    if (!target_.empty()) check_links();
    if (files_ && !files_->db.has_moved()) return;
    const auto& path = params_.path;
    if (!Database::exists(path))
        throw store::Unavailable(concat("the database file ", path, " is gone; put it back, or stop this process"));
    files_.reset();
    try {
        auto files = std::make_unique<Files>(params_, Database::Mode::ReadWrite);
        files->db.set_deadline(deadline);
        transact(*files, deadline, [this](Transaction& tx) {
            params_.on_replaced(tx);
            return true;
        });
        files_ = std::move(files);
    } catch (const store::Unusable& failure) {
        // It may be on its way: a copy that is not complete.
        throw store::Unavailable(concat("the database file ", path, " was replaced: ", failure.what()));
    }
}

/// The files beside the other database, by which its processes see that this one lives, are not those that this one
/// holds. So it does not go over, and it does not go on with a database that nobody else uses.
void Lane::check_links() const {
    const auto& given = params_.given_path;
    if (files_ && place_of(given) == files_->place) return;
    if (target_of_links(given) != target_)
        throw store::Unavailable(concat("the link ", given, " does not lead to ", target_,
                                        " any more; restart this process, or let it lead there again"));
}

void Lane::try_to_write(Duration patience_of_caller) {
    const Use use(*this, Deadline::in(patience_of_caller));
    const Turn turn(*files_, use.deadline);
}

Lane::Use::Use(Lane& lane, Pace pace)
    : Use(lane, Deadline::in(pace == Pace::Bounded ? lane.patience() : std::nullopt)) {}

Lane::Use::Use(Lane& lane, const Deadline& until) : deadline(until), lock(lane.mutex_, std::defer_lock) {
    if (!deadline.at()) {
        lock.lock();
    } else if (!lock.try_lock_until(*deadline.at())) {
        throw store::Unavailable(concat("the database has been busy for ", format_duration(*deadline.patience()),
                                        " with another call of this process"));
    }
    lane.follow_path(deadline);
    lane.files_->db.set_deadline(deadline);
}

Lane::Turn::Turn(Files& files, const Deadline& deadline) : files_(files) {
    files_.turnstile.enter(deadline);
    try {
        files_.db.run("BEGIN IMMEDIATE");
    } catch (...) {
        leave();
        throw;
    }
}

Lane::Turn::~Turn() {
    if (!inside_) return;
    files_.db.roll_back();
    leave();
}

void Lane::Turn::commit(const Transaction& transaction) {
    files_.db.commit();
    if (files_.db.wal_pages() >= checkpoint_after_pages) files_.db.checkpoint();
    leave();
    // Nobody will read what was written to a file that was taken away meanwhile.
    if (files_.db.has_moved())
        throw store::CommitInDoubt("the database file was replaced or removed while a call wrote to it");
    if (transaction.brings_work) files_.work_bell.ring();
    if (transaction.ends_tasks) files_.done_bell.ring();
    if (transaction.gives_orders) files_.orders_bell.ring();
}

void Lane::Turn::leave() {
    inside_ = false;
    files_.turnstile.leave();
}

}  // namespace holdfast::sqlite
