#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <thread>

#include "store/sqlite/turnstile.h"
#include "store_contract/child_process.h"
#include "store_contract/latencies.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes.at(i));
    return number;
}

/// How many transactions stand in the log since it was last begun anew: in SQLite's format the last frame of each
/// carries the size of the database, and frames of an older log another salt.
std::size_t commits_in_log(const std::string& database) {
    constexpr std::size_t log_header = 32, frame_header = 24;
    std::ifstream file(database + "-wal", std::ios::binary);
    const std::string log((std::istreambuf_iterator<char>(file)), {});
    const std::size_t frame = frame_header + big_endian(log, 8);
    std::size_t commits = 0;
    for (std::size_t at = log_header; at + frame <= log.size(); at += frame) {
        if (log.compare(at + 8, 8, log, 16, 8) != 0) break;
        if (big_endian(log, at + 4) != 0) ++commits;
    }
    return commits;
}

/// What the SQLite store does about being a file that many processes share.
class SqliteHabits : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return open_store({.kind = StoreKind::Sqlite, .address = database->address()}, clock);
    }
    [[nodiscard]] ChildProcess child(const std::string& role, std::vector<std::string> arguments = {}) const {
        return ChildProcess({.role = role,
                             .kind = StoreKind::Sqlite,
                             .address = database->address(),
                             .now = clock.now(),
                             .arguments = std::move(arguments)});
    }
    [[nodiscard]] std::uintmax_t wal_bytes() const {
        return std::filesystem::file_size(database->address() + "-wal");
    }
    /// What has been checkpointed.
    [[nodiscard]] std::uintmax_t file_bytes() const { return std::filesystem::file_size(database->address()); }
    /// How many transactions `call` committed.
    [[nodiscard]] std::size_t commits_of(const std::function<void()>& call) const {
        const auto before = commits_in_log(database->address());
        call();
        return commits_in_log(database->address()) - before;
    }
    [[nodiscard]] std::vector<store::NewTask> large_tasks(std::size_t count) const {
        auto batch = tasks(clock.now(), count);
        for (auto& task : batch) task.args = one_mebibyte();
        return batch;
    }
    [[nodiscard]] static std::string one_mebibyte() { return "\"" + std::string((1 << 20) - 2, 'x') + "\""; }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database = make_database(StoreKind::Sqlite);
};

TEST_F(SqliteHabits, TheLogIsWrittenAheadAndSynced) {
    const auto store = open();
    store->submit({a_task(clock.now())});
    EXPECT_EQ(database->raw()->value("PRAGMA journal_mode"), "wal");
    const auto findings = store->check_up();
    const auto synchronous = std::find_if(findings.begin(), findings.end(), [](const auto& finding) {
        return finding.what.find("synchronous") != std::string::npos;
    });
    ASSERT_NE(synchronous, findings.end());
    EXPECT_EQ(synchronous->grade, store::Finding::Grade::Ok);
}

/// SQLite itself would do so in whichever commit finds 1,000 pages in the log.
TEST_F(SqliteHabits, NoCommitCheckpointsBeforeTheStoreSaysSo) {
    const auto store = open();
    store->submit({a_task(clock.now())});
    const auto before = file_bytes();
    store->submit(large_tasks(6));
    EXPECT_GT(wal_bytes(), 1'000U * 4096U);
    EXPECT_EQ(file_bytes(), before);
    store->submit(large_tasks(12));
    EXPECT_GT(file_bytes(), 16U << 20);
}

/// A lane that has found the file in place, and in WAL mode, counts the pages of the log as one that made it does.
TEST_F(SqliteHabits, AStoreThatWasOpenedAgainCheckpointsToo) {
    open()->submit({a_task(clock.now())});
    const auto store = open();
    store->submit(large_tasks(18));
    EXPECT_GT(file_bytes(), 16U << 20);
}

TEST_F(SqliteHabits, ALargeBatchIsSubmittedInTransactionsOfAThousand) {
    const auto store = open();
    EXPECT_EQ(commits_of([&] { store->submit(tasks(clock.now(), 1000)); }), 1U);
    EXPECT_EQ(commits_of([&] { store->submit(tasks(clock.now(), 2500)); }), 3U);
}

TEST_F(SqliteHabits, ALargeBatchIsFinishedInTransactionsOfAThousand) {
    const auto store = open();
    const Uuid worker = join(*store);
    store->submit(tasks(clock.now(), 2500));
    std::vector<store::FinishedRun> runs;
    for (const auto& claimed : claim_fully(*store, worker, 2500)) runs.push_back(completed(lease_of(claimed)));
    ASSERT_THAT(runs, SizeIs(2500));
    EXPECT_EQ(commits_of([&] { store->turn({.worker = worker, .finish = runs}); }), 3U);
}

TEST_F(SqliteHabits, LargePayloadsAreSubmittedInTransactionsOfFourMebibytes) {
    const auto store = open();
    EXPECT_EQ(commits_of([&] { store->submit(large_tasks(4)); }), 1U);
    EXPECT_EQ(commits_of([&] { store->submit(large_tasks(9)); }), 3U);
}

TEST_F(SqliteHabits, LargeResultsAreFinishedInTransactionsOfFourMebibytesAndStartsRideWithTheLast) {
    const auto store = open();
    const Uuid worker = join(*store);
    store->submit(tasks(clock.now(), 9));
    std::vector<store::FinishedRun> runs;
    for (const auto& claimed : claim_fully(*store, worker, 8))
        runs.push_back(completed(lease_of(claimed), one_mebibyte()));
    const auto held = leases_of(claim(*store, worker, 0, 1).tasks);
    ASSERT_THAT(held, SizeIs(1));
    EXPECT_EQ(commits_of([&] { store->turn({.worker = worker, .finish = runs, .start = held}); }), 2U);
    EXPECT_EQ(state_of(*store, held.at(0).task), TaskState::Running);
}

/// A file has no sessions. A row that said otherwise would let observers take a worker between two beats for
/// disconnected.
TEST_F(SqliteHabits, AWorkerNeverSaysThatItProvesASession) {
    const auto store = open();
    auto beat = beat_of(join(*store));
    beat.proves_session = true;
    store->beat(beat);
    EXPECT_FALSE(store->look().workers.at(0).proves_session);
    EXPECT_FALSE(store->workers().at(0).proves_session);
}

TEST_F(SqliteHabits, PruningGivesSpaceBackToTheFileSystem) {
    const auto store = open();
    const Uuid worker = join(*store);
    std::vector<store::NewTask> batch = tasks(clock.now(), 200);
    for (auto& task : batch) task.args = "\"" + std::string(20'000, 'x') + "\"";
    store->submit(batch);
    for (const auto& claimed : claim_fully(*store, worker, batch.size()))
        finish(*store, worker, completed(lease_of(claimed)));
    const auto pages = [&] { return std::stol(database->raw()->value("PRAGMA page_count")); };
    const auto full = pages();
    clock.advance(std::chrono::hours(1000));
    while (store
               ->prune({.heartbeats_older_than = {},
                        .worker_states_older_than = {},
                        .terminal_older_than = std::chrono::hours(1),
                        .orders_older_than = {},
                        .clock_is_right = true})
               .tasks > 0) {
    }
    EXPECT_LT(pages(), full / 4);
}

/// Writers that are always in line for their next turn, each of which takes a moment.
class BusyWriters {
public:
    BusyWriters(const std::string& database, int count) {
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([this, database](const std::stop_token& stop) {
                sqlite::Turnstile turnstile(database, sqlite::Turnstile::Rank::Work);
                while (!stop.stop_requested()) {
                    turnstile.enter(1min);
                    ++turns_;
                    std::this_thread::sleep_for(2ms);
                    turnstile.leave();
                }
            });
        while (turns_ < 2 * count) std::this_thread::yield();
    }
    /// How many turns they had during the call.
    [[nodiscard]] int turns_during(const std::function<void()>& call) const {
        const int before = turns_;
        call();
        return turns_ - before;
    }

private:
    std::atomic<int> turns_ = 0;
    std::vector<std::jthread> threads_;
};

/// What the turnstile is there for: without it a beat beside busy writers waits for tens of seconds. Counted in turns
/// of the others, against writes of the same store that queue with them, so that a busy machine changes nothing.
TEST_F(SqliteHabits, ABeatIsServedBeforeTheWritesOfEightWhoWriteFlatOut) {
    const auto store = open();
    const Uuid worker = join(*store);
    const BusyWriters writers(database->address(), 8);
    int beats = 0, writes = 0;
    for (int i = 0; i < 30; ++i) {
        beats += writers.turns_during([&] { store->beat(beat_of(worker)); });
        writes += writers.turns_during([&] { store->submit({a_task(clock.now())}); });
    }
    std::printf("turns of eight writers during 30 beats: %d, during 30 writes: %d\n", beats, writes);
    EXPECT_LT(beats, writes / 2);
}

TEST_F(SqliteHabits, TheLogIsCheckpointedUnderTheTurnAndDoesNotGrowWithoutBound) {
    const auto store = open();
    std::uintmax_t largest = 0;
    for (int i = 0; i < 30; ++i) {
        store->submit(large_tasks(2));
        store->submit(tasks(clock.now(), 1000));
        largest = std::max(largest, wal_bytes());
    }
    std::printf("60 MiB in 30,060 tasks: the log reached %.1f MiB\n", static_cast<double>(largest) / (1 << 20));
    EXPECT_LT(largest, 24U << 20);
    EXPECT_EQ(database->raw()->value("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteHabits, NoReadTransactionStaysOpenBetweenTwoCalls) {
    const auto reader = open();
    const auto writer = open();
    writer->submit(tasks(clock.now(), 1000));
    (void)reader->list({});
    (void)reader->count();
    (void)reader->leases({});
    (void)reader->backlog();
    (void)reader->look();
    // A reader that lingered would keep the checkpoint from reaching the end of the log.
    EXPECT_EQ(database->raw()->value("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
    EXPECT_EQ(wal_bytes(), 0U);
}

TEST_F(SqliteHabits, WakeUpsAcrossProcessesAreNeverLostTenThousandTimes) {
    const auto store = open();
    auto ringer = child("ring_when_told");
    EXPECT_EQ(ringer.read_line(), "ready");
    const auto watch = store->watch(store::Topic::Work);
    Latencies latencies;
    int lost = 0;
    for (int ring = 0; ring < 10'000; ++ring) {
        const auto begin = std::chrono::steady_clock::now();
        ringer.write_line("ring");
        const bool is_heard = watch->wait(900ms);
        latencies.add(std::chrono::steady_clock::now() - begin);
        const auto id = Uuid::parse(ringer.read_line().value()).value();
        if (!is_heard && !watch->wait(0ms)) ++lost;  // and not merely late
        ASSERT_TRUE(store->find({id}).at(0).has_value());
    }
    latencies.print("wake-up across processes");
    EXPECT_EQ(lost, 0);
}

TEST_F(SqliteHabits, AForeignWriterHoldsUsUpButBreaksNothing) {
    const auto store = open();
    auto foreign = child("hold_transaction");
    EXPECT_EQ(foreign.read_line(), "holding");
    EXPECT_EQ(store->count().pending, 0) << "readers do not wait";
    std::jthread release([&] {
        std::this_thread::sleep_for(300ms);
        foreign.close_input();
    });
    EXPECT_EQ(store->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
    release.join();
    EXPECT_EQ(foreign.wait(), 0);
    EXPECT_EQ(database->raw()->value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(database->raw()->number("SELECT count(*) FROM queue WHERE name = 'foreign'"), 0);
}

TEST_F(SqliteHabits, AWriterThatWasKilledInsideItsTurnLetsTheOthersIn) {
    const auto store = open();
    Duration best = 1h;
    for (int round = 0; round < 10; ++round) {
        auto writer = child("submit_flat_out", {"1000"});
        EXPECT_EQ(writer.read_line(), "writing");
        writer.kill();
        const auto begin = std::chrono::steady_clock::now();
        store->submit({a_task(clock.now())});
        best = std::min(best, std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin));
    }
    EXPECT_LT(best, 2s);
    EXPECT_EQ(database->raw()->value("PRAGMA integrity_check"), "ok");
}

/// What a call says that gives up waiting; "" when it does not.
std::string complaint_of(const std::function<void()>& call) {
    try {
        call();
        return "";
    } catch (const store::Unavailable& unavailable) {
        return unavailable.what();
    }
}

TEST_F(SqliteHabits, AWriterThatIsStoppedInsideItsTurnIsNamedToTheOthers) {
    const auto store = open();
    const Uuid worker = join(*store);
    auto writer = child("stop_inside_its_turn");
    int status = 0;
    ASSERT_EQ(waitpid(writer.pid(), &status, WUNTRACED), writer.pid());
    ASSERT_TRUE(WIFSTOPPED(status));
    std::string beat, submit;
    {
        const std::jthread beating([&] { beat = complaint_of([&] { store->beat(beat_of(worker)); }); });
        submit = complaint_of([&] { store->submit({a_task(clock.now())}); });
    }
    kill(writer.pid(), SIGCONT);
    EXPECT_THAT(beat, HasSubstr("process " + std::to_string(writer.pid())));
    EXPECT_THAT(submit, HasSubstr("process " + std::to_string(writer.pid())));
    EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(store->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
}

TEST_F(SqliteHabits, AProcessThatBlocksTheOthersIsNamedBeforeItsFirstWrite) {
    ASSERT_EQ(child("open").wait(), 0);  // the last that did write
    sqlite::Turnstile others(database->address(), sqlite::Turnstile::Rank::Work);
    for (const char* file : {"-turn", "-gate"}) {
        const Descriptor held = sqlite::open_beside(database->address(), file);
        ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
        EXPECT_THAT(complaint_of([&] { others.enter(std::chrono::milliseconds(10)); }),
                    HasSubstr("process " + std::to_string(getpid())))
            << file;
    }
}

TEST_F(SqliteHabits, NewsThatALockIsFreeReachEveryoneWhoWaitsForIt) {
    using Of = sqlite::LockNews::Of;
    const Descriptor one = sqlite::open_beside(database->address(), "-gate");
    const Descriptor other = sqlite::open_beside(database->address(), "-gate");
    const sqlite::LockNews teller(one.get()), waiter(other.get());
    const auto gate = waiter.seen(Of::Gate), turn = waiter.seen(Of::Turn);
    teller.tell(Of::Turn);
    EXPECT_NE(waiter.seen(Of::Turn), turn);
    EXPECT_EQ(waiter.seen(Of::Gate), gate);
    teller.tell(Of::Gate);
    EXPECT_NE(waiter.seen(Of::Gate), gate);
}

TEST_F(SqliteHabits, AWriterPassesTheGateAgainOnceItHasHadTheTurnForAWhile) {
    ASSERT_EQ(child("open").wait(), 0);
    sqlite::Turnstile writer(database->address(), sqlite::Turnstile::Rank::Work);
    const Descriptor gate = sqlite::open_beside(database->address(), "-gate");
    const auto comes_back_after = [&](Duration pause) {
        writer.enter(std::chrono::seconds(10));
        writer.leave();
        EXPECT_EQ(flock(gate.get(), LOCK_EX), 0);  // others are waiting
        std::this_thread::sleep_for(pause);
        const bool came_back = complaint_of([&] {
                                   writer.enter(std::chrono::milliseconds(1));
                                   writer.leave();
                               }).empty();
        flock(gate.get(), LOCK_UN);
        return came_back;
    };
    EXPECT_FALSE(comes_back_after(std::chrono::milliseconds(2)));
    bool at_once = false;
    for (int tries = 0; tries < 1000 && !at_once; ++tries) at_once = comes_back_after(Duration::zero());
    EXPECT_TRUE(at_once);
}

TEST_F(SqliteHabits, AStoreIsOpenedAndReadBesideAForeignWriterThatDoesNotEnd) {
    open()->submit({a_task(clock.now())});
    auto foreign = child("hold_transaction");
    EXPECT_EQ(foreign.read_line(), "holding");
    const auto store = open();
    EXPECT_EQ(store->count().pending, 1);
    EXPECT_THAT(store->list({}), SizeIs(1));
    EXPECT_THAT(store->look().workers, IsEmpty());
    const std::string name = "process " + std::to_string(foreign.pid()) + " (";
    EXPECT_THAT(complaint_of([&] { store->submit({a_task(clock.now())}); }), HasSubstr("is locked by " + name));
    const auto findings = store->check_up();
    const auto turn = std::ranges::find(findings, "writers' turn", &store::Finding::what);
    ASSERT_NE(turn, findings.end());
    EXPECT_EQ(turn->grade, store::Finding::Grade::Problem);
    EXPECT_THAT(turn->found, HasSubstr(name));
    foreign.close_input();
    EXPECT_EQ(foreign.wait(), 0);
}

TEST_F(SqliteHabits, AForeignWriterIsNamedAndNotTheProcessThatWaitsForItInItsTurn) {
    ASSERT_EQ(child("open").wait(), 0);
    auto foreign = child("hold_transaction");
    EXPECT_EQ(foreign.read_line(), "holding");
    const Descriptor waiting = sqlite::open_beside(database->address(), "-turn");
    ASSERT_EQ(flock(waiting.get(), LOCK_EX), 0);
    sqlite::Turnstile others(database->address(), sqlite::Turnstile::Rank::Work);
    const auto complaint = complaint_of([&] { others.enter(std::chrono::milliseconds(10)); });
    EXPECT_THAT(complaint, HasSubstr("process " + std::to_string(foreign.pid()) + " ("));
    EXPECT_THAT(complaint, Not(HasSubstr(std::to_string(getpid()))));
    foreign.close_input();
    EXPECT_EQ(foreign.wait(), 0);
}

TEST_F(SqliteHabits, AProgramThatKeepsTheFileToItselfIsNamed) {
    ASSERT_EQ(child("open").wait(), 0);
    auto foreign = child("hold_transaction", {"PRAGMA locking_mode = EXCLUSIVE"});
    EXPECT_EQ(foreign.read_line(), "holding");
    EXPECT_THAT(complaint_of([&] { (void)open(); }),
                HasSubstr("is locked by process " + std::to_string(foreign.pid()) + " ("));
    foreign.close_input();
    EXPECT_EQ(foreign.wait(), 0);
}

// ---- Who may read it

/// Sets the umask for as long as it lives.
class Umask {
public:
    explicit Umask(mode_t mask) : before_(umask(mask)) {}
    ~Umask() { umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

private:
    mode_t before_;
};

/// The permissions of the database and of each file beside it, by their ends: {"-wal", 0600}.
std::map<std::string, unsigned> modes_of(const std::string& database) {
    std::map<std::string, unsigned> modes;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(database).parent_path()))
        if (const std::string path = entry.path().string(); path.starts_with(database))
            modes[path.substr(database.size())] = static_cast<unsigned>(entry.status().permissions());
    return modes;
}

void expect_all(const std::string& database, unsigned mode) {
    const auto modes = modes_of(database);
    for (const auto& [end, found] : modes) EXPECT_EQ(found, mode) << end;
    for (const char* end : {"", "-wal", "-shm", "-gate", "-turn", "-work.bell", "-done.bell", "-workers"})
        EXPECT_TRUE(modes.contains(end)) << end;
}

TEST_F(SqliteHabits, WhatItCreatesIsForItsOwnerOnlyWhateverTheUmask) {
    for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{0277}}) {
        database = make_database(StoreKind::Sqlite);
        const Umask set(mask);
        const auto store = open();
        join(*store);
        expect_all(database->address(), 0600);
    }
}

TEST_F(SqliteHabits, AFileThatIsSharedWithAGroupStaysSoWithAllThatIsCreatedBesideIt) {
    (void)open();
    for (const char* end : {"", "-wal", "-shm"}) ASSERT_EQ(chmod((database->address() + end).c_str(), 0660), 0);
    for (const auto& [end, mode] : modes_of(database->address()))
        if (mode != 0660) std::filesystem::remove(database->address() + end);
    const Umask set(077);
    const auto store = open();
    join(*store);
    expect_all(database->address(), 0660);
}

TEST_F(SqliteHabits, AFileBehindALinkThatLedNowhereIsForItsOwnerOnly) {
    const Umask set(0);
    const std::string link = database->address() + ".link";
    std::filesystem::create_symlink(std::filesystem::path(database->address()).filename(), link);
    const auto store = open_store({.kind = StoreKind::Sqlite, .address = link}, clock);
    EXPECT_EQ(modes_of(database->address()).at(""), 0600U);
    std::filesystem::remove(link);
}

TEST_F(SqliteHabits, TheCheckUpWarnsWhenEverybodyCanReadTheFile) {
    const auto store = open();
    const auto permissions = [&] {
        const auto findings = store->check_up();
        return *std::ranges::find(findings, "permissions", &store::Finding::what);
    };
    EXPECT_EQ(permissions().grade, store::Finding::Grade::Ok);
    chmod(database->address().c_str(), 0660);
    EXPECT_EQ(permissions().grade, store::Finding::Grade::Ok) << "access by a group is set on purpose";
    chmod(database->address().c_str(), 0644);
    EXPECT_EQ(permissions().grade, store::Finding::Grade::Warning);
    EXPECT_THAT(permissions().advice, HasSubstr("chmod o-rwx " + database->address()));
}

TEST_F(SqliteHabits, AFileThatIsNotADatabaseIsUnusableAndLeftAsItIs) {
    std::ofstream(database->address()) << "this is a letter to my aunt, and longer than a header of a database is, "
                                          "so that nobody can take it for an empty one\n";
    const auto size = std::filesystem::file_size(database->address());
    EXPECT_THROW((void)open(), store::Unusable);
    EXPECT_EQ(std::filesystem::file_size(database->address()), size);
}

TEST_F(SqliteHabits, ADatabaseOfAnotherProgramIsUnusableAndLeftAsItIs) {
    database->raw()->execute("CREATE TABLE recipes (name TEXT)");
    EXPECT_THROW((void)open(), store::Unusable);
    EXPECT_EQ(database->raw()->value("SELECT group_concat(name) FROM sqlite_schema"), "recipes");
}

TEST_F(SqliteHabits, APathThatCannotBeMadeIsUnusable) {
    EXPECT_THROW((void)open_store({.kind = StoreKind::Sqlite, .address = "/nowhere/at/all/x.db"}, clock),
                 store::Unusable);
    EXPECT_THROW((void)open_store({.kind = StoreKind::Sqlite, .address = "/"}, clock), store::Unusable);
}

TEST_F(SqliteHabits, AFileThatMayNotBeWrittenIsUnusable) {
    open()->submit({a_task(clock.now())});
    auto reader = child("open_without_rights");
    EXPECT_EQ(reader.read_line(), "unusable");
    EXPECT_EQ(reader.wait(), 0);
    EXPECT_EQ(open()->count().pending, 1);
}

TEST_F(SqliteHabits, ADiskThatIsFullIsSaidSoAndChangesNothing) {
    open()->submit({a_task(clock.now())});
    auto writer = child("fill_the_disk");
    const auto accepted = std::stol(writer.read_line().value());
    EXPECT_EQ(writer.read_line(), "full");
    EXPECT_EQ(writer.wait(), 0);
    const auto store = open();
    EXPECT_EQ(store->count().pending, 1 + accepted) << "nothing of the batch that failed";
    EXPECT_EQ(database->raw()->value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(store->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
}

}  // namespace
}  // namespace holdfast::contract
