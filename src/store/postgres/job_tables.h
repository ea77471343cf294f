#pragma once

#include <string>
#include <vector>

#include "store/jobs/job_tables.h"
#include "store/postgres/lane.h"
#include "store/postgres/routes.h"

namespace holdfast::postgres {

/// The tables of jobs inside one transaction. Each call is one statement, however large its batch. Before it is used
/// the trees concerned are locked: by lock_leases, end_pending or one of the functions below.
class PostgresJobTables final : public store::JobTables {
public:
    /// All of them outlive it.
    PostgresJobTables(Transaction& tx, Routes& routes, const store::Limits& limits)
        : tx_(tx), routes_(routes), limits_(limits) {}

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

    void insert_definition(const Uuid& definition, const std::string& text) override;
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
    Routes& routes_;
    const store::Limits& limits_;
};

/// Locks the trees that these jobs belong to. The caller holds no tree yet.
void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs);

}  // namespace holdfast::postgres
