#include "store/jobs/job_book.h"

#include "base/assert.h"

namespace holdfast::store {

const JobRow* JobBook::find_job(const Uuid& job) {
    if (!jobs_.contains(job)) read_jobs({job});
    const auto& entry = jobs_[job];
    return entry.status == Status::Missing ? nullptr : &entry.row;
}

const StepRow* JobBook::find_step(const StepKey& step) {
    if (!steps_.contains(step)) read_steps({step});
    const auto& entry = steps_[step];
    return entry.status == Status::Missing ? nullptr : &entry.row;
}

JobProgress& JobBook::change_job(const Uuid& job) {
    HOLDFAST_ASSERT(find_job(job) != nullptr);
    auto& entry = jobs_[job];
    if (entry.status == Status::Read) entry.status = Status::Changed;
    return entry.row.progress;
}

StepRow& JobBook::change_step(const StepKey& step) {
    HOLDFAST_ASSERT(find_step(step) != nullptr);
    auto& entry = steps_[step];
    if (entry.status == Status::Read) entry.status = Status::Changed;
    return entry.row;
}

void JobBook::read_jobs(const std::vector<Uuid>& jobs) {
    std::vector<Uuid> unknown;
    for (const auto& job : jobs)
        if (jobs_.try_emplace(job).second) unknown.push_back(job);
    if (unknown.empty()) return;
    for (auto& row : tables_.load_jobs(unknown)) jobs_[row.head.id] = {Status::Read, row};
}

void JobBook::read_steps(const std::vector<StepKey>& steps) {
    std::vector<StepKey> unknown;
    for (const auto& step : steps)
        if (steps_.try_emplace(step).second) unknown.push_back(step);
    if (!unknown.empty()) keep(tables_.load_steps(unknown));
}

void JobBook::read_all_steps(const Uuid& job) {
    keep(tables_.load_all_steps(job));
}

std::vector<const StepRow*> JobBook::items(const Uuid& job, int step) {
    keep(tables_.load_items(job, step));
    std::vector<const StepRow*> found;
    const auto past = steps_.lower_bound({job, step + 1, -1});
    for (auto entry = steps_.lower_bound({job, step, 0}); entry != past; ++entry)
        if (entry->second.status != Status::Missing) found.push_back(&entry->second.row);
    return found;
}

std::vector<const StepRow*> JobBook::all_steps(const Uuid& job) {
    read_all_steps(job);
    std::vector<const StepRow*> found;
    for (auto entry = steps_.lower_bound({job, 0, -1}); entry != steps_.end() && entry->first.job == job; ++entry)
        if (entry->first.item < 0 && entry->second.status != Status::Missing) found.push_back(&entry->second.row);
    return found;
}

void JobBook::keep(const std::vector<StepRow>& rows) {
    for (const auto& row : rows) {
        auto& entry = steps_[row.key];
        if (entry.status == Status::Missing) entry = {Status::Read, row};
    }
}

void JobBook::add_job(const JobRow& job) {
    jobs_[job.head.id] = {Status::Added, job};
}

std::vector<Uuid> JobBook::added_children(const Uuid& job) const {
    std::vector<Uuid> children;
    for (const auto& [id, entry] : jobs_)
        if (entry.status == Status::Added && entry.row.head.parent && entry.row.head.parent->job == job)
            children.push_back(id);
    return children;
}

void JobBook::add_step(const StepRow& step) {
    steps_[step.key] = {Status::Added, step};
}

void JobBook::write() {
    write(jobs_, &JobTables::insert_jobs, &JobTables::save_jobs);
    write(steps_, &JobTables::insert_steps, &JobTables::save_steps);
}

template <typename Key, typename Row>
void JobBook::write(std::map<Key, Entry<Row>>& entries, void (JobTables::*insert)(const std::vector<Row>&),
                    void (JobTables::*save)(const std::vector<Row>&)) {
    std::vector<Row> added, changed;
    for (auto& [key, entry] : entries) {
        if (entry.status == Status::Added) added.push_back(entry.row);
        if (entry.status == Status::Changed) changed.push_back(entry.row);
        if (entry.status != Status::Missing) entry.status = Status::Read;
    }
    if (!added.empty()) (tables_.*insert)(added);
    if (!changed.empty()) (tables_.*save)(changed);
}

}  // namespace holdfast::store
