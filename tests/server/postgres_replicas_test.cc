#include <libpq-fe.h>
#include <signal.h>

#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

using testing::SizeIs;

class Replicas : public ServerTest {
protected:
    void execute(const std::string& sql) const {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(place->url().c_str()), PQfinish);
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
        ASSERT_EQ(PQresultStatus(result.get()), PGRES_COMMAND_OK) << PQerrorMessage(connection.get());
    }
    [[nodiscard]] std::string sweeper() { return store().sweep_lease("a test", Duration::zero()).holder; }
    [[nodiscard]] std::optional<store::Replica> replica_at(const std::string& url) {
        for (const auto& record : store().replicas())
            if (record.replica.address == url) return record.replica;
        return std::nullopt;
    }
    [[nodiscard]] bool sweeps(const ServingProgram& server) {
        const auto replica = replica_at(server.url());
        return replica && sweeper().find(replica->id.to_string()) != std::string::npos;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Replicas, testing::Values(StoreKind::Postgres), integration::name_of);

TEST_P(Replicas, GoOnWithoutOneThatWasKilledAndForgetItAfterAnHour) {
    auto first = serve();
    const auto second = serve();
    wait_until([&] { return store().replicas().size() == 2 && !sweeper().empty(); }, "both servers");
    EXPECT_EQ(first->get_json("/api/replicas")["items"].size(), 2);
    // The server that sweeps is killed without a notice to the other.
    const bool first_sweeps = sweeps(*first);
    ServingProgram& victim = first_sweeps ? *first : *second;
    ServingProgram& other = first_sweeps ? *second : *first;
    const std::string dead = victim.url();
    victim.program().send(SIGKILL);
    wait_until([&] { return sweeps(other); }, "the other one to sweep");
    EXPECT_EQ(other.get("/api/overview").status, 200);
    EXPECT_TRUE(replica_at(dead).has_value()) << "its row is how people see that it is missing";

    execute("UPDATE holdfast.replica SET last_heartbeat = last_heartbeat - interval '2 hours' WHERE address = '" +
            dead + "'");
    wait_until([&] { return !replica_at(dead).has_value(); }, "its row to be forgotten");
    EXPECT_TRUE(replica_at(other.url()).has_value());
}

TEST_P(Replicas, BothActOnCertainEvidence) {
    const auto first = serve();
    const auto second = serve();
    wait_until([&] { return first->get("/readyz").status == 200 && second->get("/readyz").status == 200; },
               "both loops");
    for (const auto* server : {first.get(), second.get()}) {
        wait_until(
            [&] {
                return server->get("/metrics").body.find(R"(holdfast_sweep_seconds_count{service="liveness"})") !=
                       std::string::npos;
            },
            "looks at the workers");
    }
    EXPECT_THAT(store().replicas(), SizeIs(2));
}

TEST_P(Replicas, OneThatLeavesHandsTheSweepingOverAtOnce) {
    auto first = serve();
    const auto second = serve();
    wait_until([&] { return store().replicas().size() == 2 && !sweeper().empty(); }, "both servers");
    const bool first_sweeps = sweeps(*first);
    ServingProgram& leaver = first_sweeps ? *first : *second;
    ServingProgram& other = first_sweeps ? *second : *first;
    EXPECT_EQ(leaver.stop(SIGTERM).exit_code, 0);
    wait_until([&] { return sweeps(other); }, "the other one to sweep");
    EXPECT_THAT(store().replicas(), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::server_test
