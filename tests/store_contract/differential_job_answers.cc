#include <algorithm>

#include "store_contract/differential_answers.h"
#include "store_contract/differential_text.h"

namespace holdfast::contract {
namespace {

std::string counts(const StepCounts& of) {
    return concat(of.waiting, "/", of.ready, "/", of.running, "/", of.completed, "/", of.failed, "/", of.skipped, "/",
                  of.cancelled);
}

std::string described(const JobInfo& job) {
    return concat("job ", job.id.to_string(), " ", job.workflow, " ", to_text(job.state), " ", job.input, " ",
                  job.output, " ", error_text(job.error), " ", job.cancel_requested, " ", time_text(job.created_at),
                  " ", time_text(job.started_at), " ", time_text(job.finished_at), " ", time_text(job.deadline), " ",
                  job.root.to_string(), " ", job.parent.to_string(), " ", job.parent_step, " ", job.depth, " ",
                  job.retry_of.to_string(), " ", counts(job.steps), "\n");
}

std::string described(const StepInfo& step) {
    return concat("  step ", step.name, " ", step.step, " ", step.item, " ", step.hook, " ", step.kind, " ",
                  to_text(step.state), " ", step.task.to_string(), " ", step.child.to_string(), " ", step.attempts,
                  " ", time_text(step.ready_at), " ", time_text(step.started_at), " ", time_text(step.finished_at),
                  " ", time_text(step.wakes_at), " ", step.message, " ", step.output, " ", error_text(step.error),
                  " ", step.progress ? concat(step.progress->fraction, step.progress->text) : "-", " ",
                  counts(step.items), "\n");
}

}  // namespace

std::string AnswerText::operator()(const std::vector<SteerStatus>& answer) {
    std::string text;
    for (const auto status : answer) text += concat(static_cast<int>(status), " ");
    return text;
}

std::string AnswerText::operator()(store::DecideStatus answer) {
    return concat(static_cast<int>(answer));
}

std::string AnswerText::operator()(store::RetryStatus answer) {
    return concat(static_cast<int>(answer));
}

std::string AnswerText::operator()(const store::RepairAnswer& answer) {
    std::string text =
        concat(answer.replayed, " ", answer.resolved, " ", answer.dispatched, " ", answer.children, " ",
               answer.completed, " ", answer.steered, " ", answer.more, " ", answer.last.to_string());
    for (const auto& [job, why] : answer.poison) text += concat("\npoison ", job.to_string(), " ", why);
    return text;
}

std::string AnswerText::operator()(const std::vector<store::ScheduleRecord>& answer) {
    std::string text;
    for (const auto& one : answer)
        text += concat("schedule ", one.schedule.name, " ", one.schedule.timing, " ", one.schedule.definition, " ",
                       one.schedule.input, " ", one.paused, " ", time_text(one.created_at), " ",
                       time_text(one.decided_until), " ", one.last_job.to_string(), " ",
                       one.last_state ? to_text(*one.last_state) : "-", "\n");
    return text;
}

std::string AnswerText::job_lists(store::Store& store) {
    const auto counts = store.count_jobs();
    std::string text =
        concat("jobs ", counts.pending, " ", counts.running, " ", counts.paused, " ", counts.completed, " ",
               counts.failed, " ", counts.cancelled, ", approvals ", store.vitals().approvals, "\n");
    for (const bool with_children : {false, true})
        for (const auto& job : store.list_jobs({.with_children = with_children, .limit = 1000}))
            text += described(job);
    for (const auto& job :
         store.list_jobs({.states = {JobState::Failed, JobState::Paused}, .workflow = "child", .limit = 1000}))
        text += described(job);
    for (const auto& job : store.jobs_with_prefix("019cab", 1000)) text += job.to_string() + "\n";
    return text;
}

std::string AnswerText::job(store::Store& store, const Uuid& job) {
    const auto found = store.find_jobs({job}).at(0);
    if (!found) return concat("job ", job.to_string(), " gone\n");
    std::string text = described(*found) + concat("  ", store.job_definition(job), "\n");
    for (const auto& step : store.steps({.job = job})) {
        text += described(step);
        if (step.task.is_nil()) continue;
        const auto owner = store.step_of_task(step.task);
        text += owner ? concat("  of ", owner->first.to_string(), " ", owner->second, "\n") : "  of none\n";
    }
    for (const auto& step : store.steps({.job = job, .with_items = false})) text += "  whole" + described(step);
    std::vector<std::string> events;  // of one call they may come in any order
    for (const auto& one : store.job_events({.job = job})) events.push_back("  " + event(one));
    std::sort(events.begin(), events.end());
    return text + holdfast::join(events, "\n") + "\n";
}

}  // namespace holdfast::contract
