#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// `holdfast audit`, on the store and through a server.
class AuditCommand : public ServerTest {
protected:
    [[nodiscard]] std::vector<nlohmann::json> audit(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "audit");
        arguments.emplace_back("--json");
        const auto ran = holdfast(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.json_lines();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, AuditCommand, testing::ValuesIn(integration::store_kinds()), integration::name_of);

TEST_P(AuditCommand, ShowsOrdersOfCommandsAndSearchesThem) {
    ASSERT_EQ(holdfast({"keys", "set", "disk", "--queue", "mail", "--limit", "2"}).exit_code, 0);
    ASSERT_EQ(holdfast({"queues", "pause", "mail"}).exit_code, 0);
    const auto lines = audit({});
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_EQ(lines[0]["kind"], "queue_paused");
    EXPECT_THAT(lines[0]["from"].get<std::string>(), HasSubstr("cli on "));
    EXPECT_EQ(lines[1]["after"]["limit"], 2);
    EXPECT_THAT(audit({"--kind", "key_declared"}), SizeIs(1));
    EXPECT_THAT(audit({"--text", "DISK", "--queue", "mail", "--since", "1h"}), SizeIs(1));
    EXPECT_THAT(audit({"--until", "1h"}), IsEmpty());
    EXPECT_THAT(audit({"--after", lines[0]["id"].dump()}), SizeIs(1));
    EXPECT_THAT(holdfast({"audit"}).out,
                AllOf(HasSubstr("queue mail paused"), HasSubstr(R"({"paused":false} -> {"paused":true})")));
    EXPECT_THAT(holdfast({"audit", "--since", "yesterday"}).err, HasSubstr("--since"));
    EXPECT_THAT(holdfast({"audit", "--after", "x"}).err, HasSubstr("--after"));
}

TEST_P(AuditCommand, AsksAServerAndNamesTheTokenAndItsAddress) {
    const auto made = holdfast({"tokens", "create", "boss", "--scope", "admin", "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string boss = made.json()["token"];
    const auto server = serve();
    const auto ask = [&](std::vector<std::string> arguments) {
        RunParams params = command({});
        params.arguments = {"--server", server->url(), "--token", boss};
        params.arguments.insert(params.arguments.end(), arguments.begin(), arguments.end());
        return integration::run_program(params);
    };
    ASSERT_EQ(ask({"queues", "pause", "mail"}).exit_code, 0);
    const auto lines = ask({"audit", "--json", "--since", "1h", "--queue", "mail"}).json_lines();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0]["who"], "boss");
    EXPECT_EQ(lines[0]["from"], "127.0.0.1");
    EXPECT_THAT(ask({"audit", "--queue", "other"}).out, Not(HasSubstr("mail")));
}

TEST_P(AuditCommand, ContainsWhatWasRetriedSweptAndPrunedOnTheStore) {
    const auto task = holdfast({"submit", "work", "--json"}).json()["id"].get<std::string>();
    ASSERT_EQ(holdfast({"tasks", "cancel", task}).exit_code, 0);
    ASSERT_EQ(holdfast({"tasks", "retry", task}).exit_code, 0);
    ASSERT_EQ(holdfast({"recovery", "sweep"}).exit_code, 0);
    ASSERT_EQ(holdfast({"recovery", "prune", "--yes"}).exit_code, 0);
    ASSERT_EQ(holdfast({"recovery", "prune", "--dry-run"}).exit_code, 0);
    std::vector<std::string> kinds;
    for (const auto& line : audit({})) kinds.push_back(line["kind"]);
    EXPECT_EQ(kinds, (std::vector<std::string>{"pruned", "swept", "task_retried", "cancelled"}));
}

TEST_P(AuditCommand, AServerRefusesARevokedTokenAtItsMetricsToo) {
    (void)holdfast({"tokens", "create", "boss", "--scope", "admin"});
    const std::string token =
        holdfast({"tokens", "create", "prometheus", "--scope", "read", "--json"}).json()["token"];
    const auto server = serve();
    EXPECT_EQ(server->get("/metrics", token).status, 200);
    EXPECT_EQ(server->get("/metrics", token).status, 200) << "from memory";
    ASSERT_EQ(holdfast({"tokens", "revoke", "prometheus"}).exit_code, 0);
    wait_until([&] { return server->get("/metrics", token).status == 401; }, "its refusal");
}

}  // namespace
}  // namespace holdfast::server_test
