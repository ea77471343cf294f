#pragma once

#include "base/words.h"
#include "holdfast/job.h"
#include "holdfast/task.h"
#include "holdfast/task_info.h"

/// The words of the enumerations of the public headers, which cannot hold the tables themselves.
namespace holdfast {

constexpr auto words_of(TaskState) {
    using enum TaskState;
    return words<TaskState>({{Pending, "PENDING"},
                             {Claimed, "CLAIMED"},
                             {Running, "RUNNING"},
                             {Completed, "COMPLETED"},
                             {Failed, "FAILED"},
                             {Cancelled, "CANCELLED"},
                             {Expired, "EXPIRED"}});
}

constexpr auto words_of(WaitReason) {
    using enum WaitReason;
    return words<WaitReason>({{None, ""}, {Future, "future"}, {Key, "key"}, {Overdue, "overdue"}, {Job, "job"}});
}

constexpr auto words_of(SubmitStatus) {
    using enum SubmitStatus;
    return words<SubmitStatus>({{Accepted, "accepted"},
                                {Existing, "existing"},
                                {PayloadMismatch, "payload_mismatch"},
                                {TooOld, "too_old"},
                                {Refused, "refused"}});
}

constexpr auto words_of(CancelStatus) {
    using enum CancelStatus;
    return words<CancelStatus>({{Cancelled, "cancelled"},
                                {Requested, "requested"},
                                {Already, "already"},
                                {Finished, "finished"},
                                {NotFound, "not_found"}});
}

constexpr auto words_of(OnCrash) {
    return words<OnCrash>({{OnCrash::Fail, "fail"}, {OnCrash::Requeue, "requeue"}});
}

constexpr auto words_of(Fence) {
    return words<Fence>({{Fence::Auto, "auto"}, {Fence::Stop, "stop"}, {Fence::Continue, "continue"}});
}

constexpr auto words_of(Unmatched) {
    return words<Unmatched>({{Unmatched::Wait, "wait"}, {Unmatched::Fail, "fail"}, {Unmatched::Auto, "auto"}});
}

constexpr auto words_of(JobState) {
    using enum JobState;
    return words<JobState>({{Pending, "PENDING"},
                            {Running, "RUNNING"},
                            {Paused, "PAUSED"},
                            {Completed, "COMPLETED"},
                            {Failed, "FAILED"},
                            {Cancelled, "CANCELLED"}});
}

constexpr auto words_of(StepState) {
    using enum StepState;
    return words<StepState>({{Waiting, "WAITING"},
                             {Ready, "READY"},
                             {Running, "RUNNING"},
                             {Completed, "COMPLETED"},
                             {Failed, "FAILED"},
                             {Skipped, "SKIPPED"},
                             {Cancelled, "CANCELLED"}});
}

}  // namespace holdfast
