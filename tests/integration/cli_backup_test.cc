#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "client/connect.h"
#include "integration/place.h"
#include "store/sqlite/database.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include <libpq-fe.h>
#endif

namespace holdfast::integration {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class CliBackup : public AnyStoreProgramTest {
protected:
    [[nodiscard]] bool is_sqlite() const { return GetParam() == StoreKind::Sqlite; }
    [[nodiscard]] std::string file(const std::string& name) const { return concat(folder.path(), "/", name); }
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return client::connect({.url = place->url(), .limits = {}, .create = false, .migrate = false});
    }
    /// Runs SQL behind the store's back.
    void sql(const std::string& text) const {
        if (is_sqlite()) return sqlite::Database(file("test.db"), sqlite::Database::Mode::ReadWrite).execute(text);
        const Ran ran = run_program("/usr/bin/psql", {.arguments = {"-v", "ON_ERROR_STOP=1", "-q", "-d", place->url(),
                                                                    "-c", "SET search_path = holdfast; " + text},
                                                      .folder = folder.path()});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
    }
    /// As the drill in docs/operating.md does it.
    void move_store_away() const {
        if (!is_sqlite()) return sql("ALTER SCHEMA holdfast RENAME TO holdfast_away");
        fs::create_directory(file("away"));
        for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().filename().string().starts_with("test.db"))
                fs::rename(entry.path(), fs::path(file("away")) / entry.path().filename());
    }
    [[nodiscard]] bool has_store() const { return holdfast({"tasks", "list"}).exit_code == 0; }
    /// A store with tasks of two queues, a schedule and a backup of it.
    void make_backup(const std::string& name = "monday") {
        first = submit({"work"});
        second = submit({"work", "--queue", "reports"});
        const Ran ran = holdfast({"backup", name});
        ASSERT_EQ(ran.exit_code, 0) << ran.err << ran.out;
    }
    void write_schedule() const {
        folder.write("holdfast.yaml", R"(
schedules:
  nightly: { workflow: clean, every: 1h }
workflows:
  clean:
    steps:
      sweep: { script: "true", queue: cellar }
)");
        const Ran ran = holdfast({"schedules", "apply"});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
    }
    [[nodiscard]] std::vector<std::string> leftovers() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().string().find(".unfinished") != std::string::npos) names.push_back(entry.path());
        return names;
    }
    void wait_for_file(const std::string& path) const {
        while (!fs::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }

    std::string first, second;
};
INSTANTIATE_TEST_SUITE_P(Stores, CliBackup, testing::ValuesIn(store_kinds()), name_of);

// ---- Check
// ------------------------------------------------------------------------------------------------------------

TEST_P(CliBackup, CheckOfASoundStoreSaysSo) {
    (void)submit({"work"});
    const Ran ran = holdfast({"check"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("is sound: 1 tasks, 0 jobs, 14 rules checked"));
    EXPECT_EQ(holdfast({"check", "--json"}).json(),
              nlohmann::json({{"tasks", 1}, {"jobs", 0}, {"violations", nlohmann::json::array()}}));
}

TEST_P(CliBackup, CheckNamesTheRuleAndTheRowsAndFails) {
    const std::string id = submit({"work"});
    sql("DELETE FROM ready");
    const Ran ran = holdfast({"check"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("task_in_one_place is broken (1): "), HasSubstr(id + ": is in no place")));
    const auto found = holdfast({"check", "--json"}).json()["violations"];
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0]["rule"], "task_in_one_place");
    EXPECT_EQ(found[0]["count"], 1);
    EXPECT_EQ(found[0]["offenders"], nlohmann::json({id + ": is in no place"}));
}

TEST_P(CliBackup, CheckOfAStoreThatIsNotThereExitsWithThree) {
    EXPECT_EQ(holdfast({"check"}).exit_code, 3);
    RunParams elsewhere = command({"check"});
    elsewhere.environment["HOLDFAST_STORE"] = "postgresql://nobody@127.0.0.1:1/none";
    EXPECT_EQ(run_program(elsewhere).exit_code, 3);
}

// ---- Backup
// -----------------------------------------------------------------------------------------------------------

TEST_P(CliBackup, BackupSaysWhatIsInItAndThatItWasRead) {
    first = submit({"work"});
    const Ran ran = holdfast({"backup", "monday"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(StartsWith("monday: "), HasSubstr("1 tasks, 0 jobs; read back and checked")));
    EXPECT_EQ(fs::status(file("monday")).permissions() & fs::perms::others_all, fs::perms::none);
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_EQ(fs::exists(file("monday-wal")), false);
    const auto told = holdfast({"backup", "tuesday", "--json"}).json();
    EXPECT_EQ(told["written"], true);
    EXPECT_EQ(told["bytes"], fs::file_size(file("tuesday")));
}

TEST_P(CliBackup, BackupReplacesAFileOnlyIfForced) {
    make_backup();
    const Ran again = holdfast({"backup", "monday"});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("monday exists"));
    EXPECT_EQ(holdfast({"backup", "monday", "--force"}).exit_code, 0);
    fs::create_directory(file("folder"));
    EXPECT_EQ(holdfast({"backup", "folder", "--force"}).exit_code, 2);
}

TEST_P(CliBackup, BackupOfAStoreWithFaultsIsWrittenAndFails) {
    (void)submit({"work"});
    sql("DELETE FROM ready");
    const Ran ran = holdfast({"backup", "monday"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("task_in_one_place"), HasSubstr("has the faults of the store")));
    EXPECT_TRUE(fs::exists(file("monday")));
    move_store_away();
    const Ran refused = holdfast({"restore", "monday"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("--accept-faults"));
    EXPECT_FALSE(has_store());
    EXPECT_EQ(holdfast({"restore", "monday", "--accept-faults"}).exit_code, 0);
}

TEST_P(CliBackup, BackupWithoutRoomLeavesNothingBehind) {
    for (int i = 0; i < 5; ++i) (void)submit({"work", "--args", '"' + std::string(100'000, 'x') + '"'});
    RunParams params = command({"backup", "monday"});
    params.max_file_size = 20'000;
    const Ran ran = run_program(params);
    EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
    EXPECT_FALSE(fs::exists(file("monday")));
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
}

// ---- Restore
// ----------------------------------------------------------------------------------------------------------

TEST_P(CliBackup, RestoreNeedsReplaceForAStoreThatIsThere) {
    make_backup();
    const std::string later = submit({"work"});
    const Ran refused = holdfast({"restore", "monday"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("--replace"));
    EXPECT_EQ(holdfast({"tasks", "show", later}).exit_code, 0);
    const Ran ran = holdfast({"restore", "monday", "--replace"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(holdfast({"tasks", "show", later}).exit_code, 1);
    EXPECT_EQ(holdfast({"tasks", "show", first}).exit_code, 0);
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
    EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(CliBackup, RestorePausesEveryQueueAndScheduleAndSaysHowToResume) {
    write_schedule();
    make_backup();
    const Timestamp decided = open()->schedules().at(0).decided_until;
    const Ran ran = holdfast({"restore", "monday", "--replace"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("paused queues: cellar, default, reports"), HasSubstr("paused schedules: nightly"),
                      HasSubstr("holdfast queues resume --all; holdfast schedules resume --all")));
    for (const auto& queue : open()->queues()) EXPECT_TRUE(queue.paused) << queue.name;
    EXPECT_TRUE(open()->schedules().at(0).paused);
    EXPECT_GT(open()->schedules().at(0).decided_until, decided) << "slots since the backup are skipped";
    EXPECT_THAT(open()->last_events(1).at(0).kind, "restored");
    EXPECT_THAT(holdfast({"queues", "resume", "--all"}).lines(),
                ElementsAre(HasSubstr("cellar is open"), HasSubstr("default is open"), HasSubstr("reports is open")));
    EXPECT_THAT(holdfast({"schedules", "resume", "--all"}).lines(),
                ElementsAre(HasSubstr("nightly starts jobs again")));
    for (const auto& queue : open()->queues()) EXPECT_FALSE(queue.paused) << queue.name;
    EXPECT_FALSE(open()->schedules().at(0).paused);
}

TEST_P(CliBackup, RestoreThatIsLivePausesNothingAndCatchesUpIfAsked) {
    write_schedule();
    make_backup();
    const Timestamp decided = open()->schedules().at(0).decided_until;
    EXPECT_EQ(holdfast({"restore", "monday", "--replace", "--catch-up"}).exit_code, 2);
    EXPECT_EQ(holdfast({"restore", "monday", "--replace", "--live", "--catch-up"}).exit_code, 0);
    for (const auto& queue : open()->queues()) EXPECT_FALSE(queue.paused) << queue.name;
    EXPECT_FALSE(open()->schedules().at(0).paused);
    EXPECT_EQ(open()->schedules().at(0).decided_until, decided);
    EXPECT_EQ(holdfast({"restore", "monday", "--replace", "--live"}).exit_code, 0);
    EXPECT_GT(open()->schedules().at(0).decided_until, decided);
}

TEST_P(CliBackup, RestoreGivesARankAboveThatOfTheBackupAndOfTheReplacedStore) {
    make_backup();
    std::int64_t before = open()->rank();
    EXPECT_GT(before, 0);
    for (int times = 0; times < 3; ++times) {
        const auto told = holdfast({"restore", "monday", "--replace", "--json"}).json();
        EXPECT_EQ(told["restored"], true);
        EXPECT_GT(told["rank"], before);
        EXPECT_EQ(open()->rank(), told["rank"]) << "nobody has a reason to roll over again";
        before = told["rank"];
    }
}

TEST_P(CliBackup, RestoreRefusesWhatIsNotABackup) {
    make_backup();
    move_store_away();
    folder.write("text", "not a backup, whatever its name says");
    folder.write("empty", "");
    folder.write("other",
                 is_sqlite() ? std::string("PGDMP\1\16\0\4\10", 10) : std::string("SQLite format 3\0 and so on", 26));
    for (const char* name : {"text", "empty", "other", "missing", "."}) {
        const Ran ran = holdfast({"restore", name});
        EXPECT_EQ(ran.exit_code, 2) << name << ran.err;
        EXPECT_THAT(ran.lines(), IsEmpty());
        EXPECT_FALSE(has_store()) << name;
    }
    EXPECT_THAT(holdfast({"restore", "other"}).err,
                HasSubstr(is_sqlite() ? "of a PostgreSQL store" : "of an SQLite store"));
}

TEST_P(CliBackup, RestoreRefusesABackupThatIsCutOff) {
    for (int i = 0; i < 10; ++i) (void)submit({"work", "--args", '"' + std::string(50'000, 'x') + '"'});
    make_backup();
    move_store_away();
    const auto whole = fs::file_size(file("monday"));
    for (const auto size : {whole / 2, whole - 1000, whole * 9 / 10}) {
        fs::copy_file(file("monday"), file("cut"), fs::copy_options::overwrite_existing);
        fs::resize_file(file("cut"), size);
        const Ran ran = holdfast({"restore", "cut"});
        EXPECT_THAT(ran.exit_code, testing::AnyOf(1, 3)) << size << ran.out << ran.err;
        EXPECT_FALSE(has_store()) << size;
        EXPECT_THAT(leftovers(), IsEmpty());
    }
    EXPECT_EQ(holdfast({"restore", "monday"}).exit_code, 0);
}

TEST_P(CliBackup, RestoreRefusesABackupOfANewerVersion) {
    make_backup();
    if (is_sqlite()) {
        sqlite::Database(file("monday"), sqlite::Database::Mode::ReadWrite).execute("PRAGMA user_version = 999");
    } else {
        sql("INSERT INTO schema_version (version, name, fingerprint) VALUES (999, 'future', 0)");
        const Ran dumped = run_program(
            "/usr/bin/pg_dump", {.arguments = {"-Fc", "-n", "holdfast", "-d", place->url(), "-f", file("monday")}});
        ASSERT_EQ(dumped.exit_code, 0) << dumped.err;
    }
    move_store_away();
    const Ran ran = holdfast({"restore", "monday"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_THAT(ran.err, HasSubstr("use a newer holdfast"));
    EXPECT_FALSE(has_store());
}

TEST_P(CliBackup, RestoreRefusesTheStoreOfALiveWorker) {
    make_backup();
    RunningProgram worker(command({"worker", "--name", "busy"}));
    EXPECT_EQ(holdfast({"submit", "--script", "true", "--wait"}).exit_code, 0);
    const Ran ran = holdfast({"restore", "monday", "--replace"});
    EXPECT_EQ(ran.exit_code, 3) << ran.out;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("in use"), HasSubstr("stop all workers")));
    EXPECT_EQ(holdfast({"submit", "--script", "true", "--wait"}).exit_code, 0);
    worker.send(SIGTERM);
    EXPECT_EQ(worker.finish().exit_code, 0);
    EXPECT_EQ(holdfast({"restore", "monday", "--replace"}).exit_code, 0);
}

TEST_P(CliBackup, RestoreRefusesTheStoreOfAnyOtherProcess) {
    make_backup();
    {
        const auto server = open();
        (void)server->count();
        const Ran ran = holdfast({"restore", "monday", "--replace"});
        EXPECT_EQ(ran.exit_code, 3) << ran.out;
        EXPECT_THAT(ran.err, HasSubstr("in use"));
    }
    EXPECT_EQ(holdfast({"restore", "monday", "--replace"}).exit_code, 0);
}

/// Keeps every other process from reading the store while it lives.
class Blocker {
public:
    Blocker(StoreKind kind, const std::string& path, const std::string& url) {
        if (kind == StoreKind::Sqlite) {
            database_ = std::make_unique<sqlite::Database>(path, sqlite::Database::Mode::ReadWrite);
            database_->execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
        }
#ifdef HOLDFAST_WITH_POSTGRES
        if (kind == StoreKind::Postgres) {
            connection_.reset(PQconnectdb(url.c_str()));
            PQclear(PQexec(connection_.get(), "BEGIN; LOCK TABLE holdfast.task IN ACCESS EXCLUSIVE MODE"));
        }
#else
        (void)url;
#endif
    }

private:
    std::unique_ptr<sqlite::Database> database_;
#ifdef HOLDFAST_WITH_POSTGRES
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{nullptr, &PQfinish};
#endif
};

TEST_P(CliBackup, ASignalInTheMiddleOfABackupLeavesNothingBehind) {
    make_backup();
    for (const int signal : {SIGINT, SIGTERM}) {
        const Blocker blocker(GetParam(), file("test.db"), place->url());
        RunningProgram backup(command({"backup", "tuesday"}));
        wait_for_file(file("tuesday.unfinished"));
        backup.send(signal);
        EXPECT_EQ(backup.finish().exit_code, -signal);
        EXPECT_FALSE(fs::exists(file("tuesday")));
        EXPECT_THAT(leftovers(), IsEmpty());
    }
    EXPECT_EQ(holdfast({"backup", "tuesday"}).exit_code, 0);
}

TEST_P(CliBackup, AKilledBackupIsReplacedByTheNextOne) {
    make_backup();
    {
        const Blocker blocker(GetParam(), file("test.db"), place->url());
        RunningProgram backup(command({"backup", "tuesday"}));
        wait_for_file(file("tuesday.unfinished"));
        backup.send(SIGKILL);
        (void)backup.finish();
        EXPECT_THAT(leftovers(), SizeIs(1));
    }
    EXPECT_EQ(holdfast({"backup", "tuesday"}).exit_code, 0);
    EXPECT_THAT(leftovers(), IsEmpty());
}

// ---- The drill of docs/operating.md
// -----------------------------------------------------------------------------------

TEST_P(CliBackup, TheDrillBringsBackTheTasksOfTheBackup) {
    auto worker = std::make_unique<RunningProgram>(command({"worker", "--name", "first"}));
    const std::string done = submit({"--script", "true"});
    ASSERT_EQ(holdfast({"tasks", "wait", done}).exit_code, 0);
    const std::string held = submit(
        {"--script", concat("touch ", file("begun"), "; while [ ! -e ", file("go"), " ]; do sleep 0.05; done")});
    wait_for_file(file("begun"));
    const std::string waiting = submit({"--script", concat("echo x >> ", file("ran")), "--tag", "late"});

    EXPECT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    folder.write("go", "");
    ASSERT_EQ(holdfast({"tasks", "wait", held}).exit_code, 0) << "the worker finished it after the backup";
    const std::string lost = submit({"--script", "true"});
    ASSERT_EQ(holdfast({"tasks", "wait", lost}).exit_code, 0);
    worker->send(SIGTERM);
    EXPECT_EQ(worker->finish().exit_code, 0);

    move_store_away();
    const Ran restored = holdfast({"restore", "monday"});
    EXPECT_EQ(restored.exit_code, 0) << restored.err;
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
    EXPECT_EQ(holdfast({"tasks", "show", lost}).exit_code, 1) << "it was submitted after the backup";
    EXPECT_EQ(show(done)["task"]["state"], "COMPLETED");

    RunningProgram second_worker(command({"worker", "--name", "second", "--tag", "late"}));
    EXPECT_EQ(holdfast({"tasks", "wait", held}).exit_code, 1);
    EXPECT_EQ(show(held)["task"]["error"]["code"], "WORKER_CRASHED") << "it ran at the time of the backup";
    EXPECT_EQ(show(waiting)["task"]["state"], "PENDING");
    EXPECT_EQ(show(waiting)["waiting"]["for"], "paused");
    EXPECT_EQ(holdfast({"queues", "resume", "--all"}).exit_code, 0);
    EXPECT_EQ(holdfast({"schedules", "resume", "--all"}).exit_code, 0);
    EXPECT_EQ(holdfast({"tasks", "wait", waiting}).exit_code, 0);
    second_worker.send(SIGTERM);
    EXPECT_EQ(second_worker.finish().exit_code, 0);
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
}

// ---- SQLite
// -----------------------------------------------------------------------------------------------------------

class SqliteBackup : public SqliteProgramTest {
protected:
    [[nodiscard]] std::string in_folder(const std::string& name) const { return concat(folder.path(), "/", name); }
};

TEST_F(SqliteBackup, IsNotWrittenOntoTheStoreOrItsCompanions) {
    (void)submit({"work"});
    fs::create_symlink(file(), in_folder("link"));
    fs::create_hard_link(file(), in_folder("hard"));
    for (const std::string name : {"test.db", "./test.db", "link", "hard", "test.db-wal", "test.db-workers"}) {
        const Ran backup = holdfast({"backup", name, "--force"});
        EXPECT_EQ(backup.exit_code, 2) << name << backup.out;
        const Ran restore = holdfast({"restore", name, "--replace"});
        EXPECT_EQ(restore.exit_code, 2) << name << restore.out;
    }
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
}

TEST_F(SqliteBackup, RestoreRefusesAnOldLogBesideThePlace) {
    (void)submit({"work"});
    ASSERT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    fs::remove(file());
    for (const char* suffix : {"-wal", "-shm"}) {
        folder.write(std::string("test.db") + suffix, "old");
        const Ran ran = holdfast({"restore", "monday", "--replace"});
        EXPECT_EQ(ran.exit_code, 3) << suffix;
        EXPECT_THAT(ran.err, AllOf(HasSubstr(suffix), HasSubstr("without its database")));
        EXPECT_FALSE(fs::exists(file()));
        fs::remove(file() + suffix);
    }
    EXPECT_EQ(holdfast({"restore", "monday"}).exit_code, 0);
}

TEST_F(SqliteBackup, RestoreRefusesADatabaseInUse) {
    (void)submit({"work"});
    fs::create_directory(in_folder("other"));
    const auto open = client::connect({.url = "sqlite:" + in_folder("other/live.db"), .limits = {}});
    const Ran ran = holdfast({"restore", "other/live.db", "--replace"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("a database in use, not a backup"));
}

TEST_F(SqliteBackup, RestoreRefusesAnotherProgramsDatabase) {
    sqlite::Database(in_folder("foreign"), sqlite::Database::Mode::Create).execute("CREATE TABLE t (x)");
    const Ran ran = holdfast({"restore", "foreign"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_THAT(ran.err, HasSubstr("not one of holdfast"));
    EXPECT_FALSE(fs::exists(file()));
}

TEST_F(SqliteBackup, RestoreFindsADamagedPage) {
    for (int i = 0; i < 30; ++i) (void)submit({"work", "--args", '"' + std::string(10'000, 'x') + '"'});
    ASSERT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    std::fstream damaged(in_folder("monday"), std::ios::in | std::ios::out | std::ios::binary);
    for (const auto page : {3, 20, 21, 22}) {
        damaged.seekp(page * 4096);
        damaged << std::string(4096, '\xa5');
    }
    damaged.close();
    const Ran ran = holdfast({"restore", "monday", "--replace", "--accept-faults"});
    EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("pages is broken"));
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
}

TEST_F(SqliteBackup, RestoreReplacesADamagedStoreWithItsLog) {
    (void)submit({"work"});
    ASSERT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    folder.write("test.db", "no database any more");
    folder.write("test.db-wal", "nor its log");
    const Ran ran = holdfast({"restore", "monday", "--replace"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(holdfast({"check"}).exit_code, 0);
}

TEST_F(SqliteBackup, RestoreKeepsThePermissionsOfTheReplacedFile) {
    (void)submit({"work"});
    ASSERT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    fs::permissions(file(),
                    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::group_write);
    ASSERT_EQ(holdfast({"restore", "monday", "--replace"}).exit_code, 0);
    EXPECT_EQ(fs::status(file()).permissions() & fs::perms::group_all,
              fs::perms::group_read | fs::perms::group_write);
}

TEST_F(SqliteBackup, RestoreOfAWorkerWhoseFileIsGoneIsRefusedToo) {
    (void)submit({"work"});
    ASSERT_EQ(holdfast({"backup", "monday"}).exit_code, 0);
    RunningProgram worker(command({"worker"}));
    ASSERT_EQ(holdfast({"submit", "--script", "true", "--wait"}).exit_code, 0);
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file() + suffix);
    const Ran ran = holdfast({"restore", "monday"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_THAT(ran.err, HasSubstr("worker number 1 lives"));
}

}  // namespace
}  // namespace holdfast::integration
