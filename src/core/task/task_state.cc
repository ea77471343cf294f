#include "core/task/task_state.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast {

std::string_view to_text(TaskState state) {
    switch (state) {
        case TaskState::Pending:
            return "PENDING";
        case TaskState::Claimed:
            return "CLAIMED";
        case TaskState::Running:
            return "RUNNING";
        case TaskState::Completed:
            return "COMPLETED";
        case TaskState::Failed:
            return "FAILED";
        case TaskState::Cancelled:
            return "CANCELLED";
        case TaskState::Expired:
            return "EXPIRED";
    }
    HOLDFAST_ASSERT(false);
}

std::optional<TaskState> parse_task_state(std::string_view text) {
    for (const TaskState state : core::task_states())
        if (text == to_text(state)) return state;
    return std::nullopt;
}

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

constexpr TaskState states[] = {Pending, Claimed, Running, Completed, Failed, Cancelled, Expired};

constexpr TaskEvent events[] = {Claim, Start, Complete, Fail, Retry, Requeue, Cancel, Expire, Reject};

}  // namespace

std::span<const Transition> task_transitions() {
    return transitions;
}
std::span<const TaskState> task_states() {
    return states;
}
std::span<const TaskEvent> task_events() {
    return events;
}

std::optional<TaskState> next_state(TaskState from, TaskEvent event) {
    for (const Transition& row : transitions)
        if (row.from == from && row.event == event) return row.to;
    return std::nullopt;
}

std::string_view to_text(TaskEvent event) {
    switch (event) {
        case TaskEvent::Claim:
            return "claim";
        case TaskEvent::Start:
            return "start";
        case TaskEvent::Complete:
            return "complete";
        case TaskEvent::Fail:
            return "fail";
        case TaskEvent::Retry:
            return "retry";
        case TaskEvent::Requeue:
            return "requeue";
        case TaskEvent::Cancel:
            return "cancel";
        case TaskEvent::Expire:
            return "expire";
        case TaskEvent::Reject:
            return "reject";
    }
    HOLDFAST_ASSERT(false);
}

std::string task_state_diagram() {
    std::string text = "stateDiagram-v2\n    [*] --> PENDING: submit\n";
    for (const Transition& row : transitions)
        text += concat("    ", to_text(row.from), " --> ", to_text(row.to), ": ", to_text(row.event), "\n");
    for (const TaskState state : states)
        if (is_terminal(state)) text += concat("    ", to_text(state), " --> [*]\n");
    return text;
}

}  // namespace core

}  // namespace holdfast
