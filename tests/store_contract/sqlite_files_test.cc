#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/text.h"
#include "core/incarnation.h"
#include "platform/life_lock.h"
#include "store/sqlite/file_place.h"
#include "store/sqlite/lane.h"
#include "store_contract/child_process.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

namespace fs = std::filesystem;

/// What the SQLite store does when its file is taken away, replaced or put back under it.
class SqliteFiles : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return open_store({.kind = StoreKind::Sqlite, .address = path(), .safety_poll = 1h}, clock);
    }
    [[nodiscard]] std::string path() const { return database->address(); }
    [[nodiscard]] std::string backup() const { return path() + ".backup"; }
    /// A copy of the file as it is now. Its log is empty then, so a copy of the file is one of the database.
    void make_backup() const {
        ASSERT_EQ(database->raw()->value("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
        fs::copy_file(path(), backup());
    }
    void remove_files() const {
        for (const auto& name : names())
            if (name != backup()) fs::remove(name);
    }
    /// The database and everything beside it.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(fs::path(path()).parent_path()))
            found.push_back(entry.path().string());
        return found;
    }
    [[nodiscard]] static std::string complaint_of(const std::function<void()>& call) {
        try {
            call();
            return "";
        } catch (const store::Unavailable& unavailable) {
            return unavailable.what();
        }
    }
    Uuid submit(store::Store& store) const {
        const auto task = a_task(clock.now());
        EXPECT_EQ(store.submit({task}).at(0).status, store::SubmitStatus::Accepted);
        return task.id;
    }
    static bool knows(store::Store& store, const Uuid& task) { return store.find({task}).at(0).has_value(); }
    void expect_whole() const { EXPECT_EQ(database->raw()->value("PRAGMA integrity_check"), "ok"); }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database = make_database(StoreKind::Sqlite);
};

TEST_F(SqliteFiles, ThatWereRemovedAreMissedByEveryCallAndNotMadeAnew) {
    const auto store = open();
    const Uuid worker = join(*store);
    submit(*store);
    remove_files();
    const std::string gone = "the database file " + path() + " is gone; put it back";
    EXPECT_THAT(complaint_of([&] { (void)submit(*store); }), HasSubstr(gone));
    EXPECT_THAT(complaint_of([&] { (void)store->count(); }), HasSubstr(gone));
    EXPECT_THAT(complaint_of([&] { (void)store->beat(beat_of(worker)); }), HasSubstr(gone));
    EXPECT_THAT(complaint_of([&] { (void)store->look(); }), HasSubstr(gone));
    EXPECT_THAT(complaint_of([&] { join(*store); }), HasSubstr(gone));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SqliteFiles, ThatWereMovedAwayAndBackAreUsedAgainAsIfNothingHadHappened) {
    const auto store = open();
    const auto before = submit(*store);
    fs::rename(path(), backup());
    EXPECT_THAT(complaint_of([&] { (void)submit(*store); }), HasSubstr("is gone"));
    fs::rename(backup(), path());
    submit(*store);
    EXPECT_TRUE(knows(*store, before));
    EXPECT_EQ(store->rank(), 1);
    expect_whole();
}

TEST_F(SqliteFiles, ThatALinkLeadsToHaveTheSameFilesBesideThem) {
    const auto direct = open();
    const std::string link = path() + ".link";
    fs::create_symlink(path(), link);
    const auto linked = open_store({.kind = StoreKind::Sqlite, .address = link, .safety_poll = 1h}, clock);
    const auto watch = direct->watch(store::Topic::Work);
    submit(*linked);
    EXPECT_TRUE(watch->wait(10s));
    join(*linked);
    EXPECT_EQ(platform::life_lock_path(link), platform::life_lock_path(path()));
    for (const auto& name : names()) EXPECT_FALSE(name.starts_with(link + "-")) << name;
}

TEST_F(SqliteFiles, ToWhichALinkDoesNotLeadAnyMoreAreLeft) {
    const std::string link = path() + ".link", other = path() + ".other";
    const auto point_to = [&](const std::string& target) {
        fs::create_symlink(target, link + ".new");
        fs::rename(link + ".new", link);
    };
    point_to(fs::path(path()).filename());
    const auto store = open_store({.kind = StoreKind::Sqlite, .address = link, .safety_poll = 1h}, clock);
    const Uuid worker = join(*store);
    const auto before = submit(*store);
    make_backup();
    fs::rename(backup(), other);

    point_to(other);
    const std::string complaint = concat("the link ", link, " does not lead to ", path(), " any more");
    EXPECT_THAT(complaint_of([&] { (void)submit(*store); }), HasSubstr(complaint));
    EXPECT_THAT(complaint_of([&] { (void)store->count(); }), HasSubstr(complaint));
    EXPECT_THAT(complaint_of([&] { (void)store->beat(beat_of(worker)); }), HasSubstr(complaint));

    point_to(path());
    submit(*store);
    EXPECT_TRUE(knows(*store, before));
    EXPECT_EQ(store->rank(), 1);
}

TEST_F(SqliteFiles, OfABackupThatWasPutInTheirPlaceAreUsedUnderTheNextRank) {
    const auto store = open();
    const Uuid worker = join(*store);
    const auto before = submit(*store);
    make_backup();
    const auto lost = submit(*store);
    remove_files();
    fs::rename(backup(), path());
    const auto after = submit(*store);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_TRUE(knows(*store, before));
    EXPECT_FALSE(knows(*store, lost));
    EXPECT_TRUE(knows(*store, after));
    const auto answer = store->beat(beat_of(worker));
    EXPECT_TRUE(answer.known);
    EXPECT_EQ(answer.rank, 2);
    EXPECT_EQ(store->last_events(1).at(0).kind, "rolled_over");
    expect_whole();
}

/// The log of the old file lies beside the backup, and SQLite would apply it to that.
TEST_F(SqliteFiles, OfABackupThatWasMovedOverALiveDatabaseAreNotMixedWithItsLog) {
    const auto store = open();
    const auto other = open();
    const auto before = submit(*store);
    make_backup();
    for (int i = 0; i < 200; ++i) submit(*store);
    const auto lost = submit(*other);
    fs::rename(backup(), path());
    const auto after = submit(*store);
    EXPECT_TRUE(knows(*other, after));
    submit(*other);
    for (store::Store* each : {store.get(), other.get()}) {
        EXPECT_EQ(each->rank(), 2);
        EXPECT_TRUE(knows(*each, before));
        EXPECT_FALSE(knows(*each, lost));
    }
    EXPECT_EQ(store->count().pending, 3);
    EXPECT_TRUE(fs::exists(path() + "-wal.replaced"));
    expect_whole();
}

/// The log stays when the last process closes the file.
TEST_F(SqliteFiles, OfABackupThatWasMovedOverAClosedDatabaseAreNotMixedWithItsLog) {
    const auto before = submit(*open());
    make_backup();
    {
        const auto store = open();
        for (int i = 0; i < 200; ++i) submit(*store);
    }
    ASSERT_TRUE(fs::exists(path() + "-wal"));
    fs::rename(backup(), path());
    const auto store = open();
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(store->count().pending, 1);
    EXPECT_TRUE(knows(*store, before));
    expect_whole();
}

TEST_F(SqliteFiles, OfACopyElsewhereBeginTheNextRankAndLeaveTheOriginalAlone) {
    const auto store = open();
    submit(*store);
    make_backup();
    EXPECT_EQ(open_store({.kind = StoreKind::Sqlite, .address = backup()}, clock)->rank(), 2);
    EXPECT_EQ(open_store({.kind = StoreKind::Sqlite, .address = backup()}, clock)->rank(), 2) << "once only";
    submit(*store);
    EXPECT_EQ(store->rank(), 1);
}

/// The log travels with the file.
TEST_F(SqliteFiles, OfADirectoryThatWasMovedKeepTheirRankAndTheirLog) {
    const auto task = submit(*open());
    ASSERT_GT(fs::file_size(path() + "-wal"), 0U);
    const fs::path directory = fs::path(path()).parent_path(), elsewhere = directory.string() + "-moved";
    fs::rename(directory, elsewhere);
    const auto moved =
        open_store({.kind = StoreKind::Sqlite, .address = elsewhere / fs::path(path()).filename()}, clock);
    EXPECT_TRUE(knows(*moved, task));
    EXPECT_EQ(moved->rank(), 1);
    fs::rename(elsewhere, directory);
}

/// `cp` writes into the file that is there: nothing about the file tells.
TEST_F(SqliteFiles, ThatWereOverwrittenWithABackupAreNoticedByAWitness) {
    core::Witness seen;
    Uuid worker;
    {
        const auto store = open();
        worker = join(*store);
        make_backup();
        for (int i = 0; i < 3; ++i) seen = {1, store->beat(beat_of(worker)).beat};
        ASSERT_EQ(database->raw()->value("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
    }
    const auto inode = sqlite::place_of(path());
    std::ofstream(path(), std::ios::binary) << std::ifstream(backup(), std::ios::binary).rdbuf();
    ASSERT_EQ(sqlite::place_of(path()), inode);
    const auto store = open();
    EXPECT_EQ(store->rank(), 1);
    auto params = beat_of(worker);
    params.acknowledged = seen;
    const auto answer = store->beat(params);
    EXPECT_EQ(answer.rank, 2);
    EXPECT_EQ(answer.beat, 1'000'001);
}

TEST_F(SqliteFiles, OfAnOlderRankGetOneThatNoProcessHasSeen) {
    const auto store = open();
    make_backup();
    fs::copy_file(backup(), backup() + "2");
    fs::rename(backup(), path());
    submit(*store);
    EXPECT_EQ(store->rank(), 2);
    fs::rename(backup() + "2", path());
    submit(*store);
    EXPECT_EQ(store->rank(), 3);
    EXPECT_EQ(open()->rank(), 3);
}

TEST_F(SqliteFiles, ThatWereReplacedAreMetByAProcessThatOnlyReads) {
    const auto store = open();
    const auto reader = open();
    make_backup();
    fs::rename(backup(), path());
    EXPECT_EQ(store->count().pending, 0);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(reader->count().pending, 0);
    EXPECT_EQ(reader->rank(), 2);
    EXPECT_EQ(store->last_events(10).size(), 1U);
}

TEST_F(SqliteFiles, OfANewRankAreNoticedByAProcessThatOnlyReads) {
    const auto store = open();
    const auto reader = open();
    auto params = beat_of(join(*store));
    params.acknowledged = {1, 1'000};
    EXPECT_EQ(store->beat(params).rank, 2);
    EXPECT_EQ(reader->rank(), 1);
    (void)reader->count();
    EXPECT_EQ(reader->rank(), 2);
}

TEST_F(SqliteFiles, ThatAreNotAStoreYetAreWaitedFor) {
    const auto store = open();
    make_backup();
    remove_files();
    std::ofstream(path()) << "";
    EXPECT_THAT(complaint_of([&] { (void)submit(*store); }), HasSubstr("is gone"))
        << "SQLite says so of an empty one";
    EXPECT_EQ(fs::file_size(path()), 0U);
    std::ofstream(path()) << std::string(8192, 'x');
    EXPECT_THAT(complaint_of([&] { (void)store->look(); }), HasSubstr("was replaced"));
    fs::rename(backup(), path());
    submit(*store);
    EXPECT_EQ(store->rank(), 2);
}

TEST_F(SqliteFiles, AreFollowedByEveryProcess) {
    const auto store = open();
    auto ringer =
        ChildProcess({.role = "ring_when_told", .kind = StoreKind::Sqlite, .address = path(), .now = clock.now()});
    EXPECT_EQ(ringer.read_line(), "ready");
    const auto ring = [&] {
        ringer.write_line("ring");
        return Uuid::parse(ringer.read_line().value()).value();
    };
    make_backup();
    EXPECT_TRUE(knows(*store, ring()));
    remove_files();
    fs::rename(backup(), path());
    const auto task = ring();
    EXPECT_TRUE(knows(*store, task));
    submit(*store);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(store->count().pending, 2);
    EXPECT_TRUE(knows(*store, ring()));
    EXPECT_EQ(ringer.wait(), 0);
}

TEST_F(SqliteFiles, ThatWereReplacedAreWatchedAsTheOldOnesWere) {
    const auto store = open();
    const auto watch = store->watch(store::Topic::Work);
    make_backup();
    remove_files();
    fs::rename(backup(), path());
    submit(*store);
    EXPECT_TRUE(watch->wait(1min)) << "the bell is another one";
    EXPECT_FALSE(watch->wait(0ms));
    submit(*open());
    EXPECT_TRUE(watch->wait(1min));
}

TEST_F(SqliteFiles, ThatWereReplacedWhileACallWroteLeaveItInDoubt) {
    (void)open();
    make_backup();
    sqlite::Lane lane({.path = path(), .clock = clock});
    EXPECT_THROW(lane.write([&](sqlite::Transaction& tx) {
        tx.db.run("INSERT INTO queue (name) VALUES ('lost')");
        fs::rename(backup(), path());
        return true;
    }),
                 store::CommitInDoubt);
}

// ---- Deadlines

TEST_F(SqliteFiles, AreNotWaitedForByABeatAsLongAsByWork) {
    const auto store = open();
    const Uuid worker = join(*store);
    const Descriptor turn = sqlite::open_beside(path(), sqlite::turn_suffix);
    ASSERT_EQ(flock(turn.get(), LOCK_EX), 0);
    std::string beat;
    std::atomic<bool> is_beat_over = false;
    bool was_beat_over = false;
    {
        const std::jthread beating([&] {
            beat = complaint_of([&] { store->beat(beat_of(worker)); });
            is_beat_over = true;
        });
        EXPECT_THAT(complaint_of([&] { (void)submit(*store); }), HasSubstr("has been locked for 10s by process"));
        was_beat_over = is_beat_over;
    }
    EXPECT_TRUE(was_beat_over);
    EXPECT_THAT(beat, HasSubstr("has been locked for 2s by process"));
}

TEST_F(SqliteFiles, AreNotReadBeyondTheDeadline) {
    (void)open();
    sqlite::Database db(path(), sqlite::Database::Mode::ReadWrite);
    db.set_deadline(sqlite::Deadline::in(50ms));
    EXPECT_THAT(
        complaint_of([&] {
            (void)db.number("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
        }),
        HasSubstr("took too long"));
    db.set_deadline({});
    EXPECT_EQ(db.number("SELECT count(*) FROM task"), 0);
}

TEST_F(SqliteFiles, AreCommittedThoughTheDeadlineHasPassed) {
    (void)open();
    sqlite::Database db(path(), sqlite::Database::Mode::ReadWrite);
    for (int i = 0; i < 10'000; ++i) {  // SQLite counts the steps of all uses of a statement together
        db.set_deadline({});
        db.run("BEGIN");
        db.set_deadline(sqlite::Deadline::in(0ms));
        db.commit();
    }
    EXPECT_EQ(db.number("SELECT count(*) FROM task"), 0);
}

TEST_F(SqliteFiles, ThatAnotherProgramLocksAreWaitedForUntilTheDeadlineOnly) {
    const auto store = open();
    const Uuid worker = join(*store);
    auto foreign =
        ChildProcess({.role = "hold_transaction", .kind = StoreKind::Sqlite, .address = path(), .now = clock.now()});
    EXPECT_EQ(foreign.read_line(), "holding");
    EXPECT_THAT(complaint_of([&] { store->beat(beat_of(worker)); }),
                HasSubstr("is locked by process " + std::to_string(foreign.pid())));
    foreign.close_input();
    EXPECT_EQ(foreign.wait(), 0);
    EXPECT_TRUE(store->beat(beat_of(worker)).known);
}

}  // namespace
}  // namespace holdfast::contract
