#include "server/api/ids.h"

#include "base/text.h"
#include "server/api/answers.h"
#include "views/worker.h"

namespace holdfast::api {

namespace {

constexpr std::size_t candidates_shown = 5;

/// Returns the only match. Throws NOT_FOUND when there is none, CONFLICT when there are several.
template <typename Record, typename Describe>
Record only_one(std::string_view kind, const std::string& text, std::vector<Record> found, const Describe& describe) {
    if (found.empty())
        throw Problem("NOT_FOUND",
                      concat("there is no ", kind, " ", text, ": it never existed, or it was removed some time ago"));
    if (found.size() == 1) return std::move(found.front());
    std::vector<std::string> candidates;
    for (const Record& record : found) candidates.push_back(describe(record));
    if (candidates.size() > candidates_shown) candidates.back() = "...";
    throw Problem("CONFLICT",
                  concat("'", text, "' is more than one ", kind, "; give a whole id: ", join(candidates, ", ")));
}

template <typename Record>
std::vector<Record> present(std::vector<std::optional<Record>> records) {
    std::vector<Record> found;
    for (auto& record : records)
        if (record) found.push_back(*std::move(record));
    return found;
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

std::vector<JobInfo> jobs_that_begin(store::ClientStore& store, const std::string& prefix, std::size_t limit) {
    return present(store.find_jobs(store.jobs_with_prefix(prefix, limit)));
}

store::TaskRecord find_task(store::ClientStore& store, const std::string& text) {
    std::vector<store::TaskRecord> found;
    if (const auto id = Uuid::parse(text)) {
        found = present(store.find({*id}));
    } else if (may_begin_an_id(text)) {
        store::ListParams params;
        params.filter.id_prefix = text;
        params.limit = candidates_shown + 1;
        found = store.list(params);
    }
    return only_one("task", text, std::move(found), [](const store::TaskRecord& record) {
        return concat(record.task.id.to_string(), " (", record.task.name, ", ", to_text(record.state), ")");
    });
}

JobInfo find_job(store::ClientStore& store, const std::string& text) {
    std::vector<JobInfo> found;
    if (const auto id = Uuid::parse(text))
        found = present(store.find_jobs({*id}));
    else if (may_begin_an_id(text))
        found = jobs_that_begin(store, text, candidates_shown + 1);
    return only_one("job", text, std::move(found), [](const JobInfo& job) {
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
