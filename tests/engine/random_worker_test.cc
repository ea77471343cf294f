#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "base/ids.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {
namespace {

class SeededRandom : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t next() override { return engine_(); }
    bool chance(int percent) { return static_cast<int>(next() % 100) < percent; }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

private:
    std::mt19937_64 engine_;
};

class StoppedClock : public Clock {
public:
    [[nodiscard]] Timestamp now() const override { return at; }
    Timestamp at = Timestamp(std::chrono::hours(24 * 365 * 50));
};

/// A worker on a real SQLite store, whose calls fail before or after they were applied, and whose runners die, all
/// drawn from one seed.
class RandomWorld {
public:
    explicit RandomWorld(std::uint64_t seed)
        : random_(seed), folder_(scratch_folder() / ("random_worker_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
        store_ = sqlite::open_store({.path = (folder_ / "w.db").string(), .limits = {}}, clock_);
        settings_.registration.id = make_uuid_v4(random_);
        settings_.registration.name = "random";
        settings_.registration.queues = {"default"};
        settings_.registration.capacity = 3;
        settings_.claims_beside_work = random_.chance(50);
        worker_.emplace(settings_, random_);
    }
    ~RandomWorld() {
        store_.reset();
        std::filesystem::remove_all(folder_);
    }

    void submit(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            store::NewTask task;
            task.id = ids_.make(clock_.now(), random_);
            task.name = "work";
            if (random_.chance(30))
                task.policy.retry = {.max_attempts = 3, .delays = {}, .base = milliseconds(100), .retry_on = {}};
            if (random_.chance(30)) task.policy.on_crash = OnCrash::Requeue;
            if (random_.chance(20)) task.concurrency = ConcurrencyKey{"key", 1};
            if (random_.chance(10)) task.policy.timeout = seconds(2);
            tasks_.push_back(task);
            store_->submit({task});
        }
        worker_->work_arrived();
    }

    void step() {
        const Duration passed = milliseconds(static_cast<int>(random_.below(20)));
        now_ += passed;
        clock_.at += passed;
        if (random_.chance(10)) worker_->work_arrived();
        for (const Lane lane : {Lane::Work, Lane::Claim, Lane::Beat})
            if (calls_.contains(lane) && random_.chance(50)) answer(lane);
        for (const auto& [runner, lease] : std::map(runners_))
            if (random_.chance(30)) happen_to(runner, lease);
        decide();
    }

    [[nodiscard]] bool all_ended() {
        std::vector<Uuid> ids;
        for (const store::NewTask& task : tasks_) ids.push_back(task.id);
        for (std::size_t from = 0; from < ids.size(); from += 500) {
            const std::vector<Uuid> page(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                         ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), from + 500)));
            for (const auto& record : store_->find(page))
                if (!is_terminal(record->state)) return false;
        }
        return true;
    }
    void calm() { faults_ = false; }
    void drain() { worker_->asked_to_drain("test", now_); }

    [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }
    [[nodiscard]] const std::vector<store::NewTask>& tasks() const { return tasks_; }
    [[nodiscard]] int begun(const Uuid& task) const {
        const auto found = begun_.find(task);
        return found == begun_.end() ? 0 : found->second;
    }
    [[nodiscard]] store::Store& store() { return *store_; }
    [[nodiscard]] const Worker& worker() const { return *worker_; }

private:
    void answer(Lane lane) {
        const StoreCall call = std::move(calls_.at(lane));
        calls_.erase(lane);
        const int fate = faults_ ? static_cast<int>(random_.below(10)) : 9;
        if (fate == 0) return worker_->answered(lane, CallFailed{"lost on the way there"}, now_);
        StoreAnswer answer = perform(*store_, call);
        if (fate == 1) answer = CallFailed{"lost on the way back"};
        worker_->answered(lane, answer, now_);
    }

    void happen_to(RunnerId runner, store::Lease lease) {
        if (lease == booting) {
            runners_[runner] = 0;
            worker_->handle(RunnerReady{runner, 1}, now_);
        } else if (faults_ && random_.chance(5)) {
            runners_.erase(runner);
            worker_->handle(RunnerGone{runner, "killed by SIGKILL"}, now_);
        } else if (lease != 0) {
            runners_[runner] = 0;
            RunEnded ended{.runner = runner, .lease = lease, .completed = random_.chance(80)};
            ended.result = "1";
            ended.error = {"NO_LUCK", "drawn", ""};
            worker_->handle(ended, now_);
        }
    }

    void decide() {
        for (Command& command : worker_->decide(now_)) {
            if (auto* call = std::get_if<CallStore>(&command)) calls_.emplace(call->lane, std::move(call->call));
            if (const auto* spawn = std::get_if<SpawnRunner>(&command)) runners_[spawn->runner] = booting;
            if (const auto* begin = std::get_if<BeginRun>(&command)) begin_run(*begin);
            if (const auto* kill = std::get_if<KillRunner>(&command)) {
                runners_.erase(kill->runner);
                worker_->handle(RunnerGone{kill->runner, "killed by SIGKILL"}, now_);
            }
            if (const auto* leave = std::get_if<Leave>(&command)) exit_code_ = leave->exit_code;
        }
    }

    void begin_run(const BeginRun& begin) {
        EXPECT_TRUE(leases_.insert(begin.order.lease.lease).second) << "a lease was run twice";
        EXPECT_EQ(runners_[begin.runner], 0) << "a runner was given a second task";
        const auto record = store_->find({begin.order.lease.task}).front();
        const bool is_current = record->lease == begin.order.lease.lease;
        EXPECT_TRUE(!is_current || record->state == TaskState::Running) << "told before its start was on disk (P4)";
        runners_[begin.runner] = begin.order.lease.lease;
        ++begun_[begin.order.lease.task];
    }

    static constexpr store::Lease booting = -1;

    SeededRandom random_;
    StoppedClock clock_;
    UuidV7Maker ids_;
    std::filesystem::path folder_;
    std::unique_ptr<store::Store> store_;
    WorkerSettings settings_;
    std::optional<Worker> worker_;
    Duration now_ = std::chrono::hours(1);
    bool faults_ = true;
    std::map<Lane, StoreCall> calls_;
    std::map<RunnerId, store::Lease> runners_;
    std::vector<store::NewTask> tasks_;
    std::set<store::Lease> leases_;
    std::map<Uuid, int> begun_;
    std::optional<int> exit_code_;
};

void check_runs(RandomWorld& world) {
    for (const store::NewTask& task : world.tasks()) {
        const auto record = world.store().find({task.id}).front();
        const int begun = world.begun(task.id);
        const bool may_repeat = task.policy.retry.max_attempts > 1 || task.policy.on_crash == OnCrash::Requeue;
        EXPECT_TRUE(begun <= 1 || may_repeat) << "run again against its policy (P4)";
        EXPECT_TRUE(begun >= 1 || record->state != TaskState::Completed);
    }
}

TEST(RandomWorker, LosesNothingAndRunsNothingTwiceWhateverFails) {
    const char* given = std::getenv("HOLDFAST_SEED");
    const std::uint64_t first = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    for (std::uint64_t seed = first; seed < first + 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomWorld world(seed);
        for (int round = 0; round < 20; ++round) {
            world.submit(5);
            for (int step = 0; step < 60; ++step) world.step();
        }
        world.calm();
        int steps = 0;
        while (!world.all_ended() && ++steps < 5000) world.step();
        ASSERT_TRUE(world.all_ended()) << "something is stuck (P2)";
        world.drain();
        for (steps = 0; !world.exit_code() && steps < 5000; ++steps) world.step();
        EXPECT_EQ(world.exit_code(), 0);
        EXPECT_TRUE(world.store().leases({}).empty());
        EXPECT_EQ(world.store().workers().front().status, store::WorkerStatus::Inactive);
        check_runs(world);
    }
}

}  // namespace
}  // namespace holdfast::engine::testing
