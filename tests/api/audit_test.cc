#include "views/audit.h"
#include "store/relay_store.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {
namespace {

/// The audit as the API answers it.
class ApiAudit : public ApiOnEveryStore {
protected:
    std::vector<std::string> kinds(const std::string& query = "") {
        std::vector<std::string> kinds;
        const Value lines = get("/api/audit" + query).body.at("items");
        for (const Value& line : lines) kinds.push_back(line.at("kind"));
        return kinds;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, ApiAudit, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& kind) { return contract::to_text(kind.param); });

TEST_P(ApiAudit, SaysWhoGaveAnOrderFromWhereAndWhatItChanged) {
    const std::string boss = make_token("boss", store::Scope::Admin);
    const auto answer = send({.method = "POST",
                              .target = "/api/queues/mail/pause",
                              .headers = {{"authorization", "Bearer " + boss}},
                              .peer = "10.0.0.7"});
    ASSERT_EQ(answer.status, 200);
    const Value line = get_as(boss, "/api/audit").body.at("items").at(0);
    EXPECT_EQ(line.at("who"), "boss");
    EXPECT_EQ(line.at("from"), "10.0.0.7");
    EXPECT_EQ(line.at("kind"), "queue_paused");
    EXPECT_EQ(line.at("queue"), "mail");
    EXPECT_EQ(line.at("before"), Value({{"paused", false}}));
    EXPECT_EQ(line.at("after"), Value({{"paused", true}}));
    EXPECT_TRUE(line.at("task").is_null());
}

TEST_P(ApiAudit, NamesThePageForASession) {
    const std::string boss = make_token("boss", store::Scope::Admin);
    const auto login = send({.method = "POST",
                             .target = "/api/session",
                             .body = Value({{"token", boss}}).dump(),
                             .headers = {{"x-holdfast", "page"}}});
    ASSERT_EQ(login.status, 200);
    const std::string cookie = login.header("set-cookie");
    const auto paused = send({.method = "POST",
                              .target = "/api/queues/mail/pause",
                              .headers = {{"cookie", cookie.substr(0, cookie.find(';'))}, {"x-holdfast", "page"}}});
    ASSERT_EQ(paused.status, 200);
    const Value line = get_as(boss, "/api/audit?kind=queue_paused").body.at("items").at(0);
    EXPECT_EQ(line.at("who"), "boss");
    EXPECT_EQ(line.at("from"), "127.0.0.1 (page)");
}

TEST_P(ApiAudit, IsFilteredByWhoWhatOnWhatAndWhen) {
    const std::string task = submit();
    ASSERT_EQ(post("/api/tasks/" + task + "/cancel", {{"reason", "Too LATE"}}).status, 200);
    store->set_queue_paused("mail", true, "ann@web-1 (cli)");
    store->set_queue_paused("mail", false, "ann@web-1 (cli)");
    EXPECT_THAT(kinds(), ElementsAre("queue_resumed", "queue_paused", "cancelled"));
    EXPECT_THAT(kinds("?who=WEB-1"), ElementsAre("queue_resumed", "queue_paused"));
    EXPECT_THAT(kinds("?who=local"), ElementsAre("cancelled"));
    EXPECT_THAT(kinds("?kind=queue_paused"), ElementsAre("queue_paused"));
    EXPECT_THAT(kinds("?queue=default"), ElementsAre("cancelled"));
    EXPECT_THAT(kinds("?task=" + task), ElementsAre("cancelled"));
    EXPECT_THAT(kinds("?text=too late"), ElementsAre("cancelled"));
    EXPECT_THAT(kinds("?text=\"paused\":true"), Contains("queue_paused"));
    EXPECT_THAT(kinds("?since=2199-01-01T00:00:00Z"), IsEmpty());
    EXPECT_THAT(kinds("?until=2020-01-01T00:00:00Z"), IsEmpty());
    EXPECT_THAT(kinds("?since=2020-01-01T00:00:00Z&until=2199-01-01T00:00:00Z"), SizeIs(3));
    EXPECT_THAT(kinds("?task=0198c0de-0000-7000-8000-000000000001"), IsEmpty()) << "it may have been pruned";
    EXPECT_EQ(get("/api/audit?since=yesterday").code(), "BAD_PARAMETER");
    EXPECT_EQ(get("/api/audit?worker=nobody").code(), "NOT_FOUND");
}

TEST_P(ApiAudit, IsReadPageByPage) {
    for (int i = 0; i < 5; ++i) store->set_queue_paused("mail", i % 2 == 0, "ann");
    const Value first = get("/api/audit?limit=2").body;
    ASSERT_EQ(first.at("items").size(), 2U);
    const std::string after = std::to_string(first.at("next").get<std::int64_t>());
    const Value second = get("/api/audit?limit=3&after=" + after).body;
    EXPECT_EQ(second.at("items").size(), 3U);
    EXPECT_TRUE(second.at("next").is_null());
    EXPECT_LT(second.at("items").at(0).at("id"), first.at("items").at(1).at("id"));
}

TEST_P(ApiAudit, ContainsEachOrderThatAHandlerRecordsItself) {
    const std::string task = submit();
    complete_all();
    ASSERT_EQ(post("/api/tasks/" + task + "/retry").status, 201);
    ASSERT_EQ(post("/api/recovery/sweep").status, 200);
    ASSERT_EQ(post("/api/recovery/prune", {{"clock_is_right", true}}).status, 200);
    EXPECT_THAT(kinds(), ElementsAre("pruned", "swept", "task_retried"));
    EXPECT_EQ(get("/api/audit?kind=pruned").body.at("items").at(0).at("after").at("tasks"), 0);
}

TEST_P(ApiAudit, OfALimitedTokenContainsItsQueuesOnly) {
    const std::string team = make_token("team", store::Scope::Read, {"mail"});
    store->set_queue_paused("mail", true, "ann");
    store->set_queue_paused("secret", true, "ann");
    const Value lines = get_as(team, "/api/audit").body.at("items");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines.at(0).at("queue"), "mail");
    EXPECT_EQ(get_as(team, "/api/audit?queue=secret").body.at("items").size(), 0U);
}

/// A store whose audit has no end.
class EndlessAudit : public store::RelayStore<EndlessAudit> {
public:
    explicit EndlessAudit(store::Store& store) : store_(store) {}
    std::vector<store::EventRecord> orders(const store::OrdersParams& params) override {
        std::vector<store::EventRecord> page(params.limit);
        std::int64_t id = params.before.value_or(1'000'000);
        for (auto& order : page) order.id = --id;
        looked_at += page.size();
        return page;
    }
    template <typename Call>
    auto relay(const char*, store::Effect, const Call& call) {
        return call(store_);
    }
    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_.watch(topic); }
    [[nodiscard]] std::int64_t rank() const override { return store_.rank(); }
    [[nodiscard]] std::string describe() const override { return store_.describe(); }

    std::size_t looked_at = 0;

private:
    store::Store& store_;
};

TEST_P(ApiAudit, IsSearchedInBoundedSteps) {
    EndlessAudit endless(*store);
    const auto page = views::search_audit(endless, {.who = "nobody"}, std::nullopt, 50);
    EXPECT_THAT(page.lines, IsEmpty());
    EXPECT_EQ(endless.looked_at, views::most_audit_lines);
    EXPECT_EQ(page.next, 1'000'000 - static_cast<std::int64_t>(views::most_audit_lines));
}

}  // namespace
}  // namespace holdfast::api_test
