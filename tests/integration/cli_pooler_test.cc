#ifdef HOLDFAST_WITH_POSTGRES

#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <signal.h>

#include "integration/place.h"
#include "store_contract/own_pooler.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The program behind a PgBouncer that nobody has told it about.
class CliPooler : public ProgramTest, public testing::WithParamInterface<const char*> {
protected:
    CliPooler() : ProgramTest(StoreKind::Postgres) {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> direct(PQconnectdb(place->url().c_str()), PQfinish);
        pooler = std::make_unique<contract::OwnPooler>(
            concat("host=", PQhost(direct.get()), " port=", PQport(direct.get())), GetParam());
        url = pooler->url(PQdb(direct.get()));
    }
    [[nodiscard]] RunParams behind(std::vector<std::string> arguments) const {
        RunParams line = command(std::move(arguments));
        line.environment["HOLDFAST_STORE"] = url;
        return line;
    }

    std::unique_ptr<contract::OwnPooler> pooler;
    std::string url;
};
INSTANTIATE_TEST_SUITE_P(Modes, CliPooler, testing::Values("transaction", "session"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(CliPooler, AWorkerAServerAndCommandsWorkThroughIt) {
    folder.write("holdfast.yaml", "tasks:\n  greet: {script: 'echo \"$HOLDFAST_ARGS\" > \"$HOLDFAST_RESULT\"'}\n");
    ASSERT_EQ(run_program(behind({"migrate"})).exit_code, 0);
    const RunningProgram worker(behind({"worker"}));
    RunningProgram server(behind({"server", "--port", "0"}));
    std::string address;
    while (address.empty()) {
        const std::string line = server.read_line();
        if (const auto at = line.find("http://"); at != std::string::npos)
            address = line.substr(at, line.find_first_of(" \"", at) - at);
    }
    for (int round = 0; round < 5; ++round) {
        const Ran waited =
            run_program(behind({"submit", "greet", "--args", "{\"n\": 1}", "--wait", "--timeout", "60s"}));
        EXPECT_EQ(waited.exit_code, 0) << waited.out << waited.err;
        RunParams through_server =
            command({"submit", "greet", "--args", "{\"n\": 2}", "--wait", "--timeout", "60s", "--server", address});
        through_server.environment.erase("HOLDFAST_STORE");
        const Ran served = run_program(through_server);
        EXPECT_EQ(served.exit_code, 0) << served.out << served.err;
    }
    const Ran listed = run_program(behind({"tasks", "list", "--json"}));
    EXPECT_EQ(listed.json_lines().size(), 10U) << listed.err;
    const Ran doctor = run_program(behind({"doctor"}));
    EXPECT_THAT(doctor.out, HasSubstr("through a pooler"));
}

using CliStatementPooler = CliPooler;
INSTANTIATE_TEST_SUITE_P(Modes, CliStatementPooler, testing::Values("statement"));

TEST_P(CliStatementPooler, IsRefusedInOneSentenceWithTheSettingToChange) {
    for (const char* word : {"worker", "server", "migrate"}) {
        const Ran ran = run_program(behind({word}));
        EXPECT_EQ(ran.exit_code, 3) << word;
        EXPECT_THAT(ran.err, AllOf(HasSubstr("pool_mode = statement"), HasSubstr("set pool_mode = transaction")));
    }
}

}  // namespace
}  // namespace holdfast::integration

#endif
