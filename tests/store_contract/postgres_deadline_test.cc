#include <arpa/inet.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/descriptor.h"
#include "store/postgres/lane.h"
#include "store_contract/postgres_own_server.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using postgres::Connection;
using postgres::ConnectParams;
using postgres::Lane;
using postgres::Patience;
using testing::AllOf;

/// One server for all tests, which each leave it as it was.
class PostgresDeadlines : public testing::Test {
protected:
    static void SetUpTestSuite() { server = std::make_unique<OwnServer>(); }
    static void TearDownTestSuite() { server.reset(); }
    void TearDown() override {
        server->thaw();
        server->set("synchronous_standby_names", "");
    }

    static constexpr Patience short_patience{500ms, 500ms, 1s};
    [[nodiscard]] static ConnectParams params(const Patience& patience = short_patience) {
        return {.url = server->url(), .purpose = "a test", .patience = patience};
    }
    /// What the call threw, with its exact class.
    struct Thrown {
        std::string kind, message;
    };
    template <typename Call>
    [[nodiscard]] static Thrown thrown_by(const Call& call) {
        try {
            call();
        } catch (const store::CommitInDoubt& doubt) {
            return {"in doubt", doubt.what()};
        } catch (const store::Unavailable& unavailable) {
            return {"unavailable", unavailable.what()};
        } catch (const store::Unusable& unusable) {
            return {"unusable", unusable.what()};
        }
        return {"nothing", ""};
    }
    /// From now on commits wait for a standby that does not exist.
    static void lose_standby() {
        server->set("synchronous_standby_names", "nobody");
        Lane lane(params(), nullptr);
        // The server's checkpointer hears of it in its own time.
        await(
            [&] {
                return thrown_by([&] { lane.write("SELECT pg_logical_emit_message(true, 'x', '')"); }).kind ==
                       "in doubt";
            },
            "commits to wait");
        (void)lane.read("SELECT");
    }
    [[nodiscard]] static std::string setting(Lane& lane, const std::string& name) {
        return lane.read("SELECT current_setting($1)", name)[0].string(0);
    }

    static inline std::unique_ptr<OwnServer> server;
};

TEST_F(PostgresDeadlines, AFrozenServerIsGivenUpByReadsAndLeavesWritesInDoubt) {
    Lane lane(params(), nullptr);
    lane.write("CREATE TABLE IF NOT EXISTS frozen (i int)");
    server->freeze();
    const auto write = thrown_by([&] { lane.write("INSERT INTO frozen VALUES (1)"); });
    EXPECT_EQ(write.kind, "in doubt");
    EXPECT_THAT(write.message, HasSubstr("did not answer within 500ms"));
    server->thaw();
    while (thrown_by([&] { (void)lane.read("SELECT"); }).kind != "nothing") continue;
    server->freeze();
    const auto read = thrown_by([&] { (void)lane.read("SELECT"); });
    EXPECT_EQ(read.kind, "unavailable");
    EXPECT_THAT(read.message, HasSubstr("did not answer within 500ms")) << "it is not asked again";
    const auto transaction =
        thrown_by([&] { lane.transact([](auto& tx) { return tx.run("SELECT 1")[0].small(0); }); });
    EXPECT_EQ(transaction.kind, "unavailable") << "nothing was committed yet";
}

TEST_F(PostgresDeadlines, ScriptsAndLargeWritesDoNotHangEither) {
    Connection scripts(params());
    Lane lane(params(), nullptr);
    scripts.ensure_open();
    (void)lane.read("SELECT");
    server->freeze();
    scripts.begin_call();
    EXPECT_THROW(scripts.run_script("SELECT 1"), postgres::ConnectionLost);
    EXPECT_FALSE(scripts.is_open());
    const std::string large(64 << 20, 'x');
    EXPECT_EQ(thrown_by([&] { lane.write("SELECT length($1)", large); }).kind, "in doubt");
}

TEST_F(PostgresDeadlines, AConnectThatIsNotAnsweredEnds) {
    Lane lane(params(), nullptr);
    server->freeze();
    const auto read = thrown_by([&] { (void)lane.read("SELECT"); });
    EXPECT_EQ(read.kind, "unavailable");
    EXPECT_THAT(read.message, AllOf(HasSubstr("cannot connect"), HasSubstr("did not answer within 1s")));
}

TEST_F(PostgresDeadlines, AStatementThatTakesTooLongIsEndedByTheServerAndChangesNothing) {
    Lane lane(params(), nullptr);
    const int backend = lane.read("SELECT pg_backend_pid()")[0].small(0);
    const auto slow = thrown_by([&] { lane.write("SELECT pg_sleep(60)"); });
    EXPECT_EQ(slow.kind, "unavailable");
    EXPECT_THAT(slow.message, HasSubstr("57014"));
    EXPECT_EQ(lane.read("SELECT pg_backend_pid()")[0].small(0), backend) << "the connection is kept";
}

TEST_F(PostgresDeadlines, SessionsAreLimitedByTheServerAsWell) {
    Lane lane(params(postgres::work_patience), nullptr);
    EXPECT_EQ(setting(lane, "statement_timeout"), "9s");
    EXPECT_EQ(setting(lane, "lock_timeout"), "5s");
    EXPECT_EQ(setting(lane, "idle_in_transaction_session_timeout"), "10s");
    EXPECT_EQ(setting(lane, "client_connection_check_interval"), "1s");
    Lane upkeep(params(postgres::upkeep_patience), nullptr);
    EXPECT_EQ(setting(upkeep, "statement_timeout"), "0");
    EXPECT_EQ(setting(upkeep, "lock_timeout"), "0");
}

TEST_F(PostgresDeadlines, ACallWithoutADeadlineKeepsNoConnection) {
    Lane upkeep(params(postgres::upkeep_patience), nullptr);
    const int backend = upkeep.read("SELECT pg_backend_pid()")[0].small(0);
    auto raw = server->raw();
    await([&] { return raw.value(concat("SELECT 1 FROM pg_stat_activity WHERE pid = ", backend)).empty(); },
          "the backend to end");
}

TEST_F(PostgresDeadlines, ACallWaitsForItsTurnOnlyAsLongAsForAnAnswer) {
    Lane lane(params(), nullptr);
    std::promise<void> has_turn;
    std::promise<void> may_end;
    std::jthread other([&] {
        lane.with_connection([&](Connection&) {
            has_turn.set_value();
            may_end.get_future().wait();
            return true;
        });
    });
    has_turn.get_future().wait();
    EXPECT_EQ(thrown_by([&] { (void)lane.read("SELECT"); }).kind, "unavailable");
    may_end.set_value();
}

TEST_F(PostgresDeadlines, ABackendThatDoesNotAnswerIsEndedBeforeTheNextIsUsed) {
    auto raw = server->raw();
    raw.execute("CREATE TABLE IF NOT EXISTS waits (i int PRIMARY KEY)");
    lose_standby();
    Lane lane(params(), nullptr);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(thrown_by([&] { lane.write("INSERT INTO waits VALUES ($1)", i); }).kind, "in doubt");
    }
    (void)lane.read("SELECT");
    await(
        [&] {
            return raw.number(
                       "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'a test'"
                       " AND wait_event = 'SyncRep'") == 0;
        },
        "the abandoned backends to end");
    server->set("synchronous_standby_names", "");
    EXPECT_EQ(raw.number("SELECT count(*) FROM waits"), 4);
}

TEST_F(PostgresDeadlines, ACommitThatDidNotReachItsStandbyIsInDoubt) {
    auto raw = server->raw();
    raw.execute("CREATE TABLE IF NOT EXISTS local (i int PRIMARY KEY)");
    lose_standby();
    Lane lane(params({30s, 30s, 3s}), nullptr);
    auto write = std::async(std::launch::async, [&] {
        return thrown_by([&] { lane.write("INSERT INTO local VALUES (1) ON CONFLICT DO NOTHING"); });
    });
    await(
        [&] {
            return !raw.value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                        .empty();
        },
        "the commit to wait for its standby");
    const auto thrown = write.get();
    EXPECT_EQ(thrown.kind, "in doubt");
    EXPECT_THAT(thrown.message, HasSubstr("standby"));
    server->set("synchronous_standby_names", "");
    EXPECT_EQ(raw.number("SELECT count(*) FROM local"), 1);
}

TEST_F(PostgresDeadlines, ARepeatedWriteThatFindsEverythingDoneWaitsForTheStandbyAsWell) {
    auto raw = server->raw();
    raw.execute("CREATE TABLE IF NOT EXISTS repeated (i int PRIMARY KEY)");
    Lane lane(params(), nullptr);
    const auto insert = [&] { lane.write("INSERT INTO repeated VALUES (1) ON CONFLICT DO NOTHING"); };
    const auto transact = [&] {
        lane.transact(
            [](auto& tx) { return tx.run("INSERT INTO repeated VALUES (1) ON CONFLICT DO NOTHING").affected(); });
    };
    lose_standby();
    EXPECT_EQ(thrown_by(insert).kind, "in doubt");
    (void)lane.read("SELECT");  // ends the backend that waits: its row can be seen from now on
    await([&] { return raw.number("SELECT count(*) FROM repeated") == 1; }, "the row");
    EXPECT_EQ(thrown_by(insert).kind, "in doubt") << "it changed nothing, and read what a failover may lose";
    EXPECT_EQ(thrown_by(transact).kind, "in doubt");
    server->set("synchronous_standby_names", "");
    await([&] { return thrown_by(transact).kind == "nothing"; }, "the commit");
    server->set("synchronous_standby_names", "nobody");
    EXPECT_EQ(thrown_by(insert).kind, "nothing")
        << "nothing is in doubt any more, so a write without effect is not confirmed";
    server->set("synchronous_standby_names", "");
}

TEST_F(PostgresDeadlines, AttemptsToConnectKeepTheirDistance) {
    const Descriptor door(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ASSERT_EQ(bind(door.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(getsockname(door.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    ASSERT_EQ(listen(door.get(), 10), 0);
    std::atomic<int> attempts = 0;
    std::jthread doorman([&] {
        for (;;) {
            const Descriptor guest(accept(door.get(), nullptr, nullptr));
            if (!guest) return;
            ++attempts;
        }
    });
    Lane lane(
        {.url = concat("postgresql://u@127.0.0.1:", ntohs(address.sin_port), "/d?sslmode=disable&gssencmode=disable"),
         .purpose = "a test",
         .patience = short_patience},
        nullptr);
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (std::chrono::steady_clock::now() < end)
        EXPECT_EQ(thrown_by([&] { (void)lane.read("SELECT"); }).kind, "unavailable");
    EXPECT_GE(attempts, 1);
    EXPECT_LE(attempts, 8) << "a caller in a tight loop would make thousands";
    shutdown(door.get(), SHUT_RDWR);
}

TEST_F(PostgresDeadlines, HostNamesAreLookedUp) {
    Lane found({.url = concat("postgresql://postgres@localhost:", server->port(), "/postgres"), .purpose = "a test"},
               nullptr);
    EXPECT_EQ(found.read("SELECT 1")[0].small(0), 1);
    Lane missing({.url = "postgresql://postgres@no-such-host.invalid/postgres", .purpose = "a test"}, nullptr);
    const auto thrown = thrown_by([&] { (void)missing.read("SELECT"); });
    EXPECT_EQ(thrown.kind, "unavailable");
    EXPECT_THAT(thrown.message, HasSubstr("no-such-host.invalid"));
}

/// The deadlines of a store: its beats are not held up by its work, and it notices that it hears nothing.
TEST_F(PostgresDeadlines, AStoreGivesUpAFrozenServerAndGoesOnAfterwards) {
    FakeClock clock;
    const auto store = open_store({.kind = StoreKind::Postgres, .address = server->url()}, clock);
    const auto registration = a_worker();
    join(*store, registration);
    const auto watch = store->watch(store::Topic::Work);
    auto raw = server->raw();
    const auto listener = raw.value("SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast wake-ups'");
    const auto task = a_task(clock.now());
    server->freeze();
    std::atomic<bool> work_is_over = false;
    Thrown write;
    std::jthread working([&] {
        write = thrown_by([&] { store->submit({task}); });
        work_is_over = true;
    });
    const auto beat = thrown_by([&] { store->beat(beat_of(registration.id)); });
    EXPECT_FALSE(work_is_over) << "a beat is given up long before";
    EXPECT_EQ(beat.kind, "unavailable");
    EXPECT_THAT(beat.message, HasSubstr("within 2s"));
    working.join();
    EXPECT_EQ(write.kind, "in doubt");
    EXPECT_THAT(write.message, HasSubstr("within 10s"));
    server->thaw();
    await([&] { return thrown_by([&] { store->submit({task}); }).kind == "nothing"; }, "the submit");
    await([&] { return thrown_by([&] { store->beat(beat_of(registration.id)); }).kind == "nothing"; }, "the beat");
    EXPECT_EQ(store->count().pending, 1);
    await(
        [&] {
            return !raw.value(
                           "SELECT 1 FROM pg_stat_activity WHERE application_name = 'holdfast wake-ups' AND pid <> " +
                           listener)
                        .empty();
        },
        "the connection that listens, which was given up as well");
}

}  // namespace
}  // namespace holdfast::contract
