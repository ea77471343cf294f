// What recovery's verdicts do to jobs: the cascade, in every situation in which a worker may die.
#include <gmock/gmock.h>

#include "tests/engine/job_world.h"
#include "views/why_waiting.h"

namespace holdfast::engine::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using enum StepState;

using JobRecovery = JobWorld;

const JobWorld::Change requeues = [](core::WorkflowStep& step) { step.policy.on_crash = OnCrash::Requeue; };

TEST_F(JobRecovery, ACrashFailsTheStepSkipsItsDependentsFailsTheJobAndFiresItsHookOnce) {
    auto flow = workflow("flow", {step("a"), step("b", {"a"}), step("c", {"b"}), step("d")});
    flow.on_failure = {step("hook")};
    const Uuid id = start(flow);
    const Uuid worker = add_hand("w");
    const auto claimed = claim(worker, 2);
    ASSERT_EQ(claimed.size(), 2U);
    for (const auto& task : claimed)
        if (task.task.name == "d") finish(worker, task);
    EXPECT_EQ(die(worker).ended, 1U);

    EXPECT_EQ(states(id)["a"], Failed);
    EXPECT_EQ(states(id)["b"], Skipped);
    EXPECT_EQ(states(id)["c"], Skipped);
    EXPECT_EQ(states(id)["d"], Completed);
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_THAT(job(id).error->message, HasSubstr("WORKER_CRASHED"));
    sweep_for(seconds(60));
    const Uuid heir = add_hand("heir");
    const auto hooks = claim(heir, 100);
    ASSERT_EQ(hooks.size(), 1U);
    EXPECT_EQ(hooks.front().task.name, "hook");
    EXPECT_THAT(hooks.front().task.args, HasSubstr("\"state\":\"FAILED\""));
    finish(heir, hooks.front());
    EXPECT_TRUE(claim(heir, 100).empty());
    EXPECT_THAT(job_event_kinds(id), Contains("failed")) << "the verdict itself is in the log of _server";
}

TEST_F(JobRecovery, ACrashOfAStepThatMayRunAgainDelaysTheJobAndNoMore) {
    const Uuid id = start(workflow("flow", {step("a", {}, requeues), step("b", {"a"})}));
    const Uuid worker = add_hand("w");
    claim(worker, 1);
    EXPECT_EQ(die(worker).rerun, 1U);
    EXPECT_EQ(states(id)["a"], Running) << "as people see it between two runs";
    run_all(add_hand("heir"));
    EXPECT_EQ(job(id).state, JobState::Completed);
    EXPECT_EQ(step_of(id, "a").attempts, 2);
}

TEST_F(JobRecovery, ACrashInAPausedJobIsSettledAndTheJobStaysPaused) {
    const Uuid id = start(workflow("flow", {step("a", {}, requeues), step("b"), step("c", {"b"})}));
    const Uuid worker = add_hand("w");
    ASSERT_EQ(claim(worker, 2).size(), 2U);
    EXPECT_EQ(store->pause_jobs({.jobs = {id}, .who = "test", .reason = ""}).front(), SteerStatus::Applied);
    const auto verdicts = die(worker);
    EXPECT_EQ(verdicts.rerun, 1U);
    EXPECT_EQ(verdicts.ended, 1U);
    EXPECT_EQ(job(id).state, JobState::Paused);
    EXPECT_EQ(states(id)["b"], Failed);
    EXPECT_EQ(states(id)["c"], Skipped);
    const Uuid heir = add_hand("heir");
    EXPECT_TRUE(claim(heir, 100).empty()) << "what may run again waits for the resume";
    sweep_for(seconds(60), {heir});
    EXPECT_TRUE(claim(heir, 100).empty());
    EXPECT_EQ(store->resume_jobs({.jobs = {id}, .who = "test", .reason = ""}).front(), SteerStatus::Applied);
    run_all(heir);
    EXPECT_EQ(states(id)["a"], Completed);
    EXPECT_EQ(job(id).state, JobState::Failed);
}

TEST_F(JobRecovery, ACrashWhileTheJobIsCancelledEndsItCancelled) {
    auto flow = workflow("flow", {step("a", {}, requeues), step("b", {"a"})});
    flow.on_cancel = {step("hook")};
    const Uuid id = start(flow);
    const Uuid worker = add_hand("w");
    claim(worker, 1);
    EXPECT_EQ(store->cancel_jobs({.jobs = {id}, .who = "test", .reason = "enough"}).front(), SteerStatus::Applied);
    EXPECT_EQ(job(id).state, JobState::Running) << "its worker has not confirmed";
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Cancelled);
    EXPECT_EQ(states(id)["a"], Cancelled);
    EXPECT_EQ(states(id)["b"], Cancelled);
    const auto hooks = claim(add_hand("heir"), 100);
    ASSERT_EQ(hooks.size(), 1U);
    EXPECT_EQ(hooks.front().task.name, "hook");
}

TEST_F(JobRecovery, ACrashInAChildOfAChildFailsEveryAncestor) {
    const auto child_of = [](const std::string& name) {
        return step("a", {}, [name](core::WorkflowStep& each) {
            each.kind = core::StepKind::Workflow;
            each.task.clear();
            each.workflow = name;
        });
    };
    const Uuid id = start(workflow("top", {child_of("middle"), step("b", {"a"})}),
                          {workflow("middle", {child_of("bottom")}), workflow("bottom", {step("c")})});
    const Uuid worker = add_hand("w");
    ASSERT_EQ(claim(worker, 100).size(), 1U);
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_EQ(states(id)["a"], Failed);
    EXPECT_EQ(states(id)["b"], Skipped);
    EXPECT_EQ(step_of(id, "a").error->code, error_code::child_job_failed);
    for (const auto& each : store->list_jobs({.with_children = true})) EXPECT_EQ(each.state, JobState::Failed);
}

TEST_F(JobRecovery, ACrashInAnItemFailsThatItemAndTheOthersGoOn) {
    const Uuid id = start(workflow("flow", {step("a", {}, [](core::WorkflowStep& each) {
                                       each.for_each = {1, 2, 3};
                                   })}));
    const Uuid worker = add_hand("w"), other = add_hand("other");
    ASSERT_EQ(claim(worker, 1).size(), 1U);
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Running);
    run_all(other);
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_EQ(step_of(id, "a").items.failed, 1);
    EXPECT_EQ(step_of(id, "a").items.completed, 2);
}

TEST_F(JobRecovery, ACrashIsNoMatterToAJoinThatOthersMeet) {
    const Uuid id = start(workflow("flow", {step("a"), step("b"), step("c"),
                                            step("d", {"a", "b", "c"},
                                                 [](core::WorkflowStep& each) {
                                                     each.join = {core::JoinKind::Any, 0};
                                                 }),
                                            step("e", {"a", "b", "c"}, [](core::WorkflowStep& each) {
                                                each.join = {core::JoinKind::Quorum, 2};
                                            })}));
    const Uuid worker = add_hand("w"), other = add_hand("other");
    ASSERT_EQ(claim(worker, 1).size(), 1U);
    run_all(other);
    EXPECT_EQ(states(id)["d"], Completed);
    EXPECT_EQ(states(id)["e"], Completed);
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Failed) << "by on_error: fail, though both joins were met";
}

TEST_F(JobRecovery, AQuorumOutOfReachAfterACrashIsSkipped) {
    const Uuid id = start(workflow("flow", {step("a"), step("b"), step("d", {"a", "b"}, [](core::WorkflowStep& each) {
                                                each.join = {core::JoinKind::Quorum, 2};
                                            })}));
    const Uuid worker = add_hand("w");
    claim(worker, 1);
    die(worker);
    EXPECT_EQ(states(id)["d"], Skipped) << "at once, while the other dependency has not begun";
}

TEST_F(JobRecovery, ManyParentsOfOneFanInSurviveTheDeathsOfTheirWorkers) {
    std::vector<core::WorkflowStep> steps;
    std::vector<std::string> names;
    for (int number = 0; number < 40; ++number) {
        names.push_back("p" + std::to_string(number));
        steps.push_back(step(names.back(), {}, [](core::WorkflowStep& each) {
            each.task = "a";
            requeues(each);
        }));
    }
    steps.push_back(step("last", names));
    const Uuid id = start(workflow("flow", steps));
    for (int round = 0; round < 8; ++round) {
        const Uuid worker = add_hand("w" + std::to_string(round));
        const auto claimed = claim(worker, 10);
        for (std::size_t task = 0; task < claimed.size() / 2; ++task) finish(worker, claimed[task]);
        die(worker);
    }
    EXPECT_EQ(states(id)["last"], Waiting);
    const Uuid heir = add_hand("heir");
    for (int minute = 0; minute < 5; ++minute) {
        sweep_for(seconds(60), {heir});
        run_all(heir);
    }
    EXPECT_EQ(job(id).state, JobState::Completed);
    EXPECT_EQ(step_of(id, "last").attempts, 1) << "begun once";
}

TEST_F(JobRecovery, AStepThatHeldAConcurrencyKeyFreesItWhenItsWorkerDies) {
    const JobWorld::Change keyed = [](core::WorkflowStep& each) { each.concurrency_key = "db"; };
    const Uuid id = start(workflow("flow", {step("a", {}, keyed), step("b", {}, keyed)}));
    const Uuid worker = add_hand("w");
    ASSERT_EQ(claim(worker, 2).size(), 1U) << "the key has one slot";
    die(worker);
    run_all(add_hand("heir"));
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_EQ(store->find_jobs({id}).front()->steps.completed, 1);
}

TEST_F(JobRecovery, ACrashDuringTheJobsTimeoutEndsItCancelledWithItsText) {
    auto flow = workflow("flow", {step("a", {}, requeues)});
    flow.timeout = std::chrono::minutes(1);
    const Uuid id = start(flow);
    const Uuid worker = add_hand("w");
    claim(worker, 1);
    EXPECT_EQ(sweep_for(seconds(62), {worker}).timed_out, 1U);
    EXPECT_EQ(job(id).state, JobState::Running) << "its worker is asked, and has not confirmed";
    EXPECT_EQ(beat(worker, {}).stop.size(), 1U);
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Cancelled);
    EXPECT_EQ(job(id).error->code, error_code::job_timeout);
}

TEST_F(JobRecovery, AJobThatNobodyBeginsIsCancelledAfterItsQueueTimeout) {
    auto flow = workflow("flow", {step("a")});
    flow.queue_timeout = seconds(10);
    const Uuid id = start(flow);
    sweep_for(seconds(12));
    EXPECT_EQ(job(id).state, JobState::Cancelled);
    EXPECT_EQ(job(id).error->code, error_code::queue_timeout);
}

TEST_F(JobRecovery, AStepThatNoWorkerCanRunFailsAfterTheGraceWithTheExactText) {
    const Uuid id = start(workflow("flow", {step("a"), step("b", {"a"})}));
    const Uuid worker = add_worker("w", {"task:other"});
    EXPECT_EQ(sweep_for(seconds(25), {worker}).rejected, 0U);
    sweep_for(seconds(70), {worker});
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_THAT(step_of(id, "a").error->message, HasSubstr("No active worker with required tags to run this step"));
    EXPECT_EQ(states(id)["b"], Skipped);
}

TEST_F(JobRecovery, AStepWaitsForAWorkerThatRestarts) {
    const Uuid id = start(workflow("flow", {step("a"), step("b", {"a"})}));
    const Uuid worker = add_hand("w");
    run_all(worker);
    const Uuid second = start(workflow("flow", {step("a"), step("b", {"a"})}));
    store->deregister_worker(worker);
    sweep_for(std::chrono::minutes(10));
    EXPECT_EQ(job(id).state, JobState::Completed);
    EXPECT_EQ(job(second).state, JobState::Pending);
    EXPECT_EQ(why_waiting(waiting_facts(*store, task(step_of(second, "a").task), seconds(15))).obstacle,
              Obstacle::WorkerAway);
    run_all(add_hand("w"));
    EXPECT_EQ(job(second).state, JobState::Completed);
}

TEST_F(JobRecovery, AStepWhoseLastKnownWorkerIsRemovedFailsAfterTheGrace) {
    const Uuid worker = add_hand("w");
    const Uuid id = start(workflow("flow", {step("a")}));
    store->deregister_worker(worker);
    sweep_for(std::chrono::minutes(5));
    ASSERT_EQ(store->remove_worker(worker, "test"), store::RemoveStatus::Removed);
    sweep_for(seconds(25));
    EXPECT_EQ(job(id).state, JobState::Pending) << "the time runs from when the last one was lost";
    sweep_for(seconds(70));
    EXPECT_EQ(job(id).state, JobState::Failed);
}

TEST_F(JobRecovery, AStepOfAWorkerThatIsAwayFailsWhereThatIsSet) {
    settings.unmatched_steps = core::UnmatchedRule::Fail;
    sweeper = make_sweeper("sweeper");
    const Uuid worker = add_hand("w");
    const Uuid waits = start(workflow("waits", {step("a", {}, [](core::WorkflowStep& each) {
                                          each.policy.unmatched = holdfast::Unmatched::Wait;
                                      })}));
    const Uuid id = start(workflow("flow", {step("a")}));
    store->deregister_worker(worker);
    sweep_for(seconds(100));
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_EQ(step_of(id, "a").error->code, error_code::no_matching_worker);
    EXPECT_EQ(job(waits).state, JobState::Pending);
}

TEST_F(JobRecovery, AStepSaysItselfThatItFailsOrWaits) {
    const auto says = [](holdfast::Unmatched unmatched) {
        return [unmatched](core::WorkflowStep& each) { each.policy.unmatched = unmatched; };
    };
    const Uuid worker = add_hand("w");
    const Uuid fails = start(workflow("fails", {step("a", {}, says(holdfast::Unmatched::Fail))}));
    store->deregister_worker(worker);
    sweep_for(seconds(100));
    EXPECT_EQ(job(fails).state, JobState::Failed);
    ASSERT_EQ(store->remove_worker(worker, "test"), store::RemoveStatus::Removed);
    const Uuid waits = start(workflow("waits", {step("a", {}, says(holdfast::Unmatched::Wait))}));
    sweep_for(seconds(200));
    EXPECT_EQ(job(waits).state, JobState::Pending);
}

TEST_F(JobRecovery, NoStepFailsWhereAllAreToWait) {
    settings.unmatched_steps = core::UnmatchedRule::Wait;
    sweeper = make_sweeper("sweeper");
    const Uuid id = start(workflow("flow", {step("a")}));
    sweep_for(seconds(200));
    EXPECT_EQ(job(id).state, JobState::Pending);
}

TEST_F(JobRecovery, AFailureOfAJobThatPausesOnErrorsPausesItByAVerdictToo) {
    auto flow = workflow(
        "flow", {step("a", {}, [](core::WorkflowStep& each) { each.priority = 1; }), step("b"), step("c", {"b"})});
    flow.on_error = core::OnError::Pause;
    const Uuid id = start(flow);
    const Uuid worker = add_hand("w");
    ASSERT_EQ(claim(worker, 1).size(), 1U);
    die(worker);
    EXPECT_EQ(job(id).state, JobState::Paused);
    const Uuid heir = add_hand("heir");
    EXPECT_TRUE(claim(heir, 100).empty()) << "nothing new begins";
    store->resume_jobs({.jobs = {id}, .who = "test", .reason = ""});
    run_all(heir);
    EXPECT_EQ(job(id).state, JobState::Failed);
    EXPECT_EQ(states(id)["c"], Completed);
}

TEST_F(JobRecovery, WaitsEndAndApprovalsTimeOutByTheSweep) {
    const Uuid id = start(workflow("flow", {step("a", {},
                                                 [](core::WorkflowStep& each) {
                                                     each.kind = core::StepKind::Wait;
                                                     each.task.clear();
                                                     each.wait_for = "5s";
                                                 }),
                                            step("b", {"a"}, [](core::WorkflowStep& each) {
                                                each.kind = core::StepKind::Approval;
                                                each.task.clear();
                                                each.message = "go?";
                                                each.policy.timeout = seconds(5);
                                            })}));
    EXPECT_EQ(sweep_for(seconds(4)).woken, 0U);
    EXPECT_EQ(sweep_for(seconds(2)).woken, 1U);
    EXPECT_EQ(states(id)["a"], Completed);
    EXPECT_EQ(sweep_for(seconds(7)).woken, 1U);
    EXPECT_EQ(step_of(id, "b").error->code, error_code::approval_timeout);
    EXPECT_EQ(job(id).state, JobState::Failed);
}

TEST_F(JobRecovery, ALateResultOfAFailedStepChangesNothing) {
    const Uuid id = start(workflow("flow", {step("a"), step("b", {"a"})}));
    const Uuid worker = add_hand("w");
    const auto claimed = claim(worker, 1);
    die(worker);
    store::TurnParams late{.worker = worker};
    late.finish.push_back({.lease = {claimed[0].task.id, claimed[0].lease}, .result = "1", .error = {}});
    EXPECT_EQ(store->turn(late).finished.front().fenced, store::Fenced::LeaseLost);
    EXPECT_EQ(states(id)["a"], Failed);
    EXPECT_EQ(states(id)["b"], Skipped);
    EXPECT_THAT(job_event_kinds(id), Contains(HasSubstr("late")));
}

}  // namespace
}  // namespace holdfast::engine::testing
