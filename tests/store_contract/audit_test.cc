#include "core/workflow/workflow.h"
#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

using nlohmann::json;

/// Orders: who gave them, what they changed, and how long they are kept.
class Audit : public JobContract {
protected:
    std::vector<store::EventRecord> orders(const store::Queues& queues = {}) {
        return store->orders({.before = {}, .limit = 100, .queues = queues});
    }
    std::vector<std::string> kinds(const store::Queues& queues = {}) {
        std::vector<std::string> kinds;
        for (const auto& order : orders(queues)) kinds.push_back(order.kind);
        return kinds;
    }
    /// "QUEUE BEFORE -> AFTER" of the newest order.
    std::string change() {
        const auto newest = orders().at(0);
        EXPECT_EQ(newest.who, "ann");
        EXPECT_TRUE(newest.is_order);
        const auto data = json::parse(newest.data);
        return newest.queue + " " + data.at("before").dump() + " -> " + data.at("after").dump();
    }
    void prune(std::optional<Duration> tasks, std::optional<Duration> orders_older_than, std::size_t limit = 1000) {
        store::PruneParams params;
        params.terminal_older_than = tasks;
        params.worker_states_older_than = tasks;
        params.orders_older_than = orders_older_than;
        params.limit = limit;
        params.clock_is_right = true;
        last_pruned = store->prune(params);
    }
    store::NewTask in_queue(const std::string& queue) {
        auto task = a_task(clock.now());
        task.queue = queue;
        return task;
    }
    store::PruneAnswer last_pruned;
};
HOLDFAST_FOR_EVERY_STORE(Audit);

TEST_P(Audit, OfTasksSaysTheStatesBeforeAndAfter) {
    const Uuid waiting = submit(in_queue("mail"));
    store->cancel({.tasks = {waiting}, .who = "ann", .reason = "wrong"});
    EXPECT_EQ(change(), R"(mail {"state":"PENDING"} -> {"state":"CANCELLED"})");
    EXPECT_EQ(orders().at(0).task, waiting);

    const Uuid running = submit();
    claim_one(worker);
    store->cancel({.tasks = {running}, .who = "ann", .reason = ""});
    EXPECT_EQ(change(), R"(default {"cancel_requested":false} -> {"cancel_requested":true})");
    store->force({.tasks = {running}, .state = TaskState::Failed, .who = "ann", .reason = "stuck"});
    EXPECT_EQ(change(), R"(default {"state":"RUNNING"} -> {"state":"FAILED"})");
    EXPECT_THAT(kinds(), ElementsAre("forced", "cancel_requested", "cancelled"));
}

TEST_P(Audit, OfQueuesAndKeysSaysTheOldAndTheNewValue) {
    store->set_queue_paused("mail", true, "ann");
    EXPECT_EQ(change(), R"(mail {"paused":false} -> {"paused":true})");
    store->set_queue_paused("mail", false, "ann");
    EXPECT_EQ(change(), R"(mail {"paused":true} -> {"paused":false})");
    store->declare_key({.key = "disk", .queue = "mail", .limit = 2}, "ann");
    EXPECT_EQ(change(), R"(mail null -> {"limit":2})");
    store->declare_key({.key = "disk", .queue = "mail", .limit = 5}, "ann");
    EXPECT_EQ(change(), R"(mail {"limit":2} -> {"limit":5})");
    EXPECT_TRUE(store->remove_key("disk", "mail", "ann"));
    EXPECT_EQ(change(), R"(mail {"limit":5} -> null)");
    EXPECT_FALSE(store->remove_key("disk", "mail", "ann"));
    store->declare_key({.key = "gate", .queue = "", .limit = 1}, "ann");
    EXPECT_EQ(change(), R"( null -> {"limit":1})");
    EXPECT_TRUE(store->remove_key("gate", "", "ann"));
    EXPECT_EQ(change(), R"( {"limit":1} -> null)");
}

TEST_P(Audit, OfWorkersSaysWhatTheyWereToldAndTheNameOfARemovedOne) {
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Cordon, .who = "ann"});
    EXPECT_EQ(change(), R"( {"cordoned":false} -> {"cordoned":true})");
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Uncordon, .who = "ann"});
    EXPECT_EQ(change(), R"( {"cordoned":true} -> {"cordoned":false})");
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Drain, .who = "ann"});
    EXPECT_EQ(change(), R"( {"drain_requested":false} -> {"drain_requested":true})");
    EXPECT_FALSE(store->order_worker({.worker = random_uuid(), .order = store::WorkerOrder::Drain, .who = "ann"}));
    const auto name = store->workers().at(0).registration.name;
    store->deregister_worker(worker);
    ASSERT_EQ(store->remove_worker(worker, "ann"), store::RemoveStatus::Removed);
    EXPECT_EQ(change(), R"( {"name":")" + name + R"("} -> null)");
    EXPECT_EQ(orders().at(0).worker, worker);
}

TEST_P(Audit, OfSchedulesSaysTheTimingAndTheDefinition) {
    const auto definition = a_job(clock.now(), {a_flow({a_step("a")})}).definition;
    store->put_schedule({.name = "hourly", .timing = R"({"every":"1h"})", .definition = definition, .input = "{}"},
                        "ann");
    const auto made = json::parse(orders().at(0).data);
    EXPECT_TRUE(made.at("before").is_null());
    EXPECT_EQ(made.at("after").at("timing").at("every"), "1h");
    EXPECT_EQ(orders().at(0).queue, "default") << "the queue of all of its tasks";
    store->put_schedule({.name = "hourly", .timing = R"({"every":"2h"})", .definition = definition, .input = "{}"},
                        "ann");
    const auto changed = json::parse(orders().at(0).data);
    EXPECT_EQ(changed.at("before"), made.at("after"));
    EXPECT_EQ(changed.at("after").at("timing").at("every"), "2h");
    EXPECT_EQ(changed.at("after").at("definition"), made.at("after").at("definition"));
    store->set_schedule_paused("hourly", true, "ann");
    EXPECT_EQ(change(), R"(default {"paused":false} -> {"paused":true})");
    store->remove_schedule("hourly", "ann");
    const auto removed = json::parse(orders().at(0).data);
    EXPECT_EQ(removed.at("before"), changed.at("after"));
    EXPECT_TRUE(removed.at("after").is_null());
}

TEST_P(Audit, OfJobsHasOneLineForTheWholeTree) {
    const Uuid id =
        start({a_flow({child_step("part", "other")}, "flow"), a_flow({a_step("a"), a_step("b")}, "other")});
    pause(id);
    EXPECT_EQ(change(), R"(default {"state":"RUNNING"} -> {"state":"PAUSED"})");
    resume(id);
    EXPECT_EQ(change(), R"(default {"state":"PAUSED"} -> {"state":"RUNNING"})");
    cancel_job(id);
    EXPECT_EQ(change(), R"(default {"state":"RUNNING"} -> {"cancel_requested":true})");
    EXPECT_EQ(orders().at(0).job, id);
    ASSERT_EQ(state(id), JobState::Cancelled);
    const Uuid again = new_task_id(clock.now());
    jobs->retry_job({.job = id, .new_id = again, .who = "ann"});
    EXPECT_EQ(orders().at(0).job, again);
    EXPECT_THAT(kinds(), ElementsAre("job_retried", "cancel_requested", "job_resumed", "job_paused"))
        << "its child and tasks only follow";
}

TEST_P(Audit, OfApprovalsSaysTheDecision) {
    const Uuid id = start({approval_step("ok", "Sure?")});
    jobs->decide_approval({.job = id, .step = "ok", .approve = false, .who = "ann", .reason = "no"});
    EXPECT_EQ(change(), R"( null -> {"approved":false,"step":"ok"})");
}

TEST_P(Audit, OfTokensSaysTheirScopeAndQueues) {
    store::NewToken token{.id = random_uuid(), .name = "ci", .hash = std::string(64, 'a'), .who = "ann"};
    token.scope = store::Scope::Operate;
    token.queues = {"mail"};
    store->create_token(token);
    EXPECT_EQ(change(), R"( null -> {"expires_at":null,"queues":["mail"],"scope":"operate"})");
    const store::NewSession session{
        .id = random_uuid(), .hash = std::string(64, 'b'), .token = token.id, .from = "10.0.0.7"};
    store->create_session(session, "ann");
    EXPECT_EQ(change(), R"( null -> {"from":"10.0.0.7"})");
    store->end_session(session.id, "ann");
    EXPECT_EQ(change(), R"( {"token":"ci"} -> null)");
    store->revoke_token("ci", "ann");
    EXPECT_EQ(change(), R"( {"expires_at":null,"queues":["mail"],"scope":"operate"} -> null)");
}

TEST_P(Audit, OfRecoveryContainsOnlyWhatWasOrderedByHand) {
    submit(requeued_on_crash(a_task(clock.now())));
    auto lease = claim_one(worker);
    store->recover({.who = "sweeper", .leases = {crash_verdict(lease, worker)}});
    EXPECT_THAT(kinds(), IsEmpty());
    clock.advance(1h);
    lease = claim_one(worker);
    store->recover({.who = "ann", .leases = {crash_verdict(lease, worker)}, .by_hand = true});
    EXPECT_EQ(change(), R"(default {"state":"RUNNING"} -> {"state":"PENDING"})");
    clock.advance(1h);
    lease = claim_one(worker);
    store->ask_to_stop(
        {.requests = {{lease, store::StopReason::Timeout}}, .who = "ann", .reason = "", .by_hand = true});
    EXPECT_EQ(change(), R"(default {"stop_requested":null} -> {"stop_requested":"timeout"})");
}

TEST_P(Audit, DoesNotContainWhatHoldfastDidByItself) {
    const Uuid failing = start({a_step("a")});
    fail(failing, "a");
    auto overdue = a_task(clock.now());
    overdue.deadline = clock.now() + 1min;
    submit(overdue);
    clock.advance(1h);
    store->expire_overdue(10);
    store->mark_lost(
        {{.worker = worker, .beat = store->look().workers.at(0).beat, .who = "sweeper", .evidence = "", .data = ""}});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_P(Audit, OutlivesTheTaskTheJobAndTheWorker) {
    const Uuid task = submit(in_queue("mail"));
    store->cancel({.tasks = {task}, .who = "ann", .reason = ""});
    const Uuid id = start({a_step("a")});
    cancel_job(id);
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Cordon, .who = "ann"});
    store->deregister_worker(worker);
    clock.advance(2h);
    prune(1h, 3h);
    EXPECT_EQ(last_pruned.tasks, 1);
    EXPECT_EQ(last_pruned.jobs, 1);
    EXPECT_EQ(last_pruned.workers, 1);
    EXPECT_EQ(last_pruned.orders, 0);
    EXPECT_THAT(kinds(), ElementsAre("cordoned", "cancel_requested", "cancelled"));
    EXPECT_THAT(event_kinds(*store, task), ElementsAre("cancelled")) << "the rest of its history is gone";
    EXPECT_THAT(kinds({"mail"}), ElementsAre("cancelled")) << "its queue is known without it";
    EXPECT_THAT(kinds({"default"}), ElementsAre("cancel_requested"));
    clock.advance(2h);
    prune(1h, 3h);
    EXPECT_EQ(last_pruned.orders, 3);
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_P(Audit, IsPrunedOldestFirstAndInBatches) {
    for (int i = 0; i < 5; ++i) {
        store->set_queue_paused("mail", i % 2 == 0, "ann");
        clock.advance(1h);
    }
    prune({}, {});
    EXPECT_THAT(kinds(), SizeIs(5)) << "without a limit it is kept for ever";
    prune({}, 150min, 2);
    EXPECT_EQ(last_pruned.orders, 2);
    EXPECT_TRUE(last_pruned.more);
    prune({}, 150min, 2);
    EXPECT_EQ(last_pruned.orders, 1);
    EXPECT_FALSE(last_pruned.more);
    EXPECT_THAT(kinds(), ElementsAre("queue_paused", "queue_resumed"));
}

TEST_P(Audit, IsReadPageByPageNewestFirst) {
    for (const char* const queue : {"a", "b", "c"}) store->set_queue_paused(queue, true, "ann");
    const auto first = store->orders({.before = {}, .limit = 2, .queues = {}});
    ASSERT_THAT(first, SizeIs(2));
    EXPECT_EQ(first[0].queue, "c");
    const auto rest = store->orders({.before = first[1].id, .limit = 2, .queues = {}});
    ASSERT_THAT(rest, SizeIs(1));
    EXPECT_EQ(rest[0].queue, "a");
}

TEST_P(Audit, OfSomeQueuesHidesEverythingElse) {
    store->set_queue_paused("mail", true, "ann");
    store->set_queue_paused("reports", true, "ann");
    store->declare_key({.key = "gate", .queue = "", .limit = 1}, "ann");
    cancel_job(start({a_step("a")}));
    EXPECT_THAT(kinds({"mail"}), ElementsAre("queue_paused"));
    EXPECT_THAT(kinds({"mail", "reports"}), ElementsAre("queue_paused", "queue_paused"));
    EXPECT_THAT(kinds({"default", "mail"}), ElementsAre("cancel_requested", "queue_paused"));
    EXPECT_THAT(kinds({"nothing"}), IsEmpty());
}

TEST_P(Audit, ContainsOrdersThatAreAppended) {
    store->append_event({.kind = "swept",
                         .who = "ann",
                         .message = "one pass",
                         .data = R"({"before":null,"after":1})",
                         .is_order = true});
    store->append_event({.kind = "note", .who = "ann", .message = "no order"});
    EXPECT_EQ(change(), " null -> 1");
    EXPECT_THAT(kinds(), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::contract
