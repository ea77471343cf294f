#include "tests/api/api_fixture.h"

#include <future>

#include "base/ids.h"

namespace holdfast::api_test {

using ApiTasks = ApiFixture;

constexpr const char* unknown_id = "01a1dd19-f0fa-79a5-bc3e-91814abe8999";

TEST_F(ApiTasks, SubmitOfAFunctionIsAnsweredWithItsId) {
    const Answer answer = post("/api/tasks", {{"name", "resize"}, {"args", {{"file", "cat.png"}}}});
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body.at("status"), "accepted");
    const auto record = store->find({*Uuid::parse(answer.body.at("id").get<std::string>())}).front();
    ASSERT_TRUE(record);
    EXPECT_EQ(record->task.args, R"({"file":"cat.png"})");
    EXPECT_THAT(record->task.tags, ElementsAre("task:resize"));
}

TEST_F(ApiTasks, SubmitOfACatalogTaskBringsItsDefinitionAndWhatIsGivenLiesOverIt) {
    const std::string id =
        submit("backup", {{"args", {{"db", "shop"}}}, {"priority", 7}, {"retry", {{"base", "9s"}}}});
    const Value task = get("/api/tasks/" + id).body.at("task");
    EXPECT_EQ(task.at("queue"), "nightly");
    EXPECT_EQ(task.at("priority"), 7);
    EXPECT_EQ(task.at("spec").at("env").at("DB"), "shop");
    EXPECT_EQ(task.at("policy").at("max_attempts"), 3);
    EXPECT_THAT(task.at("policy").dump(), HasSubstr("9000"));
}

TEST_F(ApiTasks, SubmitOfACatalogTaskWithoutWhatItsTemplateNeedsIsRefused) {
    const Answer answer = post("/api/tasks", {{"name", "backup"}});
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(answer.code(), "REFUSED");
    EXPECT_THAT(answer.detail(), HasSubstr("input.db"));
}

TEST_F(ApiTasks, SubmitOfAScriptNeedsNoName) {
    const std::string id = post("/api/tasks", {{"script", "echo hello"}}).body.at("id");
    const Value task = get("/api/tasks/" + id).body.at("task");
    EXPECT_EQ(task.at("name"), "script");
    EXPECT_EQ(task.at("spec").at("script"), "echo hello");
}

TEST_F(ApiTasks, DelayAndDeadlineCountFromNow) {
    const std::string id = submit("resize", {{"delay", "1h"}, {"deadline", "2h"}});
    const auto record = store->find({*Uuid::parse(id)}).front();
    EXPECT_NEAR(std::chrono::duration<double>(*record->task.run_at - store->now()).count(), 3600, 60);
    EXPECT_NEAR(std::chrono::duration<double>(*record->task.deadline - store->now()).count(), 7200, 60);
}

TEST_F(ApiTasks, SubmitMayBeRepeatedByIdAndByKey) {
    const Value by_id = {{"name", "resize"}, {"id", unknown_id}};
    // An id of one's own is as old as it says: this one is made now.
    Value fresh = by_id;
    fresh["id"] = contract::new_task_id(store->now()).to_string();
    EXPECT_EQ(post("/api/tasks", fresh).status, 201);
    const Answer again = post("/api/tasks", fresh);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body.at("status"), "existing");

    const Sent by_key{.method = "POST",
                      .target = "/api/tasks",
                      .body = R"({"name": "resize"})",
                      .headers = {{"idempotency-key", "order-7"}}};
    const Answer first = send(by_key);
    EXPECT_EQ(first.status, 201);
    const Answer second = send(by_key);
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(second.body.at("id"), first.body.at("id"));
}

TEST_F(ApiTasks, SubmitWithTheSameIdAndOtherArgumentsIsAMismatch) {
    const std::string id = contract::new_task_id(store->now()).to_string();
    (void)submit("resize", {{"id", id}});
    const Answer answer = post("/api/tasks", {{"name", "resize"}, {"id", id}, {"args", 7}});
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(answer.code(), "PAYLOAD_MISMATCH");
}

TEST_F(ApiTasks, SubmitWithAnIdOlderThanRetentionIsTooOld) {
    const auto old = store->now() - std::chrono::hours(24 * 365);
    const Answer answer = post("/api/tasks", {{"name", "resize"}, {"id", name_based_uuid(old, "x").to_string()}});
    EXPECT_EQ(answer.status, 410);
    EXPECT_EQ(answer.code(), "TOO_OLD");
}

TEST_F(ApiTasks, EverythingThatIsWrongWithASubmitIsSaidAtOnceByName) {
    const Answer answer = post("/api/tasks", {{"name", 7},
                                              {"quue", "x"},
                                              {"priority", "high"},
                                              {"retry", {{"max_attempts", "three"}, {"base", "soon"}}},
                                              {"on_crash", "explode"}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.code(), "BAD_PARAMETER");
    std::map<std::string, std::string> faults;
    for (const Value& fault : answer.body.at("errors")) faults[fault.at("where")] = fault.at("detail");
    EXPECT_EQ(faults["name"], "must be a text, not 7");
    EXPECT_EQ(faults["quue"], "is not known; did you mean queue?");
    EXPECT_EQ(faults["priority"], "must be a whole number, not \"high\"");
    EXPECT_EQ(faults["retry.max_attempts"], "must be a whole number, not \"three\"");
    EXPECT_THAT(faults["retry.base"], HasSubstr("a duration such as 30s"));
    EXPECT_EQ(faults["on_crash"], "must be one of fail, requeue, not \"explode\"");
}

TEST_F(ApiTasks, WhatTheStoreWouldNotTakeIsRefusedWithItsRange) {
    const Answer priority = post("/api/tasks", {{"name", "resize"}, {"priority", 5000000000}});
    EXPECT_EQ(priority.status, 422);
    EXPECT_THAT(priority.detail(), HasSubstr("priority"));
    const Answer attempts = post("/api/tasks", {{"name", "resize"}, {"retry", {{"max_attempts", 0}}}});
    EXPECT_EQ(attempts.status, 422);
    const Answer crashes = post("/api/tasks", {{"name", "resize"}, {"retry", {{"retry_on", {"WORKER_CRASHED"}}}}});
    EXPECT_EQ(crashes.status, 422);
    EXPECT_THAT(crashes.detail(), HasSubstr("on_crash: requeue"));
}

TEST_F(ApiTasks, ManyAreSubmittedInTheirOrderAndABadOneDoesNotTouchTheOthers) {
    const Answer answer = post(
        "/api/tasks",
        {{"tasks",
          {{{"name", "resize"}}, {{"name", 3}}, {{"name", "backup"}}, {{"name", "resize"}, {"queue", "q"}}, 7}}});
    EXPECT_EQ(answer.status, 200);
    std::vector<std::string> statuses;
    for (const Value& item : answer.body.at("items")) statuses.push_back(item.at("status"));
    EXPECT_THAT(statuses, ElementsAre("accepted", "refused", "refused", "accepted", "refused"));
    EXPECT_EQ(store->count().pending, 2);
}

TEST_F(ApiTasks, MoreThanAThousandAtOnceAreRefused) {
    Value tasks = Value::array();
    for (int i = 0; i < 1001; ++i) tasks.push_back({{"name", "resize"}});
    const Answer answer = post("/api/tasks", {{"tasks", tasks}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.detail(), HasSubstr("at most 1000"));
    EXPECT_EQ(store->count().pending, 0);
}

TEST_F(ApiTasks, TraceparentHeaderIsKeptWithTheTask) {
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const Answer answer = send({.method = "POST",
                                .target = "/api/tasks",
                                .body = R"({"name": "resize"})",
                                .headers = {{"traceparent", trace}}});
    const auto record = store->find({*Uuid::parse(answer.body.at("id").get<std::string>())}).front();
    EXPECT_EQ(record->task.traceparent, trace);
    const std::string id = answer.body.at("id");
    EXPECT_EQ(get("/api/tasks/" + id).body.at("task").at("traceparent"), trace) << "and people are shown it";
    EXPECT_TRUE(get("/api/tasks/" + submit()).body.at("task").at("traceparent").is_null());
}

TEST_F(ApiTasks, ListGoesThroughAllPagesWithoutSkipOrRepeatWhileTasksCome) {
    std::set<std::string> submitted;
    for (int i = 0; i < 7; ++i) submitted.insert(submit());
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const Answer page = get("/api/tasks?limit=3" + (cursor.empty() ? "" : "&after=" + cursor));
        for (const Value& task : page.body.at("items")) seen.push_back(task.at("id"));
        cursor = page.body.at("next").is_null() ? "" : page.body.at("next").get<std::string>();
        (void)submit("other");
    } while (!cursor.empty() && seen.size() < 20);
    EXPECT_THAT(seen, SizeIs(7));
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), submitted);
}

TEST_F(ApiTasks, ListIsFiltered) {
    const std::string one = submit("resize", {{"queue", "a"}});
    const std::string two = submit("other", {{"queue", "b"}});
    ASSERT_EQ(post("/api/tasks/" + one + "/cancel").status, 200);
    const auto ids = [&](const std::string& query) {
        std::vector<std::string> found;
        const Value items = get("/api/tasks?" + query).body.at("items");
        for (const Value& task : items) found.push_back(task.at("id"));
        return found;
    };
    EXPECT_THAT(ids("state=cancelled"), ElementsAre(one));
    EXPECT_THAT(ids("state=PENDING,CLAIMED"), ElementsAre(two));
    EXPECT_THAT(ids("name=other"), ElementsAre(two));
    EXPECT_THAT(ids("queue=a"), ElementsAre(one));
    EXPECT_THAT(ids("id=" + two), ElementsAre(two));
    EXPECT_THAT(ids("queue=none"), IsEmpty());
}

TEST_F(ApiTasks, ListRefusesParametersThatItDoesNotKnowAndValuesThatAreNone) {
    const Answer unknown = get("/api/tasks?stat=FAILED");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_THAT(unknown.detail(), HasSubstr("did you mean state"));
    for (const char* query : {"state=DEAD", "limit=0", "limit=1001", "limit=ten", "after=7", "id=xyz"})
        EXPECT_EQ(get(std::string("/api/tasks?") + query).code(), "BAD_PARAMETER") << query;
    EXPECT_EQ(get("/api/tasks?worker=nobody").status, 404);
}

TEST_F(ApiTasks, ShowTellsTheWholeStory) {
    const std::string id = submit();
    const Value story = get("/api/tasks/" + id).body;
    EXPECT_EQ(story.at("task").at("state"), "PENDING");
    EXPECT_EQ(story.at("waiting").at("for"), "no_worker");
    complete_all("42");
    EXPECT_EQ(get("/api/tasks/" + id).body.at("task").at("result"), 42);
}

TEST_F(ApiTasks, AnIdMayBeShortAsLongAsOnlyOneBeginsSo) {
    const std::string id = submit();
    EXPECT_EQ(get("/api/tasks/" + id.substr(0, 30)).status, 200);
    (void)submit();
    const Answer ambiguous = get("/api/tasks/" + id.substr(0, 2));
    EXPECT_EQ(ambiguous.status, 409);
    EXPECT_THAT(ambiguous.detail(), HasSubstr(id));
}

TEST_F(ApiTasks, UnknownTasksAreNotFoundByAnyRoute) {
    for (const std::string id : {unknown_id, "ffff", "no-id-at-all"}) {
        for (const char* route : {"", "/wait", "/logs", "/logs/stream"})
            EXPECT_EQ(get("/api/tasks/" + id + route).code(), "NOT_FOUND") << id << route;
        EXPECT_EQ(post("/api/tasks/" + id + "/cancel").code(), "NOT_FOUND");
        EXPECT_EQ(post("/api/tasks/" + id + "/retry").code(), "NOT_FOUND");
        EXPECT_EQ(post("/api/tasks/" + id + "/force", {{"state", "FAILED"}, {"reason", "x"}}).code(), "NOT_FOUND");
    }
}

TEST_F(ApiTasks, WaitIsAnsweredWhenTheTaskEnds) {
    const std::string id = submit();
    auto waiting = std::async(std::launch::async, [&] { return get("/api/tasks/" + id + "/wait"); });
    complete_all("7");
    const Answer answer = waiting.get();
    EXPECT_FALSE(answer.body.at("timed_out"));
    EXPECT_EQ(answer.body.at("task").at("result"), 7);
    EXPECT_FALSE(get("/api/tasks/" + id + "/wait").body.at("timed_out")) << "of a task that has ended: at once";
}

TEST_F(ApiTasks, WaitThatTakesTooLongSaysSo) {
    const Answer answer = get("/api/tasks/" + submit() + "/wait?timeout=10ms");
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.body.at("timed_out"));
    EXPECT_TRUE(answer.body.at("task").is_null());
}

TEST_F(ApiTasks, ManyMayWaitAtOnceWithoutAThreadEach) {
    const std::string id = submit();
    std::vector<http::Reply> replies;
    for (int i = 0; i < 300; ++i)
        replies.push_back(api->handle(request_of({.target = "/api/tasks/" + id + "/wait"})));
    complete_all();
    for (auto& reply : replies) {
        auto& deferred = std::get<http::Deferred>(reply);
        std::promise<void> done;
        deferred.reply->on_complete([&] { done.set_value(); });
        ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
        EXPECT_EQ(deferred.reply->take()->status, 200);
    }
}

TEST_F(ApiTasks, CancelEndsAPendingTaskAndSaysWhoDidIt) {
    const std::string id = submit();
    const Answer answer = post("/api/tasks/" + id + "/cancel", {{"reason", "not needed"}});
    EXPECT_EQ(answer.body, Value({{"id", id}, {"status", "cancelled"}}));
    EXPECT_EQ(post("/api/tasks/" + id + "/cancel").body.at("status"), "already");
    const Value events = get("/api/tasks/" + id).body.at("events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].at("who"), "local from 127.0.0.1 (api)");
    EXPECT_THAT(events[0].at("message").get<std::string>(), HasSubstr("not needed"));
    EXPECT_THAT(audits(), IsEmpty()) << "the store's own event says it";
}

TEST_F(ApiTasks, CancelAsksTheWorkerOfARunningTask) {
    const std::string id = submit();
    (void)start_one(join_worker());
    EXPECT_EQ(post("/api/tasks/" + id + "/cancel").body.at("status"), "requested");
}

TEST_F(ApiTasks, AnEndedTaskCanNeitherBeCancelledNorForced) {
    const std::string id = submit();
    complete_all();
    EXPECT_EQ(post("/api/tasks/" + id + "/cancel").code(), "CONFLICT");
    EXPECT_EQ(post("/api/tasks/" + id + "/force", {{"state", "FAILED"}, {"reason", "x"}}).code(), "CONFLICT");
}

TEST_F(ApiTasks, RetryIsANewTaskAndLeavesATrace) {
    const std::string id = submit();
    EXPECT_EQ(post("/api/tasks/" + id + "/retry").code(), "CONFLICT") << "it has not ended";
    complete_all();
    const Answer answer = post("/api/tasks/" + id + "/retry");
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body.at("retry_of"), id);
    EXPECT_NE(answer.body.at("id"), id);
    ASSERT_THAT(audits(), SizeIs(1));
    EXPECT_EQ(audits()[0].task.to_string(), answer.body.at("id"));
    EXPECT_EQ(audits()[0].who, "local from 127.0.0.1 (api)");
}

TEST_F(ApiTasks, ForceEndsATaskWhateverItsWorkerDoes) {
    const std::string id = submit();
    (void)start_one(join_worker());
    const Answer answer = post("/api/tasks/" + id + "/force", {{"state", "CANCELLED"}, {"reason", "stuck"}});
    EXPECT_EQ(answer.body.at("status"), "applied");
    EXPECT_EQ(get("/api/tasks/" + id).body.at("task").at("state"), "CANCELLED");
    EXPECT_EQ(post("/api/tasks/" + id + "/force", {{"state", "COMPLETED"}, {"reason", "x"}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(post("/api/tasks/" + id + "/force", {{"state", "FAILED"}}).code(), "BAD_PARAMETER");
}

TEST_F(ApiTasks, LogsAreReadFromAnOffset) {
    const std::string id = submit();
    const Uuid worker = join_worker();
    const store::TaskLease lease = start_one(worker);
    const auto log_line = [&](int sequence, const std::string& text) {
        store->append_logs(worker, {{.task = lease.task,
                                     .lease = lease.lease,
                                     .sequence = sequence,
                                     .stream = "stdout",
                                     .text = text,
                                     .at = store->now()}});
    };
    log_line(0, "one\n");
    log_line(1, "two\n");
    const Value first = get("/api/tasks/" + id + "/logs?limit=1").body;
    EXPECT_EQ(first.at("items").at(0).at("text"), "one\n");
    EXPECT_FALSE(first.at("ended"));
    const Value second = get("/api/tasks/" + id + "/logs?after=" + first.at("next").dump()).body;
    ASSERT_EQ(second.at("items").size(), 1U);
    EXPECT_EQ(second.at("items").at(0).at("text"), "two\n");
    const Value third = get("/api/tasks/" + id + "/logs?after=" + second.at("next").dump()).body;
    EXPECT_EQ(third.at("next"), second.at("next"));
    contract::finish(*store, worker, contract::completed(lease));
    EXPECT_TRUE(get("/api/tasks/" + id + "/logs").body.at("ended"));
}

TEST_F(ApiTasks, LogStreamTellsEverythingUpToTheEnd) {
    const std::string id = submit();
    const Uuid worker = join_worker();
    const store::TaskLease lease = start_one(worker);
    StreamReader reader(get("/api/tasks/" + id + "/logs/stream").stream);
    store->append_logs(worker, {{.task = lease.task,
                                 .lease = lease.lease,
                                 .sequence = 0,
                                 .stream = "stdout",
                                 .text = "hello",
                                 .at = store->now()}});
    EXPECT_THAT(reader.read_until("log").back().data, HasSubstr("hello"));
    contract::finish(*store, worker, contract::completed(lease));
    EXPECT_THAT(reader.read_until("end").back().data, HasSubstr("COMPLETED"));
    EXPECT_TRUE(reader.ended());
}

}  // namespace holdfast::api_test
