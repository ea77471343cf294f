#include <gmock/gmock.h>
#include <signal.h>

#include "base/ids.h"
#include "holdfast/recovery.h"
#include "integration/place.h"
#include "platform/host_identity.h"
#include "platform/life_lock.h"
#include "platform/real_clock.h"
#include "platform/system_random.h"
#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CliRecovery : public AnyStoreProgramTest {
protected:
    /// A worker that beats so often that it is silent at once, and has fenced itself by then. Its process lives.
    Uuid hasty_worker(const std::string& name) {
        const Uuid id = add_worker(name, [](store::WorkerRegistration& worker) {
            worker.beat_interval = std::chrono::microseconds(1);
            worker.fence_after = std::chrono::microseconds(1);
        });
        const std::string url = place->url(), scheme = "sqlite:";
        for (const store::WorkerRecord& worker : store().workers())
            if (worker.registration.id == id && url.starts_with(scheme))
                life_.hold(platform::life_lock_path(url.substr(scheme.size())), worker.number);
        return id;
    }
    Uuid add_worker(const std::string& name, const std::function<void(store::WorkerRegistration&)>& change = {}) {
        store::WorkerRegistration worker;
        worker.id = make_uuid_v4(random_);
        worker.name = name;
        worker.host.hostname = "host-a";
        worker.queues = {"default"};
        worker.tags = {"task:work"};
        worker.capacity = 10;
        if (change) change(worker);
        store().register_worker(worker);
        store::BeatParams beat;
        beat.worker = worker.id;
        store().beat(beat);
        return worker.id;
    }
    void claim(const Uuid& worker, std::size_t to_start, std::size_t to_hold) {
        const auto got =
            store()
                .turn({.worker = worker, .request = make_uuid_v4(random_), .to_start = to_start, .to_hold = to_hold})
                .claimed;
        ASSERT_THAT(got.tasks, SizeIs(to_start + to_hold));
    }
    /// One RUNNING and one CLAIMED task of one worker.
    void one_of_each(const Uuid& worker) {
        running = submit({"work"});
        claim(worker, 1, 0);
        claimed = submit({"work"});
        claim(worker, 0, 1);
    }
    [[nodiscard]] std::string state_of(const std::string& id) const { return show(id)["task"]["state"]; }

    std::string running, claimed;

private:
    platform::SystemRandom random_;
    platform::LifeLock life_;
};
INSTANTIATE_TEST_SUITE_P(Stores, CliRecovery, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliRecovery, StaleListsTasksWithTheirWorkersAndHowLongTheyAreQuiet) {
    one_of_each(hasty_worker("w"));
    const Ran ran = holdfast({"recovery", "stale", "--threshold", "0"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    ASSERT_THAT(ran.lines(), SizeIs(3));
    EXPECT_THAT(ran.lines(), Contains(AllOf(HasSubstr(running), HasSubstr("work"), HasSubstr("RUNNING"),
                                            HasSubstr("w"), HasSubstr("silent"), HasSubstr("host-a"))));
    EXPECT_THAT(ran.lines(), Contains(AllOf(HasSubstr(claimed), HasSubstr("CLAIMED"))));
}

TEST_P(CliRecovery, StalePrintsEveryMemberAsJson) {
    const Uuid worker = add_worker("w");
    running = submit({"work"});
    claim(worker, 1, 0);
    const auto lines = holdfast({"recovery", "stale", "--threshold", "0", "--json"}).json_lines();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0]["id"], running);
    EXPECT_EQ(lines[0]["name"], "work");
    EXPECT_EQ(lines[0]["state"], "RUNNING");
    EXPECT_EQ(lines[0]["worker"], worker.to_string());
    EXPECT_EQ(lines[0]["worker_name"], "w");
    EXPECT_EQ(lines[0]["host"], "host-a");
    EXPECT_EQ(lines[0]["worker_is_alive"], true);
    EXPECT_GT(lines[0]["quiet_seconds"], 0.0);
    EXPECT_GT(lines[0]["lease"], 0);
}

TEST_P(CliRecovery, ThresholdsAreThoseOfTheConfigurationUnlessGiven) {
    one_of_each(hasty_worker("w"));
    const Ran ran = holdfast({"recovery", "stale"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "no task is stale\n");
    EXPECT_EQ(holdfast({"recovery", "fail-running", "--json"}).json(),
              nlohmann::json({{"settled", 0}, {"asked", 0}}));
    EXPECT_EQ(holdfast({"recovery", "requeue-claimed"}).out, "0 requeued\n");
    EXPECT_EQ(state_of(running), "RUNNING");
}

TEST_P(CliRecovery, FailRunningAndRequeueClaimedSettleWhatIsStale) {
    one_of_each(hasty_worker("w"));
    const Ran failed = holdfast({"recovery", "fail-running", "--threshold", "1us"});
    EXPECT_EQ(failed.exit_code, 0) << failed.err;
    EXPECT_EQ(failed.out, "1 ended as crashed\n");
    EXPECT_EQ(state_of(running), "FAILED");
    EXPECT_EQ(show(running)["task"]["error"]["code"], "WORKER_CRASHED");
    EXPECT_THAT(show(running)["events"][0]["who"], HasSubstr(how()));
    EXPECT_EQ(state_of(claimed), "CLAIMED");
    EXPECT_EQ(holdfast({"recovery", "requeue-claimed", "--threshold", "1us", "--json"}).json(),
              nlohmann::json({{"settled", 1}, {"asked", 0}}));
    EXPECT_EQ(state_of(claimed), "PENDING");
}

TEST_P(CliRecovery, FailRunningAsksALiveWorkerAndSaysSo) {
    const Uuid worker = add_worker("w");
    running = submit({"work"});
    claim(worker, 1, 0);
    const Ran ran = holdfast({"recovery", "fail-running", "--threshold", "0"});
    EXPECT_THAT(ran.out, AllOf(HasSubstr("0 ended as crashed\n"), HasSubstr("1 asked to stop")));
    EXPECT_EQ(state_of(running), "RUNNING");
}

TEST_P(CliRecovery, TheSameInCpp) {
    one_of_each(hasty_worker("w"));
    Recovery recovery(place->url(), "ann");
    const auto stale = recovery.stale_tasks(std::chrono::microseconds(1));
    ASSERT_THAT(stale, SizeIs(2));
    EXPECT_EQ(stale[0].id.to_string(), running);
    EXPECT_EQ(stale[0].state, TaskState::Running);
    EXPECT_EQ(stale[0].worker_name, "w");
    EXPECT_EQ(stale[1].state, TaskState::Claimed);
    EXPECT_THAT(recovery.stale_tasks(std::chrono::hours(1)), IsEmpty());
    EXPECT_EQ(recovery.fail_stale_running(std::chrono::microseconds(1)).settled, 1U);
    EXPECT_EQ(recovery.requeue_stale_claimed(std::chrono::microseconds(1)).settled, 1U);
    EXPECT_EQ(state_of(running), "FAILED");
    EXPECT_EQ(state_of(claimed), "PENDING");
    EXPECT_EQ(show(running)["events"][0]["who"], "ann");
}

TEST_P(CliRecovery, SweepActsOnCertainEvidenceAtOnceAndNamesWhatEachServiceDid) {
    const Uuid worker = add_worker("w", [](store::WorkerRegistration& each) {
        each.host = platform::own_host_identity();
        each.host.boot_id = "before the last boot";
        each.beat_interval = std::chrono::microseconds(1);
    });
    one_of_each(worker);
    const std::string overdue = submit({"work", "--deadline", "+1ms"});
    const Ran ran = holdfast({"recovery", "sweep"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("A single pass has no time to observe"));
    for (const char* service : {"liveness", "deadlines", "retention", "stale leases", "unmatched"})
        EXPECT_THAT(ran.out, HasSubstr(service));
    EXPECT_EQ(state_of(overdue), "EXPIRED");
    if (GetParam() != StoreKind::Sqlite) return;  // elsewhere two machines may share a name: the store has a say
    EXPECT_THAT(ran.out, AllOf(HasSubstr("workers lost 1"), HasSubstr("booted since")));
    EXPECT_EQ(state_of(running), "FAILED");
    EXPECT_EQ(state_of(claimed), "PENDING");
}

TEST_P(CliRecovery, SweepLeavesAWorkerThatIsOnlySilentToItsObservers) {
    one_of_each(hasty_worker("w"));
    const auto lines = holdfast({"recovery", "sweep", "--json"}).json_lines();
    ASSERT_THAT(lines, SizeIs(8));
    for (const auto& line : lines) {
        for (const char* count :
             {"workers_lost", "requeued", "rerun", "ended", "asked", "expired", "rejected", "pruned", "skipped"})
            EXPECT_EQ(line[count], 0) << line["service"] << count;
        EXPECT_TRUE(line["failure"].is_null());
    }
    EXPECT_EQ(state_of(running), "RUNNING");
}

class CliRealWorkers : public CliRecovery {
protected:
    [[nodiscard]] RunningProgram start_worker(std::vector<std::string> options) const {
        options.insert(options.begin(), "worker");
        return RunningProgram(command(std::move(options)));
    }
    /// Asks again until it is so; the test's own time limit is the bound.
    template <typename Claim>
    static void wait_until(Claim claim) {
        while (!claim()) {
        }
    }
    /// A script that has begun to run on this worker.
    std::string running_script() {
        std::string id = submit({"--script", "sleep 1000"});
        wait_until([&] { return state_of(id) == "RUNNING"; });
        return id;
    }
    [[nodiscard]] nlohmann::json status() const { return holdfast({"recovery", "status", "--json"}).json(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliRealWorkers, testing::ValuesIn(store_kinds()), name_of);

TEST_P(CliRealWorkers, SweepSettlesTheTaskOfAWorkerThatWasKilled) {
    RunningProgram victim = start_worker({"--name", "victim", "--no-sweep"});
    const std::string id = running_script();
    victim.send(SIGKILL);
    (void)victim.finish();
    wait_until([&] {
        (void)holdfast({"recovery", "sweep"});
        return state_of(id) != "RUNNING";
    });
    EXPECT_EQ(show(id)["task"]["error"]["code"], "WORKER_CRASHED");
}

TEST_P(CliRealWorkers, StatusTellsWhoSweepsWhatItDidAndTheLastRecoveries) {
    RunningProgram victim = start_worker({"--name", "victim", "--no-sweep"});
    const std::string id = running_script();
    EXPECT_TRUE(status()["sweeper"].is_null());
    EXPECT_THAT(holdfast({"recovery", "status"}).out, HasSubstr("no process sweeps"));
    RunningProgram sweeper = start_worker({"--name", "sweeper"});
    wait_until([&] { return status()["services"].size() == 8; });  // each has said that it ran
    EXPECT_THAT(status()["sweeper"], HasSubstr("worker sweeper ("));
    victim.send(SIGKILL);
    (void)victim.finish();
    const auto liveness = [&] {
        const auto now = status();
        for (const auto& service : now["services"])
            if (service["service"] == "liveness") return service;
        return nlohmann::json{{"did", {{"ended", 0}}}};
    };
    wait_until([&] { return liveness()["did"]["ended"] == 1; });
    EXPECT_EQ(state_of(id), "FAILED");
    const auto now = status();
    EXPECT_EQ(liveness()["who"], now["sweeper"]);
    EXPECT_TRUE(liveness()["failure"].is_null());
    EXPECT_EQ(now["by_evidence"]["alive"], 1);
    EXPECT_THAT(now["events"][0]["kind"], "failed");
    EXPECT_EQ(now["events"][0]["task"], id);
    EXPECT_THAT(now["events"][1]["kind"], "worker_lost");
    const Ran shown = holdfast({"recovery", "status"});
    EXPECT_THAT(shown.out, AllOf(HasSubstr("sweeper: "), HasSubstr("workers: 1 alive"), HasSubstr("ended 1"),
                                 HasSubstr("last recoveries:"), HasSubstr(id)));
    sweeper.send(SIGTERM);
    EXPECT_EQ(sweeper.finish().exit_code, 0);
    EXPECT_TRUE(status()["sweeper"].is_null()) << "it let go when it left";
}

TEST_P(CliRecovery, StatusNamesWorkersThatItDoubts) {
    hasty_worker("quiet");
    const Ran ran = holdfast({"recovery", "status"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("workers: 1 silent"), HasSubstr("quiet ("), HasSubstr("on host-a: silent")));
}

TEST_P(CliRecovery, PruneKeepsWhatIsYoungAndSaysWhatItWouldRemove) {
    (void)holdfast({"tasks", "cancel", submit({"work"})});
    const Ran dry = holdfast({"recovery", "prune", "--dry-run"});
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_THAT(dry.out, AllOf(HasSubstr("would remove:"), HasSubstr("0 ended tasks"), HasSubstr("older than 720h")));
    EXPECT_EQ(holdfast({"recovery", "prune", "--json"}).json(), nlohmann::json({{"dry_run", false},
                                                                                {"tasks", 0},
                                                                                {"jobs", 0},
                                                                                {"workers", 0},
                                                                                {"heartbeats", 0},
                                                                                {"worker_states", 0},
                                                                                {"orders", 0},
                                                                                {"more", false},
                                                                                {"doubt", nullptr}}));
}

/// A year ago.
class OldClock : public Clock {
public:
    [[nodiscard]] Timestamp now() const override {
        return platform::real_clock().now() - std::chrono::hours(24 * 365);
    }
};

class CliPrune : public SqliteProgramTest {
protected:
    /// Tasks that were cancelled a year ago.
    void end_tasks(std::size_t count) {
        const OldClock clock;
        const auto old = sqlite::open_store({.path = file(), .limits = {}}, clock);
        platform::SystemRandom random;
        UuidV7Maker ids;
        std::vector<store::NewTask> tasks(count);
        std::vector<Uuid> names;
        for (store::NewTask& task : tasks) {
            task.id = ids.make(clock.now(), random);
            task.name = "work";
            names.push_back(task.id);
        }
        old->submit(tasks);
        old->cancel({.tasks = names, .who = "test", .reason = ""});
    }
};

TEST_F(CliPrune, RemovesInBatchesUntilNothingIsLeft) {
    end_tasks(2100);
    const std::string young = submit({"work"});
    EXPECT_THAT(holdfast({"recovery", "prune", "--dry-run"}).out, HasSubstr("at least 1000 ended tasks"));
    EXPECT_EQ(store().count().cancelled, 2100);
    EXPECT_EQ(holdfast({"recovery", "prune", "--yes", "--json"}).json()["tasks"], 2100);
    EXPECT_EQ(store().count().cancelled, 0);
    EXPECT_EQ(show(young)["task"]["state"], "PENDING");
}

TEST_F(CliPrune, RemovesNothingThatIsKeptForEver) {
    end_tasks(1);
    folder.write("holdfast.yaml", "retention: { terminal_record_retention_hours: null }\n");
    EXPECT_THAT(holdfast({"recovery", "prune", "--yes"}).out,
                HasSubstr("0 ended tasks, with their attempts, logs and events (kept for ever)"));
    EXPECT_EQ(store().count().cancelled, 1);
}

TEST_F(CliPrune, RemovesNothingByAClockThatIsAYearAheadOfTheStoreUntilAPersonVouchesForIt) {
    end_tasks(1);
    const Ran refused = holdfast({"recovery", "prune"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("nothing was removed: the store's clock says"), HasSubstr("--yes")));
    const Ran dry = holdfast({"recovery", "prune", "--dry-run"});
    EXPECT_EQ(dry.exit_code, 0);
    EXPECT_THAT(dry.out, HasSubstr("1 ended tasks"));
    EXPECT_THAT(dry.err, HasSubstr("nothing would be removed now"));
    EXPECT_EQ(store().count().cancelled, 1);
    EXPECT_EQ(holdfast({"recovery", "prune", "--yes"}).exit_code, 0);
    EXPECT_EQ(store().count().cancelled, 0);
    EXPECT_EQ(holdfast({"recovery", "prune"}).exit_code, 0) << "it is believed from then on";
}

class CliUnregistered : public SqliteProgramTest {};

TEST_F(CliUnregistered, AWorkerThatHoldsATaskWithoutARowIsNamed) {
    const std::string id = submit({"work"});
    StandInWorker(store(), {"task:work"}).take();
    const std::string worker = store().workers().front().registration.id.to_string();
    sqlite::Database(file(), sqlite::Database::Mode::ReadWrite).execute("DELETE FROM worker");
    EXPECT_THAT(holdfast({"recovery", "status"}).out,
                AllOf(HasSubstr("workers: 1 unregistered"), HasSubstr("  " + worker + ": unregistered: it holds")));
    EXPECT_THAT(holdfast({"doctor"}).out, HasSubstr("tasks are held by workers without a row: " + worker));
    EXPECT_THAT(holdfast({"recovery", "stale", "--threshold", "0s"}).out, HasSubstr(id));
}

struct BadRecoveryLine {
    std::string title;
    std::vector<std::string> arguments;
    std::string complaint;
};

void PrintTo(const BadRecoveryLine& line, std::ostream* out) {
    *out << line.title;
}

class CliBadRecovery : public SqliteProgramTest, public testing::WithParamInterface<BadRecoveryLine> {};

TEST_P(CliBadRecovery, IsBadUsageInOneSentence) {
    (void)submit({"work"});
    std::vector<std::string> arguments{"recovery"};
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    const Ran ran = holdfast(arguments);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, AllOf(testing::StartsWith("holdfast: "), HasSubstr(GetParam().complaint)));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

const std::vector<BadRecoveryLine> bad_recovery_lines = {
    {"NoWord", {}, "'holdfast recovery' needs one of: status, stale, fail-running, requeue-claimed, sweep, prune"},
    {"MisspeltWord", {"swep"}, "(did you mean 'sweep'?)"},
    {"NoDuration", {"stale", "--threshold", "soon"}, "--threshold: 'soon' is not a duration"},
    {"NegativeThreshold", {"fail-running", "--threshold=-1s"}, "--threshold: '-1s' is not a duration"},
    {"EmptyThreshold", {"requeue-claimed", "--threshold"}, "--threshold"},
    {"OneWordTooMany", {"sweep", "all"}, "'holdfast recovery sweep' does not take 'all'"},
    {"MisspeltOption", {"prune", "--dry-rum"}, "(did you mean '--dry-run'?)"},
};
INSTANTIATE_TEST_SUITE_P(Lines, CliBadRecovery, testing::ValuesIn(bad_recovery_lines),
                         [](const auto& line) { return line.param.title; });

class CliRecoveryFaults : public SqliteProgramTest {};

TEST_F(CliRecoveryFaults, WithoutAStoreEveryWordSaysSoAndCreatesNone) {
    for (const char* word : {"status", "stale", "fail-running", "requeue-claimed", "sweep", "prune"}) {
        const Ran ran = holdfast({"recovery", word});
        EXPECT_EQ(ran.exit_code, 3) << word;
        EXPECT_THAT(ran.err, HasSubstr("there is no database"));
    }
}

TEST_F(CliRecoveryFaults, InCppAMissingStoreIsThrown) {
    EXPECT_THROW(Recovery(place->url()), Unavailable);
}

class CliWaiting : public CliRecovery {};
INSTANTIATE_TEST_SUITE_P(Stores, CliWaiting, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliWaiting, ATaskSaysForWhat) {
    const std::string id = submit({"work"});
    EXPECT_EQ(show(id)["waiting"]["for"], "no_worker");
    EXPECT_THAT(holdfast({"tasks", "show", id}).out,
                HasSubstr("now: waits for a worker: none has queue default, tags [task:work]"));
    const Uuid worker = add_worker("w", [](store::WorkerRegistration& each) { each.capacity = 1; });
    EXPECT_EQ(show(id)["waiting"]["for"], "nothing");
    EXPECT_EQ(show(id)["waiting"]["workers"], nlohmann::json({"w"}));
    (void)holdfast({"workers", "cordon", "w"});
    EXPECT_EQ(show(id)["waiting"]["for"], "no_open_worker");
    (void)holdfast({"queues", "pause", "default"});
    EXPECT_EQ(show(id)["waiting"]["for"], "paused");
    EXPECT_EQ(show(submit({"work", "--delay", "1h"}))["waiting"]["for"], "future");
    (void)holdfast({"workers", "uncordon", "w"});
    (void)holdfast({"queues", "resume", "default"});
    claim(worker, 1, 0);
    EXPECT_TRUE(show(id)["waiting"].is_null()) << "it runs";
}

TEST_P(CliWaiting, ATaskBehindAKeyNamesTheTaskThatHoldsIt) {
    const std::string holder = submit({"work", "--concurrency-key", "db"});
    claim(add_worker("w"), 1, 0);
    const std::string id = submit({"work", "--concurrency-key", "db"});
    const auto waiting = show(id)["waiting"];
    EXPECT_EQ(waiting["for"], "key");
    EXPECT_EQ(waiting["tasks"], nlohmann::json({holder}));
    EXPECT_THAT(holdfast({"tasks", "show", id}).out, HasSubstr("concurrency key 'db', held by " + holder));
}

}  // namespace
}  // namespace holdfast::integration
