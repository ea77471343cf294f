#include <fstream>
#include <regex>

#include "base/text.h"
#include "server/api/route.h"
#include "server/api/schema.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

namespace {

std::set<std::string> table_routes() {
    std::set<std::string> found;
    for (const api::Route& route : api::routes()) found.insert(route.method + " " + route.path);
    return found;
}

std::string without_last_segment(const std::string& route) {
    return route.substr(0, route.rfind('/') + 1);
}

/// One cell names several: `GET /api/x`, `/{name}` is below it, `pause` stands in the place of its last word.
void add_cell(const std::string& cell, std::set<std::string>& found) {
    static const std::regex code("`([^`]*)`");
    std::string first;
    for (std::sregex_iterator match(cell.begin(), cell.end(), code), end; match != end; ++match) {
        const std::string text = (*match)[1];
        if (text.find(' ') != std::string::npos)
            found.insert(first = text);
        else
            found.insert(text.starts_with('/') ? first + text : without_last_segment(first) + text);
    }
}

std::map<std::string, std::string> scopes_in(const std::string& document) {
    std::map<std::string, std::string> scopes;
    std::ifstream file(document);
    static const std::regex row(R"(^\| (`(?:GET|POST|PUT|DELETE) [^|]*) \| ([^|]*) \|.*)");
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
        if (!std::regex_match(line, match, row)) continue;
        std::set<std::string> routes;
        add_cell(match[1], routes);
        for (const std::string& route : routes) scopes[route] = match[2];
    }
    return scopes;
}

std::set<std::string> document_routes(const api::Json& document) {
    std::set<std::string> found;
    for (const auto& [path, operations] : document.at("paths").items())
        for (const auto& [method, operation] : operations.items()) {
            std::string upper = method;
            std::ranges::transform(upper, upper.begin(),
                                   [](unsigned char c) { return static_cast<char>(toupper(c)); });
            found.insert(concat(upper, " ", path));
        }
    return found;
}

void collect_references(const api::Json& value, std::set<std::string>& found) {
    if (value.is_object() && value.contains("$ref")) found.insert(value.at("$ref").get<std::string>());
    if (value.is_structured())
        for (const auto& each : value) collect_references(each, found);
}

}  // namespace

TEST(ApiRoutes, EveryRouteIsInTheDocumentForProgramsAndViceVersa) {
    EXPECT_EQ(document_routes(api::openapi_document("1")), table_routes());
}

TEST(ApiRoutes, EveryRouteIsInTheDocumentForPeopleAndViceVersaWithItsScope) {
    const auto written = scopes_in(HOLDFAST_SOURCE_DIR "/docs/api.md");
    std::set<std::string> names;
    for (const auto& [route, scope] : written) names.insert(route);
    EXPECT_EQ(names, table_routes());
    for (const api::Route& route : api::routes()) {
        const auto found = written.find(route.method + " " + route.path);
        if (found == written.end() || !route.scope) continue;
        EXPECT_EQ(found->second, word_of(*route.scope)) << found->first;
    }
}

TEST(ApiRoutes, EveryProblemIsInTheDocumentForPeople) {
    std::ifstream file(HOLDFAST_SOURCE_DIR "/docs/api.md");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (const auto& kind : api::problem_kinds()) EXPECT_THAT(text, HasSubstr("`" + std::string(kind.code) + "`"));
}

TEST(ApiRoutes, EverySchemaThatIsNamedExists) {
    for (const api::Route& route : api::routes()) {
        EXPECT_TRUE(route.body.empty() || api::schemas().contains(route.body)) << route.body;
        EXPECT_TRUE(route.answer.empty() || api::schemas().contains(route.answer)) << route.answer;
    }
    std::set<std::string> references;
    collect_references(api::openapi_document("1"), references);
    for (const std::string& reference : references) {
        const std::string name = reference.substr(reference.rfind('/') + 1);
        EXPECT_TRUE(api::schemas().contains(name)) << reference;
    }
}

TEST(ApiRoutes, OperationIdsAreUnique) {
    std::set<std::string> ids;
    const api::Json document = api::openapi_document("1");
    for (const auto& path : document.at("paths"))
        for (const auto& operation : path)
            EXPECT_TRUE(ids.insert(operation.at("operationId").get<std::string>()).second) << operation.dump();
}

using ApiRouting = ApiFixture;

TEST_F(ApiRouting, AnUnknownRouteIsAProblemAndNotThePage) {
    const Answer answer = get("/api/taks");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.code(), "NO_SUCH_ROUTE");
    EXPECT_EQ(get("/api").code(), "NO_SUCH_ROUTE");
    EXPECT_EQ(get("/api/tasks/x/y/z").code(), "NO_SUCH_ROUTE");
}

TEST_F(ApiRouting, AnotherMethodIsRefusedWithThoseThatThereAre) {
    const Answer answer = send({.method = "PATCH", .target = "/api/tasks"});
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("allow"), "POST, GET, HEAD");
}

TEST_F(ApiRouting, HeadIsAnsweredAsGet) {
    EXPECT_EQ(send({.method = "HEAD", .target = "/healthz"}).status, 200);
}

TEST_F(ApiRouting, ABodyThatIsNoJsonIsRefused) {
    const auto post_text = [&](const std::string& body, const std::string& type) {
        return send({.method = "POST", .target = "/api/tasks", .body = body, .headers = {{"content-type", type}}});
    };
    EXPECT_EQ(post_text("{\"name\": \"resize\"}", "text/plain").code(), "NOT_JSON");
    EXPECT_EQ(post_text("{\"name\": \"resize\"}", "").code(), "NOT_JSON");
    EXPECT_EQ(post_text("{\"name\": ", "application/json").code(), "BAD_REQUEST");
    EXPECT_EQ(post_text("{\"name\": \"\xff\"}", "application/json").code(), "BAD_REQUEST");
    EXPECT_EQ(post_text("[1, 2]", "application/json; charset=utf-8").code(), "BAD_PARAMETER");
    EXPECT_EQ(post_text(std::string(100'000, '['), "application/json").code(), "BAD_REQUEST");
    EXPECT_EQ(post_text("{\"name\": \"a\\u0000b\"}", "application/json").code(), "BAD_PARAMETER");
}

TEST_F(ApiRouting, ARouteThatTakesNothingRefusesABody) {
    EXPECT_EQ(post("/api/queues/default/pause", {{"reason", "x"}}).code(), "BAD_PARAMETER");
    EXPECT_EQ(send({.method = "POST", .target = "/api/queues/default/pause"}).status, 200);
}

TEST_F(ApiRouting, ThePageIsServedForEveryViewOfIt) {
    EXPECT_EQ(get("/").text, "<html>");
    EXPECT_EQ(get("/jobs/01a1").text, "<html>");
    EXPECT_EQ(get("/catalog/tasks/release.fetch").text, "<html>");
    EXPECT_EQ(get("/assets/gone.js").code(), "NO_SUCH_ROUTE");
    EXPECT_EQ(get("/robots.txt").code(), "NO_SUCH_ROUTE");
    EXPECT_EQ(get("/.well-known/gone").code(), "NO_SUCH_ROUTE");
    EXPECT_THAT(get("/").header("content-security-policy"), HasSubstr("default-src 'none'"));
    EXPECT_EQ(send({.method = "POST", .target = "/jobs"}).code(), "NO_SUCH_ROUTE");
}

TEST_F(ApiRouting, AStoreThatIsAwayIsAnsweredAsSuchAndTellsNothingOfItself) {
    auto broken = parts(api::Login::Never);
    broken.open_store = []() -> std::unique_ptr<store::Store> {
        throw Unavailable("postgresql://user@10.1.2.3/secret is away");
    };
    api::Api away(std::move(broken), random, log);
    const auto reply = std::get<http::Response>(away.handle(request_of({.target = "/api/tasks"})));
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.body, HasSubstr("STORE_UNAVAILABLE"));
    EXPECT_THAT(reply.body, Not(HasSubstr("10.1.2.3")));
    EXPECT_THAT(reply.headers, Contains(std::pair<std::string, std::string>("retry-after", "2")));
    EXPECT_THAT(log.messages(), Contains(HasSubstr("10.1.2.3"))) << "the log has the rest";
}

TEST_F(ApiRouting, ADefectIsAnsweredAsSuchAndLogged) {
    auto broken = parts(api::Login::Never);
    broken.open_store = []() -> std::unique_ptr<store::Store> { throw std::logic_error("secret detail"); };
    api::Api faulty(std::move(broken), random, log);
    const auto reply = std::get<http::Response>(faulty.handle(request_of({.target = "/api/tasks"})));
    EXPECT_EQ(reply.status, 500);
    EXPECT_THAT(reply.body, HasSubstr("INTERNAL"));
    EXPECT_THAT(reply.body, Not(HasSubstr("secret")));
    EXPECT_THAT(log.messages(), Contains(HasSubstr("secret detail")));
}

TEST_F(ApiRouting, DocumentsAreServedWithoutAToken) {
    restart(api::Login::Always);
    EXPECT_EQ(get("/api/openapi.json").body.at("openapi"), "3.1.0");
    const Answer docs = get("/api/docs");
    EXPECT_THAT(docs.text, HasSubstr("/api/tasks/{id}/cancel"));
    EXPECT_THAT(docs.text, Not(HasSubstr("<script")));
    EXPECT_THAT(docs.text, Not(HasSubstr("http://")));
    EXPECT_THAT(docs.header("content-security-policy"), HasSubstr("style-src 'self'"));
    EXPECT_THAT(get("/api/docs.css").text, HasSubstr("body"));
}

}  // namespace holdfast::api_test
