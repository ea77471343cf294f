#include <signal.h>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// The commands about tokens, through a server that asks for one itself.
class TokensThroughAServer : public ServerTest {
protected:
    void SetUp() override {
        const auto made = holdfast({"tokens", "create", "boss", "--scope", "admin", "--json"});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        boss = made.json()["token"];
        folder.write("holdfast.yaml", "log: { level: debug }\n");
        server = serve();
    }
    [[nodiscard]] integration::Ran ask(std::vector<std::string> arguments, const std::string& token) {
        RunParams params = command({});
        params.arguments = {"--server", server->url(), "--token", token};
        params.arguments.insert(params.arguments.end(), arguments.begin(), arguments.end());
        return integration::run_program(params);
    }
    [[nodiscard]] integration::Ran ask(std::vector<std::string> arguments) { return ask(std::move(arguments), boss); }

    std::string boss;
    std::unique_ptr<ServingProgram> server;
};
INSTANTIATE_TEST_SUITE_P(Stores, TokensThroughAServer, testing::ValuesIn(integration::store_kinds()),
                         integration::name_of);

TEST_P(TokensThroughAServer, AreMadeListedAndRevoked) {
    const auto made = ask({"tokens", "create", "ann", "--scope", "read", "--queue", "mail", "--expires", "90d"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(ContainsRegex("hf_[A-Za-z0-9_-]{43}\n"), HasSubstr("token ann (read) is made")));
    const std::string secret = made.out.substr(made.out.find("hf_"), 46);
    EXPECT_EQ(server->get_json("/api/session", secret)["name"], "ann");
    const auto record = store().tokens().front();
    EXPECT_EQ(record.token.queues, std::vector<std::string>{"mail"});
    EXPECT_TRUE(record.token.expires_at.has_value());
    EXPECT_THAT(record.token.who, HasSubstr("boss from 127.0.0.1"));

    EXPECT_THAT(ask({"tokens", "list"}).out,
                AllOf(HasSubstr("ann"), HasSubstr("boss"), HasSubstr("mail"), Not(HasSubstr(secret.substr(3)))));
    EXPECT_THAT(ask({"tokens", "list", "--json"}).json_lines(), SizeIs(2));

    const auto again = ask({"tokens", "create", "ann", "--scope", "read"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.err, HasSubstr("token named ann already"));

    EXPECT_EQ(ask({"tokens", "revoke", "ann"}).exit_code, 0);
    EXPECT_EQ(server->get("/api/session", secret).status, 401);
    EXPECT_EQ(ask({"tokens", "revoke", "ann"}).exit_code, 1);
}

TEST_P(TokensThroughAServer, AreForAdmins) {
    const auto made = ask({"tokens", "create", "ops", "--scope", "operate", "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"tokens", "list"}, {"tokens", "create", "eve", "--scope", "admin"}, {"tokens", "revoke", "boss"}}) {
        const auto refused = ask(arguments, made.json()["token"]);
        EXPECT_NE(refused.exit_code, 0);
        EXPECT_THAT(refused.err, HasSubstr("needs the scope admin; ops has the scope operate"));
    }
    EXPECT_THAT(store().tokens(), SizeIs(2));
}

TEST_P(TokensThroughAServer, NameWhoAskedInTheLogOfRequests) {
    EXPECT_EQ(server->get("/api/queues", boss).status, 200);
    EXPECT_EQ(server->get("/api/queues").status, 401);
    EXPECT_EQ(server->get("/healthz").status, 200);
    EXPECT_EQ(server->get("/api/session", boss).status, 200);
    const auto ran = server->stop(SIGTERM);
    const auto line_of = [&](const std::string& path, const std::string& status) {
        for (const std::string& line : integration::Ran{.exit_code = 0, .out = ran.err, .err = {}}.lines())
            if (line.find(path) != std::string::npos && line.find("status=" + status) != std::string::npos)
                return line;
        return std::string();
    };
    EXPECT_THAT(line_of("path=/api/queues", "200"), AllOf(HasSubstr("who=boss"), HasSubstr("from=127.0.0.1")));
    EXPECT_THAT(line_of("path=/api/queues", "401"), HasSubstr("who=nobody"));
    EXPECT_THAT(line_of("path=/healthz", "200"), HasSubstr("who=nobody"));
    EXPECT_THAT(line_of("path=/api/session", "200"), HasSubstr("who=boss"));
    EXPECT_THAT(ran.err, Not(HasSubstr(boss.substr(3)))) << "the log tells no secret";
}

}  // namespace
}  // namespace holdfast::server_test
