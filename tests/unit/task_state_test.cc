#include "core/task/task_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace holdfast::core {
namespace {

/// What the product promises, written out by hand: a row per state, a column per event, "-" for what is not allowed.
constexpr const char* promised_rows = R"(
event      claim    start    complete   fail    retry    requeue  cancel     expire   reject
PENDING    CLAIMED  -        -          -       -        -        CANCELLED  EXPIRED  FAILED
CLAIMED    -        RUNNING  -          -       -        PENDING  CANCELLED  -        FAILED
RUNNING    -        -        COMPLETED  FAILED  PENDING  -        CANCELLED  -        FAILED
COMPLETED  -        -        -          -       -        -        -          -        -
FAILED     -        -        -          -       -        -        -          -        -
CANCELLED  -        -        -          -       -        -        -          -        -
EXPIRED    -        -        -          -       -        -        -          -        -
)";

using Cell = std::pair<std::string, std::string>;

std::map<Cell, std::string> promised_cells() {
    std::istringstream lines(promised_rows + 1);
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

TEST(TaskState, EveryEventInEveryStateLeadsWhereThePromiseSaysOrNowhere) {
    const auto cells = promised_cells();
    ASSERT_EQ(cells.size(), values_of<TaskState>().size() * values_of<TaskEvent>().size());
    for (const TaskState state : values_of<TaskState>())
        for (const TaskEvent event : values_of<TaskEvent>()) {
            const auto next = next_state(state, event);
            const std::string found(next ? to_text(*next) : "-");
            EXPECT_EQ(found, cells.at({std::string(to_text(state)), std::string(word_of(event))}))
                << to_text(state) << " + " << word_of(event);
        }
}

TEST(TaskState, TheTableHasOneRowPerStateAndEvent) {
    std::set<std::pair<TaskState, TaskEvent>> seen;
    for (const Transition& row : task_transitions()) EXPECT_TRUE(seen.insert({row.from, row.event}).second);
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

TEST(TaskState, EveryStateCanBeReachedFromPendingAndEveryOneCanEnd) {
    std::set<TaskState> reached{TaskState::Pending};
    for (std::size_t i = 0; i < values_of<TaskState>().size(); ++i)
        for (const Transition& row : task_transitions())
            if (reached.contains(row.from)) reached.insert(row.to);
    EXPECT_EQ(reached.size(), values_of<TaskState>().size());
    for (const TaskState state : values_of<TaskState>())
        if (!is_terminal(state)) {
            EXPECT_EQ(next_state(state, TaskEvent::Cancel), TaskState::Cancelled);
        }
}

TEST(TaskState, TextsAreReadBackAndNothingElseIs) {
    for (const TaskState state : values_of<TaskState>()) EXPECT_EQ(parse_task_state(to_text(state)), state);
    for (const char* text : {"", "pending", "PENDING ", "SKIPPED", "RUN"})
        EXPECT_EQ(parse_task_state(text), std::nullopt);
}

TEST(TaskState, TheDocumentedDiagramIsTheTable) {
    std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/task-states.md");
    ASSERT_TRUE(file) << "docs/task-states.md is missing";
    const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::string block = "```mermaid\n" + task_state_diagram() + "```\n";
    EXPECT_NE(page.find(block), std::string::npos) << "docs/task-states.md must contain exactly:\n" << block;
    EXPECT_EQ(page.find("```mermaid"), page.rfind("```mermaid")) << "a second diagram would not be checked";
}

}  // namespace
}  // namespace holdfast::core
