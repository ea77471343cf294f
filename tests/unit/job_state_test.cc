#include "core/workflow/job_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace holdfast::core {
namespace {

/// What the product promises, written out by hand: a row per state, a column per event, "-" for what is not allowed.
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

TEST(StepState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    expect_table(promised_of_steps, values_of<StepState>(), values_of<StepEvent>());
}

TEST(JobState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    expect_table(promised_of_jobs, values_of<JobState>(), values_of<JobEvent>());
}

TEST(StepState, TheTableHasOneRowPerStateAndEvent) {
    std::set<std::pair<StepState, StepEvent>> seen;
    for (const StepTransition& row : step_transitions()) EXPECT_TRUE(seen.insert({row.from, row.event}).second);
}

TEST(JobState, TheTableHasOneRowPerStateAndEvent) {
    std::set<std::pair<JobState, JobEvent>> seen;
    for (const JobTransition& row : job_transitions()) EXPECT_TRUE(seen.insert({row.from, row.event}).second);
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

template <typename State, typename Table>
std::set<State> reached_from(State first, const Table& table) {
    std::set<State> reached{first};
    for (std::size_t i = 0; i < table.size(); ++i)
        for (const auto& row : table)
            if (reached.contains(row.from)) reached.insert(row.to);
    return reached;
}

TEST(StepState, EveryStateCanBeReachedAndEveryOneCanBeCancelled) {
    EXPECT_EQ(reached_from(StepState::Waiting, step_transitions()).size(), values_of<StepState>().size());
    for (const StepState state : values_of<StepState>())
        if (!is_terminal(state)) {
            EXPECT_EQ(next_state(state, StepEvent::Cancel), StepState::Cancelled);
        }
}

TEST(JobState, EveryStateCanBeReachedAndEveryOneCanBeCancelled) {
    EXPECT_EQ(reached_from(JobState::Pending, job_transitions()).size(), values_of<JobState>().size());
    for (const JobState state : values_of<JobState>())
        if (!is_terminal(state)) {
            EXPECT_EQ(next_state(state, JobEvent::Cancel), JobState::Cancelled);
        }
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

TEST(JobState, TheDocumentedDiagramsAreTheTables) {
    std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/job-states.md");
    ASSERT_TRUE(file) << "docs/job-states.md is missing";
    const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::size_t diagrams = 0;
    for (std::size_t at = 0; (at = page.find("```mermaid", at)) != std::string::npos; ++at) ++diagrams;
    EXPECT_EQ(diagrams, 2U) << "a third diagram would not be checked";
    for (const std::string& diagram : {job_state_diagram(), step_state_diagram()}) {
        const std::string block = "```mermaid\n" + diagram + "```\n";
        EXPECT_NE(page.find(block), std::string::npos) << "docs/job-states.md must contain exactly:\n" << block;
    }
}

}  // namespace
}  // namespace holdfast::core
