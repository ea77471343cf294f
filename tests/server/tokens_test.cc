#include <signal.h>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Tokens : public ServerTest {
protected:
    [[nodiscard]] nlohmann::json create(std::vector<std::string> options) {
        std::vector<std::string> arguments = {"tokens", "create", "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto ran = holdfast(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.json();
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Tokens, testing::ValuesIn(integration::store_kinds()), integration::name_of);

TEST_P(Tokens, AreShownOnceAndNeverAgain) {
    const auto made = holdfast({"tokens", "create", "ann", "--scope", "operate"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(ContainsRegex("hf_[A-Za-z0-9_-]{43}\n"), HasSubstr("only time")));
    const std::string secret = made.out.substr(made.out.find("hf_"), 46);
    for (const auto& listed : {holdfast({"tokens", "list"}), holdfast({"tokens", "list", "--json"})})
        EXPECT_THAT(listed.out, AllOf(HasSubstr("ann"), HasSubstr("operate"), Not(HasSubstr(secret.substr(3)))));
    const auto token = store().tokens().front().token;
    EXPECT_THAT(token.hash, AllOf(SizeIs(64), Not(HasSubstr(secret.substr(3)))));
}

TEST_P(Tokens, OpenTheServerToWhomTheyNameUntilTheyAreRevoked) {
    const auto made = create({"ann", "--scope", "read"});
    const auto server = serve();
    EXPECT_EQ(server->get("/api/session").status, 401);
    EXPECT_EQ(server->get_json("/api/session", made["token"])["name"], "ann");
    wait_until(
        [&] {
            (void)server->get("/api/session", made["token"]);
            return store().tokens().front().last_used_at.has_value();
        },
        "a note of its use");
    EXPECT_EQ(holdfast({"tokens", "revoke", "ann"}).exit_code, 0);
    wait_until([&] { return server->get("/api/session", made["token"]).status == 401; }, "its refusal");
}

TEST_P(Tokens, KeepEveryServerShutOnceOneHasExistedAndSayHowToGetBackIn) {
    const auto first = serve(), second = serve();
    EXPECT_EQ(first->get("/api/tasks").status, 200);
    EXPECT_EQ(second->get("/api/tasks").status, 200);
    (void)create({"ann", "--scope", "read"});
    for (const auto* server : {first.get(), second.get()})
        wait_until([&] { return server->get("/api/tasks").status == 401; }, "the door to shut");
    const auto revoked = holdfast({"tokens", "revoke", "ann"});
    const std::string way_back = "'holdfast tokens create NAME --scope admin', run directly on the store";
    EXPECT_THAT(revoked.err, HasSubstr(way_back));
    EXPECT_THAT(holdfast({"tokens", "list"}).err, HasSubstr(way_back));
    EXPECT_THAT(holdfast({"doctor"}).out, HasSubstr("'holdfast tokens create NAME --scope admin'"));
    store::PruneParams everything;
    everything.terminal_older_than = Duration::zero();
    store().prune(everything);
    const auto third = serve();
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(5);  // longer than anything is remembered
    while (std::chrono::steady_clock::now() < until) {
        for (const auto* server : {first.get(), second.get(), third.get()})
            ASSERT_EQ(server->get("/api/tasks").status, 401);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // below the limit of requests a second
    }
    const auto made = create({"ops", "--scope", "admin"});
    for (const auto* server : {first.get(), second.get(), third.get()})
        EXPECT_EQ(server->get("/api/tasks", made["token"]).status, 200);
    EXPECT_THAT(third->stop(SIGTERM).err, HasSubstr(way_back));
}

TEST_P(Tokens, AreLimitedToQueuesAndToATime) {
    const auto made =
        create({"mailer", "--scope", "submit", "--queue", "mail", "--queue", "news", "--expires", "90d"});
    EXPECT_EQ(made["queues"], nlohmann::json({"mail", "news"}));
    const auto record = store().tokens().front();
    ASSERT_TRUE(record.token.expires_at.has_value());
    EXPECT_NEAR(std::chrono::duration<double>(*record.token.expires_at - record.created_at).count(), 90 * 86400.0,
                60);
    EXPECT_EQ(record.token.queues, (std::vector<std::string>{"mail", "news"}));
}

TEST_P(Tokens, HaveNamesOfTheirOwn) {
    (void)create({"ann", "--scope", "read"});
    const auto again = holdfast({"tokens", "create", "ann", "--scope", "admin"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, AllOf(HasSubstr("token named ann already"), HasSubstr("tokens revoke ann")));
    ASSERT_EQ(holdfast({"tokens", "revoke", "ann"}).exit_code, 0);
    (void)create({"ann", "--scope", "admin"});
}

TEST_P(Tokens, AreRevokedByTheirIdAsWellAndOnlyOnce) {
    const auto made = create({"ann", "--scope", "read"});
    EXPECT_EQ(holdfast({"tokens", "revoke", made["id"]}).exit_code, 0);
    const auto again = holdfast({"tokens", "revoke", made["id"]});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, HasSubstr("no valid token"));
}

TEST_P(Tokens, NeedAScopeThatThereIs) {
    EXPECT_EQ(holdfast({"tokens", "create", "ann"}).exit_code, 2);
    const auto wrong = holdfast({"tokens", "create", "ann", "--scope", "root"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, AllOf(HasSubstr("--scope"), HasSubstr("operate")));
}

}  // namespace
}  // namespace holdfast::server_test
