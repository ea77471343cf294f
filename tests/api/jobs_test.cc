#include <future>

#include "base/text.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

constexpr const char* unknown_id = "01a1dd19-f0fa-79a5-bc3e-91814abe8999";

class ApiJobs : public ApiFixture {
protected:
    std::string start(const std::string& workflow, const Value& input = Value::object()) {
        const Answer answer = post("/api/jobs", {{"workflow", workflow}, {"input", input}});
        EXPECT_EQ(answer.status, 201) << answer.text;
        return answer.body.value("id", "");
    }
    std::string start_release() { return start("release", {{"day", "monday"}}); }
};

TEST_F(ApiJobs, AJobOfTheCatalogIsStartedWithItsDefaults) {
    const std::string id = start_release();
    const Value story = get("/api/jobs/" + id).body;
    EXPECT_EQ(story.at("job").at("input"), Value({{"day", "monday"}, {"mode", "full"}}));
    std::vector<std::string> names;
    for (const Value& step : story.at("steps")) names.push_back(step.at("name"));
    EXPECT_THAT(names, ElementsAre("build", "ask", "ship"));
    EXPECT_EQ(story.at("steps").at(1).at("depends_on"), Value({"build"}));
    EXPECT_THAT(story.at("edges"), Contains(Value({{"from", "ask"}, {"to", "ship"}})));
    EXPECT_EQ(get("/api/jobs/" + id + "/definition").body.at("main"), "release");
}

TEST_F(ApiJobs, StartingTheSameIdAgainIsHarmless) {
    const std::string id = contract::new_task_id(store->now()).to_string();
    const Value job = {{"workflow", "each"}, {"id", id}};
    EXPECT_EQ(post("/api/jobs", job).status, 201);
    const Answer again = post("/api/jobs", job);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body.at("status"), "existing");
    EXPECT_EQ(post("/api/jobs", {{"workflow", "idle"}, {"id", id}}).code(), "PAYLOAD_MISMATCH");
}

TEST_F(ApiJobs, InputThatDoesNotFitIsRefusedWithAllThatIsWrong) {
    const Answer answer = post("/api/jobs", {{"workflow", "release"}, {"input", {{"mode", "slow"}}}});
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(answer.body.at("errors").size(), 2U) << answer.text;
}

TEST_F(ApiJobs, AnUnknownWorkflowIsNotFoundWithTheNearestName) {
    const Answer answer = post("/api/jobs", {{"workflow", "relaese"}});
    EXPECT_EQ(answer.status, 404);
    EXPECT_THAT(answer.detail(), HasSubstr("did you mean 'release'"));
    EXPECT_EQ(post("/api/jobs", Value::object()).code(), "BAD_PARAMETER");
}

TEST_F(ApiJobs, ADefinitionOfOnesOwnMayUseTheCatalog) {
    const Answer answer =
        post("/api/jobs", {{"yaml", "name: mine\nsteps: {one: {task: resize}, two: {workflow: each}}"}});
    ASSERT_EQ(answer.status, 201) << answer.text;
    EXPECT_EQ(get("/api/jobs/" + answer.body.at("id").get<std::string>()).body.at("job").at("workflow"), "mine");
    const Answer faulty =
        post("/api/jobs", {{"yaml", "name: mine\nsteps: {one: {task: resize, depends_on: [none]}}"}});
    EXPECT_EQ(faulty.status, 422);
    EXPECT_THAT(faulty.text, HasSubstr("none"));
    EXPECT_EQ(
        post("/api/jobs", {{"yaml", "workflows: {a: {steps: {x: {wait: 1s}}}, b: {steps: {x: {wait: 1s}}}}"}}).code(),
        "BAD_PARAMETER")
        << "which of the two?";
}

TEST_F(ApiJobs, ListIsFilteredAndPaged) {
    const std::string one = start("each"), two = start("idle"), three = start("each");
    const auto ids = [&](const std::string& query) {
        std::vector<std::string> found;
        const Value items = get("/api/jobs" + query).body.at("items");
        for (const Value& job : items) found.push_back(job.at("id"));
        return found;
    };
    EXPECT_THAT(ids(""), ElementsAre(three, two, one));
    EXPECT_THAT(ids("?workflow=each"), ElementsAre(three, one));
    EXPECT_THAT(ids("?limit=1&after=" + three), ElementsAre(two));
    EXPECT_THAT(ids("?state=FAILED"), IsEmpty());
    EXPECT_THAT(ids("?id=" + two), ElementsAre(two));
    EXPECT_THAT(ids("?id=" + two + "&workflow=each"), IsEmpty());
    EXPECT_THAT(ids("?parent=" + one), IsEmpty());
    EXPECT_EQ(get("/api/jobs?state=EXPIRED").code(), "BAD_PARAMETER") << "jobs do not expire";
    EXPECT_EQ(get("/api/jobs?children=yes").code(), "BAD_PARAMETER");
}

TEST_F(ApiJobs, OrdersAreCarriedOutAndSayWhoGaveThem) {
    const std::string id = start("each");
    EXPECT_EQ(post("/api/jobs/" + id + "/pause", {{"reason", "lunch"}}).body.at("status"), "paused");
    EXPECT_EQ(post("/api/jobs/" + id + "/pause").body.at("status"), "already");
    EXPECT_EQ(post("/api/jobs/" + id + "/resume").body.at("status"), "resumed");
    EXPECT_EQ(post("/api/jobs/" + id + "/cancel").body.at("status"), "cancelled");
    EXPECT_EQ(post("/api/jobs/" + id + "/pause").code(), "CONFLICT") << "it has ended";
    const Answer retried = post("/api/jobs/" + id + "/retry");
    EXPECT_EQ(retried.status, 201);
    EXPECT_EQ(retried.body.at("retry_of"), id);
    EXPECT_EQ(post("/api/jobs/" + retried.body.at("id").get<std::string>() + "/retry").code(), "CONFLICT");
    EXPECT_THAT(get("/api/jobs/" + id + "/steps/_server/logs").text, HasSubstr("local from 127.0.0.1 (api)"));
    EXPECT_THAT(audits(), IsEmpty());
}

TEST_F(ApiJobs, TheTaskOfAStepIsRetriedOnlyWithItsJob) {
    const std::string id = start("each");
    const std::string task = get("/api/tasks").body.at("items").at(0).at("id");
    EXPECT_EQ(get("/api/tasks/" + task).body.at("step").at("hook"), false);
    EXPECT_EQ(post("/api/jobs/" + id + "/cancel").body.at("status"), "cancelled");
    const Answer refused = post("/api/tasks/" + task + "/retry");
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.code(), "CONFLICT");
    EXPECT_THAT(refused.detail(), HasSubstr("of job " + id));
    EXPECT_THAT(refused.detail(), HasSubstr("holdfast jobs retry " + id));
    EXPECT_EQ(store->count().pending, 0);
}

TEST_F(ApiJobs, CancelOfAJobWithARunningStepIsARequest) {
    const std::string id = start("each");
    (void)start_one(join_worker());
    EXPECT_EQ(post("/api/jobs/" + id + "/cancel").body.at("status"), "requested");
}

TEST_F(ApiJobs, AnApprovalIsDecidedOnce) {
    const std::string id = start_release();
    const std::string approve = "/api/jobs/" + id + "/steps/ask/approve";
    EXPECT_EQ(post(approve, {{"approve", true}}).code(), "CONFLICT") << "it does not wait yet";
    complete_all();
    EXPECT_EQ(post(approve, {{"aprove", true}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(post(approve, {{"approve", true}}).body, Value({{"id", id}, {"step", "ask"}, {"status", "approved"}}));
    EXPECT_EQ(post(approve, {{"approve", false}}).code(), "CONFLICT");
    EXPECT_EQ(post("/api/jobs/" + id + "/steps/build/approve", {{"approve", true}}).status / 100, 4);
    EXPECT_EQ(post("/api/jobs/" + id + "/steps/none/approve", {{"approve", true}}).code(), "NOT_FOUND");
}

TEST_F(ApiJobs, WaitIsAnsweredWhenTheJobEnds) {
    const std::string id = start("each");
    EXPECT_TRUE(get("/api/jobs/" + id + "/wait?timeout=10ms").body.at("timed_out"));
    auto waiting = std::async(std::launch::async, [&] { return get("/api/jobs/" + id + "/wait"); });
    complete_all();
    EXPECT_EQ(waiting.get().body.at("job").at("state"), "COMPLETED");
    EXPECT_FALSE(get("/api/jobs/" + id + "/wait").body.at("timed_out"));
}

TEST_F(ApiJobs, AStepIsShownWithItsItems) {
    const std::string id = start("each");
    const Value story = get("/api/jobs/" + id + "/steps/part").body;
    EXPECT_EQ(story.at("step").at("name"), "part");
    EXPECT_EQ(story.at("items").size(), 3U);
    EXPECT_EQ(get("/api/jobs/" + id + "/steps/part[1]").body.at("step").at("item"), 1);
    EXPECT_EQ(get("/api/jobs/" + id + "/steps/prt").code(), "NOT_FOUND");
    EXPECT_EQ(get("/api/jobs/" + id).body.at("steps").size(), 1U);
    EXPECT_EQ(get("/api/jobs/" + id + "?items=true").body.at("steps").size(), 4U);
}

TEST_F(ApiJobs, LogsOfAStepAreOneStreamInTheOrderInWhichTheyWereStored) {
    const std::string id = start("each");
    const Uuid worker = join_worker();
    const auto claimed = contract::claim_fully(*store, worker, 3);
    ASSERT_THAT(claimed, SizeIs(3));
    for (int round = 0; round < 2; ++round)
        for (const auto& task : claimed)
            store->append_logs(worker, {{.task = task.task.id,
                                         .lease = task.lease,
                                         .sequence = round,
                                         .stream = "stdout",
                                         .text = std::to_string(round),
                                         .at = store->now()}});
    std::string text, next = "0";
    std::set<std::string> steps;
    for (int pages = 0; pages < 3; ++pages) {
        const Value page = get(concat("/api/jobs/", id, "/steps/part/logs?limit=2&after=", next)).body;
        for (const Value& line : page.at("items")) {
            text += line.at("text").get<std::string>();
            steps.insert(line.at("step"));
        }
        next = page.at("next").dump();
        EXPECT_FALSE(page.at("ended"));
    }
    EXPECT_EQ(text, "000111");
    EXPECT_THAT(steps, ElementsAre("part[0]", "part[1]", "part[2]"));
    EXPECT_EQ(get("/api/jobs/" + id + "/steps/part[0]/logs").body.at("items").size(), 2U);
    for (const auto& task : claimed) contract::finish(*store, worker, contract::completed(contract::lease_of(task)));
    EXPECT_TRUE(get("/api/jobs/" + id + "/steps/part/logs").body.at("ended"));
}

TEST_F(ApiJobs, UnknownJobsAreNotFoundByAnyRoute) {
    for (const std::string id : {unknown_id, "ffff", "no-id-at-all"}) {
        for (const char* route : {"", "/definition", "/wait", "/steps/a", "/steps/a/logs", "/steps/_server/logs"})
            EXPECT_EQ(get("/api/jobs/" + id + route).code(), "NOT_FOUND") << id << route;
        for (const char* order : {"/cancel", "/pause", "/resume", "/retry"})
            EXPECT_EQ(post("/api/jobs/" + id + order).code(), "NOT_FOUND") << id << order;
    }
}

}  // namespace holdfast::api_test
