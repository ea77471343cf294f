#pragma once

#include <map>
#include <vector>

#include "store/jobs/job_tables.h"

namespace holdfast::store {

/// The jobs and steps that one transaction has to do with: read once, changed in memory, written together at the end.
/// References stay valid until write().
class JobBook {
public:
    explicit JobBook(JobTables& tables) : tables_(tables) {}

    /// nullptr: there is none.
    [[nodiscard]] const JobRow* find_job(const Uuid& job);
    [[nodiscard]] const StepRow* find_step(const StepKey& step);
    /// The same to be changed: it is written at the end. Must exist.
    JobProgress& change_job(const Uuid& job);
    StepRow& change_step(const StepKey& step);

    /// Read ahead what is going to be asked for, in one go.
    void read_jobs(const std::vector<Uuid>& jobs);
    void read_steps(const std::vector<StepKey>& steps);
    void read_all_steps(const Uuid& job);
    /// The items of a step, by their number, as they stand in this transaction.
    [[nodiscard]] std::vector<const StepRow*> items(const Uuid& job, int step);
    [[nodiscard]] std::vector<const StepRow*> all_steps(const Uuid& job);
    void keep(const std::vector<StepRow>& rows);  ///< rows that were read elsewhere; known ones are left as they are

    void add_job(const JobRow& job);
    /// Jobs that this transaction has made for steps of the job.
    [[nodiscard]] std::vector<Uuid> added_children(const Uuid& job) const;
    void add_step(const StepRow& step);

    void write();

private:
    enum class Status { Missing, Read, Changed, Added };
    template <typename Row>
    struct Entry {
        Status status = Status::Missing;
        Row row = {};
    };
    /// Passes the rows that were added and those that were changed on, each if there are any.
    template <typename Key, typename Row>
    void write(std::map<Key, Entry<Row>>& entries, void (JobTables::*insert)(const std::vector<Row>&),
               void (JobTables::*save)(const std::vector<Row>&));

    JobTables& tables_;
    std::map<Uuid, Entry<JobRow>> jobs_;
    std::map<StepKey, Entry<StepRow>> steps_;
};

}  // namespace holdfast::store
