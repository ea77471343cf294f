#include "core/incarnation.h"

#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using core::LeaseEnd;
using core::rank_of;
using store::Fenced;

/// A store that has gone back in time, and workers that remember more than it does.
class Incarnation : public JobContract {
protected:
    void SetUp() override {
        JobContract::SetUp();
        other = join(*store);
    }

    [[nodiscard]] std::string table(const std::string& name) const {
        return GetParam() == StoreKind::Sqlite ? name : "holdfast." + name;
    }
    /// As an older copy of the database would have it.
    void forget_beats() {
        const auto raw = database->raw();
        raw->execute(concat("UPDATE ", table("worker"), " SET beat = 1 WHERE id = ", raw->literal(worker)));
    }
    void forget_leases(store::Lease last) {
        const auto raw = database->raw();
        if (GetParam() == StoreKind::Sqlite)
            raw->execute(concat("UPDATE lease_number SET last = ", last));
        else
            (void)raw->value(concat("SELECT setval('holdfast.lease_number', ", last, ")"));
    }
    store::BeatAnswer beat(const core::Witness& acknowledged = {}, const std::vector<store::HeldLease>& held = {}) {
        auto params = beat_of(worker, held);
        params.acknowledged = acknowledged;
        return store->beat(params);
    }
    store::ClaimAnswer claim_after(const core::Witness& highest_lease, std::size_t to_start = 1) {
        return store
            ->turn({.worker = worker, .request = random_uuid(), .to_start = to_start, .highest_lease = highest_lease})
            .claimed;
    }
    void roll_over() {
        const auto before = store->rank();
        (void)beat();
        const auto last = beat().beat;
        ASSERT_EQ(beat({before, last + 100}).rank, before + 1);
    }
    [[nodiscard]] int rollovers() {
        int count = 0;
        for (const auto& event : store->last_events(1000)) count += event.kind == "rolled_over" ? 1 : 0;
        return count;
    }
    Fenced start_as(const Uuid& who, const store::TaskLease& lease) {
        return store->turn({.worker = who, .start = {lease}}).started.at(0);
    }
    Fenced hand_back_as(const Uuid& who, const store::TaskLease& lease) {
        return store->turn({.worker = who, .hand_back = {lease}}).handed_back.at(0);
    }

    Uuid other;
};
HOLDFAST_FOR_EVERY_STORE(Incarnation);

// ---- The rank

TEST_P(Incarnation, BeginsWithRankOneAndIsToldToEveryWorker) {
    EXPECT_EQ(store->rank(), 1);
    EXPECT_EQ(store->register_worker(a_worker()).rank, 1);
    EXPECT_EQ(beat().rank, 1);
    EXPECT_EQ(open()->rank(), 1);
    EXPECT_EQ(rollovers(), 0);
}

TEST_P(Incarnation, IsToldToAWorkerWhoseRowIsGone) {
    const auto answer = store->beat(beat_of(random_uuid()));
    EXPECT_FALSE(answer.known);
    EXPECT_EQ(answer.rank, 1);
}

TEST_P(Incarnation, BeatsAreNumberedOneByOne) {
    const auto first = beat().beat;
    EXPECT_EQ(beat().beat, first + 1);
    EXPECT_EQ(store->workers().at(0).beat, first + 1);
}

TEST_P(Incarnation, LeaseNumbersCarryTheRank) {
    submit(tasks(clock.now(), 2));
    const auto first = claim_one(worker);
    EXPECT_EQ(rank_of(first.lease), 1);
    roll_over();
    const auto second = claim_one(worker);
    EXPECT_EQ(rank_of(second.lease), 2);
    EXPECT_LT(second.lease, core::first_lease_of(3));
}

// ---- The worker in every fenced write

TEST_P(Incarnation, AnotherWorkerCanNeitherStartNorHandBackALease) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(start_as(other, lease), Fenced::LeaseLost);
    EXPECT_EQ(hand_back_as(other, lease), Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Claimed);
    EXPECT_EQ(start_as(worker, lease), Fenced::Applied);
}

TEST_P(Incarnation, AnotherWorkerCannotReportForARun) {
    submit();
    const auto lease = claim_one(worker);
    EXPECT_EQ(finish(*store, other, completed(lease)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(finish(*store, other, ended(lease, LeaseEnd::NotStarted)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(store->save_progress(other, {{lease, 0.5, "half", "1"}}).at(0), Fenced::LeaseLost);
    EXPECT_EQ(store->append_logs(other, {{lease.task, lease.lease, 0, "stdout", "x", clock.now()}}).at(0),
              Fenced::LeaseLost);
    auto beating = beat_of(other);
    beating.progress = {{lease, 0.5, "half", "1"}};
    (void)store->beat(beating);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Running);
    EXPECT_FALSE(found.progress.has_value());
    EXPECT_THAT(store->read_logs({.task = lease.task, .after_offset = 0, .limit = 10}), IsEmpty());
    EXPECT_THAT(event_kinds(*store, lease.task), ElementsAre("late_result_refused")) << "of the first of them";
}

TEST_P(Incarnation, ARunThatHasEndedWasNotReportedByAnotherWorker) {
    submit();
    const auto lease = claim_one(worker);
    finish(*store, worker, completed(lease));
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Already);
    EXPECT_EQ(finish(*store, other, completed(lease)).fenced, Fenced::LeaseLost);
}

TEST_P(Incarnation, AVerdictOnAnotherWorkerLeavesTheLease) {
    submit(tasks(clock.now(), 2));
    const auto running = claim_one(worker);
    const auto held = hold_one(worker);
    EXPECT_EQ(recover(*store, crash_verdict(running, other)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(recover(*store, requeue_verdict(held, other)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, running.task), TaskState::Running);
    EXPECT_EQ(recover(*store, crash_verdict(running, worker)).fenced, Fenced::Applied);
    EXPECT_EQ(recover(*store, crash_verdict(running, other)).fenced, Fenced::LeaseLost)
        << "it was not told of this one";
}

// ---- Witnesses

TEST_P(Incarnation, RollsOverOnceWhenAWorkerHasSeenMoreBeats) {
    (void)beat();
    const core::Witness seen{1, beat().beat};
    forget_beats();
    const auto answer = beat(seen);
    EXPECT_EQ(answer.rank, 2);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(beat(seen).rank, 2) << "a witness of the old rank says nothing about the new one";
    EXPECT_EQ(beat({2, answer.beat}).rank, 2);
    EXPECT_EQ(rollovers(), 1);
}

TEST_P(Incarnation, RollsOverOnceWhenAWorkerHasSeenMoreLeases) {
    submit(tasks(clock.now(), 4));
    const auto first = claim_one(worker);
    const auto second = claim_one(worker);
    forget_leases(first.lease);
    const core::Witness seen{1, second.lease};
    const auto claimed = claim_after(seen);
    ASSERT_THAT(claimed.tasks, SizeIs(1));
    EXPECT_EQ(rank_of(claimed.tasks[0].lease), 2);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_THAT(claim_after(seen).tasks, SizeIs(1));
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(rollovers(), 1);
}

TEST_P(Incarnation, StaysWhenItKnowsWhatTheWorkerHasSeen) {
    submit(tasks(clock.now(), 2));
    const auto lease = claim_one(worker);
    EXPECT_EQ(beat({1, 0}).rank, 1);
    EXPECT_EQ(beat({1, beat().beat}).rank, 1);
    EXPECT_EQ(beat({}).rank, 1);
    EXPECT_EQ(beat({7, 1'000}).rank, 1) << "of another rank";
    EXPECT_THAT(claim_after({1, lease.lease}).tasks, SizeIs(1));
    EXPECT_EQ(store->rank(), 1);
    EXPECT_EQ(rollovers(), 0);
}

TEST_P(Incarnation, StaysWhenTheRowOfTheWorkerIsMissing) {
    auto params = beat_of(random_uuid());
    params.acknowledged = {1, 1'000};
    EXPECT_FALSE(store->beat(params).known);
    EXPECT_EQ(store->rank(), 1);
    EXPECT_EQ(rollovers(), 0);
}

TEST_P(Incarnation, IsMetByOtherProcessesWithTheirNextWrite) {
    const auto reader = open();
    const auto epoch = reader->look().store_epoch;
    roll_over();
    EXPECT_NE(reader->look().store_epoch, epoch);
    (void)reader->submit({a_task(clock.now())});
    EXPECT_EQ(reader->rank(), 2);
    EXPECT_EQ(open()->rank(), 2);
    EXPECT_EQ(rollovers(), 1);
}

TEST_P(Incarnation, IsRolledOverOnceByTwoWitnessesAtOnce) {
    (void)beat();
    const core::Witness seen{1, beat().beat};
    forget_beats();
    const auto second = open();
    auto params = beat_of(worker);
    params.acknowledged = seen;
    EXPECT_EQ(store->beat(params).rank, 2);
    EXPECT_EQ(second->beat(params).rank, 2);
    EXPECT_EQ(rollovers(), 1);
}

// ---- What becomes of leases

TEST_P(Incarnation, EveryLeaseCountsAsStartedAfterARollover) {
    submit();
    const auto lease = hold_one(worker);
    clock.advance(1s);
    roll_over();
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.state, TaskState::Running);
    EXPECT_EQ(found.started_at, clock.now());
    EXPECT_EQ(start_as(worker, lease), Fenced::Already);
    EXPECT_EQ(hand_back_as(worker, lease), Fenced::LeaseLost);
    EXPECT_EQ(recover(*store, requeue_verdict(lease, worker)).fenced, Fenced::LeaseLost);
}

TEST_P(Incarnation, TheJobOfALeaseRunsAfterARollover) {
    const auto id = start({a_step("a")});
    ASSERT_THAT(claim(*store, worker, 0, 1).tasks, SizeIs(1));
    ASSERT_EQ(state(id), JobState::Pending);
    roll_over();
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_EQ(step(id, "a").state, StepState::Running);
}

TEST_P(Incarnation, ALeaseThatWasNotToStartForThePauseOfItsJobRunsAfterARollover) {
    const auto id = start({a_step("a")});
    const auto held = hold_one(worker);
    EXPECT_EQ(pause(id), SteerStatus::Applied);
    roll_over();
    EXPECT_EQ(state_of(*store, held.task), TaskState::Running);
    EXPECT_THAT(beat({}, {{.lease = held, .running = true}}).stop, IsEmpty());
    EXPECT_EQ(finish(*store, worker, completed(held)).fenced, Fenced::Applied);
}

TEST_P(Incarnation, AnOutcomeOfASurvivingLeaseIsAppliedUnderItsOldNumber) {
    submit();
    const auto lease = claim_one(worker);
    roll_over();
    EXPECT_THAT(beat({}, {{.lease = lease, .running = true}}).lost, IsEmpty());
    EXPECT_EQ(finish(*store, worker, completed(lease, "7")).fenced, Fenced::Applied);
    EXPECT_EQ(record(*store, lease.task).result, "7");
}

TEST_P(Incarnation, AnOutcomeOfALeaseThatWasLostIsNotedAndNotApplied) {
    const auto id = submit();
    const store::TaskLease lost{id, core::first_lease_of(1) + 77};
    roll_over();
    EXPECT_THAT(beat({}, {{.lease = lost, .running = true}}).lost, ElementsAre(lost));
    EXPECT_EQ(finish(*store, worker, completed(lost)).fenced, Fenced::LeaseLost);
    EXPECT_EQ(state_of(*store, id), TaskState::Pending);
    EXPECT_THAT(event_kinds(*store, id), ElementsAre("late_result_refused"));
}

// ---- Runs that did not begin

TEST_P(Incarnation, AStartedLeaseThatDidNotRunIsRequeuedAtNoCost) {
    const auto id = submit(with_retries(a_task(clock.now()), 1));
    const auto lease = claim_one(worker);
    const auto outcome = finish(*store, worker, ended(lease, LeaseEnd::NotStarted));
    EXPECT_EQ(outcome.fenced, Fenced::Applied);
    EXPECT_EQ(outcome.state, TaskState::Pending);
    EXPECT_EQ(record(*store, id).history, (core::History{0, 0, 1}));
    EXPECT_THAT(store->attempts(id), IsEmpty());
    const auto again = finish(*store, worker, ended(lease, LeaseEnd::NotStarted));
    EXPECT_EQ(again.fenced, Fenced::Already);
    EXPECT_EQ(again.state, TaskState::Pending);
    EXPECT_EQ(record(*store, id).history.requeues, 1);
    EXPECT_GT(claim_one(worker).lease, lease.lease);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::NotStarted)).fenced, Fenced::LeaseLost);
    EXPECT_THAT(event_kinds(*store, id), IsEmpty()) << "there was no result that came too late";
}

TEST_P(Incarnation, ALeaseWhoseStartWasLostIsRequeuedJustSo) {
    submit();
    const auto lease = hold_one(worker);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::NotStarted)).state, TaskState::Pending);
    EXPECT_EQ(record(*store, lease.task).history, (core::History{0, 0, 1}));
}

// ---- Runs whose start was lost

TEST_P(Incarnation, ARunProvesItsStart) {
    submit(tasks(clock.now(), 2));
    const auto lease = hold_one(worker);
    const auto failing = hold_one(worker);
    clock.advance(1s);
    EXPECT_EQ(finish(*store, other, completed(lease)).fenced, Fenced::LeaseLost) << "only that of its own worker";
    const auto outcome = finish(*store, worker, completed(lease, "7"));
    EXPECT_EQ(outcome.fenced, Fenced::Applied);
    EXPECT_EQ(outcome.state, TaskState::Completed);
    const auto found = record(*store, lease.task);
    EXPECT_EQ(found.result, "7");
    EXPECT_EQ(found.started_at, clock.now());
    EXPECT_THAT(store->attempts(lease.task), SizeIs(1));
    EXPECT_EQ(finish(*store, worker, completed(lease, "7")).fenced, Fenced::Already);
    EXPECT_EQ(finish(*store, worker, failed(failing)).fenced, Fenced::Applied);
    EXPECT_EQ(record(*store, failing.task).history.attempts, 1);
}

TEST_P(Incarnation, ARunThatProvesItsStartMovesItsJobOnAlsoWhenItIsPaused) {
    const auto id = start({a_step("a"), a_step("b", {"a"})});
    const auto lease = hold_one(worker);
    EXPECT_EQ(pause(id), SteerStatus::Applied);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(states(id), "a=COMPLETED b=READY");
    resume(id);
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

// ---- Verdicts

TEST_P(Incarnation, AVerdictFromBeforeARolloverIsNotCarriedOutAfterIt) {
    submit();
    const auto lease = claim_one(worker);
    const std::vector<store::HeldLease> held{{.lease = lease, .running = true}};
    for (int i = 0; i < 3; ++i) (void)beat({}, held);
    const auto seen = beat({}, held).beat;
    forget_beats();
    ASSERT_EQ(beat({1, seen}, held).rank, 2);
    while (store->workers().at(0).beat < seen) (void)beat({}, held);
    EXPECT_THAT(store->mark_lost({{.worker = worker, .beat = seen, .who = "s", .evidence = "silent", .data = ""}}),
                ElementsAre(false));
}

TEST_P(Incarnation, TheSameLeaseTwiceInOneTurnIsRequeuedOnce) {
    submit();
    const auto lease = claim_one(worker);
    const auto run = ended(lease, LeaseEnd::NotStarted);
    const auto answers = store->turn({.worker = worker, .finish = {run, run}}).finished;
    EXPECT_EQ(answers.at(0).fenced, Fenced::Applied);
    EXPECT_EQ(answers.at(1).fenced, Fenced::Already);
    EXPECT_EQ(record(*store, lease.task).history, (core::History{0, 0, 1}));
}

TEST_P(Incarnation, AStartedLeaseThatDidNotRunYieldsToACancel) {
    submit();
    const auto lease = claim_one(worker);
    EXPECT_EQ(cancel(*store, lease.task), store::CancelStatus::Requested);
    EXPECT_EQ(finish(*store, worker, ended(lease, LeaseEnd::NotStarted)).state, TaskState::Cancelled);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Cancelled);
    EXPECT_THAT(store->attempts(lease.task), IsEmpty());
}

TEST_P(Incarnation, AStartedLeaseThatDidNotRunFreesItsKey) {
    for (int i = 0; i < 2; ++i) submit(with_key(a_task(clock.now()), "k"));
    const auto lease = claim_one(worker);
    EXPECT_THAT(claim(*store, worker, 2).tasks, IsEmpty());
    finish(*store, worker, ended(lease, LeaseEnd::NotStarted));
    EXPECT_THAT(claim(*store, worker, 2).tasks, SizeIs(1));
}

}  // namespace
}  // namespace holdfast::contract
