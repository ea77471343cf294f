#include "core/states.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace holdfast::core {
namespace {

/// What the product promises, written out by hand: a row per state, a column per event, "-" for what is not allowed.
constexpr const char* promised_of_tasks = R"(
event      claim    start    complete   fail    retry    requeue  cancel     expire   reject
PENDING    CLAIMED  -        -          -       -        -        CANCELLED  EXPIRED  FAILED
CLAIMED    -        RUNNING  -          -       -        PENDING  CANCELLED  -        FAILED
RUNNING    -        -        COMPLETED  FAILED  PENDING  -        CANCELLED  -        FAILED
COMPLETED  -        -        -          -       -        -        -          -        -
FAILED     -        -        -          -       -        -        -          -        -
CANCELLED  -        -        -          -       -        -        -          -        -
EXPIRED    -        -        -          -       -        -        -          -        -
)";

constexpr const char* promised_of_steps = R"(
event      resolve  begin    complete   fail    skip     cancel
WAITING    READY    -        -          FAILED  SKIPPED  CANCELLED
READY      -        RUNNING  COMPLETED  FAILED  SKIPPED  CANCELLED
RUNNING    -        -        COMPLETED  FAILED  -        CANCELLED
COMPLETED  -        -        -          -       -        -
FAILED     -        -        -          -       -        -
SKIPPED    -        -        -          -       -        -
CANCELLED  -        -        -          -       -        -
)";

constexpr const char* promised_of_jobs = R"(
event      begin    pause   resume   complete   fail    cancel
PENDING    RUNNING  PAUSED  -        COMPLETED  FAILED  CANCELLED
RUNNING    -        PAUSED  -        COMPLETED  FAILED  CANCELLED
PAUSED     -        -       RUNNING  COMPLETED  FAILED  CANCELLED
COMPLETED  -        -       -        -          -       -
FAILED     -        -       -        -          -       -
CANCELLED  -        -       -        -          -       -
)";

using Cell = std::pair<std::string, std::string>;

std::map<Cell, std::string> cells_of(const char* promised) {
    std::istringstream lines(promised + 1);
    std::string line, word;
    std::getline(lines, line);
    std::istringstream header(line);
    std::vector<std::string> events;
    for (header >> word; header >> word;) events.push_back(word);
    std::map<Cell, std::string> cells;
    while (std::getline(lines, line)) {
        std::istringstream row(line);
        std::string state;
        row >> state;
        for (const std::string& event : events) row >> cells[{state, event}];
    }
    return cells;
}

template <typename States, typename Events>
void expect_table(const char* promised, const States& states, const Events& events) {
    const auto cells = cells_of(promised);
    ASSERT_EQ(cells.size(), states.size() * events.size());
    for (const auto state : states)
        for (const auto event : events) {
            const auto next = next_state(state, event);
            const std::string found(next ? to_text(*next) : "-");
            EXPECT_EQ(found, cells.at({std::string(to_text(state)), std::string(word_of(event))}))
                << to_text(state) << " + " << word_of(event);
        }
}

TEST(TaskState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    expect_table(promised_of_tasks, values_of<TaskState>(), values_of<TaskEvent>());
}

TEST(StepState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    expect_table(promised_of_steps, values_of<StepState>(), values_of<StepEvent>());
}

TEST(JobState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    expect_table(promised_of_jobs, values_of<JobState>(), values_of<JobEvent>());
}

template <typename State>
void expect_one_row_per_state_and_event() {
    std::set<std::pair<int, int>> seen;
    for (const auto& row : transitions<State>)
        EXPECT_TRUE(seen.insert({static_cast<int>(row.from), static_cast<int>(row.event)}).second);
}

TEST(TaskState, TheTableHasOneRowPerStateAndEvent) {
    expect_one_row_per_state_and_event<TaskState>();
}

TEST(StepState, TheTableHasOneRowPerStateAndEvent) {
    expect_one_row_per_state_and_event<StepState>();
}

TEST(JobState, TheTableHasOneRowPerStateAndEvent) {
    expect_one_row_per_state_and_event<JobState>();
}

TEST(TaskState, TerminalStatesAreThoseThatNothingLeaves) {
    const std::set<TaskState> terminal{TaskState::Completed, TaskState::Failed, TaskState::Cancelled,
                                       TaskState::Expired};
    for (const TaskState state : values_of<TaskState>()) {
        EXPECT_EQ(is_terminal(state), terminal.contains(state)) << to_text(state);
        for (const TaskEvent event : values_of<TaskEvent>())
            if (is_terminal(state)) {
                EXPECT_EQ(next_state(state, event), std::nullopt);
            }
    }
}

TEST(StepState, TheLastFourAreTerminal) {
    const std::set<StepState> terminal{StepState::Completed, StepState::Failed, StepState::Skipped,
                                       StepState::Cancelled};
    for (const StepState state : values_of<StepState>()) EXPECT_EQ(is_terminal(state), terminal.contains(state));
}

TEST(JobState, TheLastThreeAreTerminal) {
    const std::set<JobState> terminal{JobState::Completed, JobState::Failed, JobState::Cancelled};
    for (const JobState state : values_of<JobState>()) EXPECT_EQ(is_terminal(state), terminal.contains(state));
}

template <typename State, typename Event>
void expect_reachable_and_cancellable(State first, Event cancel) {
    std::set<State> reached{first};
    for (std::size_t i = 0; i < transitions<State>.size(); ++i)
        for (const auto& row : transitions<State>)
            if (reached.contains(row.from)) reached.insert(row.to);
    EXPECT_EQ(reached.size(), values_of<State>().size());
    for (const State state : values_of<State>())
        if (!is_terminal(state)) {
            EXPECT_EQ(next_state(state, cancel), State::Cancelled);
        }
}

TEST(TaskState, EveryStateCanBeReachedFromPendingAndEveryOneCanEnd) {
    expect_reachable_and_cancellable(TaskState::Pending, TaskEvent::Cancel);
}

TEST(StepState, EveryStateCanBeReachedAndEveryOneCanBeCancelled) {
    expect_reachable_and_cancellable(StepState::Waiting, StepEvent::Cancel);
}

TEST(JobState, EveryStateCanBeReachedAndEveryOneCanBeCancelled) {
    expect_reachable_and_cancellable(JobState::Pending, JobEvent::Cancel);
}

TEST(TaskState, TextsAreReadBackAndNothingElseIs) {
    for (const TaskState state : values_of<TaskState>()) EXPECT_EQ(parse_task_state(to_text(state)), state);
    for (const char* text : {"", "pending", "PENDING ", "SKIPPED", "RUN"})
        EXPECT_EQ(parse_task_state(text), std::nullopt);
}

TEST(StepState, TextsAreReadBackAndNothingElseIs) {
    for (const StepState state : values_of<StepState>()) EXPECT_EQ(parse_step_state(to_text(state)), state);
    for (const char* text : {"", "waiting", "WAITING ", "PENDING", "PAUSED"})
        EXPECT_EQ(parse_step_state(text), std::nullopt);
}

TEST(JobState, TextsAreReadBackAndNothingElseIs) {
    for (const JobState state : values_of<JobState>()) EXPECT_EQ(parse_job_state(to_text(state)), state);
    for (const char* text : {"", "pending", "PAUSED ", "WAITING", "SKIPPED"})
        EXPECT_EQ(parse_job_state(text), std::nullopt);
}

/// The Mermaid state diagram of a table, as the page about the states contains it.
template <typename State>
std::string diagram(std::string_view beginning) {
    std::string text = concat("stateDiagram-v2\n    [*] --> ", word_of(State{}), ": ", beginning, "\n");
    for (const auto& row : transitions<State>)
        text += concat("    ", word_of(row.from), " --> ", word_of(row.to), ": ", word_of(row.event), "\n");
    for (const State state : values_of<State>())
        if (is_terminal(state)) text += concat("    ", word_of(state), " --> [*]\n");
    return text;
}

void expect_diagrams(const std::string& path, const std::vector<std::string>& diagrams) {
    std::ifstream file(HOLDFAST_SOURCE_DIR "/" + path);
    ASSERT_TRUE(file) << path << " is missing";
    const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find("```mermaid", at)) != std::string::npos; ++at) ++found;
    EXPECT_EQ(found, diagrams.size()) << "another diagram would not be checked";
    for (const std::string& each : diagrams) {
        const std::string block = "```mermaid\n" + each + "```\n";
        EXPECT_NE(page.find(block), std::string::npos) << path << " must contain exactly:\n" << block;
    }
}

TEST(TaskState, TheDocumentedDiagramIsTheTable) {
    expect_diagrams("docs/task-states.md", {diagram<TaskState>("submit")});
}

TEST(JobState, TheDocumentedDiagramsAreTheTables) {
    expect_diagrams("docs/job-states.md", {diagram<JobState>("start"), diagram<StepState>("start")});
}

}  // namespace
}  // namespace holdfast::core
