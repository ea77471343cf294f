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

/// A worker on a real SQLite store, whose calls fail before or after they were applied, or are answered late, and
/// whose runners die, all drawn from one seed. The store may also go back in time: an older copy of its file is put
/// in its place.
class RandomWorld {
public:
    explicit RandomWorld(std::uint64_t seed, bool goes_back = false)
        : random_(seed),
          goes_back_(goes_back),
          folder_(scratch_folder() / ("random_worker_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_ / "store");
        open_store();
        settings_.registration.id = make_uuid_v4(random_);
        settings_.registration.name = "random";
        settings_.registration.queues = {"default"};
        settings_.registration.capacity = 3;
        settings_.claims_go = static_cast<ClaimsGo>(random_.below(3));
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
        if (goes_back_ && faults_) move_in_time();
        for (const Lane lane : {Lane::Work, Lane::Claim, Lane::Beat}) {
            if (calls_.contains(lane) && random_.chance(30)) perform_call(calls_.at(lane));
            if (calls_.contains(lane) && random_.chance(50)) answer(lane);
        }
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
    /// How often it was begun, without runs that the store has forgotten.
    [[nodiscard]] int begun(const Uuid& task) const { return count_of(begun_, task) - count_of(forgotten_, task); }
    [[nodiscard]] int times_back() const { return times_back_; }
    [[nodiscard]] store::Store& store() { return *store_; }
    [[nodiscard]] const Worker& worker() const { return *worker_; }

private:
    struct CallUnderWay {
        StoreCall call;
        std::optional<StoreAnswer> answer;  ///< performed, and on its way back
    };

    static int count_of(const std::map<Uuid, int>& counts, const Uuid& task) {
        const auto found = counts.find(task);
        return found == counts.end() ? 0 : found->second;
    }

    void open_store() {
        store_ = sqlite::open_store({.path = (folder_ / "store" / "w.db").string(), .limits = {}}, clock_);
    }

    void move_in_time() {
        if (random_.chance(3)) copy_files("store", "copy");  // between two calls: what is on disk now
        if (random_.chance(1) && std::filesystem::exists(folder_ / "copy")) go_back();
    }
    void copy_files(const char* from, const char* to) {
        std::filesystem::remove_all(folder_ / to);
        std::filesystem::create_directories(folder_ / to);
        for (const auto& file : std::filesystem::directory_iterator(folder_ / from))
            if (file.path().filename().string().find("-shm") == std::string::npos)
                std::filesystem::copy_file(file.path(), folder_ / to / file.path().filename());
    }

    void go_back() {
        const auto rank = store_->rank();
        store_.reset();
        copy_files("copy", "store");
        std::filesystem::remove_all(folder_ / "copy");  // each history is left once
        open_store();
        (void)store_->deregister_worker(make_uuid_v4(random_));  // any write meets the file
        EXPECT_GT(store_->rank(), rank);
        ++times_back_;
        std::erase_if(tasks_, [&](const store::NewTask& task) { return !store_->find({task.id}).front(); });
        for (const store::NewTask& task : tasks_)
            if (store_->find({task.id}).front()->state == TaskState::Pending) forgotten_[task.id] = begun_[task.id];
        worker_->work_arrived();
    }

    void perform_call(CallUnderWay& call) {
        if (call.answer) return;
        auto* const turn = std::get_if<TurnCall>(&call.call);
        const bool may_put_off = settings_.claims_go == ClaimsGo::InTurnsOrBeside && turn != nullptr &&
                                 turn->params.claims() && !turn->params.finish.empty();
        const bool is_put_off = may_put_off && random_.chance(20);
        if (is_put_off) turn->params.to_start = turn->params.to_hold = 0;
        call.answer = perform(*store_, call.call);
        if (auto* const answer = std::get_if<store::TurnAnswer>(&*call.answer); is_put_off && answer != nullptr)
            answer->claimed.refusal = store::ClaimRefusal::PutOff;
    }

    void answer(Lane lane) {
        CallUnderWay call = std::move(calls_.at(lane));
        calls_.erase(lane);
        const int fate = faults_ ? static_cast<int>(random_.below(10)) : 9;
        if (fate == 0 && !call.answer) return worker_->answered(lane, CallFailed{"lost on the way there"}, now_);
        perform_call(call);
        if (fate == 1) call.answer = CallFailed{"lost on the way back"};
        worker_->answered(lane, *call.answer, now_);
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
            if (auto* call = std::get_if<CallStore>(&command)) calls_[call->lane] = {std::move(call->call), {}};
            if (const auto* spawn = std::get_if<SpawnRunner>(&command)) runners_[spawn->runner] = booting;
            if (const auto* begin = std::get_if<BeginRun>(&command)) begin_run(*begin);
            if (const auto* kill = std::get_if<KillRunner>(&command)) {
                runners_.erase(kill->runner);
                worker_->handle(RunnerGone{kill->runner, "killed by SIGKILL"}, now_);
            }
            if (const auto* leave = std::get_if<Leave>(&command)) exit_code_ = leave->exit_code;
        }
    }

    [[nodiscard]] std::string story_of(const Uuid& task) {
        std::string story;
        for (const auto& attempt : store_->attempts(task))
            story += "\nlease " + std::to_string(attempt.lease) + " ended " + std::string(word_of(attempt.end)) +
                     ": " + attempt.error.value_or(TaskError{}).message;
        for (const auto& event : store_->events({.task = task, .worker = {}})) story += "\n" + event.message;
        return story;
    }

    void begin_run(const BeginRun& begin) {
        if (!runners_.contains(begin.runner)) return;  // it has died meanwhile, and the worker knows that
        EXPECT_TRUE(leases_.insert(begin.order.lease.lease).second) << "a lease was run twice";
        EXPECT_EQ(runners_[begin.runner], 0) << "a runner was given a second task";
        const auto record = store_->find({begin.order.lease.task}).front();
        const bool is_current = record && record->lease == begin.order.lease.lease;
        EXPECT_TRUE(!is_current || record->state == TaskState::Running) << "told before its start was on disk (P4)";
        for (const auto& [runner, lease] : runners_)
            EXPECT_TRUE(lease <= 0 || task_of_[lease] != begin.order.lease.task)
                << "two runs at once (P7): leases " << lease << " and " << begin.order.lease.lease
                << story_of(begin.order.lease.task);
        runners_[begin.runner] = begin.order.lease.lease;
        task_of_[begin.order.lease.lease] = begin.order.lease.task;
        ++begun_[begin.order.lease.task];
    }

    static constexpr store::Lease booting = -1;

    SeededRandom random_;
    const bool goes_back_;
    StoppedClock clock_;
    UuidV7Maker ids_;
    std::filesystem::path folder_;
    std::unique_ptr<store::Store> store_;
    WorkerSettings settings_;
    std::optional<Worker> worker_;
    Duration now_ = std::chrono::hours(1);
    bool faults_ = true;
    std::map<Lane, CallUnderWay> calls_;
    std::map<RunnerId, store::Lease> runners_;
    std::map<store::Lease, Uuid> task_of_;
    std::vector<store::NewTask> tasks_;
    std::set<store::Lease> leases_;
    std::map<Uuid, int> begun_;
    std::map<Uuid, int> forgotten_;  // runs whose claim was lost when the store went back
    int times_back_ = 0;
    std::optional<int> exit_code_;
};

void check_runs(RandomWorld& world) {
    for (const store::NewTask& task : world.tasks()) {
        const auto record = world.store().find({task.id}).front();
        const int begun = world.begun(task.id);
        const bool may_repeat = task.policy.retry.max_attempts > 1 || task.policy.on_crash == OnCrash::Requeue;
        EXPECT_TRUE(begun <= 1 || may_repeat) << "run again against its policy (P4)";
        EXPECT_TRUE(begun >= 1 || record->state != TaskState::Completed);
        EXPECT_THAT(record->error ? record->error->message : "", ::testing::Not(::testing::HasSubstr("no such run")))
            << "the worker had its outcome";
    }
}

std::uint64_t first_seed() {
    const char* given = std::getenv("HOLDFAST_SEED");
    return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

void live_through(RandomWorld& world) {
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

TEST(RandomWorker, LosesNothingAndRunsNothingTwiceWhateverFails) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomWorld world(seed);
        live_through(world);
    }
}

TEST(RandomWorker, RunsNothingAgainThatTheStoreStillKnowsWhenItHasGoneBackInTime) {
    int times_back = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomWorld world(seed, true);
        live_through(world);
        times_back += world.times_back();
    }
    EXPECT_GT(times_back, 20);
}

}  // namespace
}  // namespace holdfast::engine::testing
