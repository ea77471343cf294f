#include "cli/jobs/job_ids.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/tasks/task_ids.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t candidates_shown = 5;

[[noreturn]] void refuse_ambiguous(store::Store& store, const std::string& prefix, const std::vector<Uuid>& ids) {
    std::vector<std::string> candidates;
    for (const auto& job : store.find_jobs(ids))
        if (job)
            candidates.push_back(fmt::format("{} ({}, {})", job->id.to_string(), job->workflow, to_text(job->state)));
    if (candidates.size() > candidates_shown) candidates.back() = "...";
    throw BadInput(
        fmt::format("'{}' begins the id of more than one job; give more digits: {}", prefix, join(candidates, ", ")));
}

}  // namespace

JobInfo resolve_job(store::Store& store, const std::string& id_or_prefix) {
    if (const auto id = Uuid::parse(id_or_prefix)) return client::find_one_job(store, *id);
    if (!may_begin_an_id(id_or_prefix))
        throw BadInput(
            fmt::format("'{}' is no job id; an id, or the beginning of one, consists of the digits 0-9 and a-f and "
                        "dashes ('holdfast jobs list' shows them)",
                        id_or_prefix));
    const auto found = store.jobs_with_prefix(id_or_prefix, candidates_shown + 1);
    if (found.empty())
        throw UnknownJob(fmt::format(
            "there is no job whose id begins with '{}'; 'holdfast jobs list' shows those there are", id_or_prefix));
    if (found.size() > 1) refuse_ambiguous(store, id_or_prefix, found);
    return client::find_one_job(store, found.front());
}

std::vector<Uuid> resolve_jobs(store::Store& store, const std::vector<std::string>& ids) {
    std::vector<Uuid> jobs;
    for (const auto& id : ids) jobs.push_back(resolve_job(store, id).id);
    return jobs;
}

}  // namespace holdfast::cli
