#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proof/crew/ledger.h"
#include "proof/crew/patience.h"
#include "proof/crew/processes.h"
#include "store/store.h"
#include "store_contract/test_database.h"
#include "tests/worker/observer.h"
#include "tests/worker/worker_app.h"

namespace holdfast::contract {

inline void PrintTo(StoreKind kind, std::ostream* out) {
    *out << to_text(kind);
}

}  // namespace holdfast::contract

namespace holdfast::worker_test {

using namespace std::chrono_literals;
using contract::StoreKind;
using crew::is_alive;
using crew::LedgerLine;
using crew::LedgerLines;
using crew::Mark;
using crew::processes_with;
using crew::wait_for_end_of;
using crew::wait_for_end_of_processes_with;
using crew::wait_until;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A store, a ledger, and workers as processes. At the end of a test its workers are asked to leave and must do so;
/// then all their processes must be gone, no task may be CLAIMED or RUNNING, and the ledger must agree with the
/// store.
class WorkerTest : public testing::TestWithParam<StoreKind> {
protected:
    using Settings = std::map<std::string, std::string>;

    void SetUp() override;
    void TearDown() override;

    // ---- Workers
    /// Starts a worker, with short times and with `settings` on top, and waits until the store knows it.
    WorkerApp& start_worker(const Settings& settings = {});
    WorkerApp& launch_worker(const Settings& settings = {}, std::optional<unsigned> most_processes = {});
    [[nodiscard]] store::WorkerRecord record_of(const WorkerApp& worker);
    [[nodiscard]] Uuid id_of(const WorkerApp& worker) { return record_of(worker).registration.id; }
    void wait_for_status(const WorkerApp& worker, store::WorkerStatus status);
    /// Waits until the worker has beaten `count` times from now on.
    void wait_for_beats(const WorkerApp& worker, int count);
    void order(const WorkerApp& worker, store::WorkerOrder order);
    /// Stops it at a moment when it holds nothing that others need.
    void freeze(const WorkerApp& worker);
    /// Kills it, and waits until its keeper has killed what it left behind.
    void kill_and_wait_for_keeper(WorkerApp& worker);

    /// Lets workers of other users use the store.
    void admit_every_user() const;

    // ---- Tasks
    [[nodiscard]] static store::NewTask task(const std::string& name, const nlohmann::json& args = nullptr);
    [[nodiscard]] static store::NewTask on_crash_requeued(store::NewTask task);
    Uuid submit(const store::NewTask& task);
    Uuid submit(const std::string& name, const nlohmann::json& args = nullptr) { return submit(task(name, args)); }
    std::vector<Uuid> submit_notes(std::size_t count, int milliseconds = 0);
    [[nodiscard]] store::TaskRecord find(const Uuid& id) { return store->find({id}).at(0).value(); }
    /// Waits until the task has ended.
    store::TaskRecord ended(const Uuid& id);
    std::vector<store::TaskRecord> ended(const std::vector<Uuid>& ids);

    /// The arguments of the task "hold", which runs until open_gate().
    [[nodiscard]] nlohmann::json gate() const { return {{"gate", folder + "/gate"}}; }
    void open_gate() const;
    /// Waits until the task has begun so many times, and returns the last of these lines.
    LedgerLine begun(const Uuid& id, std::size_t times = 1) const;
    void wait_for_lines(Mark mark, std::size_t at_least) const;

    /// In the environment of every worker of this test, and of every process that it starts.
    [[nodiscard]] std::string marker() const { return "HOLDFAST_TEST_PLACE=" + folder; }

    std::string folder;
    std::unique_ptr<contract::TestDatabase> database;
    std::string url;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<crew::Ledger> ledger;
    std::vector<std::unique_ptr<WorkerApp>> workers;
    core::Thresholds thresholds{.worker_stale = 1s, .disconnect_grace = 1s};
    std::set<store::Lease> forgotten;  ///< of runs that the store has lost, because the test made it go back in time

private:
    virtual void make_store();
    void dismiss_workers();
    void check_no_task_is_stuck();
    void check_ledger_against_store();
    void show_logs() const;
};

/// "" when it has no error.
[[nodiscard]] inline std::string code_of(const store::TaskRecord& record) {
    return record.error.value_or(TaskError{}).code;
}

[[nodiscard]] inline std::string kind_name(const testing::TestParamInfo<StoreKind>& info) {
    return info.param == StoreKind::Sqlite ? "Sqlite" : "Postgres";
}
#define HOLDFAST_ON_EVERY_STORE(Suite) \
    INSTANTIATE_TEST_SUITE_P(On, Suite, testing::ValuesIn(contract::store_kinds()), kind_name)

}  // namespace holdfast::worker_test
