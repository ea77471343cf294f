#include "server/api/ids.h"

#include <algorithm>

#include "base/text.h"
#include "server/api/problem.h"
#include "views/worker.h"

namespace holdfast::api {

namespace {

constexpr std::size_t candidates_shown = 5;

[[noreturn]] void refuse_unknown(std::string_view kind, const std::string& id) {
    throw Problem("NOT_FOUND",
                  concat("there is no ", kind, " ", id, ": it never existed, or it was removed some time ago"));
}

[[noreturn]] void refuse_ambiguous(std::string_view kind, const std::string& prefix,
                                   std::vector<std::string> candidates) {
    if (candidates.size() > candidates_shown) candidates.back() = "...";
    throw Problem("CONFLICT",
                  concat("'", prefix, "' is more than one ", kind, "; give a whole id: ", join(candidates, ", ")));
}

/// Returns the only match. Throws NOT_FOUND when there is none, CONFLICT when there are several.
template <typename Record, typename Describe>
Record only_one(std::string_view kind, const std::string& text, std::vector<Record> found, const Describe& describe) {
    if (found.empty()) refuse_unknown(kind, text);
    if (found.size() == 1) return std::move(found.front());
    std::vector<std::string> candidates;
    for (const Record& record : found) candidates.push_back(describe(record));
    refuse_ambiguous(kind, text, std::move(candidates));
}

std::vector<JobInfo> jobs_that_begin(store::ClientStore& store, const std::string& prefix) {
    std::vector<JobInfo> jobs;
    for (auto& job : store.find_jobs(store.jobs_with_prefix(prefix, candidates_shown + 1)))
        if (job) jobs.push_back(*std::move(job));
    return jobs;
}

std::vector<store::WorkerRecord> workers_meant(store::ClientStore& store, const std::string& text) {
    std::vector<store::WorkerRecord> named, present, begun;
    for (auto& record : store.workers()) {
        if (record.registration.name == text) named.push_back(record);
        if (record.registration.name == text && !views::has_left(record)) present.push_back(record);
        if (record.registration.id.to_string().starts_with(text)) begun.push_back(std::move(record));
    }
    if (!present.empty()) return present;
    return named.empty() ? begun : named;
}

}  // namespace

bool may_begin_an_id(const std::string& text) {
    return !text.empty() && text.size() <= 36 &&
           text.find_first_not_of("0123456789abcdefABCDEF-") == std::string::npos;
}

store::TaskRecord find_task(store::ClientStore& store, const std::string& text) {
    if (const auto id = Uuid::parse(text)) {
        auto found = store.find({*id}).front();
        if (!found) refuse_unknown("task", text);
        return *std::move(found);
    }
    if (!may_begin_an_id(text)) refuse_unknown("task", text);
    store::ListParams params;
    params.filter.id_prefix = text;
    params.limit = candidates_shown + 1;
    return only_one("task", text, store.list(params), [](const store::TaskRecord& record) {
        return concat(record.task.id.to_string(), " (", record.task.name, ", ", to_text(record.state), ")");
    });
}

JobInfo find_job(store::ClientStore& store, const std::string& text) {
    if (const auto id = Uuid::parse(text)) {
        auto found = store.find_jobs({*id}).front();
        if (!found) refuse_unknown("job", text);
        return *std::move(found);
    }
    if (!may_begin_an_id(text)) refuse_unknown("job", text);
    return only_one("job", text, jobs_that_begin(store, text), [](const JobInfo& job) {
        return concat(job.id.to_string(), " (", job.workflow, ", ", to_text(job.state), ")");
    });
}

store::WorkerRecord find_worker(store::ClientStore& store, const std::string& text) {
    return only_one("worker", text, workers_meant(store, text), [](const store::WorkerRecord& record) {
        return concat(record.registration.id.to_string(), " (", record.registration.name, ", ",
                      word_of(record.status), ")");
    });
}

}  // namespace holdfast::api
