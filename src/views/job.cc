#include "views/job.h"

#include "core/public_words.h"
#include "core/workflow/workflow.h"

namespace holdfast::views {

namespace {

/// Restores the output null of a COMPLETED job or step; a COMPLETED one always has an output.
template <auto completed, typename Record>
void fill_output(Record& record) {
    if (record.state == completed && record.output.empty()) record.output = "null";
}

}  // namespace

Table<StepCounts> table(Of<StepCounts>) {
    static constexpr Member<StepCounts> members[] = {
        member<&StepCounts::waiting>("waiting"),     member<&StepCounts::ready>("ready"),
        member<&StepCounts::running>("running"),     member<&StepCounts::completed>("completed"),
        member<&StepCounts::failed>("failed"),       member<&StepCounts::skipped>("skipped"),
        member<&StepCounts::cancelled>("cancelled"),
    };
    return {"StepCounts", members};
}

Table<JobInfo> table(Of<JobInfo>) {
    static constexpr Member<JobInfo> members[] = {
        member<&JobInfo::id>("id"),
        member<&JobInfo::workflow>("workflow"),
        member<&JobInfo::state>("state"),
        member<&JobInfo::input>("input", json_text),
        member<&JobInfo::output>("output", json_text),
        member<&JobInfo::error>("error"),
        member<&JobInfo::cancel_requested>("cancel_requested"),
        member<&JobInfo::created_at>("created_at"),
        member<&JobInfo::started_at>("started_at"),
        member<&JobInfo::finished_at>("finished_at"),
        member<&JobInfo::deadline>("deadline"),
        member<&JobInfo::root>("root", or_null),
        member<&JobInfo::parent>("parent", or_null),
        member<&JobInfo::parent_step>("parent_step", or_null),
        member<&JobInfo::depth>("depth"),
        member<&JobInfo::retry_of>("retry_of", or_null),
        member<&JobInfo::queues>("queues"),
        member<&JobInfo::steps>("steps"),
    };
    return {"Job", members, fill_output<JobState::Completed>};
}

Table<StepInfo> table(Of<StepInfo>) {
    static constexpr Member<StepInfo> members[] = {
        member<&StepInfo::name>("name"),
        member<&StepInfo::item>("item", or_null),
        member<&StepInfo::hook>("hook"),
        member<&StepInfo::kind>("kind", TextOfWord<core::StepKind>()),
        member<&StepInfo::state>("state"),
        member<&StepInfo::task>("task", or_null),
        member<&StepInfo::child>("child", or_null),
        member<&StepInfo::attempts>("attempts"),
        member<&StepInfo::ready_at>("ready_at"),
        member<&StepInfo::started_at>("started_at"),
        member<&StepInfo::finished_at>("finished_at"),
        member<&StepInfo::wakes_at>("wakes_at"),
        member<&StepInfo::message>("message", or_null),
        member<&StepInfo::output>("output", json_text),
        member<&StepInfo::error>("error"),
        member<&StepInfo::progress>("progress"),
        member<&StepInfo::items>("items", or_null),
    };
    return {"Step", members, fill_output<StepState::Completed>};
}

Table<GraphStep> table(Of<GraphStep>) {
    static constexpr Member<GraphStep> members[] = {
        members_of<&GraphStep::step>(),
        member<&GraphStep::depends_on>("depends_on"),
    };
    return {"GraphStep", members};
}

Table<Edge> table(Of<Edge>) {
    static constexpr Member<Edge> members[] = {
        member<&Edge::from>("from"),
        member<&Edge::to>("to"),
    };
    return {"Edge", members};
}

Table<JobStory> table(Of<JobStory>) {
    static constexpr Member<JobStory> members[] = {
        member<&JobStory::job>("job"),
        member<&JobStory::steps>("steps"),
        member<&JobStory::edges>("edges"),
    };
    return {"JobStory", members};
}

Table<StepLogLine> table(Of<StepLogLine>) {
    static constexpr Member<StepLogLine> members[] = {
        member<&StepLogLine::step>("step"),
        member<&StepLogLine::task>("task"),
        members_of<&StepLogLine::line>(),
    };
    return {"StepLogLine", members};
}

Table<store::JobCounts> table(Of<store::JobCounts>) {
    using Counts = store::JobCounts;
    static constexpr Member<Counts> members[] = {
        member<&Counts::pending>("pending"), member<&Counts::running>("running"),
        member<&Counts::paused>("paused"),   member<&Counts::completed>("completed"),
        member<&Counts::failed>("failed"),   member<&Counts::cancelled>("cancelled"),
    };
    return {"JobCounts", members};
}

}  // namespace holdfast::views
