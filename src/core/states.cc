#include "core/states.h"

#include <algorithm>

namespace holdfast {

namespace {

template <typename State>
bool has_no_transition(State state) {
    return std::ranges::none_of(core::transitions<State>, [&](const auto& row) { return row.from == state; });
}

}  // namespace

bool is_terminal(TaskState state) {
    return has_no_transition(state);
}
bool is_terminal(StepState state) {
    return has_no_transition(state);
}
bool is_terminal(JobState state) {
    return has_no_transition(state);
}

std::string_view to_text(TaskState state) {
    return word_of(state);
}
std::string_view to_text(WaitReason reason) {
    return word_of(reason);
}
std::string_view to_text(JobState state) {
    return word_of(state);
}
std::string_view to_text(StepState state) {
    return word_of(state);
}

std::optional<TaskState> parse_task_state(std::string_view text) {
    return parse_word<TaskState>(text);
}
std::optional<JobState> parse_job_state(std::string_view text) {
    return parse_word<JobState>(text);
}
std::optional<StepState> parse_step_state(std::string_view text) {
    return parse_word<StepState>(text);
}

}  // namespace holdfast
