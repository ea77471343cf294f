#include "server/api/access.h"

#include <future>

#include "base/ids.h"
#include "base/text.h"
#include "core/workflow/workflow.h"
#include "proof/crew/patience.h"
#include "server/api/route.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

using store::Scope;

class ApiAccess : public ApiFixture {
protected:
    /// The secret of a token that is valid until then.
    std::string make_token_until(Timestamp end) {
        std::string secret = api::make_token_secret();
        store::NewToken token;
        token.id = make_uuid_v4(random);
        token.name = "short-lived";
        token.hash = api::hash_token_secret(secret);
        token.expires_at = end;
        token.who = "test";
        EXPECT_EQ(store->create_token(token), store::CreateTokenStatus::Created);
        return secret;
    }
    int from(const std::string& target, const std::string& token) {
        const auto request = request_of({.target = target, .headers = {{"authorization", "Bearer " + token}}});
        return std::get<http::Response>(api->handle(request)).status;
    }
    /// As somebody who has logged in at the page with the token.
    Answer as_page(const std::string& token, Sent sent) {
        std::string& cookie = cookies_[token];
        if (cookie.empty()) cookie = log_in(token);
        return with_cookie(cookie, std::move(sent));
    }
    /// Returns the secret in the cookie.
    std::string log_in(const std::string& token) {
        const std::string header = post("/api/session", {{"token", token}}).header("set-cookie");
        const std::string name = "holdfast_session=";
        return header.substr(name.size(), header.find(';') - name.size());
    }
    Answer with_cookie(const std::string& cookie, Sent sent) {
        sent.headers.emplace("cookie", "other=1; holdfast_session=" + cookie);
        return send(sent);
    }

private:
    std::map<std::string, std::string> cookies_;
};

TEST_F(ApiAccess, WithoutAnyTokenEveryCallerIsTheLocalAdmin) {
    const Answer answer = get("/api/session");
    EXPECT_EQ(answer.body.at("name"), "local");
    EXPECT_EQ(answer.body.at("scope"), "admin");
    EXPECT_EQ(answer.body.at("login"), "none");
    EXPECT_EQ(answer.body.at("version"), "1.2.3");
}

TEST_F(ApiAccess, AsSoonAsThereIsATokenOneIsNeeded) {
    const std::string token = make_token("ops", Scope::Operate);
    restart(api::Login::WhenTokensExist);
    const Answer without = get("/api/tasks");
    EXPECT_EQ(without.status, 401);
    EXPECT_EQ(without.code(), "NO_TOKEN");
    EXPECT_EQ(without.header("www-authenticate"), "Bearer");
    EXPECT_EQ(get_as(token, "/api/tasks").status, 200);
    const Answer session = get_as(token, "/api/session");
    EXPECT_EQ(session.body.at("name"), "ops");
    EXPECT_EQ(session.body.at("login"), "token");
}

TEST_F(ApiAccess, ATokenMadeHereCountsAtOnce) {
    const Answer made = post("/api/tokens", {{"name", "first"}, {"scope", "admin"}});
    ASSERT_EQ(made.status, 201);
    EXPECT_EQ(get("/api/tasks").code(), "NO_TOKEN");
    EXPECT_EQ(get_as(made.body.at("token"), "/api/tasks").status, 200);
}

class ApiDoor : public ApiOnEveryStore {
protected:
    void prune_all() {
        store::PruneParams params;
        params.terminal_older_than = Duration::zero();
        store->prune(params);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ApiDoor, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& kind) { return contract::to_text(kind.param); });

TEST_P(ApiDoor, StaysShutOnceATokenHasExistedWhateverBecomesOfIt) {
    EXPECT_EQ(get("/api/tasks").status, 200);
    const Answer made = post("/api/tokens", {{"name", "first"}, {"scope", "admin"}});
    (void)make_token("second", Scope::Read);
    const Answer revoked =
        send({.method = "DELETE",
              .target = "/api/tokens/first",
              .headers = {{"authorization", "Bearer " + made.body.at("token").get<std::string>()}}});
    EXPECT_EQ(revoked.status, 200);
    EXPECT_THAT(log.messages(), Not(Contains(HasSubstr("The last valid token was revoked"))));
    ASSERT_TRUE(store->revoke_token("second", "test"));
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(get("/api/tasks").code(), "NO_TOKEN");
        EXPECT_THAT(get("/api/tasks").detail(), HasSubstr("run directly on the store"));
        prune_all();
        EXPECT_EQ(get("/api/tasks").code(), "NO_TOKEN");
        restart(api::Login::WhenTokensExist);  // as another server of the same store
    }
}

TEST_P(ApiDoor, SaysInItsLogHowToGetInAgainWhenTheLastTokenIsRevoked) {
    const std::string admin = make_token("admin", Scope::Admin);
    const Answer revoked =
        send({.method = "DELETE", .target = "/api/tokens/admin", .headers = {{"authorization", "Bearer " + admin}}});
    EXPECT_EQ(revoked.status, 200);
    EXPECT_THAT(log.messages(),
                Contains(HasSubstr("'holdfast tokens create NAME --scope admin', run directly on the store")));
}

TEST_F(ApiAccess, WrongTokensAreRefused) {
    restart(api::Login::Always);
    for (const std::string& token :
         {std::string(), std::string("x"), std::string("hf_short"), api::make_token_secret()})
        EXPECT_EQ(get_as(token, "/api/tasks").status, 401) << token;
    EXPECT_EQ(send({.target = "/api/tasks", .headers = {{"authorization", "Basic dXNlcg=="}}}).code(), "BAD_TOKEN");
    EXPECT_EQ(send({.target = "/api/tasks", .headers = {{"cookie", "holdfast_session=hf_nothing"}}}).code(),
              "BAD_TOKEN");
}

TEST_F(ApiAccess, ARevokedTokenIsRefused) {
    const std::string admin = make_token("admin", Scope::Admin), victim = make_token("victim", Scope::Read);
    restart(api::Login::Always);
    ASSERT_EQ(get_as(victim, "/api/tasks").status, 200);
    const Answer revoked =
        send({.method = "DELETE", .target = "/api/tokens/victim", .headers = {{"authorization", "Bearer " + admin}}});
    EXPECT_EQ(revoked.body, Value({{"name", "victim"}, {"status", "revoked"}}));
    EXPECT_EQ(get_as(victim, "/api/tasks").code(), "BAD_TOKEN");
}

TEST_F(ApiAccess, ATokenThatAnotherProcessRevokedIsRefusedWithinFiveSeconds) {
    const std::string victim = make_token("victim", Scope::Read);
    restart(api::Login::Always);
    ASSERT_EQ(get_as(victim, "/api/tasks").status, 200);
    ASSERT_TRUE(store->revoke_token("victim", "another process"));
    const auto revoked_at = std::chrono::steady_clock::now();
    auto asked_at = revoked_at, last_let_in = revoked_at;
    while (get_as(victim, "/api/session").status == 200) {
        last_let_in = asked_at;
        asked_at = std::chrono::steady_clock::now();
    }
    EXPECT_LT(last_let_in - revoked_at, 5s);
    EXPECT_EQ(get_as(victim, "/api/session").status, 401);
}

TEST_F(ApiAccess, AnExpiredTokenIsRefused) {
    const std::string secret = make_token_until(store->now() - 1s);
    EXPECT_EQ(get_as(secret, "/api/tasks").code(), "BAD_TOKEN");
    EXPECT_EQ(get("/api/tasks").code(), "NO_TOKEN") << "an expired token still makes tokens mandatory";
}

TEST_F(ApiAccess, EveryRouteRefusesATokenWithLessThanItsScope) {
    const std::map<Scope, std::string> tokens = {{Scope::Read, make_token("read", Scope::Read)},
                                                 {Scope::Submit, make_token("submit", Scope::Submit)},
                                                 {Scope::Operate, make_token("operate", Scope::Operate)}};
    restart(api::Login::Always);
    for (const api::Route& route : api::routes()) {
        if (!route.scope) continue;
        EXPECT_EQ(send({.method = route.method, .target = route.path}).code(), "NO_TOKEN") << route.path;
        for (const auto& [scope, token] : tokens) {
            const Answer answer = send(
                {.method = route.method, .target = route.path, .headers = {{"authorization", "Bearer " + token}}});
            if (!includes(scope, *route.scope))
                EXPECT_EQ(answer.code(), "FORBIDDEN") << route.method << " " << route.path;
            else
                EXPECT_NE(answer.status, 403) << route.method << " " << route.path << answer.text;
        }
    }
}

TEST_F(ApiAccess, SubmitReachesFunctionsAndTheCatalogButNoScriptsOfOnesOwn) {
    const std::string token = make_token("ci", Scope::Submit);
    restart(api::Login::Always);
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "resize"}}).status, 201);
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "backup"}, {"args", {{"db", "x"}}}}).status, 201);
    EXPECT_EQ(post_as(token, "/api/tasks", {{"script", "rm -rf /"}}).code(), "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "backup"}, {"args", {{"db", "x"}}}, {"script", "evil"}}).code(),
              "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/tasks", {{"spec", {{"type", "docker"}, {"image", "evil"}}}}).code(), "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/jobs", {{"yaml", "steps: {a: {script: evil}}"}}).code(), "FORBIDDEN");
    const Answer many = post_as(token, "/api/tasks", {{"tasks", {{{"script", "evil"}}, {{"name", "resize"}}}}});
    EXPECT_EQ(many.body.at("items").at(0).at("status"), "refused");
    EXPECT_EQ(many.body.at("items").at(1).at("status"), "accepted");
}

TEST_F(ApiAccess, OnlyScriptsOfTheCatalogRunOnceATokenExistsWhateverTheDoor) {
    const Value own_script = {
        {"main", "w"},
        {"workflows",
         {{"w", {{"name", "w"}, {"steps", {{{"name", "s"}, {"task", "backup"}, {"spec", {{"script", "evil"}}}}}}}}}}};
    Value hook = own_script;
    hook["workflows"]["w"]["on_failure"] = hook["workflows"]["w"]["steps"];
    hook["workflows"]["w"]["steps"] = Value::array({{{"name", "s"}, {"task", "resize"}}});
    const auto schedule = [](const Value& definition) {
        return Value{
            {"schedules", {{{"name", "a"}, {"timing", {{"interval_ms", 3600000}}}, {"definition", definition}}}}};
    };
    const std::vector<std::pair<std::string, Value>> doors = {
        {"/api/tasks", {{"script", "evil"}}},
        {"/api/tasks", {{"name", "backup"}, {"args", {{"db", "x"}}}, {"script", "evil"}}},
        {"/api/tasks", {{"spec", {{"type", "docker"}, {"image", "evil"}}}}},
        {"/api/jobs", {{"yaml", "steps: {a: {script: evil}}"}}},
        {"/api/jobs", {{"yaml", "steps: {a: {task: backup, input: {db: x}, env: {LD_PRELOAD: evil}}}"}}},
        {"/api/jobs", {{"definition", own_script}}},
        {"/api/jobs", {{"definition", hook}}},
        {"/api/schedules", schedule(own_script)},
        {"/api/schedules", schedule(hook)}};
    const auto expect_all = [&](const std::string& token, const std::string& outcome) {
        for (const auto& [route, body] : doors) {
            const Answer answer = token.empty() ? post(route, body) : post_as(token, route, body);
            EXPECT_EQ(answer.status < 300 ? "runs" : answer.code(), outcome) << route << " " << body << answer.text;
            if (outcome == "FORBIDDEN") {
                EXPECT_THAT(answer.detail(), HasSubstr("server.scripts: any"));
            }
        }
    };
    const auto with_rule = [&](config::ScriptRule rule) {
        auto changed = std::make_shared<config::Config>(*config);
        changed->server.scripts = rule;
        return changed;
    };
    const auto usual = config;
    expect_all("", "runs");
    config = with_rule(config::ScriptRule::FromCatalog);
    expect_all("", "FORBIDDEN");
    config = usual;
    const std::string token = make_token("ops", Scope::Admin);
    restart(api::Login::WhenTokensExist);
    expect_all(token, "FORBIDDEN");
    const Answer many = post_as(token, "/api/tasks", {{"tasks", {{{"script", "evil"}}, {{"name", "resize"}}}}});
    EXPECT_EQ(many.body.at("items").at(0).at("status"), "refused");
    EXPECT_EQ(many.body.at("items").at(1).at("status"), "accepted");
    EXPECT_EQ(post_as(token, "/api/jobs", {{"yaml", "steps: {a: {task: backup, input: {db: x}}}"}}).status, 201)
        << "what the catalog defines may be put together";
    const Value known = {{"script", "backup \"$DB\""}, {"env", {{"DB", "x"}}}};
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "backup"}, {"args", {{"db", "x"}}}, {"spec", known}}).status,
              201)
        << "a client with the same catalog sends what the server's own says";
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "backup"}, {"args", {{"db", "y"}}}, {"spec", known}}).code(),
              "FORBIDDEN");
    auto with_workflow = std::make_shared<config::Config>(*config);
    with_workflow->workflows["w"] = core::parse_workflow_bundle(own_script.dump())->workflows.at("w");
    config = with_workflow;
    EXPECT_EQ(post_as(token, "/api/jobs", {{"definition", own_script}}).status, 201) << "this is of the catalog now";
    EXPECT_EQ(post_as(token, "/api/jobs", {{"definition", hook}}).code(), "FORBIDDEN");
    config = with_rule(config::ScriptRule::Any);
    expect_all(token, "runs");
}

TEST_F(ApiAccess, ATokenLimitedToQueuesReachesNoOthers) {
    const std::string id = submit("resize", {{"queue", "other"}});
    store->put_schedule({.name = "nightly", .timing = "{}", .definition = "not readable", .input = "{}"}, "test");
    const std::string token = make_token("team", Scope::Operate, {"mine"});
    restart(api::Login::Always);
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "resize"}}).code(), "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/tasks", {{"name", "resize"}, {"queue", "mine"}}).status, 201);
    for (const char* order : {"/cancel", "/retry"})
        EXPECT_EQ(post_as(token, "/api/tasks/" + id + order).code(), "NOT_FOUND") << order;
    EXPECT_EQ(post_as(token, "/api/tasks/" + id + "/force", {{"state", "FAILED"}, {"reason", "x"}}).code(),
              "NOT_FOUND");
    EXPECT_EQ(post_as(token, "/api/queues/other/pause").code(), "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/queues/mine/pause").status, 200);
    EXPECT_EQ(post_as(token, "/api/jobs", {{"workflow", "each"}}).code(), "NOT_FOUND") << "its tasks go to default";
    EXPECT_EQ(post_as(token, "/api/jobs", {{"yaml", "steps: {nap: {wait: 1h}}"}}).code(), "FORBIDDEN")
        << "a job without tasks belongs to no queue";
    EXPECT_EQ(post_as(token, "/api/recovery/sweep").code(), "FORBIDDEN");
    EXPECT_EQ(post_as(token, "/api/schedules/nightly/run").code(), "NOT_FOUND");
    EXPECT_EQ(get_as(token, "/api/tasks/" + id).code(), "NOT_FOUND");
}

TEST_F(ApiAccess, AnAdministratorOfSomeQueuesRevokesNoTokens) {
    make_token("victim", Scope::Read);
    const std::string token = make_token("team", Scope::Admin, {"mine"});
    restart(api::Login::Always);
    const Sent revoke{
        .method = "DELETE", .target = "/api/tokens/victim", .headers = {{"authorization", "Bearer " + token}}};
    EXPECT_EQ(send(revoke).code(), "FORBIDDEN");
    EXPECT_FALSE(store->tokens().at(0).revoked_at || store->tokens().at(1).revoked_at);
}

TEST_F(ApiAccess, ATokenLimitedToQueuesSteersOnlyJobsWhoseStepsAreAllItsOwn) {
    const std::string job = post("/api/jobs", {{"workflow", "release"}, {"input", {{"day", "x"}}}}).body.at("id");
    const std::string some = make_token("some", Scope::Operate, {"default"});
    const std::string all = make_token("all", Scope::Operate, {"default", "shipping"});
    restart(api::Login::Always);
    for (const char* order : {"/pause", "/cancel", "/retry"})
        EXPECT_EQ(post_as(some, "/api/jobs/" + job + order).code(), "NOT_FOUND") << order;
    EXPECT_EQ(post_as(some, "/api/jobs/" + job + "/steps/ask/approve", {{"approve", true}}).code(), "NOT_FOUND");
    EXPECT_EQ(post_as(all, "/api/jobs/" + job + "/pause").status, 200);
}

TEST_F(ApiAccess, LoginGivesACookieThatOnlyTheServerReads) {
    const std::string token = make_token("alice", Scope::Operate);
    restart(api::Login::Always);
    const Answer plain = post("/api/session", {{"token", token}});
    EXPECT_EQ(plain.body.at("name"), "alice");
    EXPECT_THAT(plain.header("set-cookie"), HasSubstr("HttpOnly; SameSite=Strict"));
    EXPECT_THAT(plain.header("set-cookie"), Not(HasSubstr("Secure")));
    const Answer secure =
        send({.method = "POST", .target = "/api/session", .body = Value({{"token", token}}).dump(), .secure = true});
    EXPECT_THAT(secure.header("set-cookie"), HasSubstr("; Secure"));
    EXPECT_EQ(as_page(token, {.target = "/api/tasks"}).status, 200);
    EXPECT_THAT(del("/api/session").header("set-cookie"), HasSubstr("holdfast_session=; Path=/"));
}

TEST_F(ApiAccess, TheCookieIsASessionAndNotTheToken) {
    const std::string token = make_token("alice", Scope::Admin);
    restart(api::Login::Always);
    const std::string cookie = log_in(token);
    EXPECT_EQ(with_cookie(cookie, {.target = "/api/tasks"}).status, 200);
    EXPECT_EQ(with_cookie(token, {.target = "/api/tasks"}).code(), "BAD_TOKEN");
    EXPECT_EQ(get_as(cookie, "/api/tasks").code(), "BAD_TOKEN") << "it is no token either";
    const auto sessions = store->sessions();
    ASSERT_THAT(sessions, SizeIs(1));
    EXPECT_EQ(sessions[0].session.hash, api::hash_token_secret(cookie));
    EXPECT_EQ(sessions[0].token.token.name, "alice");
    EXPECT_THAT(get_as(token, "/api/sessions").text, Not(HasSubstr(sessions[0].session.hash)));
}

TEST_F(ApiAccess, ASessionEndsByLoggingOutByAnOrderWithItsTokenAndUnused) {
    const std::string token = make_token("alice", Scope::Admin);
    restart(api::Login::Always);
    const auto is_open = [&](const std::string& cookie) {
        restart(api::Login::Always);  // another server
        return with_cookie(cookie, {.target = "/api/tasks"}).status == 200;
    };
    const std::string left = log_in(token), ended = log_in(token), unused = log_in(token), last = log_in(token);
    (void)with_cookie(left, {.method = "DELETE", .target = "/api/session"});
    EXPECT_FALSE(is_open(left));

    const std::string id = with_cookie(ended, {.target = "/api/session"}).body.at("session");
    const auto end = [&] {
        return send(
            {.method = "DELETE", .target = "/api/sessions/" + id, .headers = {{"authorization", "Bearer " + token}}});
    };
    EXPECT_EQ(end().body.at("status"), "ended");
    EXPECT_EQ(end().code(), "NOT_FOUND");
    EXPECT_FALSE(is_open(ended));

    EXPECT_TRUE(is_open(unused));
    restart(api::Login::Always);  // the server has written when it was used
    database->raw()->execute("UPDATE session SET last_used_at = last_used_at - 43200000000 WHERE hash = '" +
                             api::hash_token_secret(unused) + "'");
    EXPECT_FALSE(is_open(unused));
    EXPECT_EQ(get_as(token, "/api/sessions").body.at("items").size(), 1U);

    EXPECT_TRUE(is_open(last));
    store->revoke_token("alice", "test");
    EXPECT_FALSE(is_open(last));
    EXPECT_THAT(store->sessions(), IsEmpty());
    EXPECT_THAT(kinds_of_events(), Contains("session_started").Times(4));
    EXPECT_THAT(kinds_of_events(), Contains("session_ended").Times(2));
}

/// The fastest of three rounds, because other programs may delay any of them.
TEST_P(ApiDoor, EveryServerRefusesARevokedTokenOrSessionWithinASecondAndEndsItsStreams) {
    make_token("boss", Scope::Admin);
    api::Api second(parts(api::Login::WhenTokensExist), random, log);
    restart(api::Login::WhenTokensExist);
    using Clock = std::chrono::steady_clock;
    auto fastest = Clock::duration::max();
    for (int round = 0; round < 3; ++round) {
        const std::string name = concat("team", round), token = make_token(name, Scope::Read);
        const auto header = post("/api/session", {{"token", token}}).header("set-cookie");
        const std::string cookie = header.substr(0, header.find(';'));
        std::vector<http::Request> requests;
        for (const auto& [key, value] : {std::pair{"authorization", "Bearer " + token}, std::pair{"cookie", cookie}})
            requests.push_back(request_of({.target = "/api/tasks", .headers = {{key, value}}}));
        const auto is_refused = [&](api::Api& server, const http::Request& request) {
            return std::get<http::Response>(server.handle(request)).status == 401;
        };
        std::vector<std::shared_ptr<http::StreamSource>> streams;
        for (api::Api* server : {api.get(), &second})
            for (auto request : requests) {
                ASSERT_FALSE(is_refused(*server, request));
                request.path = {"api", "events"};
                request.headers.emplace_back("accept", "text/event-stream");
                streams.push_back(std::get<http::EventStream>(server->handle(request)).source);
            }
        const auto began = Clock::now();
        store->revoke_token(name, "another process");
        const auto all_refuse = [&] {
            for (api::Api* server : {api.get(), &second})
                for (const auto& request : requests)
                    if (!is_refused(*server, request)) return false;
            return std::ranges::all_of(streams, [](const auto& stream) { return stream->ended(); });
        };
        crew::wait_until(all_refuse, "the end of what was revoked");
        fastest = std::min(fastest, Clock::now() - began);
    }
    RecordProperty("milliseconds",
                   static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(fastest).count()));
    std::cout << "refused by every server after " << std::chrono::duration<double>(fastest).count() << " s\n";
    EXPECT_LT(fastest, 1s);
}

TEST_F(ApiAccess, LoginsThatFailTooOftenAreHeldUpPerAddress) {
    restart(api::Login::Always);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(post("/api/session", {{"token", "x"}}).code(), "BAD_TOKEN");
    const Answer held_up = post("/api/session", {{"token", "x"}});
    EXPECT_EQ(held_up.status, 429);
    EXPECT_FALSE(held_up.header("retry-after").empty());
    const Answer other =
        send({.method = "POST", .target = "/api/session", .body = R"({"token": "x"})", .peer = "10.0.0.9"});
    EXPECT_EQ(other.status, 401) << "others are not";
}

TEST_F(ApiAccess, ARequestWithTheCookieThatChangesSomethingMustComeFromThePage) {
    const std::string token = make_token("alice", Scope::Admin);
    restart(api::Login::Always);
    const Sent pause{.method = "POST", .target = "/api/queues/default/pause"};
    EXPECT_EQ(as_page(token, pause).code(), "CROSS_SITE") << "without the header";
    Sent from_page = pause;
    from_page.headers = {{"x-holdfast", "page"}, {"origin", "http://127.0.0.1:7070"}};
    EXPECT_EQ(as_page(token, from_page).status, 200);
    from_page.headers["origin"] = "http://evil.example";
    EXPECT_EQ(as_page(token, from_page).code(), "CROSS_SITE");
    from_page.headers["origin"] = "http://127.0.0.1:7071";
    EXPECT_EQ(as_page(token, from_page).code(), "CROSS_SITE") << "another port is another site";
    from_page.headers["origin"] = "null";
    EXPECT_EQ(as_page(token, from_page).code(), "CROSS_SITE");
}

TEST_F(ApiAccess, WithoutATokenOtherSitesAndOtherNamesOfTheServerAreRefused) {
    const auto pause_from = [&](std::map<std::string, std::string> headers) {
        return send({.method = "POST", .target = "/api/queues/default/pause", .headers = std::move(headers)});
    };
    EXPECT_EQ(pause_from({{"host", "localhost:7070"}}).status, 200);
    EXPECT_EQ(pause_from({{"host", "[::1]:7070"}}).status, 200);
    EXPECT_EQ(pause_from({{"host", "rebound.example:7070"}}).code(), "CROSS_SITE") << "DNS rebinding";
    EXPECT_EQ(pause_from({{"host", "127.0.0.1.evil.example"}}).code(), "CROSS_SITE");
    EXPECT_EQ(pause_from({{"host", ""}}).code(), "CROSS_SITE");
    EXPECT_EQ(pause_from({{"origin", "http://evil.example"}}).code(), "CROSS_SITE");
    EXPECT_EQ(pause_from({{"sec-fetch-site", "cross-site"}}).code(), "CROSS_SITE");
    EXPECT_EQ(pause_from({{"sec-fetch-site", "same-origin"}, {"origin", "http://127.0.0.1:7070"}}).status, 200);
    EXPECT_EQ(send({.target = "/api/tasks", .headers = {{"host", "rebound.example"}}}).code(), "CROSS_SITE");
}

TEST_F(ApiAccess, ProbesNeedNoToken) {
    const std::string token = make_token("ops", Scope::Read);
    restart(api::Login::Always);
    EXPECT_EQ(get("/healthz").body, Value({{"status", "ok"}}));
    EXPECT_EQ(get("/readyz").body, Value({{"status", "ready"}})) << "the details are for those with a token";
    EXPECT_EQ(get_as(token, "/readyz").body, Value({{"status", "ready"}}))
        << "a probe does not ask the store who it is";
    api->look(*store);
    EXPECT_EQ(get_as(token, "/readyz").body.at("checks").at(0).at("name"), "store");
    EXPECT_EQ(as_page(token, {.target = "/readyz"}).body.at("checks").at(0).at("name"), "store");
    store->revoke_token("ops", "test");
    std::this_thread::sleep_for(3100ms);  // what is remembered of tokens is out of date by now
    (void)get_as(token, "/readyz");
    api->look(*store);
    EXPECT_EQ(get_as(token, "/readyz").body, Value({{"status", "ready"}}));
}

TEST_F(ApiAccess, ProbesAreAnsweredWhileTheStoreHangs) {
    const std::string token = make_token("ops", Scope::Read);
    auto hung = parts(api::Login::WhenTokensExist);
    std::promise<void> over;
    hung.open_store = [open = hung.open_store, end = over.get_future().share()] {
        end.wait();
        return open();
    };
    api = std::make_unique<api::Api>(std::move(hung), random, log);
    std::vector<std::future<int>> waiting;
    for (int i = 0; i < 6; ++i)
        waiting.push_back(std::async(std::launch::async, [&] { return from("/api/tasks", token); }));
    for (const std::string target : {"/healthz", "/readyz"}) {
        auto probe = std::async(std::launch::async, [&] { return from(target, token); });
        if (probe.wait_for(20s) != std::future_status::ready) ADD_FAILURE() << target << " waits for the store";
        EXPECT_EQ(waiting.front().wait_for(0s), std::future_status::timeout) << "the store does not hang";
    }
    over.set_value();
    for (auto& each : waiting) (void)each.get();
}

TEST_F(ApiAccess, MetricsNeedATokenOnceThereIsOneAlsoOnTheMachineItself) {
    EXPECT_EQ(get("/metrics").text, "holdfast_tasks 1\n");
    const std::string token = make_token("prometheus", Scope::Read);
    restart(api::Login::WhenTokensExist);
    EXPECT_EQ(get("/metrics").code(), "NO_TOKEN") << "a proxy on this machine has a loopback address as well";
    EXPECT_EQ(get_as(token, "/metrics").text, "holdfast_tasks 1\n");
}

/// Where other threads than the test's own wait until it lets them on.
struct Gate {
    std::mutex mutex = {};
    std::condition_variable opened = {};
    bool is_open = false;
    int waiting = 0;
    std::thread::id test = std::this_thread::get_id();

    void pass() {
        if (std::this_thread::get_id() == test) return;
        std::unique_lock lock(mutex);
        ++waiting;
        opened.notify_all();
        opened.wait(lock, [&] { return is_open; });
    }
    void wait_for_one() {
        std::unique_lock lock(mutex);
        opened.wait(lock, [&] { return waiting > 0; });
    }
    void open() {
        const std::lock_guard lock(mutex);
        is_open = true;
        opened.notify_all();
    }
};

TEST_F(ApiAccess, MetricsAreToldWhileTheStoreIsAwayToWhomTheyWereToldBefore) {
    const std::string token = make_token("prometheus", Scope::Read);
    (void)join_worker();
    auto made = parts(api::Login::WhenTokensExist);
    Gate gate;
    made.connections = 1;
    made.config = [this, &gate] {
        gate.pass();
        return config;
    };
    api = std::make_unique<api::Api>(std::move(made), random, log);
    EXPECT_EQ(get_as(token, "/metrics").status, 200);
    // The only connection is in use until the overview has been read.
    std::thread reader([&] { (void)get_as(token, "/api/overview"); });
    gate.wait_for_one();
    std::this_thread::sleep_for(3100ms);  // what is remembered of tokens is out of date by now
    EXPECT_EQ(get_as(token, "/metrics").text, "holdfast_tasks 1\n");
    EXPECT_EQ(get_as(api::make_token_secret(), "/metrics").code(), "STORE_UNAVAILABLE");
    gate.open();
    reader.join();
    api.reset();  // before the gate
}

TEST_F(ApiAccess, NobodyIsRememberedLongerThanTheTokenIsValid) {
    const std::string secret = make_token_until(store->now() + 3s);
    const auto request = request_of({.target = "/metrics", .headers = {{"authorization", "Bearer " + secret}}});
    api::StorePool stores(parts(api::Login::Always).open_store, 1);
    api::Access access(api::Login::Always, {}, stores);
    EXPECT_FALSE(access.recall(request, false)) << "it has not been seen yet";
    EXPECT_EQ(access.identify(request).name, "short-lived");
    EXPECT_TRUE(access.recall(request, false));
    std::this_thread::sleep_for(3s);
    EXPECT_FALSE(access.recall(request, false));
    EXPECT_FALSE(access.recall(request_of({.target = "/metrics"}), false)) << "a token is needed";
}

TEST_F(ApiAccess, ATokenThatIsNotKeptUpToDateIsTakenFromMemoryOnlyInAnOutage) {
    const std::string secret = make_token("ci", store::Scope::Read);
    const auto request = request_of({.target = "/metrics", .headers = {{"authorization", "Bearer " + secret}}});
    api::StorePool stores(parts(api::Login::Always).open_store, 1);
    api::Access access(api::Login::Always, {}, stores);
    EXPECT_EQ(access.identify(request).name, "ci");
    std::this_thread::sleep_for(600ms);  // longer than it is remembered
    EXPECT_TRUE(access.recall(request, true)) << "nothing newer can be known";
    ASSERT_TRUE(store->revoke_token("ci", "test"));
    access.forget();
    EXPECT_FALSE(access.recall(request, false)) << "from now on it is wanted";
    access.look(*store);
    EXPECT_FALSE(access.recall(request, true)) << "it is known to be revoked";
}

TEST_F(ApiAccess, ATokenOfMetricsIsKeptUpToDateOnceItWasWanted) {
    const std::string secret = make_token("ci", store::Scope::Read);
    const auto request = request_of({.target = "/metrics", .headers = {{"authorization", "Bearer " + secret}}});
    api::StorePool stores(parts(api::Login::Always).open_store, 1);
    api::Access access(api::Login::Always, {}, stores);
    EXPECT_EQ(access.identify(request).name, "ci");
    std::this_thread::sleep_for(600ms);
    EXPECT_FALSE(access.recall(request, false)) << "whether it is still valid is not known";
    access.look(*store);
    EXPECT_TRUE(access.recall(request, false));
    ASSERT_TRUE(store->revoke_token("ci", "test"));
    access.look(*store);
    EXPECT_FALSE(access.recall(request, false));
}

TEST_F(ApiAccess, TheUrlOfTheStoreIsForAdminsOfAllQueues) {
    const auto url_for = [&](const std::string& token) { return get_as(token, "/api/session").body.at("store"); };
    EXPECT_TRUE(url_for(make_token("reader", store::Scope::Operate)).is_null());
    EXPECT_TRUE(url_for(make_token("team", store::Scope::Admin, {"mail"})).is_null());
    EXPECT_EQ(url_for(make_token("boss", store::Scope::Admin)), store->describe());
    EXPECT_TRUE(get_as(make_token("other", store::Scope::Read), "/api/overview").body.at("store").is_null());
}

TEST_F(ApiAccess, ReadinessSaysWhatIsWrong) {
    auto broken = parts(api::Login::Never);
    broken.readiness = [] {
        return std::vector<api::Readiness>{
            {"schema", {.ok = false, .detail = "old", .failure = "db7 is 3 versions behind"}}};
    };
    api = std::make_unique<api::Api>(std::move(broken), random, log);
    const Answer answer = get("/readyz");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.body.at("status"), "not ready");
    EXPECT_EQ(answer.body.at("reason"), "schema: old") << "without what may name hosts and files";
    EXPECT_EQ(answer.body.at("checks").at(0).at("detail"), "old: db7 is 3 versions behind");
}

TEST_F(ApiAccess, AServerWhoseStreamsStandStillIsNotReady) {
    auto stuck = parts(api::Login::Never);
    Gate gate;
    stuck.live_patience = 100ms;
    stuck.open_store = [open = stuck.open_store, &gate] {
        gate.pass();
        return open();
    };
    api = std::make_unique<api::Api>(std::move(stuck), random, log);
    const auto becomes = [&](int status) {
        Answer answer;
        crew::wait_until([&] { return (answer = get("/readyz")).status == status; }, concat("status ", status));
        return answer;
    };
    const auto stream = send({.target = "/api/events", .headers = {{"accept", "text/event-stream"}}}).stream;
    (void)becomes(503);
    gate.open();
    EXPECT_EQ(becomes(200).body.at("checks").at(1).at("name"), "live");
    api.reset();  // before the gate
}

TEST_F(ApiAccess, TokensAreListedWithoutTheirSecretAndShowTheirLastUse) {
    const Answer made =
        post("/api/tokens", {{"name", "ci"}, {"scope", "submit"}, {"queues", {"a"}}, {"expires_in", "1h"}});
    const std::string admin = make_token("admin", Scope::Admin);
    EXPECT_THAT(made.body.at("token").get<std::string>(), testing::StartsWith("hf_"));
    EXPECT_EQ(made.body.at("created_by"), "local from 127.0.0.1 (api)");
    (void)get_as(made.body.at("token"), "/api/session");
    Value listed;
    const auto shows_last_use = [&] {
        listed = get_as(admin, "/api/tokens").body;
        return listed.dump().find("127.0.0.1\"") != std::string::npos;
    };
    crew::wait_until(shows_last_use, "the last use of the token");
    EXPECT_THAT(listed.dump(), Not(HasSubstr("hf_")));
    EXPECT_THAT(listed.dump(), HasSubstr("\"last_used_from\":\"127.0.0.1\""));
    EXPECT_EQ(post_as(admin, "/api/tokens", {{"name", "ci"}, {"scope", "read"}}).code(), "CONFLICT");
    EXPECT_EQ(post_as(admin, "/api/tokens", {{"name", "x"}, {"scope", "root"}}).code(), "BAD_PARAMETER");
    EXPECT_THAT(kinds_of_events(), Contains("token_created"));
}

TEST_F(ApiAccess, TheLastUseOfATokenIsNotedWhenTheServerStops) {
    const std::string token = make_token("ci", Scope::Read);
    const auto use_from = [&](const std::string& peer) {
        return send({.target = "/api/queues", .headers = {{"authorization", "Bearer " + token}}, .peer = peer})
            .status;
    };
    const auto last_used_from = [&] { return store->tokens().at(0).last_used_from; };
    EXPECT_EQ(use_from("10.0.0.1"), 200);
    crew::wait_until([&] { return !last_used_from().empty(); }, "the first use");
    EXPECT_EQ(last_used_from(), "10.0.0.1") << "the first one, soon";
    EXPECT_EQ(use_from("10.0.0.2"), 200);
    api.reset();
    EXPECT_EQ(last_used_from(), "10.0.0.2") << "the others at most half a minute later, and at the end";
}

TEST(ApiCrossSite, LoopbackHasManyNamesAndOthersHaveNone) {
    for (const char* host : {"localhost", "app.localhost", "127.0.0.1", "127.1.2.3", "::1"})
        EXPECT_TRUE(api::is_loopback(host)) << host;
    for (const char* host :
         {"", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil.example", "10.0.0.1", "::2"})
        EXPECT_FALSE(api::is_loopback(host)) << host;
    EXPECT_EQ(api::host_of("[::1]:7070"), "::1");
    EXPECT_EQ(api::host_of("Example.ORG:7070"), "example.org");
}

}  // namespace holdfast::api_test
