#pragma once

#include <functional>

#include "store/jobs/job_tables.h"
#include "store/sqlite/lane.h"

namespace holdfast::sqlite {

/// The tables of jobs inside one transaction. There is one writer: nothing has to be locked.
class SqliteJobTables final : public store::JobTables {
public:
    using Submit = std::function<store::SubmitOutcome(const store::NewTask&)>;
    /// `submit` accepts one task, whose id was made in this transaction, inside it.
    SqliteJobTables(Transaction& tx, Submit submit) : tx_(tx), submit_(std::move(submit)) {}

    std::vector<store::JobRow> load_jobs(const std::vector<Uuid>& jobs) override;
    std::vector<store::StepRow> load_steps(const std::vector<store::StepKey>& steps) override;
    std::vector<store::StepRow> load_all_steps(const Uuid& job) override;
    std::vector<store::StepRow> load_items(const Uuid& job, int step) override;
    std::vector<store::StepRow> steps_of_tasks(const std::vector<Uuid>& tasks) override;
    std::vector<Uuid> open_children(const Uuid& job) override;
    std::string definition_text(const Uuid& definition) override;
    std::vector<TaskEnd> task_ends(const std::vector<Uuid>& tasks) override;
    std::vector<Uuid> existing_tasks(const std::vector<Uuid>& tasks) override;
    bool is_pruned_up_to(const Uuid& id) override;

    void insert_definition(const Uuid& definition, const std::string& text,
                           const std::vector<std::string>& queues) override;
    void insert_jobs(const std::vector<store::JobRow>& jobs) override;
    void save_jobs(const std::vector<store::JobRow>& jobs) override;
    void insert_steps(const std::vector<store::StepRow>& steps) override;
    void save_steps(const std::vector<store::StepRow>& steps) override;
    std::vector<store::SubmitOutcome> submit_tasks(const std::vector<store::NewTask>& tasks) override;
    void hold_tasks(const std::vector<Uuid>& jobs) override;
    void release_tasks(const std::vector<Uuid>& jobs) override;
    void write_events(const std::vector<store::NewEvent>& events) override;

private:
    Transaction& tx_;
    Submit submit_;
};

/// Takes a task of a paused job out of reach. True: it was in reach, or was to start.
bool hold_task(Transaction& tx, const Uuid& task);

}  // namespace holdfast::sqlite
