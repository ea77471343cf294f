#include "core/task/task_state.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast {

bool is_terminal(TaskState state) {
    return std::ranges::none_of(core::task_transitions(), [&](const auto& row) { return row.from == state; });
}

namespace core {

namespace {

using enum TaskState;
using enum TaskEvent;

// clang-format off
constexpr Transition transitions[] = {
    {Pending, Claim,    Claimed},
    {Pending, Cancel,   Cancelled},
    {Pending, Expire,   Expired},
    {Pending, Reject,   Failed},

    {Claimed, Start,    Running},
    {Claimed, Requeue,  Pending},
    {Claimed, Cancel,   Cancelled},
    {Claimed, Reject,   Failed},

    {Running, Complete, Completed},
    {Running, Fail,     Failed},
    {Running, Retry,    Pending},
    {Running, Cancel,   Cancelled},
    {Running, Reject,   Failed},
};
// clang-format on

}  // namespace

std::span<const Transition> task_transitions() {
    return transitions;
}

std::optional<TaskState> next_state(TaskState from, TaskEvent event) {
    for (const Transition& row : transitions)
        if (row.from == from && row.event == event) return row.to;
    return std::nullopt;
}

std::string task_state_diagram() {
    std::string text = "stateDiagram-v2\n    [*] --> PENDING: submit\n";
    for (const Transition& row : transitions)
        text += concat("    ", word_of(row.from), " --> ", word_of(row.to), ": ", word_of(row.event), "\n");
    for (const TaskState state : values_of<TaskState>())
        if (is_terminal(state)) text += concat("    ", word_of(state), " --> [*]\n");
    return text;
}

}  // namespace core

}  // namespace holdfast
