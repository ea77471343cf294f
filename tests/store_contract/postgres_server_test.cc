#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "store_contract/postgres_raw.h"
#include "store_contract/spawned_program.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// A server of this test's own, because it is restarted.
TEST(PostgresServer, AStoreOutlivesARestartOfItsServer) {
    SpawnedProgram server(
        {HOLDFAST_SCRIPTS "/private-postgres", "sh", "-c", "echo $HOLDFAST_TEST_POSTGRES; exec sleep 300"});
    const std::string url = server.read_line().value_or("");
    ASSERT_NE(url, "");
    FakeClock clock;
    const auto store = open_store({.kind = StoreKind::Postgres, .address = url}, clock);
    const auto registration = a_worker();
    join(*store, registration);
    const auto before = tasks(clock.now(), 10);
    store->submit(before);
    const auto lease = lease_of(claim(*store, registration.id, 1).tasks.at(0));
    const auto epoch = store->look().store_epoch;

    const auto data = PostgresRaw(url).value("SHOW data_directory");
    const auto programs = PostgresRaw(url).value("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    ASSERT_EQ(crew::run_to_end({.command = as_database_user({programs + "/pg_ctl", "-D", data, "-m", "immediate",
                                                             "-s", "-w", "restart", "-l", data + "/../log"})}),
              0);

    EXPECT_EQ(once_it_is_back([&] { return finish(*store, registration.id, completed(lease)); }).fenced,
              store::Fenced::Applied);
    const auto after = once_it_is_back([&] { return store->look(); });
    EXPECT_NE(after.store_epoch, epoch) << "all counts of silence begin anew";
    EXPECT_EQ(once_it_is_back([&] { return store->count(); }).pending, 9);
    const auto task = a_task(clock.now());
    once_it_is_back([&] { return store->submit({task}); });
    EXPECT_EQ(state_of(*store, task.id), TaskState::Pending);
}

/// A pooler that gives every transaction another session.
class ThroughAPooler : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = "/tmp/holdfast-pooler-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory = pattern;
        chmod(directory.c_str(), 0777);
        write_settings();
        pooler = std::make_unique<SpawnedProgram>(
            as_database_user({"/usr/sbin/pgbouncer", "-q", directory + "/pgbouncer.ini"}));
        url = "postgresql://postgres@/" + database_name() + "?host=" + directory + "&port=6432";
    }
    void TearDown() override {
        pooler.reset();
        std::filesystem::remove_all(directory);
    }
    void write_settings() const {
        const auto socket_directory = raw->value("SHOW unix_socket_directories");
        const auto port = raw->value("SHOW port");
        std::ofstream(directory + "/pgbouncer.ini")
            << "[databases]\n* = host=" << socket_directory << " port=" << port << " user=postgres\n"
            << "[pgbouncer]\npool_mode = transaction\nunix_socket_dir = " << directory
            << "\nlisten_port = 6432\nlisten_addr =\nauth_type = any\nlogfile = " << directory
            << "/log\nmin_pool_size = 4\ndefault_pool_size = 4\nserver_reset_query_always = 1\n";
    }
    [[nodiscard]] std::string database_name() const { return raw->value("SELECT current_database()"); }
    [[nodiscard]] std::unique_ptr<store::Store> open() const {
        return once_it_is_back([&] {
            return open_store({.kind = StoreKind::Postgres,
                               .address = url,
                               .limits = {},
                               .migrate = true,
                               .session_liveness = false},
                              clock);
        });
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database = make_database(StoreKind::Postgres);
    std::unique_ptr<RawSql> raw = database->raw();
    std::string directory;
    std::string url;
    std::unique_ptr<SpawnedProgram> pooler;
};

TEST_F(ThroughAPooler, EveryVerbWorksWithoutSessionLiveness) {
    const auto store = open();
    const auto other = open();
    const Uuid worker = join(*store);
    const auto watch = store->watch(store::Topic::Done);
    std::vector<Uuid> ids;
    for (int round = 0; round < 50; ++round) {
        const auto batch = tasks(clock.now(), 5);
        other->submit(batch);
        const auto claimed = claim(*store, worker, 3, 2).tasks;
        ASSERT_THAT(claimed, SizeIs(5));
        store->beat(beat_of(worker));
        store::TurnParams params{.worker = worker};
        for (const auto& one : claimed) {
            if (one.started) params.finish.push_back(completed(lease_of(one)));
            if (!one.started) params.start.push_back(lease_of(one));
        }
        for (const auto& outcome : store->turn(params).finished) EXPECT_EQ(outcome.fenced, store::Fenced::Applied);
        for (const auto& lease : params.start) {
            EXPECT_EQ(recover(*other, crash_verdict(lease)).fenced, store::Fenced::Applied);
        }
    }
    EXPECT_EQ(store->count().completed, 150);
    EXPECT_EQ(store->count().failed, 100);
    EXPECT_FALSE(store->look().workers.at(0).proves_session);
    EXPECT_TRUE(watch->wait(1100ms)) << "the safety poll serves clients that cannot listen";
}

}  // namespace
}  // namespace holdfast::contract
