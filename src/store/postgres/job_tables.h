#pragma once

#include <string>
#include <vector>

#include "store/jobs/job_tables.h"
#include "store/postgres/batches.h"
#include "store/postgres/lane.h"
#include "store/postgres/routes.h"

namespace holdfast::postgres {

/// The tables of jobs inside one transaction. Each call is one statement, however large its batch. Before it is used
/// the trees concerned are locked: by lock_leases, end_pending or one of the functions below. Writes travel with the
/// next read or with the commit, and what was read ahead is not asked for again.
class PostgresJobTables final : public store::JobTables {
public:
    /// All of them outlive it. Takes what the transaction has read ahead.
    PostgresJobTables(Transaction& tx, Routes& routes, const store::Limits& limits)
        : tx_(tx), routes_(routes), limits_(limits), ahead_(std::exchange(tx.ahead, {})) {}

    /// The time, which is not before the trees were locked.
    [[nodiscard]] Timestamp now();

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
    /// Those of the tasks that can be accepted, with the numbers of their routes; the outcomes of the others are set.
    [[nodiscard]] Batch acceptable(const std::vector<store::NewTask>& tasks, std::vector<int>& routes,
                                   std::vector<store::SubmitOutcome>& outcomes);

    Transaction& tx_;
    Routes& routes_;
    const store::Limits& limits_;
    JobsAhead ahead_;  // as it stands in the tables until something is written
};

/// Reads what the end of these tasks is going to ask for, if they are steps; to be sent after what locks their trees.
[[nodiscard]] std::vector<Command> ahead_commands(const std::vector<Uuid>& tasks);
/// From the answers to these, the first of which is answers[first].
[[nodiscard]] JobsAhead read_ahead(const std::vector<Uuid>& tasks, const std::vector<Rows>& answers,
                                   std::size_t first);
/// Both in a round trip of its own.
void look_ahead(Transaction& tx, const std::vector<Uuid>& tasks);

/// Locks the trees that these jobs belong to. The caller holds no tree yet.
void lock_trees(Transaction& tx, const std::vector<Uuid>& jobs);

}  // namespace holdfast::postgres
