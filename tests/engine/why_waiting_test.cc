#include "views/why_waiting.h"

#include <gmock/gmock.h>

#include "tests/engine/recovery_world.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Timestamp noon{std::chrono::hours(12)};

store::WorkerRecord worker(const std::string& name, const std::function<void(store::WorkerRecord&)>& change = {}) {
    store::WorkerRecord record;
    record.registration.name = name;
    record.registration.queues = {"default"};
    record.registration.tags = {"gpu", "script"};
    record.registration.capacity = 1;
    record.last_heartbeat = noon;
    record.seconds_ago = seconds(1);
    if (change) change(record);
    return record;
}

WaitingFacts facts() {
    WaitingFacts given;
    given.task.task.queue = "default";
    given.task.task.tags = {"gpu"};
    given.now = noon;
    given.stale_after = seconds(15);
    given.workers = {worker("w")};
    return given;
}

struct Waiting {
    std::string title;
    Obstacle obstacle;
    std::function<void(WaitingFacts&)> change;
    std::string part;  // of the sentence
};

void PrintTo(const Waiting& waiting, std::ostream* out) {
    *out << waiting.title;
}

void due_in(WaitingFacts& given, Duration length) {
    given.task.waits_for = store::WaitReason::Future;
    given.task.task.run_at = noon + length;
}

const std::vector<Waiting> waitings = {
    {"FreeWorker", Obstacle::Nothing, [](WaitingFacts&) {}, "about to be claimed"},
    {"Overdue", Obstacle::Overdue, [](WaitingFacts& f) { f.task.waits_for = store::WaitReason::Overdue; },
     "deadline has passed"},
    {"PausedJob", Obstacle::Paused, [](WaitingFacts& f) { f.task.waits_for = store::WaitReason::Job; },
     "its job is paused"},
    {"Future", Obstacle::Future, [](WaitingFacts& f) { due_in(f, seconds(90)); },
     "waits until 1970-01-01T12:01:30Z (in 1m30s)"},
    {"FutureThatHasJustCome", Obstacle::Future, [](WaitingFacts& f) { due_in(f, Duration::zero()); }, "is due"},
    {"Retry", Obstacle::Backoff,
     [](WaitingFacts& f) {
         due_in(f, seconds(5));
         f.task.history.attempts = 2;
     },
     "(in 5s) before it is tried again: 2 attempts"},
    {"RunAgainAfterACrash", Obstacle::Backoff,
     [](WaitingFacts& f) {
         due_in(f, seconds(5));
         f.task.history.crashes = 1;
     },
     "1 crashes"},
    {"Requeue", Obstacle::Backoff,
     [](WaitingFacts& f) {
         due_in(f, seconds(5));
         f.task.history.requeues = 3;
     },
     "3 requeues"},
    {"Key", Obstacle::Key,
     [](WaitingFacts& f) {
         f.task.waits_for = store::WaitReason::Key;
         f.task.task.concurrency = ConcurrencyKey{"db", 9};
         f.key_limit = 2;
         f.key_holders = {Uuid{}};
     },
     "one of the 2 slot(s) of the concurrency key 'db', held by 00000000-0000"},
    {"KeyThatNoClaimHasFoundFullYet", Obstacle::Key,
     [](WaitingFacts& f) {
         f.task.task.concurrency = ConcurrencyKey{"db", 1};
         f.key_holders = {Uuid{}};
     },
     "the concurrency key 'db'"},
    {"KeyWithAFreeSlot", Obstacle::Nothing,
     [](WaitingFacts& f) {
         f.task.task.concurrency = ConcurrencyKey{"db", 9};
         f.key_limit = 2;
         f.key_holders = {Uuid{}};
     },
     "about to be claimed"},
    {"KeyThatWasJustFreed", Obstacle::Key,
     [](WaitingFacts& f) {
         f.task.waits_for = store::WaitReason::Key;
         f.task.task.concurrency = ConcurrencyKey{"db", 1};
     },
     "held by no task any more"},
    {"Paused", Obstacle::Paused, [](WaitingFacts& f) { f.queue_is_paused = true; }, "queue default is paused"},
    {"PausedWithoutAnyWorker", Obstacle::Paused,
     [](WaitingFacts& f) {
         f.queue_is_paused = true;
         f.workers.clear();
     },
     "queue default is paused"},
    {"NoWorkerAtAll", Obstacle::NoWorker, [](WaitingFacts& f) { f.workers.clear(); },
     "none has queue default, tags [gpu]"},
    {"OnlyWorkersOfOtherQueues", Obstacle::NoWorker,
     [](WaitingFacts& f) { f.workers[0].registration.queues = {"other"}; }, "none has queue default"},
    {"OnlyWorkersWithOtherTags", Obstacle::NoWorker,
     [](WaitingFacts& f) { f.workers[0].registration.tags = {"script"}; }, "tags [gpu]"},
    {"OnlyWorkersThatHaveLeft", Obstacle::WorkerAway,
     [](WaitingFacts& f) { f.workers[0].status = store::WorkerStatus::Inactive; },
     "waits for a worker with queue default, tags [gpu] to come back: w sent a heartbeat 1s ago"},
    {"AWorkerThatLeftSeveralTimesIsNamedOnce", Obstacle::WorkerAway,
     [](WaitingFacts& f) {
         f.workers[0].status = store::WorkerStatus::Inactive;
         f.workers[0].seconds_ago = seconds(100);
         f.workers.push_back(f.workers[0]);
         f.workers[1].number = 2;
         f.workers[1].seconds_ago = seconds(4);
     },
     "to come back: w sent a heartbeat 4s ago"},
    {"AWorkerThatHasLeftWithOtherTags", Obstacle::NoWorker,
     [](WaitingFacts& f) {
         f.workers[0].status = store::WorkerStatus::Inactive;
         f.workers[0].registration.tags = {"script"};
     },
     "none has queue default"},
    {"NoneFresh", Obstacle::NoFreshWorker, [](WaitingFacts& f) { f.workers[0].seconds_ago = seconds(16); },
     "No workers with fresh heartbeats available (queue default, tags [gpu]): w sent a heartbeat 16s ago"},
    {"FreshToTheLastMoment", Obstacle::Nothing, [](WaitingFacts& f) { f.workers[0].seconds_ago = seconds(15); },
     "about to be claimed"},
    {"SlowBeatsAreFreshForThreeOfThem", Obstacle::Nothing,
     [](WaitingFacts& f) {
         f.workers[0].registration.beat_interval = seconds(30);
         f.workers[0].seconds_ago = seconds(90);
     },
     "about to be claimed"},
    {"NeverBeaten", Obstacle::NoFreshWorker, [](WaitingFacts& f) { f.workers[0].last_heartbeat.reset(); },
     "w has sent no heartbeat"},
    {"Cordoned", Obstacle::NoOpenWorker, [](WaitingFacts& f) { f.workers[0].cordoned = true; },
     "are cordoned or draining: w"},
    {"Draining", Obstacle::NoOpenWorker, [](WaitingFacts& f) { f.workers[0].status = store::WorkerStatus::Draining; },
     "are cordoned or draining: w"},
    {"AskedToDrain", Obstacle::NoOpenWorker, [](WaitingFacts& f) { f.workers[0].drain_requested = true; },
     "are cordoned or draining: w"},
    {"AllBusy", Obstacle::Busy, [](WaitingFacts& f) { f.workers[0].held.emplace_back(); }, "are busy: w 1/1"},
    {"OneOfTwoBusy", Obstacle::Nothing,
     [](WaitingFacts& f) {
         f.workers[0].held.emplace_back();
         f.workers.push_back(worker("free"));
     },
     "about to be claimed"},
    {"TheOnlyFreeOneIsCordoned", Obstacle::Busy,
     [](WaitingFacts& f) {
         f.workers[0].held.emplace_back();
         f.workers.push_back(worker("free", [](store::WorkerRecord& w) { w.cordoned = true; }));
     },
     "are busy: w 1/1"},
};

struct WhyWaitingTest : ::testing::TestWithParam<Waiting> {};

TEST_P(WhyWaitingTest, IsToldByTheFirstObstacle) {
    WaitingFacts given = facts();
    GetParam().change(given);
    const WhyWaiting why = why_waiting(given);
    EXPECT_EQ(word_of(why.obstacle), word_of(GetParam().obstacle)) << why.sentence;
    EXPECT_THAT(why.sentence, HasSubstr(GetParam().part));
}
INSTANTIATE_TEST_SUITE_P(Table, WhyWaitingTest, ::testing::ValuesIn(waitings),
                         [](const auto& waiting) { return waiting.param.title; });

using WaitingFactsOf = RecoveryWorld;

TEST_F(WaitingFactsOf, AKeyNameTheTasksInFlightThatHoldIt) {
    const auto with_key = [](const char* key) {
        return [key](store::NewTask& each) { each.concurrency = ConcurrencyKey{key, 1}; };
    };
    const Uuid holder = submit(with_key("db"));
    submit(with_key("other"));
    claim(add_worker("w"), 2);
    const Uuid waiting = submit(with_key("db"));
    const WhyWaiting why = why_waiting(waiting_facts(*store, task(waiting), seconds(15)));
    EXPECT_EQ(why.obstacle, Obstacle::Key);
    EXPECT_THAT(why.tasks, ElementsAre(holder));
}

TEST_F(WaitingFactsOf, AKeyAreOfItsQueueUnlessItIsShared) {
    const auto in_queue = [](const char* queue) {
        return [queue](store::NewTask& each) {
            each.queue = queue;
            each.concurrency = ConcurrencyKey{"db", 1};
        };
    };
    const Uuid holder = submit(in_queue("default"));
    claim(add_worker("w"), 1);
    const Uuid waiting = submit(in_queue("elsewhere"));
    EXPECT_THAT(waiting_facts(*store, task(waiting), seconds(15)).key_holders, ::testing::IsEmpty());
    store->declare_key({.key = "db", .queue = "", .limit = 4}, "test");
    const auto facts = waiting_facts(*store, task(waiting), seconds(15));
    EXPECT_THAT(facts.key_holders, ElementsAre(holder));
    EXPECT_EQ(facts.key_limit, 4);
}

TEST_F(WaitingFactsOf, ATaskInReachAreItsQueueAndTheWorkers) {
    const Uuid id = submit([](store::NewTask& each) { each.tags = {"gpu"}; });
    EXPECT_EQ(why_waiting(waiting_facts(*store, task(id), seconds(15))).obstacle, Obstacle::NoWorker);
    add_worker("w", {"gpu"});
    EXPECT_EQ(why_waiting(waiting_facts(*store, task(id), seconds(15))).obstacle, Obstacle::Nothing);
    pass(seconds(60));
    EXPECT_EQ(why_waiting(waiting_facts(*store, task(id), seconds(15))).obstacle, Obstacle::NoFreshWorker);
    store->set_queue_paused("default", true, "test");
    EXPECT_EQ(why_waiting(waiting_facts(*store, task(id), seconds(15))).obstacle, Obstacle::Paused);
}

}  // namespace
}  // namespace holdfast::engine::testing
