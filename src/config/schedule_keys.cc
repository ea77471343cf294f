#include "config/schedule_keys.h"

#include <array>
#include <chrono>

namespace holdfast::config {

namespace {

using std::chrono::days;
using std::chrono::seconds;

constexpr WorkflowKey typed(std::string_view name, FieldType type, std::string_view fallback,
                            std::string_view meaning, std::string_view example) {
    return {{.section = "schedules",
             .name = name,
             .type = type,
             .fallback = fallback,
             .meaning = meaning,
             .source = {},
             .example = example}};
}

constexpr WorkflowKey formed(std::string_view name, std::string_view fallback, std::string_view form,
                             std::string_view meaning, std::string_view example) {
    WorkflowKey key = typed(name, FieldType::Text, fallback, meaning, example);
    key.form = form;
    return key;
}

constexpr WorkflowKey ranged(WorkflowKey key, std::int64_t least, std::int64_t most) {
    key.field.least = least;
    key.field.most = most;
    return key;
}

constexpr WorkflowKey worded(WorkflowKey key, std::string_view words) {
    key.field.words = words;
    return key;
}

constexpr std::int64_t shortest = Duration(seconds(1)).count();
constexpr std::int64_t longest = Duration(days(365)).count();

constexpr std::array of_schedules = {
    formed("workflow", "", "a name", "The workflow to start: one of the section `workflows`. This or `task`.",
           "nightly"),
    formed("task", "", "a name",
           "The task to run, as a job of one step: one of the section `tasks`, else a function of an application.",
           "ping"),
    formed("cron", "", "five fields, or a shorthand such as @daily; in quotes",
           "When, on the clocks of `zone`. This or `every`.", "\"30 2 * * MON-FRI\""),
    ranged(typed("every", FieldType::Length, "", "When: so often.", "15m"), shortest, longest),
    formed("zone", "UTC", "a name of the IANA database", "Whose clocks a `cron` goes by.", "Europe/Berlin"),
    formed("input", "", "a mapping",
           "The input of the workflow, checked against its schema; or the arguments of the task.", "{mode: full}"),
    worded(typed("overlap", FieldType::Choice, "allow",
                 "What a slot does while the job of an earlier slot has not ended: runs beside it, does not run, or "
                 "cancels it.",
                 "skip"),
           "allow, skip, cancel_previous"),
    ranged(typed("catch_up", FieldType::Count, "1", "How many missed slots are made up for, the newest.", "0"), 0,
           1000),
    ranged(typed("jitter", FieldType::Length, "0s",
                 "How much later than its slot a job may begin; shorter than the time between two slots.", "30s"),
           0, longest),
};

}  // namespace

std::span<const WorkflowKey> schedule_keys() {
    return of_schedules;
}

}  // namespace holdfast::config
