#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/process_table.h"
#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerMisbehaviour : public WorkerTest {
protected:
    void expect_crash(const Uuid& id, const std::string& how) {
        const auto record = ended(id);
        EXPECT_EQ(record.state, TaskState::Failed);
        ASSERT_TRUE(record.error.has_value()) << how;
        EXPECT_EQ(code_of(record), error_code::worker_crashed);
        EXPECT_THAT(record.error->message, HasSubstr(how));
    }
    static store::NewTask script_task(const core::TaskSpec& spec) {
        store::NewTask made = task("a script");
        made.spec = core::to_json_text(spec);
        made.tags = core::required_tags(spec);
        return made;
    }
    /// Starts a worker of the spare user that has so many threads and takes none of the test's tasks.
    WorkerApp& start_crowd(unsigned threads) {
        const Settings settings = {
            {"capacity", std::to_string(threads)}, {"isolation", "thread"}, {"queue", "elsewhere"}};
        WorkerApp& crowd = launch_worker(settings, 10 * threads);
        const auto is_full = [&] { return platform::find_process(crowd.pid())->threads > static_cast<int>(threads); };
        wait_until(is_full, concat(threads, " threads"));
        return crowd;
    }
    void expect_all_completed(const std::vector<Uuid>& ids) {
        for (const auto& record : ended(ids)) EXPECT_EQ(record.state, TaskState::Completed) << record.task.name;
    }
};
HOLDFAST_ON_EVERY_STORE(WorkerMisbehaviour);

TEST_P(WorkerMisbehaviour, ARunThatEndsItsProcessFailsAloneAndAtOnce) {
    start_worker();
    const auto before = submit_notes(20, 5);
    const Uuid segfault = submit("segfault");
    const Uuid silent_exit = submit("_exit", 0);
    const Uuid exit = submit("exit", 3);
    const Uuid throws = submit("throw");
    const auto after = submit_notes(20, 5);
    expect_crash(segfault, "SIGSEGV");
    expect_crash(silent_exit, "exit code 0");
    expect_crash(exit, "exit code 3");
    EXPECT_EQ(code_of(ended(throws)), error_code::task_exception);
    expect_all_completed(before);
    expect_all_completed(after);
}

TEST_P(WorkerMisbehaviour, GrandchildrenThatIgnoreSigtermDoNotOutliveTheirRun) {
    start_worker({{"capacity", "1"}});
    const Uuid id = submit("leave");
    EXPECT_EQ(ended(id).state, TaskState::Completed);
    expect_all_completed({submit("note")});
    const auto runner = ledger->read().lines.back().pid;
    for (const pid_t pid : processes_with("HOLDFAST_WORKER=" + id_of(*workers.at(0)).to_string()))
        EXPECT_EQ(pid, runner) << "the runner, and nothing else";
}

TEST_P(WorkerMisbehaviour, ARunThatEatsMemoryIsKilledAndItsNeighboursGoOn) {
    start_worker({{"memory_bytes", std::to_string(128 << 20)}});
    const Uuid neighbour = submit("hold", gate());
    begun(neighbour);
    expect_crash(submit("eat"), "memory limit 128 MiB");
    open_gate();
    expect_all_completed({neighbour, submit("note")});
}

TEST_P(WorkerMisbehaviour, ARunThatPrintsAtFullSpeedHoldsUpNobody) {
    WorkerApp& worker = start_worker();
    const Uuid flood = submit("flood", {{"bytes", 8 << 20}});
    begun(flood);
    const auto others = submit_notes(100);
    expect_all_completed(others);
    wait_for_beats(worker, 2);
    expect_all_completed({flood});
    const auto logs = store->read_logs({.task = flood});
    ASSERT_FALSE(logs.empty());
    EXPECT_TRUE(logs.front().chunk.text.starts_with("fff"));
}

TEST_P(WorkerMisbehaviour, ClosedStreamsAreThereAgainForTheNextRun) {
    start_worker({{"capacity", "1"}});
    expect_all_completed({submit("close"), submit("flood", {{"bytes", 1000}}), submit("close"), submit("note")});
}

TEST_P(WorkerMisbehaviour, OneResultThatCannotBeStoredFailsAloneInItsGroup) {
    start_worker();
    auto good = submit_notes(20);
    const Uuid garbage = submit("garbage");
    const Uuid garbage_error = submit("garbage error");
    const Uuid nul = submit("nul");
    for (const Uuid& id : submit_notes(20)) good.push_back(id);
    EXPECT_EQ(code_of(ended(garbage)), error_code::result_not_storable);
    EXPECT_EQ(ended(garbage_error).state, TaskState::Failed);
    EXPECT_TRUE(is_terminal(ended(nul).state));
    expect_all_completed(good);
}

TEST_P(WorkerMisbehaviour, OneResultOfAThreadThatCannotBeStoredFailsAloneInItsGroup) {
    start_worker({{"isolation", "thread"}});
    auto good = submit_notes(20);
    const Uuid garbage = submit("garbage");
    const Uuid garbage_error = submit("garbage error");
    for (const Uuid& id : submit_notes(20)) good.push_back(id);
    EXPECT_EQ(code_of(ended(garbage)), error_code::result_not_storable);
    EXPECT_EQ(ended(garbage_error).state, TaskState::Failed);
    expect_all_completed(good);
}

TEST_P(WorkerMisbehaviour, AScriptThatIsAForkBombIsHeldToItsLimitOfProcesses) {
    start_worker();
    core::TaskSpec spec;
    spec.script = "trap '' TERM; bomb() { bomb | bomb & sleep 0.01; }; bomb; sleep 600";
    spec.max_processes = 20;
    store::NewTask bomb = script_task(spec);
    bomb.policy.timeout = 1s;
    const Uuid id = submit(bomb);
    expect_all_completed(submit_notes(20));
    EXPECT_EQ(ended(id).state, TaskState::Failed);
    expect_all_completed({submit("note")});
}

TEST_P(WorkerMisbehaviour, AScriptMayForkUpToItsLimitHoweverManyThreadsItsUserHas) {
    admit_every_user();
    const auto threads = static_cast<unsigned>(platform::list_processes().size()) + 100;
    start_crowd(threads);
    launch_worker({{"capacity", "1"}}, 10 * threads).wait_until_ready();
    core::TaskSpec spec;
    spec.script = "/bin/true && exit 7";
    spec.max_processes = 5;
    const auto record = ended(submit(script_task(spec)));
    ASSERT_TRUE(record.error.has_value());
    EXPECT_EQ(record.error->message, "exit code 7");
}

TEST_P(WorkerMisbehaviour, AForkBombUnderALimitOfProcessesIsClearedAway) {
    admit_every_user();
    WorkerApp& worker = launch_worker({{"capacity", "2"}}, 40);
    worker.wait_until_ready();
    auto bomb = task("bomb");
    bomb.policy.timeout = 1s;
    const Uuid id = submit(bomb);
    const auto record = ended(id);
    EXPECT_EQ(record.state, TaskState::Failed);
    EXPECT_THAT(code_of(record), AnyOf(error_code::task_timeout, error_code::worker_crashed));
    expect_all_completed({submit("note")});
}

TEST_P(WorkerMisbehaviour, ARunnerThatCannotBeForkedIsStartedOnceThereIsRoom) {
    admit_every_user();
    WorkerApp& worker = launch_worker({{"capacity", "1"}}, 40);
    worker.wait_until_ready();
    expect_all_completed({submit("note")});
    WorkerApp& crowd = start_crowd(40);
    expect_crash(submit("segfault"), "SIGSEGV");
    const Uuid waiting = submit("note");
    worker.wait_for_log("cannot fork");
    wait_for_beats(worker, 2);
    EXPECT_EQ(find(waiting).state, TaskState::Pending);
    crowd.kill();
    expect_all_completed({waiting});
}

TEST_P(WorkerMisbehaviour, ThreadsThatCannotBeStartedCostTheWorkerNoMoreThanTheirSlots) {
    admit_every_user();
    WorkerApp& worker = launch_worker({{"capacity", "60"}, {"isolation", "thread"}}, 40);
    worker.wait_until_ready();
    worker.wait_for_log("cannot be started");
    expect_all_completed(submit_notes(100));
}

}  // namespace
}  // namespace holdfast::worker_test
