#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

using Names = std::set<std::string>;

std::string content_of(const std::string& file) {
    std::ifstream in(std::string(HOLDFAST_SOURCE_DIR "/") + file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Metrics by the names of their families: a histogram's series have longer ones.
std::string family_of(const std::string& name) {
    static const std::regex series("_(bucket|sum|count)$");
    return std::regex_replace(name, series, "");
}

Names names_in(const std::string& text) {
    static const std::regex name("holdfast_[a-z_]*[a-z]");
    Names names;
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
        names.insert(family_of(at->str()));
    return names;
}

/// The families that an answer has samples of; every line must be one of the format.
Names families_in(const std::string& text) {
    static const std::regex comment(R"(# (HELP|TYPE) [a-z_]+ .*)");
    static const std::regex sample(
        R"(([a-z_]+)(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? (-?[0-9.e+-]+|NaN|\+Inf))");
    Names families;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, sample))
            families.insert(family_of(match[1]));
        else
            EXPECT_TRUE(std::regex_match(line, comment)) << line;
    }
    return families;
}

class Metrics : public ServerTest {
protected:
    /// After a task has ended, and everything has been read of it.
    [[nodiscard]] std::string metrics_after_a_task(const ServingProgram& server) {
        wait_until([&] { return has(server, "holdfast_claims_total"); }, "a first look at the history");
        integration::StandInWorker worker(store(), {"task:greet"});
        (void)submit({"greet", "--queue", "default"});
        worker.complete(worker.take(), "1");
        wait_until([&] { return has(server, R"(holdfast_tasks_ended_total{name="greet")"); },
                   "the task to be counted");
        return server.get("/metrics").body;
    }
    [[nodiscard]] static bool has(const ServingProgram& server, const std::string& text) {
        return server.get("/metrics").body.find(text) != std::string::npos;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Metrics, testing::ValuesIn(integration::store_kinds()), integration::name_of);

TEST_P(Metrics, OfEverythingThatAlertsAndTheDashboardNameAreThereAndDocumented) {
    const auto server = serve();
    wait_until([&] { return has(*server, "holdfast_sweep_last_run_age_seconds"); }, "a pass of every service");
    const std::string text = metrics_after_a_task(*server);
    const Names exported = families_in(text);
    const Names used = [] {
        Names names = names_in(content_of("packaging/prometheus/holdfast.rules.yml"));
        names.merge(names_in(content_of("packaging/grafana/holdfast.json")));
        return names;
    }();
    EXPECT_THAT(exported, IsSupersetOf(used));
    EXPECT_THAT(names_in(content_of("docs/metrics.md")), IsSupersetOf(exported));
}

TEST_P(Metrics, CountWhatATaskDid) {
    const auto server = serve();
    const std::string text = metrics_after_a_task(*server);
    EXPECT_THAT(text, AllOf(HasSubstr(R"(holdfast_tasks{state="COMPLETED"} 1)"), HasSubstr("holdfast_claims_total 1"),
                            HasSubstr(R"(holdfast_task_run_seconds_count{queue="default"} 1)"),
                            HasSubstr(R"(holdfast_task_wait_seconds_count{queue="default"} 1)"),
                            HasSubstr("holdfast_store_up 1")));
}

TEST_P(Metrics, TellHowRequestsWereAnswered) {
    const auto server = serve();
    EXPECT_EQ(server->get("/api/tasks/01a1dd19-f0fa-79a5-bc3e-91814abe8999").status, 404);
    EXPECT_EQ(server->get("/api/no-such-thing").status, 404);
    const std::string text = server->get("/metrics").body;
    EXPECT_THAT(text, AllOf(HasSubstr(R"(method="GET",route="/api/tasks/{id}",status="4xx"} 1)"),
                            HasSubstr(R"(route="unknown",status="4xx"} 1)"), Not(HasSubstr("no-such-thing"))));
}

TEST(Dashboard, IsJsonThatGrafanaLoads) {
    const auto board = nlohmann::json::parse(content_of("packaging/grafana/holdfast.json"));
    EXPECT_EQ(board["uid"], "holdfast");
    EXPECT_GE(board["schemaVersion"], 30);
    std::set<int> ids;
    for (const auto& panel : board["panels"]) {
        EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["title"];
        const auto& place = panel["gridPos"];
        EXPECT_LE(place["x"].get<int>() + place["w"].get<int>(), 24) << panel["title"];
        EXPECT_FALSE(panel["targets"].empty()) << panel["title"];
        for (const auto& target : panel["targets"]) EXPECT_FALSE(target["expr"].get<std::string>().empty());
    }
}

}  // namespace
}  // namespace holdfast::server_test
