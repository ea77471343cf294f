#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "integration/place.h"
#include "store/sqlite/lock_holders.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

void expect_one_sentence(const Ran& ran) {
    EXPECT_TRUE(ran.err.starts_with("holdfast: ")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

using CliStoreFaults = SqliteProgramTest;

TEST_F(CliStoreFaults, AMissingDatabaseIsNamedAndNotCreatedByCommandsThatOnlyLookOrSteer) {
    for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{{"tasks", "list"},
                                                                                      {"tasks", "show", "01"},
                                                                                      {"tasks", "cancel", "01"},
                                                                                      {"queues", "list"},
                                                                                      {"queues", "pause", "q"}}) {
        const Ran ran = holdfast(line);
        EXPECT_EQ(ran.exit_code, 3);
        expect_one_sentence(ran);
        EXPECT_THAT(ran.err, AllOf(HasSubstr("there is no database at " + file()), HasSubstr("holdfast migrate")));
    }
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(CliStoreFaults, CommandsThatWorkOnAStoreThemselvesRefuseAServerAndCreateNothing) {
    for (const char* word : {"server", "dev", "migrate", "demo", "bench"}) {
        std::vector<std::string> line = {word};
        if (line.front() == "bench") line.emplace_back("run");
        RunParams by_variable = command(line);
        by_variable.environment["HOLDFAST_SERVER"] = "http://127.0.0.1:1";
        line.insert(line.begin(), {"--server", "http://127.0.0.1:1"});
        for (const Ran& ran : {holdfast(line), run_program(by_variable)}) {
            EXPECT_EQ(ran.exit_code, 2) << word;
            expect_one_sentence(ran);
            EXPECT_THAT(ran.err, AllOf(HasSubstr(std::string("'holdfast ") + word), HasSubstr("http://127.0.0.1:1"),
                                       HasSubstr("HOLDFAST_SERVER"), HasSubstr("--store")));
        }
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(CliStoreFaults, AFileThatIsNotADatabaseIsLeftAsItIs) {
    const std::string content(10000, 'x');
    folder.write("test.db", content);
    for (const std::vector<std::string>& line :
         std::vector<std::vector<std::string>>{{"submit", "x"}, {"tasks", "list"}, {"migrate"}}) {
        const Ran ran = holdfast(line);
        EXPECT_EQ(ran.exit_code, 3);
        expect_one_sentence(ran);
        EXPECT_THAT(ran.err, HasSubstr("test.db"));
        EXPECT_THAT(ran.err, HasSubstr("not a"));
    }
    EXPECT_EQ(std::filesystem::file_size(file()), content.size());
}

TEST_F(CliStoreFaults, AFileThatMayNotBeWrittenIsSaidToBeSo) {
    (void)submit({"resize"});
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) chmod(entry.path().c_str(), 0444);
    chmod(folder.path().c_str(), 0555);
    RunParams line = command({"submit", "x"});
    line.as_nobody = true;
    const Ran ran = run_program(line);
    chmod(folder.path().c_str(), 0777);
    EXPECT_EQ(ran.exit_code, 3);
    expect_one_sentence(ran);
    EXPECT_THAT(ran.err, HasSubstr("test.db"));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(1));
}

TEST_F(CliStoreFaults, AFolderThatIsMissingIsSaidToBeSo) {
    const Ran ran = holdfast({"submit", "x", "--store", "sqlite:gone/app.db"});
    EXPECT_EQ(ran.exit_code, 3);
    expect_one_sentence(ran);
    EXPECT_THAT(ran.err, HasSubstr("gone/app.db"));
}

/// The shell of SQLite, inside a write transaction until it is destroyed.
class Shell {
public:
    Shell(const std::string& database, const std::string& begin)
        : input_(popen(("exec sqlite3 '" + database + "' >/dev/null").c_str(), "w")) {
        std::fputs((begin + ";\n").c_str(), input_);
        std::fflush(input_);
        while (sqlite::lock_holders(database + "-shm", 120).empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ~Shell() { pclose(input_); }
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

private:
    FILE* input_;
};

TEST_F(CliStoreFaults, AShellThatDoesNotEndItsTransactionIsNamedAndKeepsNobodyFromReading) {
    const std::string id = submit({"resize"});
    for (const char* begin : {"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"}) {
        const Shell shell(file(), begin);
        EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(1));
        EXPECT_EQ(holdfast({"tasks", "show", id}).exit_code, 0);
        const pid_t holder = sqlite::lock_holders(file() + "-shm", 120).at(0);
        const Ran ran = holdfast({"submit", "x"});
        EXPECT_EQ(ran.exit_code, 3);
        expect_one_sentence(ran);
        EXPECT_THAT(ran.err, HasSubstr("locked by process " + std::to_string(holder) + " (sqlite3)"));
        const Ran doctor = holdfast({"doctor"});
        EXPECT_EQ(doctor.exit_code, 1);
        EXPECT_THAT(doctor.out, HasSubstr("(sqlite3)"));
    }
    EXPECT_EQ(holdfast({"submit", "x"}).exit_code, 0);
}

TEST_F(CliStoreFaults, AFullDiskRefusesTheSubmitAndLosesNothing) {
    (void)submit({"resize"});
    folder.write("big.json", "\"" + std::string(900000, 'x') + "\"");
    RunParams line = command({"submit", "x", "--args", "@big.json"});
    line.max_file_size = std::filesystem::file_size(file()) + 8192;
    const Ran ran = run_program(line);
    EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
    expect_one_sentence(ran);
    EXPECT_THAT(ran.err, HasSubstr("make room"));
    EXPECT_THAT(holdfast({"tasks", "list", "--json"}).json_lines(), SizeIs(1));
    for (const auto& finding : holdfast({"doctor", "--json"}).json_lines()) {
        if (finding["what"] != "work") {
            EXPECT_NE(finding["grade"], "problem") << finding;
        }
    }
}

TEST_F(CliStoreFaults, ADatabaseNewerThanTheProgramIsRefused) {
    (void)submit({"resize"});
    const Ran raised =
        run_program("/usr/bin/python3", {.arguments = {"-c",
                                                       "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
                                                       "c.execute('PRAGMA user_version = 999')",
                                                       file()}});
    ASSERT_EQ(raised.exit_code, 0) << raised.err;
    for (const std::vector<std::string>& line :
         std::vector<std::vector<std::string>>{{"submit", "x"}, {"tasks", "list"}, {"migrate"}}) {
        const Ran ran = holdfast(line);
        EXPECT_EQ(ran.exit_code, 3);
        expect_one_sentence(ran);
        EXPECT_THAT(ran.err, HasSubstr("999"));
    }
}

TEST_F(CliStoreFaults, OutputThatCannotBeWrittenIsNotSuccess) {
    (void)submit({"resize"});
    RunParams line = command({"tasks", "list"});
    line.output_file = "/dev/full";
    const Ran ran = run_program(line);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.err, "holdfast: cannot write to the standard output\n");
}

#ifdef HOLDFAST_WITH_POSTGRES

TEST_F(CliStoreFaults, AnUnreachableServerIsNamedWithoutItsPassword) {
    for (const std::vector<std::string>& line :
         std::vector<std::vector<std::string>>{{"submit", "x"}, {"tasks", "list"}}) {
        RunParams params = command(line);
        params.environment["HOLDFAST_STORE"] = "postgresql://ann:s3cret@127.0.0.1:1/app?connect_timeout=2";
        const Ran ran = run_program(params);
        EXPECT_EQ(ran.exit_code, 3);
        expect_one_sentence(ran);
        EXPECT_THAT(ran.err, AllOf(HasSubstr("127.0.0.1"), Not(HasSubstr("s3cret"))));
    }
}

class CliEmptyPostgres : public ProgramTest {
protected:
    CliEmptyPostgres() : ProgramTest(StoreKind::Postgres) {}
};

TEST_F(CliEmptyPostgres, ADatabaseWithoutTheSchemaIsNotTouchedByLooking) {
    const Ran ran = holdfast({"tasks", "list"});
    EXPECT_EQ(ran.exit_code, 3);
    expect_one_sentence(ran);
    EXPECT_THAT(ran.err, HasSubstr("holdfast migrate"));
    EXPECT_EQ(holdfast({"migrate"}).exit_code, 0);
    EXPECT_EQ(holdfast({"tasks", "list"}).exit_code, 0);
}

#endif

}  // namespace
}  // namespace holdfast::integration
