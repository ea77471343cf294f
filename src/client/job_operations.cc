#include "client/job_operations.h"

#include "base/text.h"
#include "client/certainty.h"
#include "platform/task_ids.h"

namespace holdfast::client {

namespace {

std::string unknown_job(const Uuid& job) {
    return concat("there is no job with the id ", job.to_string());
}

}  // namespace

Uuid start_job(store::ClientStore& store, store::NewJob job) {
    if (job.id.is_nil()) job.id = platform::new_task_id();
    const auto outcome = asked_until_certain([&] { return store.start_jobs({job}).front(); });
    switch (outcome.status) {
        case SubmitStatus::Accepted:
        case SubmitStatus::Existing:
            return outcome.id;
        case SubmitStatus::PayloadMismatch:
            throw PayloadMismatch(concat(error_code::payload_mismatch, ": job ", outcome.id.to_string(),
                                         " has the same id but another workflow or input"));
        case SubmitStatus::TooOld:
        case SubmitStatus::Refused:
            break;
    }
    throw BadInput(outcome.complaint);
}

JobInfo find_one_job(store::ClientStore& store, const Uuid& job) {
    auto found = store.find_jobs({job}).front();
    if (!found) throw UnknownJob(unknown_job(job));
    return std::move(*found);
}

Uuid retry_ended_job(store::ClientStore& store, const Uuid& job, const std::string& who, Uuid new_id) {
    if (new_id.is_nil()) new_id = platform::new_task_id();
    const auto status =
        asked_until_certain([&] { return store.retry_job({.job = job, .new_id = new_id, .who = who}); });
    switch (status) {
        case store::RetryStatus::Started:
            return new_id;
        case store::RetryStatus::NotEnded:
            throw WrongState(concat("job ", job.to_string(), " has not ended: cancel it first"));
        case store::RetryStatus::Completed:
            throw WrongState(
                concat("job ", job.to_string(), " is COMPLETED: there is nothing to retry; run it again"));
        case store::RetryStatus::NotFound:
            break;
    }
    throw UnknownJob(concat(unknown_job(job), ", or it is a child: retry the job at the top"));
}

std::vector<store::EventRecord> all_job_events(store::ClientStore& store, const Uuid& job) {
    std::vector<store::EventRecord> all;
    for (;;) {
        const std::int64_t after = all.empty() ? 0 : all.back().id;
        const auto page = store.job_events({.job = job, .after_id = after, .limit = 1000});
        if (page.empty()) return all;
        all.insert(all.end(), page.begin(), page.end());
    }
}

}  // namespace holdfast::client
