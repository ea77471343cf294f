#include "server/api/definitions.h"
#include "server/api/route.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

namespace {

/// What a double, or a reader that sorts members, would change.
constexpr const char* delicate =
    R"({ "n": 123456789012345678901234567890, "x":0.1000000000000000055, "a" : [1.0, -0, 1e2] })";

}  // namespace

class ApiJsonInput : public ApiOnEveryStore {
protected:
    Answer post_text(const std::string& target, const std::string& body) {
        return send({.method = "POST", .target = target, .body = body});
    }
    std::string submit_text(const std::string& body) {
        const Answer answer = post_text("/api/tasks", body);
        EXPECT_EQ(answer.status, 201) << answer.text;
        return answer.body.at("id");
    }
    store::TaskRecord record(const std::string& id) { return store->find({*Uuid::parse(id)}).front().value(); }
};
INSTANTIATE_TEST_SUITE_P(Stores, ApiJsonInput, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& kind) { return contract::to_text(kind.param); });

TEST_P(ApiJsonInput, ArgumentsAndResultsPassByteForByte) {
    const std::string id =
        submit_text(std::string(R"({"name": "resize", "args" : )") + delicate + R"(, "priority": 7})");
    EXPECT_EQ(record(id).task.args, delicate);
    complete_all(delicate);
    EXPECT_EQ(record(id).result, delicate);
    for (const std::string& target : {"/api/tasks/" + id, "/api/tasks/" + id + "/wait", std::string("/api/tasks")})
        EXPECT_THAT(get(target).text, HasSubstr(std::string(R"("result":)") + delicate)) << target;
    EXPECT_THAT(get("/api/tasks/" + id).text, HasSubstr(std::string(R"("args":)") + delicate));
}

TEST_P(ApiJsonInput, ArgumentsOfABatchPassByteForByte) {
    const Answer answer =
        post_text("/api/tasks", std::string(R"({"tasks": [{"name": "resize"}, {"args":)") + delicate +
                                    R"(,"name": "resize"}, {"args": null, "name": "resize"}]})");
    EXPECT_EQ(record(answer.body.at("items").at(0).at("id")).task.args, "null");
    EXPECT_EQ(record(answer.body.at("items").at(1).at("id")).task.args, delicate);
    EXPECT_EQ(record(answer.body.at("items").at(2).at("id")).task.args, "null");
}

TEST_P(ApiJsonInput, TheInputOfAJobPassesByteForByte) {
    const Answer started = post_text("/api/jobs", std::string(R"({"workflow": "each", "input": )") + delicate + "}");
    ASSERT_EQ(started.status, 201) << started.text;
    EXPECT_THAT(get("/api/jobs/" + started.body.at("id").get<std::string>()).text,
                HasSubstr(std::string(R"("input":)") + delicate));
}

TEST_P(ApiJsonInput, NumbersThatAreTooLargeAreNamed) {
    const auto fault = [&](const std::string& body) {
        const Answer answer = post_text("/api/tasks", body);
        EXPECT_EQ(answer.status, 400);
        EXPECT_EQ(answer.code(), "BAD_PARAMETER");
        return answer.body.at("errors").at(0).at("where").get<std::string>() + " " + answer.detail();
    };
    EXPECT_EQ(fault(R"({"name": "resize", "args": 1e999})"), "args args is a number that is too large");
    EXPECT_EQ(fault(R"({"tasks": [{"name": "resize"}, {"name": "resize", "args": {"n": [-1e999]}}]})"),
              "tasks[1].args.n[0] tasks[1].args.n[0] is a number that is too large");
    EXPECT_EQ(fault(R"({"name": "resize", "priority": 1e999})"), "priority priority is a number that is too large");
    EXPECT_EQ(post_text("/api/tasks", "1e999").status, 400);
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(ApiJsonInput, MembersThatAreGivenTwiceAreNamed) {
    for (const auto& [body, where] : std::map<std::string, std::string>{
             {R"({"name": "resize", "name": "backup"})", "name"},
             {R"({"name": "resize", "args": {"to": {"a": 1, "\u0061": 2}}})", "args.to.a"},
             {R"({"tasks": [{"name": "resize", "args": 1, "args": 2}]})", "tasks[0].args"}}) {
        const Answer answer = post_text("/api/tasks", body);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_EQ(answer.detail(), where + " is given twice");
    }
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(ApiJsonInput, ARepeatedSubmitMaySayTheSameOtherwise) {
    const std::string id = contract::new_task_id(store->now()).to_string();
    (void)submit_text(R"({"name": "resize", "args": {"a": 1.0, "b": [true]}, "id": ")" + id + "\"}");
    const std::string rest = R"(, "name": "resize", "id": ")" + id + "\"}";
    EXPECT_EQ(post_text("/api/tasks", R"({"args": {"b":[ true ],"a":1e0})" + rest).body.at("status"), "existing");
    EXPECT_EQ(post_text("/api/tasks", R"({"args": {"b":[ true ],"a":2})" + rest).code(), "PAYLOAD_MISMATCH");
}

TEST_P(ApiJsonInput, IdsFromTheFarFutureAndNamesWithControlCharactersAreRefused) {
    const std::string far = contract::new_task_id(store->now() + 2h).to_string();
    for (const std::string target : {"/api/tasks", "/api/jobs"}) {
        const Answer answer = post(target, {{target == "/api/tasks" ? "name" : "workflow", "each"}, {"id", far}});
        EXPECT_EQ(answer.status, 422) << answer.text;
        EXPECT_THAT(answer.detail(), HasSubstr("in the future"));
    }
    const Answer named = post("/api/tasks", {{"name", "a\x1b[2J"}});
    EXPECT_EQ(named.status, 422);
    EXPECT_THAT(named.detail(), HasSubstr("name contains the control character U+001B"));
    const Answer token = post("/api/tokens", {{"name", "\u202eops"}, {"scope", "read"}});
    EXPECT_EQ(token.status, 422);
    EXPECT_THAT(token.detail(), HasSubstr("the token's name contains U+202E"));
}

using ApiDearInput = ApiFixture;

TEST_F(ApiDearInput, YamlBeyondItsBoundIsNotRead) {
    const std::string yaml(api::max_yaml_bytes + 1, '#');
    EXPECT_EQ(post("/api/catalog/validate", {{"yaml", yaml}}).code(), "TOO_LARGE");
    EXPECT_EQ(post("/api/jobs", {{"yaml", yaml}}).code(), "TOO_LARGE");
    EXPECT_EQ(post("/api/catalog/validate", {{"yaml", yaml.substr(1)}}).status, 200);
}

TEST_F(ApiDearInput, DearRequestsAndProbesHaveLanesOfTheirOwn) {
    const auto lane = [](const std::string& method, const std::string& target, std::string body = {}) {
        return api::lane_of(request_of({.method = method, .target = target, .body = std::move(body)}));
    };
    using http::Lane;
    EXPECT_EQ(lane("GET", "/healthz"), Lane::Probe);
    EXPECT_EQ(lane("GET", "/readyz"), Lane::Probe);
    EXPECT_EQ(lane("POST", "/healthz"), Lane::Usual);
    EXPECT_EQ(lane("POST", "/api/catalog/validate"), Lane::Dear);
    EXPECT_EQ(lane("POST", "/api/recovery/prune"), Lane::Dear);
    EXPECT_EQ(lane("POST", "/api/tasks"), Lane::Usual);
    EXPECT_EQ(lane("POST", "/api/tasks", std::string(api::dear_body_bytes, ' ')), Lane::Dear);
    EXPECT_EQ(lane("GET", "/"), Lane::Memory);
    EXPECT_EQ(lane("GET", "/api/no-such-route"), Lane::Usual);
}

}  // namespace holdfast::api_test
