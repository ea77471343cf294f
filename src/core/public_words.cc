#include "core/public_words.h"

namespace holdfast {

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
