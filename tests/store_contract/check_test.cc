#include <atomic>
#include <set>
#include <thread>

#include "base/text.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using store::CheckRule;
using testing::AllOf;

/// A store with something of everything in it, in which each test breaks one rule by hand.
class Check : public JobContract {
protected:
    void SetUp() override {
        JobContract::SetUp();
        raw = database->raw();
        ended = submit(with_priority(a_task(clock.now()), 1));
        const auto run = claim_one(worker);
        finish(*store, worker, completed(run, "1"));
        retried = submit(with_retries(a_task(clock.now()), 2));
        finish(*store, worker, failed(claim_one(worker)));
        keyed = submit(with_key(a_task(clock.now()), "disk"));
        parked = submit(with_key(a_task(clock.now()), "disk"));
        lease = claim_one(worker);
        EXPECT_EQ(lease.task, keyed);
        EXPECT_THAT(claim(*store, worker, 1).tasks, IsEmpty());
        auto flow = a_flow({a_step("a"), a_step("b", {"a"}), for_each_step("c", {1, 2})});
        flow.on_success.push_back(a_step("bell"));
        job_id = start({flow});
        ended_job = start({flow});
        for (const char* step : {"a", "b", "c[0]", "c[1]"}) {
            clock.advance(1s);
            complete(ended_job, step);
        }
        EXPECT_EQ(state(ended_job), JobState::Completed);
        waiting_child = start({a_flow({child_step("c", "child")}), a_flow({a_step("x")}, "child")});
        ready = submit();
        cancelled = submit();
        cancel(*store, cancelled);
    }

    /// What holds, and what does not: "task_in_one_place: ...".
    std::vector<std::string> broken() {
        std::vector<std::string> found;
        for (const auto& violation : store->check().violations)
            for (const auto& offender : violation.offenders)
                found.push_back(concat(store::text_of(violation.rule).name, ": ", offender));
        return found;
    }
    void expect(CheckRule rule, const Uuid& id, const std::string& wrong = "") {
        EXPECT_THAT(broken(), ElementsAre(AllOf(testing::StartsWith(std::string(store::text_of(rule).name) + ": "),
                                                HasSubstr(id.is_nil() ? "" : id.to_string()), HasSubstr(wrong))));
    }
    void run(const std::string& sql) { raw->execute(sql); }
    std::string of(const Uuid& task) const { return concat(" WHERE task_id = ", raw->literal(task)); }
    std::string of_job(const Uuid& job) const { return concat(" WHERE job_id = ", raw->literal(job)); }
    void drop_trigger(const std::string& trigger, const std::string& table) {
        run(concat("DROP TRIGGER ", trigger, GetParam() == StoreKind::Sqlite ? "" : concat(" ON ", table)));
    }
    std::unique_ptr<RawSql> raw;
    Uuid ended, retried, keyed, parked, ready, cancelled, job_id, ended_job, waiting_child;
    store::TaskLease lease;
};
HOLDFAST_FOR_EVERY_STORE(Check);

TEST_P(Check, OfASoundStoreFindsNothingAndCounts) {
    const auto report = store->check();
    EXPECT_THAT(broken(), IsEmpty());
    EXPECT_EQ(report.tasks, raw->number("SELECT count(*) FROM task"));
    EXPECT_EQ(report.jobs, raw->number("SELECT count(*) FROM job"));
    EXPECT_GT(report.tasks, 10);
    EXPECT_EQ(report.jobs, 4);
}

TEST_P(Check, OfAnEmptyStoreFindsNothing) {
    const auto empty = make_database(GetParam());
    const auto other = open_store({.kind = GetParam(), .address = empty->address()}, clock);
    EXPECT_THAT(other->check().violations, IsEmpty());
}

TEST_P(Check, FindsATaskInNoPlace) {
    run("DELETE FROM ready" + of(ready));
    expect(CheckRule::TaskInOnePlace, ready, "is in no place");
}

TEST_P(Check, FindsATaskInTwoPlaces) {
    run(concat(
        "INSERT INTO waiting (task_id, why, route_id, priority, run_at, attempts, crashes, requeues, last_lease) "
        "SELECT task_id, 'future', route_id, priority, run_at, attempts, crashes, requeues, last_lease FROM ready",
        of(ready)));
    expect(CheckRule::TaskInOnePlace, ready, "is in ready waiting");
}

TEST_P(Check, FindsAPlaceWithoutATask) {
    for (const Uuid& task : {parked, ready, cancelled}) run("DELETE FROM task WHERE id = " + raw->literal(task));
    EXPECT_THAT(broken(),
                testing::UnorderedElementsAre(
                    AllOf(HasSubstr("place_has_task: "), HasSubstr(parked.to_string()), HasSubstr("waiting")),
                    AllOf(HasSubstr("place_has_task: "), HasSubstr(ready.to_string()), HasSubstr("ready")),
                    AllOf(HasSubstr("place_has_task: "), HasSubstr(cancelled.to_string()), HasSubstr("ending"))));
}

TEST_P(Check, FindsRowsOfWhatIsNotThere) {
    run("DELETE FROM workflow_definition WHERE id = (SELECT definition_id FROM job WHERE id = " +
        raw->literal(ended_job) + ")");
    run("DELETE FROM attempt" + of(retried));
    const auto nobody = new_task_id(clock.now());
    const std::string now = GetParam() == StoreKind::Sqlite ? "1" : "now()";
    run(concat("INSERT INTO progress (task_id, saved_at) VALUES (", raw->literal(nobody), ", ", now, ")"));
    const auto found = broken();
    EXPECT_THAT(found, testing::Each(HasSubstr("references: ")));
    EXPECT_THAT(found, Contains(HasSubstr(nobody.to_string() + ": has progress, but is not there")));
    EXPECT_THAT(found, Contains(HasSubstr(ended_job.to_string() + ": its definition is missing")));
    EXPECT_THAT(found, Contains(HasSubstr(job_id.to_string() + ": the workflow's definition cannot be used")));
}

TEST_P(Check, FindsALeaseWithoutAWorker) {
    run("UPDATE lease SET worker_id = " +
        std::string(GetParam() == StoreKind::Sqlite ? "zeroblob(16)" : "'00000000-0000-0000-0000-000000000000'") +
        of(keyed));
    expect(CheckRule::LeaseHasWorker, keyed);
}

TEST_P(Check, AcceptsALeaseOfAWorkerThatIsNotRegisteredWhichRecoveryFinds) {
    run("DELETE FROM worker WHERE id = " + raw->literal(worker));
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_P(Check, FindsALeaseAboveTheCounter) {
    run("UPDATE lease SET lease = 8000000000000000" + of(keyed));
    expect(CheckRule::LeaseBelowCounter, keyed, "lease 8000000000000000 in lease is above ");
}

TEST_P(Check, FindsALeaseNumberThatWasGivenTwice) {
    run(concat("UPDATE lease SET lease = (SELECT lease FROM ending", of(ended), ")", of(keyed)));
    EXPECT_THAT(broken(), ElementsAre(AllOf(HasSubstr("lease_is_unique: "), HasSubstr("was given 2 times"))));
}

TEST_P(Check, FindsASlotWithoutALease) {
    run(concat("UPDATE slot SET task_id = ", raw->literal(ready), of(keyed)));
    const auto found = broken();
    EXPECT_THAT(found, Contains(AllOf(HasSubstr("slot_of_lease: "), HasSubstr(ready.to_string()))));
    EXPECT_THAT(found, Contains(AllOf(HasSubstr("slot_of_lease: "), HasSubstr(keyed.to_string()),
                                      HasSubstr("no slot of its key disk"))));
}

TEST_P(Check, FindsMoreTasksOfAKeyThanItsLimit) {
    const auto second = submit(with_key(a_task(clock.now()), "tape", 2));
    const auto third = submit(with_key(a_task(clock.now()), "tape", 2));
    clock.advance(1s);
    EXPECT_THAT(ids_of(claim_fully(*store, worker, 10)), testing::IsSupersetOf({second, third}));
    EXPECT_THAT(broken(), IsEmpty());
    run("UPDATE concurrency SET max_slots = 1 WHERE key = 'tape'");
    expect(CheckRule::KeyWithinLimit, {}, "key tape has 2 tasks; its limit is 1");
    store->declare_key({.key = "tape", .queue = "default", .limit = 1}, "ann");
    EXPECT_THAT(broken(), IsEmpty()) << "a person has lowered it";
}

TEST_P(Check, FindsAnEndWithoutItsParts) {
    drop_trigger("ending_is_final", "ending");
    run("UPDATE ending SET error_code = NULL" + of(cancelled));
    expect(CheckRule::EndingIsComplete, cancelled, "is CANCELLED without an error");
    run("UPDATE ending SET error_code = 'X'" + of(cancelled));
    run("UPDATE ending SET worker_id = NULL" + of(ended));
    expect(CheckRule::EndingIsComplete, ended, "without its last run");
}

TEST_P(Check, FindsAJobThatEndedBeforeItsSteps) {
    drop_trigger("terminal_step_is_final", "step");
    run(concat("UPDATE step SET state = 'RUNNING', task_id = NULL", of_job(ended_job), " AND step = 1"));
    expect(CheckRule::JobEndsWithSteps, ended_job, "is COMPLETED");
}

TEST_P(Check, FindsAJobThatDidNotEndWithItsSteps) {
    run(concat("UPDATE job_progress SET open_steps = 0", of_job(waiting_child)));
    run(concat("UPDATE step SET state = 'COMPLETED', child_id = NULL", of_job(waiting_child)));
    expect(CheckRule::JobEndsWithSteps, waiting_child, "is open, but has no open step");
}

TEST_P(Check, FindsAMiscountOfAJob) {
    run("UPDATE job_progress SET open_steps = 2" + of_job(job_id));
    expect(CheckRule::JobCounters, job_id, "counts 2 open steps, but has 3");
    run("UPDATE job_progress SET open_steps = 3, failed_steps = 1" + of_job(job_id));
    expect(CheckRule::JobCounters, job_id, "counts 1 failed steps, but has 0");
}

TEST_P(Check, FindsAMiscountOfAStep) {
    run(concat("UPDATE step SET open = 0, succeeded = 1", of_job(job_id), " AND step = 1"));
    expect(CheckRule::StepCounters, job_id, "step b counts of its dependencies 0 open, 1 succeeded");
    run(concat("UPDATE step SET open = 1, succeeded = 0", of_job(job_id), " AND step = 1"));
    run(concat("UPDATE step SET open = 5", of_job(job_id), " AND step = 2 AND item = -1"));
    expect(CheckRule::StepCounters, job_id, "step c counts of its items 5 open");
}

TEST_P(Check, FindsAStepThatDidNotHearOfItsTask) {
    const auto run_of_a = running(job_id, "a");
    run("DELETE FROM lease" + of(run_of_a.task));
    run(
        concat("INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, error_code) "
               "SELECT id, 'FAILED', created_at, 0, 0, 0, created_at, 'X' FROM task WHERE id = ",
               raw->literal(run_of_a.task)));
    expect(CheckRule::StepFollowsTask, job_id, "step 0 is READY, its task is FAILED");
}

TEST_P(Check, ShowsTenOffendersAndCountsAll) {
    submit(tasks(clock.now(), 25));
    run("DELETE FROM ready WHERE task_id <> " + raw->literal(ready));
    const auto report = store->check();
    ASSERT_THAT(report.violations, SizeIs(1));
    EXPECT_THAT(report.violations[0].offenders, SizeIs(10));
    EXPECT_GE(report.violations[0].count, 25);
}

TEST_P(Check, ReadsOneSnapshotWhileTheStoreIsUsed) {
    std::atomic<bool> stop = false;
    std::thread busy([&] {
        const auto mine = open();
        while (!stop) {
            mine->submit(tasks(clock.now(), 20));
            for (const auto& claimed : claim(*mine, worker, 20).tasks)
                finish(*mine, worker, completed(lease_of(claimed)));
        }
    });
    for (int round = 0; round < 10; ++round) EXPECT_THAT(broken(), IsEmpty());
    stop = true;
    busy.join();
}

TEST(CheckRules, HaveDistinctNamesInTheOrderOfTheirEnumeration) {
    std::set<std::string_view> names;
    int next = 0;
    for (const auto& rule : store::check_rules) {
        EXPECT_EQ(static_cast<int>(rule.rule), next++);
        EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
        EXPECT_NE(rule.sentence, "");
    }
}

}  // namespace
}  // namespace holdfast::contract
