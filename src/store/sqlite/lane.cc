#include "store/sqlite/lane.h"

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

}  // namespace

Lane::Lane(const std::string& path, Database::Mode mode, Turnstile::Rank rank, const Clock& clock)
    : db_(path, mode),
      turnstile_(path, rank),
      work_bell_(path, store::Topic::Work),
      done_bell_(path, store::Topic::Done),
      orders_bell_(path, store::Topic::Orders),
      clock_(clock) {
    configure(db_);
    if (is_set_up(db_)) return;
    turnstile_.enter(patience);
    try {
        set_up(db_);
    } catch (...) {
        turnstile_.leave();
        throw;
    }
    turnstile_.leave();
}

Lane::~Lane() {
    if (db_.wal_pages() == 0) return;  // wrote nothing
    try {
        turnstile_.enter(std::chrono::milliseconds(100));
    } catch (const store::StoreError&) {
        return;  // others are writing, and will checkpoint
    }
    db_.checkpoint();
    turnstile_.leave();
}

void Lane::try_to_write(Duration patience_of_caller) {
    const std::lock_guard lock(mutex_);
    const Turn turn(*this, patience_of_caller);
}

Lane::Turn::Turn(Lane& lane, Duration patience_of_caller) : lane_(lane) {
    lane_.turnstile_.enter(patience_of_caller);
    try {
        lane_.db_.run("BEGIN IMMEDIATE");
    } catch (...) {
        leave();
        throw;
    }
}

Lane::Turn::~Turn() {
    if (!inside_) return;
    lane_.db_.roll_back();
    leave();
}

void Lane::Turn::commit(const Transaction& transaction) {
    lane_.db_.commit();
    if (lane_.db_.wal_pages() >= checkpoint_after_pages) lane_.db_.checkpoint();
    leave();
    if (transaction.brings_work) lane_.work_bell_.ring();
    if (transaction.ends_tasks) lane_.done_bell_.ring();
    if (transaction.gives_orders) lane_.orders_bell_.ring();
}

void Lane::Turn::leave() {
    inside_ = false;
    lane_.turnstile_.leave();
}

}  // namespace holdfast::sqlite
