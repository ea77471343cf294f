#include "tests/worker/worker_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.h"
#include "client/connect.h"
#include "platform/task_ids.h"

namespace holdfast::worker_test {

// ---- Set-up ------------------------------------------------------------------------------------------------------

void WorkerTest::SetUp() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-worker-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    chmod(folder.c_str(), 0777);
    ledger = std::make_unique<crew::Ledger>(folder + "/ledger");
    chmod(ledger->path().c_str(), 0666);
    make_store();
}

void WorkerTest::make_store() {
    database = contract::make_database(GetParam());
    url = GetParam() == StoreKind::Sqlite ? "sqlite:" + database->address() : database->address();
    store = client::connect({.url = url, .limits = {}});
}

// ---- The end -----------------------------------------------------------------------------------------------------

void WorkerTest::TearDown() {
    try {
        dismiss_workers();
        wait_for_end_of_processes_with(marker());
        if (store) check_no_task_is_stuck();
        if (store) check_ledger_against_store();
    } catch (const std::exception& problem) {
        ADD_FAILURE() << "after the test: " << problem.what();
    }
    if (HasFailure()) show_logs();
    workers.clear();
    store.reset();
    std::filesystem::remove_all(folder);
}

void WorkerTest::dismiss_workers() {
    open_gate();
    for (auto& worker : workers) {
        if (worker->has_ended()) continue;
        worker->send(SIGCONT);
        worker->send(SIGTERM);
        EXPECT_EQ(worker->wait(), 0) << worker->name() << " was asked to leave when the test had ended";
    }
}

void WorkerTest::check_no_task_is_stuck() {
    const store::TaskCounts counts = store->count();
    EXPECT_EQ(counts.claimed, 0) << "stuck";
    EXPECT_EQ(counts.running, 0) << "stuck";
    EXPECT_THAT(store->leases({}), IsEmpty());
}

void WorkerTest::check_ledger_against_store() {
    const auto lines = ledger->read().lines;
    std::set<std::int64_t> begun, returned;
    for (const LedgerLine& line : lines) {
        const bool is_new = (line.mark == Mark::Begin ? begun : returned).insert(line.lease).second;
        EXPECT_TRUE(is_new) << "lease " << line.lease << " of task " << line.task.to_string() << " was run twice";
    }
    std::map<Uuid, std::set<std::int64_t>> known;
    for (const LedgerLine& line : lines) known[line.task];
    for (auto& [id, leases] : known)
        for (const auto& attempt : store->attempts(id)) leases.insert(attempt.lease);
    for (const LedgerLine& line : lines)
        EXPECT_TRUE(known[line.task].contains(line.lease) || forgotten.contains(line.lease))
            << "the store does not know the run with lease " << line.lease << " of task " << line.task.to_string();
    store::ListParams params;
    params.filter.states = {TaskState::Completed};
    params.limit = 1000;
    for (auto page = store->list(params); !page.empty(); page = store->list(params)) {
        for (const store::TaskRecord& record : page)
            EXPECT_TRUE(returned.contains(record.lease)) << record.task.name << " COMPLETED without having run";
        params.after = page.back().task.id;
    }
}

void WorkerTest::show_logs() const {
    for (const auto& worker : workers) std::cerr << "---- " << worker->name() << "\n" << worker->log();
}

// ---- Workers -----------------------------------------------------------------------------------------------------

WorkerApp& WorkerTest::launch_worker(const Settings& settings, std::optional<unsigned> most_processes) {
    const bool is_sqlite = GetParam() == StoreKind::Sqlite;
    Settings all = {{"store", is_sqlite ? url : url + "&application_name=worker_app"},
                    {"capacity", "4"},
                    {"beat_ms", "200"},
                    {"fence_ms", "3000"},
                    {"stop_grace_ms", "300"},
                    {"shutdown_grace_ms", "20000"}};
    for (const auto& [key, value] : settings) all[key] = value;
    workers.push_back(std::make_unique<WorkerApp>(
        WorkerAppParams{.name = concat("worker-", workers.size() + 1),
                        .folder = folder,
                        .environment = {{"HOLDFAST_TEST_LEDGER", ledger->path()}, {"HOLDFAST_TEST_PLACE", folder}},
                        .settings = all,
                        .most_processes = most_processes}));
    return *workers.back();
}

WorkerApp& WorkerTest::start_worker(const Settings& settings) {
    WorkerApp& worker = launch_worker(settings);
    worker.wait_until_ready();
    return worker;
}

store::WorkerRecord WorkerTest::record_of(const WorkerApp& worker) {
    for (const store::WorkerRecord& record : store->workers())
        if (record.registration.name == worker.name()) return record;
    throw std::runtime_error("the store does not know " + worker.name());
}

void WorkerTest::wait_for_status(const WorkerApp& worker, store::WorkerStatus status) {
    wait_until([&] { return record_of(worker).status == status; }, concat(worker.name(), " to be ", word_of(status)));
}

void WorkerTest::wait_for_beats(const WorkerApp& worker, int count) {
    const std::int64_t beat = record_of(worker).beat + count;
    wait_until([&] { return record_of(worker).beat >= beat; }, concat(count, " beats of ", worker.name()));
}

void WorkerTest::order(const WorkerApp& worker, store::WorkerOrder order) {
    EXPECT_TRUE(store->order_worker({.worker = id_of(worker), .order = order, .who = "test"}));
}

void WorkerTest::freeze(const WorkerApp& worker) {
    const auto blocks_others = [&] {
        if (GetParam() == StoreKind::Sqlite) return crew::blocks_writers(worker, database->address());
        return database->raw()->number(
                   "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                   " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'") > 0;
    };
    ASSERT_TRUE(crew::freeze(worker, blocks_others));
}

void WorkerTest::kill_and_wait_for_keeper(WorkerApp& worker) {
    const std::string assignment = "HOLDFAST_WORKER=" + id_of(worker).to_string();
    const pid_t keeper = record_of(worker).registration.host.keeper_pid;
    EXPECT_EQ(worker.kill(), -SIGKILL);
    wait_for_end_of(keeper);
    EXPECT_THAT(processes_with(assignment), IsEmpty()) << "the keeper left first";
}

void WorkerTest::admit_every_user() const {
    if (GetParam() != StoreKind::Sqlite) return;
    const auto place = std::filesystem::path(database->address()).parent_path();
    chmod(place.c_str(), 0777);
    for (const auto& file : std::filesystem::directory_iterator(place)) chmod(file.path().c_str(), 0666);
}

// ---- Tasks -------------------------------------------------------------------------------------------------------

store::NewTask WorkerTest::task(const std::string& name, const nlohmann::json& args) {
    store::NewTask made;
    made.id = platform::new_task_id();
    made.name = name;
    made.args = args.dump();
    made.tags = {"task:" + name};
    return made;
}

store::NewTask WorkerTest::on_crash_requeued(store::NewTask task) {
    task.policy.on_crash = OnCrash::Requeue;
    return task;
}

Uuid WorkerTest::submit(const store::NewTask& task) {
    EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::Accepted);
    return task.id;
}

std::vector<Uuid> WorkerTest::submit_notes(std::size_t count, int milliseconds) {
    std::vector<store::NewTask> tasks;
    std::vector<Uuid> ids;
    while (tasks.size() < count) {
        tasks.push_back(task("note", {{"ms", milliseconds}}));
        ids.push_back(tasks.back().id);
    }
    for (const auto& outcome : store->submit(tasks)) EXPECT_EQ(outcome.status, store::SubmitStatus::Accepted);
    return ids;
}

store::TaskRecord WorkerTest::ended(const Uuid& id) {
    return ended(std::vector{id}).at(0);
}

std::vector<store::TaskRecord> WorkerTest::ended(const std::vector<Uuid>& ids) {
    const auto watch = store->watch(store::Topic::Done);
    const crew::Deadline deadline(
        concat("the end of ", ids.size(), " tasks, the first of them ", ids.at(0).to_string()));
    while (true) {
        std::vector<store::TaskRecord> records;
        for (auto& record : store->find(ids))
            if (is_terminal(record.value().state)) records.push_back(std::move(*record));
        if (records.size() == ids.size()) return records;
        watch->wait(std::chrono::milliseconds(deadline.milliseconds_left()));
    }
}

void WorkerTest::open_gate() const {
    std::ofstream(folder + "/gate");
}

LedgerLine WorkerTest::begun(const Uuid& id, std::size_t times) const {
    const auto has_begun = [&](const LedgerLines& all) { return all.of(id, Mark::Begin).size() >= times; };
    return ledger->wait_until(has_begun, "a begin of " + id.to_string()).of(id, Mark::Begin).at(times - 1);
}

void WorkerTest::wait_for_lines(Mark mark, std::size_t at_least) const {
    ledger->wait_until([&](const LedgerLines& all) { return all.count(mark) >= at_least; },
                       concat(at_least, " lines"));
}

}  // namespace holdfast::worker_test
