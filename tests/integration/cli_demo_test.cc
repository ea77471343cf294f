#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <regex>

#include "base/text.h"
#include "integration/place.h"
#include "platform/task_ids.h"
#include "proof/crew/processes.h"
#include "proof/demo/count.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

/// The demo, with its folder inside the folder of the test.
class CliDemo : public testing::Test {
protected:
    [[nodiscard]] RunParams demo(std::vector<std::string> options = {}) const {
        options.insert(options.begin(), "demo");
        RunParams params{.arguments = std::move(options)};
        params.environment = {
            {"TMPDIR", folder.path()}, {"DEMO_OF_TEST", folder.path()}, {"TERM", "xterm"}, {"LANG", "C.UTF-8"}};
        return params;
    }
    /// The demo and the processes that it has started have this in their environment. Scripts of tasks do not, but
    /// die with their runners.
    [[nodiscard]] std::size_t processes_left() const {
        return crew::processes_with("DEMO_OF_TEST=" + folder.path()).size();
    }
    [[nodiscard]] std::vector<std::string> files_left() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path());
        return names;
    }

    TempFolder folder;
};

[[nodiscard]] std::map<std::string, int> count_by_fact(const std::vector<nlohmann::json>& lines) {
    std::map<std::string, int> counts;
    for (const auto& line : lines) ++counts[line.at("fact")];
    return counts;
}

TEST_F(CliDemo, TellsEachFactAndEndsWithTheTableAndLeavesNothingBehind) {
    const Ran ran = run_program(demo());
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.lines(), Contains(MatchesRegex("submitted +50 .*")));
    EXPECT_THAT(ran.lines(), Contains(MatchesRegex("lost +0 .*")));
    EXPECT_THAT(ran.lines(), Contains(MatchesRegex("run twice against policy +0 .*")));
    EXPECT_THAT(ran.out, AllOf(HasSubstr("worker_stale_threshold_ms 5000 (default 15000)"), Not(HasSubstr("\033"))));
    EXPECT_EQ(processes_left(), 0U);
    EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(CliDemo, SaysOnWhatEvidenceAndAfterHowManyMillisecondsAsJson) {
    const Ran ran = run_program(demo({"--json", "--keep"}));
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const auto lines = ran.json_lines();
    const auto& count = lines.back();
    EXPECT_EQ(count["submitted"], 50);
    EXPECT_EQ(count["completed"].get<int>() + count["failed_by_policy"].get<int>(), 50);
    EXPECT_GE(count["failed_by_policy"].get<int>(), 2) << "one charge on the killed worker, one on the frozen one";
    EXPECT_GE(count["rerun"].get<int>(), 1);
    EXPECT_EQ(count["lost"], 0);
    EXPECT_EQ(count["run_twice_against_policy"], 0);
    EXPECT_EQ(count["right"], true);

    const auto facts = count_by_fact(lines);
    EXPECT_EQ(facts.at("rerun"), count["rerun"].get<int>());
    EXPECT_EQ(facts.at("failed"), count["failed_by_policy"].get<int>());
    EXPECT_GE(facts.at("late_result_refused"), 1);
    std::map<std::string, std::string> evidence;
    for (const auto& line : lines)
        if (line["fact"] == "worker_lost") {
            evidence[line["after"]] = line["evidence"]["evidence"];
            EXPECT_GE(line["after_ms"].get<int>(), 0);
        }
    EXPECT_EQ(evidence, (std::map<std::string, std::string>{{"kill -9", "exited"}, {"SIGSTOP", "silent"}}));
    ASSERT_THAT(files_left(), SizeIs(1));
    EXPECT_TRUE(std::filesystem::exists(files_left().at(0) + "/demo.db")) << "--keep";
}

TEST_F(CliDemo, LeavesStoresAndConfigurationsOfItsUserAlone) {
    EXPECT_EQ(run_program(demo({"--store", "sqlite:mine.db"})).exit_code, 2);
    EXPECT_THAT(files_left(), IsEmpty());
}

/// The demo on a terminal of 40 rows and 100 columns.
class TerminalDemo : public CliDemo {
protected:
    [[nodiscard]] TerminalProgram start(const std::string& variable, const std::string& value) const {
        RunParams params = demo();
        params.environment[variable] = value;
        params.terminal_size = {40, 100};
        return TerminalProgram(params);
    }
};

[[nodiscard]] std::string end_of(const std::string& shown) {
    return shown.substr(shown.size() - std::min<std::size_t>(shown.size(), 4000));
}

TEST_F(TerminalDemo, RedrawsInPlaceAndGivesTheCursorBack) {
    TerminalProgram program = start("NO_COLOR", "1");
    ASSERT_EQ(program.finish(), 0) << end_of(program.shown());
    const std::string& shown = program.shown();
    for (const char* text : {"\033[?25l", "alpha", "known to be dead", "frozen (SIGSTOP)", "█"})
        EXPECT_TRUE(shown.contains(text)) << text;
    EXPECT_FALSE(std::regex_search(shown, std::regex("\033\\[[0-9;]*m"))) << "NO_COLOR";
    EXPECT_GT(shown.find("\033[?25h"), shown.rfind("\033[K"));
    EXPECT_GT(shown.find("run twice against policy"), shown.find("\033[?25h")) << "the table stands by itself";
    EXPECT_EQ(processes_left(), 0U);
    EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(TerminalDemo, CtrlCEndsEveryProcessAndRemovesTheFolder) {
    TerminalProgram program = start("LANG", "C");
    ASSERT_TRUE(program.wait_for("frozen (SIGSTOP)")) << end_of(program.shown());
    EXPECT_GT(processes_left(), 2U);
    program.type("\x03");
    EXPECT_EQ(program.finish(), 1);
    for (const char* text : {"interrupted", "\033[?25h", "##"}) EXPECT_TRUE(program.shown().contains(text)) << text;
    EXPECT_FALSE(program.shown().contains("█")) << "on a terminal that does not speak UTF-8";
    EXPECT_EQ(processes_left(), 0U);
    EXPECT_THAT(files_left(), IsEmpty());
}

// ---- The count ----------------------------------------------------------------------------------

/// One task that may run again, and one that may not, each run once and completed.
class DemoCounting : public testing::Test {
protected:
    DemoCounting() {
        for (int number : {1, 2}) {
            proof::DemoTask task{.number = number, .holds = false, .task = {}};
            task.task.id = platform::new_task_id();
            task.task.name = number == 1 ? "resize" : "charge";
            task.task.policy.on_crash = number == 1 ? OnCrash::Requeue : OnCrash::Fail;
            store::TaskRecord record;
            record.state = TaskState::Completed;
            record.lease = number;
            tasks.push_back(task);
            records.emplace_back(record);
            begin(number - 1, number);
            end(number - 1, number);
        }
    }
    void begin(int task, store::Lease lease) { note(crew::Mark::Begin, task, lease); }
    void end(int task, store::Lease lease) { note(crew::Mark::Done, task, lease); }
    void note(crew::Mark mark, int task, store::Lease lease) {
        ledger.lines.push_back({.mark = mark, .task = tasks.at(std::size_t(task)).task.id, .lease = lease});
    }
    [[nodiscard]] proof::DemoCount count() const { return proof::count_demo(tasks, records, ledger); }

    static constexpr int resize = 0, charge = 1;
    std::vector<proof::DemoTask> tasks;
    std::vector<std::optional<store::TaskRecord>> records;
    crew::LedgerLines ledger;
};

TEST_F(DemoCounting, IsRightWhenEachTaskRanOnceToItsEnd) {
    EXPECT_TRUE(count().is_right());
    EXPECT_EQ(count().completed, 2);
}

TEST_F(DemoCounting, ATaskThatIsUnknownOrHasNotEndedIsLost) {
    records.at(resize).reset();
    records.at(charge)->state = TaskState::Running;
    EXPECT_EQ(count().lost, 2);
    EXPECT_FALSE(count().is_right());
}

TEST_F(DemoCounting, ATaskThatCompletedWithoutWritingItsEndIsLost) {
    records.at(charge)->lease = 77;
    EXPECT_EQ(count().lost, 1);
    EXPECT_FALSE(count().is_right());
}

TEST_F(DemoCounting, ASecondRunIsAgainstPolicyUnlessACrashAndThePolicyAllowIt) {
    begin(charge, 3);
    EXPECT_EQ(count().run_twice, 1);
    begin(resize, 4);
    EXPECT_EQ(count().run_twice, 2) << "nothing crashed";
    records.at(resize)->history.crashes = 1;
    EXPECT_EQ(count().run_twice, 1);
    EXPECT_EQ(count().rerun, 1);
    records.at(charge)->history.crashes = 1;
    EXPECT_EQ(count().run_twice, 1) << "on_crash: fail allows none";
}

TEST_F(DemoCounting, TwoRunsWithOneLeaseAreAgainstEveryPolicy) {
    records.at(resize)->history.crashes = 1;
    begin(resize, 1);
    EXPECT_EQ(count().run_twice, 1);
}

TEST_F(DemoCounting, OnlyACrashOfATaskThatMayNotRunAgainIsAFailureByPolicy) {
    for (auto& record : records) {
        record->state = TaskState::Failed;
        record->error = TaskError{std::string(error_code::worker_crashed), "", ""};
    }
    EXPECT_EQ(count().failed_by_policy, 1);
    EXPECT_THAT(count().complaints, ElementsAre(HasSubstr("resize 01")));
    records.at(charge)->error->code = error_code::script_failed;
    EXPECT_EQ(count().failed_by_policy, 0);
    EXPECT_THAT(count().complaints, SizeIs(2));
}

}  // namespace
}  // namespace holdfast::integration
