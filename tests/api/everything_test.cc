#include <future>

#include "core/workflow/workflow.h"
#include "server/api/route.h"
#include "tests/api/api_fixture.h"
#include "views/work.h"

namespace holdfast::api_test {

class ApiResources : public ApiFixture {
protected:
    void put_schedule() {
        const auto& schedule = config->schedules.at(0);
        const Answer job = post("/api/jobs", {{"workflow", "idle"}});
        store->put_schedule({.name = schedule.name,
                             .timing = R"({"every": "1h"})",
                             .definition = schedule.definition,
                             .input = schedule.input},
                            "test");
    }
};

TEST_F(ApiResources, SchedulesAreMadeAndChangedAndNoneIsRemoved) {
    const Value definition = Value::parse(config->schedules.at(0).definition);
    const auto wanted = [&](const std::string& name, const Value& timing) {
        return Value{{"name", name}, {"timing", timing}, {"definition", definition}, {"input", Value::object()}};
    };
    const auto apply = [&](const std::vector<Value>& schedules, bool dry_run = false) {
        return post("/api/schedules", {{"schedules", schedules}, {"dry_run", dry_run}});
    };
    const auto outcome = [](const Answer& answer) {
        std::vector<std::pair<std::string, std::string>> found;
        for (const Value& item : answer.body.at("items")) found.emplace_back(item.at("schedule"), item.at("status"));
        return found;
    };
    using testing::Pair;
    const Value hourly = {{"interval_ms", 3600000}}, daily = {{"interval_ms", 86400000}};
    EXPECT_THAT(outcome(apply({wanted("a", hourly)}, true)), ElementsAre(Pair("a", "new")));
    EXPECT_THAT(store->schedules(), IsEmpty()) << "it only looked";
    EXPECT_EQ(apply({wanted("a", hourly), wanted("b", hourly)}).status, 200);
    EXPECT_THAT(outcome(apply({wanted("b", daily)})), ElementsAre(Pair("b", "changed"), Pair("a", "not_configured")));
    EXPECT_THAT(outcome(apply({wanted("b", daily)})), Contains(Pair("b", "unchanged")));
    EXPECT_THAT(store->schedules(), SizeIs(2));

    EXPECT_EQ(apply({wanted("c", {{"interval_ms", -1}})}).code(), "REFUSED");
    EXPECT_EQ(apply({wanted("c", {{"cron", "0 0 * * *"}, {"zone", "Mars/Olympus"}})}).code(), "REFUSED");
    Value broken = wanted("c", hourly);
    broken["definition"]["main"] = "gone";
    EXPECT_EQ(apply({broken}).code(), "REFUSED");
    EXPECT_THAT(store->schedules(), SizeIs(2));
}

TEST_F(ApiResources, SchedulesOfOnesOwnAreForAdminsAndTheirQueues) {
    const std::string definition = core::to_json_text(core::bundle_of("each", config->workflows));
    const std::string operate = make_token("ops", store::Scope::Operate);
    const std::string shipping = make_token("shipping", store::Scope::Admin, {"shipping"});
    const std::string boss = make_token("boss", store::Scope::Admin, {"default"});
    const Value schedule = {
        {"name", "a"}, {"timing", {{"interval_ms", 3600000}}}, {"definition", Value::parse(definition)}};
    const Value body = {{"schedules", std::vector<Value>{schedule}}};
    EXPECT_EQ(post_as(operate, "/api/schedules", body).code(), "FORBIDDEN");
    EXPECT_EQ(post_as(shipping, "/api/schedules", body).code(), "FORBIDDEN") << "its task goes to the queue default";
    EXPECT_THAT(store->schedules(), IsEmpty());
    EXPECT_EQ(post_as(boss, "/api/schedules", body).status, 200);
    Value idle = schedule;
    idle["definition"] = Value::parse(core::to_json_text(core::bundle_of("idle", config->workflows)));
    EXPECT_EQ(post_as(shipping, "/api/schedules", {{"schedules", std::vector<Value>{idle}}}).code(), "FORBIDDEN")
        << "without tasks it belongs to no queue";
    Value own = schedule;
    own["definition"]["workflows"]["each"]["steps"][0]["queue"] = "shipping";
    EXPECT_EQ(post_as(shipping, "/api/schedules", {{"schedules", std::vector<Value>{own}}}).code(), "CONFLICT")
        << "the one that it would replace runs in the queue default";
    own["name"] = "b";
    EXPECT_EQ(post_as(shipping, "/api/schedules", {{"schedules", std::vector<Value>{own}}}).status, 200);
}

TEST_F(ApiResources, KeysAreDeclaredAndRemovedAndSubmitsAreToldTheirLimits) {
    EXPECT_EQ(put("/api/keys/disk", {{"limit", 2}, {"shared", true}}).body,
              (Value{{"key", "disk"}, {"queue", nullptr}, {"limit", 2}, {"status", "new"}}));
    const Value keyed = {{"name", "resize"}, {"concurrency", {{"key", "disk"}, {"limit", 7}}}};
    EXPECT_EQ(post("/api/tasks", keyed).body.at("concurrency_limit"), 2);
    EXPECT_EQ(post("/api/tasks", {{"tasks", {keyed}}}).body.at("items").at(0).at("concurrency_limit"), 2);
    EXPECT_TRUE(post("/api/tasks", {{"name", "resize"}}).body.at("concurrency_limit").is_null());
    const Value key = get("/api/keys").body.at("items").at(0);
    EXPECT_EQ(key.at("shared"), true);
    EXPECT_EQ(key.at("declared"), true);

    EXPECT_EQ(put("/api/keys/disk", {{"limit", 2}, {"queue", "x"}}).code(), "CONFLICT");
    EXPECT_EQ(put("/api/keys/k", {{"limit", 2}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(put("/api/keys/k", {{"limit", 2}, {"queue", "x"}, {"shared", true}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(put("/api/keys/k", {{"limit", 0}, {"shared", true}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(put("/api/keys/k", {{"limit", 2}, {"queue", ""}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(del("/api/keys/disk?queue=").code(), "BAD_PARAMETER");
    EXPECT_EQ(del("/api/keys/k").code(), "NOT_FOUND");
    EXPECT_EQ(del("/api/keys/disk?queue=x").code(), "NOT_FOUND");
    EXPECT_EQ(del("/api/keys/disk").body.at("status"), "removed");
}

TEST_F(ApiResources, KeysAreForTokensThatMayUseTheirQueues) {
    const std::string shipping = make_token("shipping", store::Scope::Operate, {"shipping"});
    const std::string reader = make_token("reader", store::Scope::Read);
    const auto put_as = [&](const std::string& token, const Value& body) {
        return send({.method = "PUT",
                     .target = "/api/keys/k",
                     .body = body.dump(),
                     .headers = {{"authorization", "Bearer " + token}}});
    };
    EXPECT_EQ(put_as(reader, {{"limit", 2}, {"shared", true}}).code(), "FORBIDDEN");
    EXPECT_EQ(put_as(shipping, {{"limit", 2}, {"shared", true}}).code(), "FORBIDDEN");
    EXPECT_EQ(put_as(shipping, {{"limit", 2}, {"queue", "default"}}).code(), "FORBIDDEN");
    EXPECT_EQ(put_as(shipping, {{"limit", 2}, {"queue", "shipping"}}).status, 200);
    store->declare_key({.key = "other", .queue = "default", .limit = 1}, "test");
    store->declare_key({.key = "all", .queue = "", .limit = 1}, "test");
    EXPECT_EQ(get_as(shipping, "/api/keys").body.at("items").size(), 1U);
    EXPECT_EQ(get_as(reader, "/api/keys").body.at("items").size(), 3U);
}

TEST_F(ApiResources, CatalogTellsWhatTheConfigurationDefines) {
    const Value tasks = get("/api/catalog/tasks").body.at("items");
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].at("name"), "backup");
    EXPECT_EQ(tasks[0].at("kind"), "script");
    EXPECT_EQ(tasks[0].at("parameters"), Value({"db"}));
    EXPECT_EQ(tasks[0].at("retry").at("max_attempts"), 3);
    EXPECT_EQ(tasks[1].at("kind"), "container");
    EXPECT_EQ(tasks[2].at("kind"), "function");
    const Value workflow = get("/api/catalog/workflows/release").body;
    EXPECT_EQ(workflow.at("input").at(0).at("required"), true);
    EXPECT_EQ(workflow.at("input").at(1).at("enum"), Value({"full", "quick"}));
    EXPECT_EQ(get("/api/catalog/tasks/bakup").code(), "NOT_FOUND");
    EXPECT_THAT(get("/api/catalog/tasks/bakup").detail(), HasSubstr("did you mean backup"));
    EXPECT_EQ(get("/api/catalog/workflows/none").code(), "NOT_FOUND");
}

TEST_F(ApiResources, CatalogIsTheCurrentOne) {
    auto changed = std::make_shared<config::Config>(*config);
    changed->tasks.erase("backup");
    config = changed;
    EXPECT_EQ(get("/api/catalog/tasks/backup").status, 404);
}

TEST_F(ApiResources, ValidateTellsEverythingThatIsWrong) {
    EXPECT_EQ(post("/api/catalog/validate", {{"yaml", "steps: {a: {task: resize}}"}}).body,
              Value({{"valid", true}, {"errors", Value::array()}}));
    const Value answer =
        post("/api/catalog/validate", {{"yaml", "steps: {a: {task: resize, depend_on: [b]}, c: {depends_on: [x]}}"}})
            .body;
    EXPECT_FALSE(answer.at("valid"));
    EXPECT_GE(answer.at("errors").size(), 2U);
    EXPECT_FALSE(post("/api/catalog/validate", {{"yaml", "steps: ["}}).body.at("valid"));
    EXPECT_FALSE(post("/api/catalog/validate", {{"yaml", "workflows: /etc"}}).body.at("valid")) << "no file is read";
    EXPECT_EQ(post("/api/catalog/validate", {{"yml", ""}}).code(), "BAD_PARAMETER");
}

TEST_F(ApiResources, WorkersAreListedShownAndSteered) {
    const Uuid worker = join_worker();
    const std::string id = worker.to_string();
    store->beat(contract::beat_of(worker));
    store->append_worker_snapshot({.worker = worker, .at = {}, .running = 1, .capacity = 4});
    const Value listed = get("/api/workers").body.at("items");
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].at("id"), id);
    const std::string name = listed[0].at("name");
    EXPECT_EQ(get("/api/workers/" + name).body.at("worker").at("id"), id);
    EXPECT_EQ(get("/api/workers/" + id + "/states").body.at("items").size(), 1U);
    EXPECT_EQ(post("/api/workers/" + id + "/cordon").body.at("status"), "cordoned");
    EXPECT_EQ(post("/api/workers/" + id + "/uncordon").body.at("status"), "uncordoned");
    EXPECT_EQ(post("/api/workers/" + id + "/drain").body.at("status"), "asked");
    EXPECT_EQ(del("/api/workers/" + id).code(), "CONFLICT") << "it has not left";
    EXPECT_THAT(audits(), IsEmpty());
    store->deregister_worker(worker);
    EXPECT_EQ(get("/api/workers").body.at("items").size(), 0U);
    EXPECT_EQ(get("/api/workers?all=true").body.at("items").size(), 1U);
    EXPECT_EQ(del("/api/workers/" + id).body.at("status"), "removed");
    EXPECT_THAT(audits(), IsEmpty()) << "the store's own event says it";
    EXPECT_EQ(get("/api/workers/" + id).code(), "NOT_FOUND");
    EXPECT_EQ(post("/api/workers/nobody/drain").code(), "NOT_FOUND");
}

TEST_F(ApiResources, QueuesArePausedAndResumed) {
    (void)submit();
    EXPECT_EQ(post("/api/queues/default/pause").body, Value({{"queue", "default"}, {"paused", true}}));
    EXPECT_EQ(get("/api/queues").body.at("items").at(0).at("paused"), true);
    EXPECT_EQ(post("/api/queues/default/resume").body.at("paused"), false);
    EXPECT_EQ(post("/api/queues/" + std::string(300, 'q') + "/pause").code(), "REFUSED");
    EXPECT_THAT(kinds_of_events(), ElementsAre("queue_paused", "queue_resumed"));
}

TEST_F(ApiResources, SchedulesArePausedRunAndRemoved) {
    put_schedule();
    EXPECT_EQ(get("/api/schedules").body.at("items").size(), 1U);
    EXPECT_EQ(get("/api/schedules/nightly").body.at("workflow"), "idle");
    EXPECT_EQ(post("/api/schedules/nightly/pause").body.at("status"), "paused");
    EXPECT_EQ(post("/api/schedules/nightly/resume").body.at("status"), "resumed");
    const Answer run = post("/api/schedules/nightly/run");
    EXPECT_EQ(run.status, 201);
    EXPECT_EQ(get("/api/jobs/" + run.body.at("id").get<std::string>()).body.at("job").at("workflow"), "idle");
    EXPECT_THAT(get("/api/schedules/nigtly").detail(), HasSubstr("did you mean nightly"));
    EXPECT_EQ(del("/api/schedules/nightly").body.at("status"), "removed");
    for (const char* order : {"pause", "resume", "run"})
        EXPECT_EQ(post(std::string("/api/schedules/nightly/") + order).code(), "NOT_FOUND");
    EXPECT_EQ(del("/api/schedules/nightly").code(), "NOT_FOUND");
}

TEST_F(ApiResources, RecoveryIsToldAndDoneByHand) {
    (void)submit();
    (void)start_one(join_worker());
    store->beat_replica({.id = contract::random_uuid(),
                         .hostname = "h",
                         .pid = 1,
                         .version = "1",
                         .address = "http://127.0.0.1:7070"});
    EXPECT_TRUE(get("/api/recovery").body.at("sweeper").is_null());
    EXPECT_EQ(get("/api/recovery").body.at("replicas").size(), 1U);
    EXPECT_EQ(get("/api/replicas").body.at("items").at(0).at("host"), "h");
    EXPECT_EQ(get("/api/recovery/stale?threshold=1h").body.at("items").size(), 0U);
    EXPECT_EQ(post("/api/recovery/fail-running", {{"threshold", "1h"}}).body, Value({{"settled", 0}, {"asked", 0}}));
    EXPECT_EQ(post("/api/recovery/requeue-claimed").status, 200);
    EXPECT_EQ(post("/api/recovery/requeue-claimed", {{"threshold", "soon"}}).code(), "BAD_PARAMETER");
    EXPECT_GT(post("/api/recovery/sweep").body.at("services").size(), 3U);
    EXPECT_EQ(post("/api/recovery/prune", {{"dry_run", true}}).body.at("dry_run"), true);
    EXPECT_EQ(post("/api/recovery/prune").body.at("dry_run"), false);
    EXPECT_THAT(audits(), SizeIs(2)) << "the sweep and the prune; a dry run changes nothing";
}

TEST_F(ApiResources, OverviewPutsWhatNeedsAPersonFirst) {
    (void)submit("resize", {{"queue", "closed"}});
    ASSERT_EQ(post("/api/queues/closed/pause").status, 200);
    (void)post("/api/jobs", {{"workflow", "release"}, {"input", {{"day", "x"}}}});
    complete_all();
    const Value overview = get("/api/overview").body;
    EXPECT_EQ(overview.at("tasks").at("pending"), 1);
    EXPECT_EQ(overview.at("jobs").at("running"), 1);
    std::map<std::string, Value> concerns;
    for (const Value& concern : overview.at("attention")) concerns[concern.at("kind")] = concern;
    EXPECT_TRUE(concerns.contains("nobody_sweeps"));
    EXPECT_EQ(concerns["approval"].at("count"), 1);
    EXPECT_EQ(concerns["queue_paused"].at("link").at("id"), "closed");
    EXPECT_EQ(overview.at("attention").at(0).at("severity"), "problem") << "the worst first";
}

TEST_F(ApiResources, OverviewTellsOfTasksThatNoWorkerCanRun) {
    (void)submit("unheard_of");
    const auto has = [&](const std::string& kind) {
        const Value attention = get("/api/overview").body.at("attention");
        for (const Value& concern : attention)
            if (concern.at("kind") == kind) return true;
        return false;
    };
    EXPECT_TRUE(has("no_workers"));
    store->beat(contract::beat_of(join_worker()));
    EXPECT_FALSE(has("no_workers"));
    EXPECT_TRUE(has("unmatched"));
    EXPECT_FALSE(has("worker_stale"));
}

TEST_F(ApiResources, StatsTellWhatEndedAndNullOfNothing) {
    EXPECT_TRUE(get("/api/stats").body.at("run").at("p50").is_null());
    (void)submit();
    complete_all();
    const Value stats = get("/api/stats?window=10m&buckets=10").body;
    EXPECT_EQ(stats.at("ended"), 1);
    EXPECT_EQ(stats.at("window_seconds"), 600);
    EXPECT_EQ(stats.at("buckets").size(), 10U);
    EXPECT_EQ(stats.at("names").at(0).at("name"), "resize");
    for (const char* query : {"window=1s", "window=8d", "window=x", "buckets=0", "buckets=201"})
        EXPECT_EQ(get(std::string("/api/stats?") + query).code(), "BAD_PARAMETER") << query;
}

TEST_F(ApiResources, EventsArePagedFromTheOldestAndShownFromTheNewest) {
    for (int i = 0; i < 5; ++i)
        store->append_event({.kind = i % 2 == 0 ? "even" : "odd", .message = std::to_string(i)});
    const auto messages = [&](const Value& page) {
        std::string text;
        for (const Value& event : page.at("items")) text += event.at("message").get<std::string>();
        return text;
    };
    EXPECT_EQ(messages(get("/api/events").body), "43210");
    EXPECT_EQ(messages(get("/api/events?kind=even&limit=2").body), "42");
    std::string all, after = "0";
    while (!after.empty()) {
        const Value page = get("/api/events?limit=2&after=" + after).body;
        all += messages(page);
        after = page.at("next").is_null() ? "" : page.at("next").dump();
    }
    EXPECT_EQ(all, "01234");
    EXPECT_EQ(messages(get("/api/events?kind=odd&after=0").body), "13");
    EXPECT_EQ(get("/api/events?task=ffff").code(), "NOT_FOUND");
    EXPECT_EQ(get("/api/events?after=-1").code(), "BAD_PARAMETER");
}

TEST_F(ApiResources, EventsAboutOneThingOnly) {
    const std::string task = submit(), other = submit();
    ASSERT_EQ(post("/api/tasks/" + task + "/cancel").status, 200);
    ASSERT_EQ(post("/api/tasks/" + other + "/cancel").status, 200);
    const std::string job = post("/api/jobs", {{"workflow", "each"}}).body.at("id");
    EXPECT_EQ(get("/api/events?task=" + task).body.at("items").size(), 1U);
    EXPECT_EQ(get("/api/events?task=" + task + "&after=0").body.at("items").at(0).at("task"), task);
    EXPECT_EQ(get("/api/events?job=" + job).body.at("items").at(0).at("kind"), "job_started");
}

// ---- All of them --------------------------------------------------------------------------------

/// One life in which every route is asked once, with success; the fixture holds each answer against its schema.
TEST_P(ApiOnEveryStore, EveryRouteAnswersAsItsSchemaSays) {
    const std::string task =
        submit("resize", {{"delay", "0s"}, {"retry", {{"max_attempts", 2}}}, {"concurrency", {{"key", "k"}}}});
    (void)post("/api/tasks", {{"tasks", {{{"name", "resize"}}, {{"name", 1}}}}});
    const std::string cancelled = submit(), forced = submit();
    (void)get("/api/tasks");
    (void)get("/api/tasks/" + task);
    (void)post("/api/tasks/" + cancelled + "/cancel");
    (void)get("/api/tasks/" + cancelled + "/wait");
    (void)post("/api/tasks/" + cancelled + "/retry");
    (void)post("/api/tasks/" + forced + "/force", {{"state", "FAILED"}, {"reason", "x"}});
    (void)get("/api/tasks/" + task + "/logs");

    const std::string release = post("/api/jobs", {{"workflow", "release"}, {"input", {{"day", "x"}}}}).body.at("id");
    const std::string each = post("/api/jobs", {{"workflow", "each"}}).body.at("id");
    const std::string job = "/api/jobs/" + each;
    (void)get("/api/jobs");
    (void)get(job + "?items=true");
    (void)get(job + "/definition");
    (void)get(job + "/steps/part");
    (void)get(job + "/steps/part/logs");
    (void)get(job + "/steps/_server/logs");
    (void)post(job + "/pause");
    (void)post(job + "/resume");
    (void)post(job + "/cancel");
    (void)get(job + "/wait");
    (void)post(job + "/retry");
    complete_all();
    EXPECT_EQ(post("/api/jobs/" + release + "/steps/ask/approve", {{"approve", true}}).status, 200);
    (void)get("/api/tasks/" + task);

    (void)get("/api/catalog/tasks");
    (void)get("/api/catalog/tasks/backup");
    (void)get("/api/catalog/workflows");
    (void)get("/api/catalog/workflows/release");
    (void)post("/api/catalog/validate", {{"yaml", "steps: {a: {task: resize}}"}});

    const Uuid worker = contract::join(*store, contract::a_worker());
    const std::string path = "/api/workers/" + worker.to_string();
    store->append_worker_snapshot({.worker = worker, .at = {}, .running = 1, .capacity = 4, .cpu_percent = 1.5});
    (void)get("/api/workers?all=true");
    (void)get(path);
    (void)get(path + "/states");
    (void)post(path + "/cordon");
    (void)post(path + "/uncordon");
    (void)post(path + "/drain");
    store->deregister_worker(worker);
    EXPECT_EQ(del(path).status, 200);

    (void)get("/api/queues");
    (void)put("/api/keys/k", {{"limit", 2}, {"queue", "default"}});
    (void)get("/api/keys?key=k");
    (void)del("/api/keys/k?queue=default");
    (void)post("/api/queues/default/pause");
    (void)post("/api/queues/default/resume");

    const auto& schedule = config->schedules.at(0);
    store->put_schedule({.name = "nightly", .timing = "{}", .definition = schedule.definition, .input = "{}"},
                        "test");
    (void)get("/api/schedules");
    (void)post("/api/schedules", {{"schedules", Value::array()}, {"dry_run", true}});
    (void)get("/api/schedules/nightly");
    (void)post("/api/schedules/nightly/pause");
    (void)post("/api/schedules/nightly/resume");
    (void)post("/api/schedules/nightly/run");
    (void)del("/api/schedules/nightly");

    store->beat_replica(
        {.id = contract::random_uuid(), .hostname = "h", .pid = 1, .version = "1", .address = "http://h:1"});
    (void)get("/api/replicas");
    (void)get("/api/audit");
    (void)get("/api/recovery");
    (void)get("/api/recovery/stale");
    (void)post("/api/recovery/fail-running");
    (void)post("/api/recovery/requeue-claimed");
    (void)post("/api/recovery/sweep");
    (void)post("/api/recovery/prune", {{"dry_run", true}});

    (void)get("/api/overview");
    (void)get("/api/stats");
    (void)get("/api/events");

    const auto as_worker = [&](const std::string& call, const auto& request) {
        (void)send(
            {.method = "POST",
             .target = "/api/work/" + call,
             .body = views::dump(views::to_json_shape(request)),
             .headers = {{"holdfast-protocol", "1"}, {"holdfast-worker-secret", "hw_" + std::string(43, 'a')}}});
    };
    const auto remote = contract::a_worker();
    store::WorkerSnapshot snapshot;
    snapshot.worker = remote.id;
    (void)get("/api/work");
    as_worker("register", remote);
    as_worker("beat", contract::beat_of(remote.id));
    as_worker("turn", store::TurnParams{.worker = remote.id, .request = contract::random_uuid(), .to_start = 1});
    as_worker("progress", views::WorkProgress{remote.id, {}});
    as_worker("logs", views::WorkLogs{remote.id, {}});
    as_worker("state", views::WorkState{snapshot});
    as_worker("exited", views::WorkLeave{remote.id});
    as_worker("leave", views::WorkLeave{remote.id});
    for (const char* open :
         {"/healthz", "/readyz", "/metrics", "/api/openapi.json", "/api/docs", "/api/docs.css", "/api/session"})
        EXPECT_EQ(get(open).status, 200) << open;
    const std::string secret = post("/api/tokens", {{"name", "ci"}, {"scope", "admin"}}).body.at("token");
    const std::string session = post("/api/session", {{"token", secret}}).body.at("session");
    (void)get_as(secret, "/api/tokens");
    (void)get_as(secret, "/api/sessions");
    (void)send({.method = "DELETE",
                .target = "/api/sessions/" + session,
                .headers = {{"authorization", "Bearer " + secret}}});
    (void)send({.method = "DELETE", .target = "/api/tokens/ci", .headers = {{"authorization", "Bearer " + secret}}});
    (void)del("/api/session");

    std::vector<std::string> missing;
    for (const api::Route& route : api::routes())
        if (!route.answer.empty() && !answered.contains(route.method + " " + route.path))
            missing.push_back(route.method + " " + route.path);
    EXPECT_THAT(missing, IsEmpty());
}

TEST_P(ApiOnEveryStore, AWaitAndAStreamHearOfTheEndOfATask) {
    StreamReader reader(send({.target = "/api/events", .headers = {{"accept", "text/event-stream"}}}).stream);
    (void)reader.read_until("changed");
    const std::string id = submit();
    auto waiting = std::get<http::Deferred>(api->handle(request_of({.target = "/api/tasks/" + id + "/wait"})));
    std::promise<void> done;
    waiting.reply->on_complete([&] { done.set_value(); });
    complete_all();
    (void)reader.read_until("changed");
    ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
    const auto response = waiting.reply->take();
    ASSERT_TRUE(response);
    EXPECT_EQ(Value::parse(response->body).at("task").at("state"), "COMPLETED");
}

INSTANTIATE_TEST_SUITE_P(Store, ApiOnEveryStore, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& chosen) { return contract::to_text(chosen.param); });

}  // namespace holdfast::api_test
