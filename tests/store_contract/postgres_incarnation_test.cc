#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "store_contract/job_fixture.h"
#include "store_contract/postgres_raw.h"
#include "store_contract/spawned_program.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

std::vector<store::EventRecord> rollovers(store::Store& store) {
    auto events = store.last_events(1000);
    std::erase_if(events, [](const auto& event) { return event.kind != "rolled_over"; });
    return events;
}

/// The parts of a place: system, timeline, table.
std::string part(const std::string& place, std::size_t index) {
    std::size_t begin = 0;
    while (index-- > 0) begin = place.find('/', begin) + 1;
    return place.substr(begin, place.find('/', begin) - begin);
}

std::string data_of(const store::EventRecord& event, const char* member) {
    return nlohmann::json::parse(event.data).at(member).get<std::string>();
}

// ---- A second store, or a person, changes the identity under a live one
// ----------------------------------------------

/// One database and two stores that use it, as two processes do.
class PostgresIncarnation : public JobContract {
protected:
    void SetUp() override {
        JobContract::SetUp();
        other = open();
        raw = database->raw();
    }
    /// A worker of the other store has seen more beats than this database knows.
    void roll_over_elsewhere() {
        auto beat = beat_of(join(*other));
        beat.acknowledged = {other->rank(), 1'000'000};
        other->beat(beat);
    }
    void record_place(const std::string& place) {
        raw->execute(concat("UPDATE incarnation SET place = '", place, "'"));
    }
    [[nodiscard]] std::string place() { return raw->value("SELECT place FROM incarnation"); }

    std::unique_ptr<store::Store> other;
    std::unique_ptr<RawSql> raw;
};
INSTANTIATE_TEST_SUITE_P(Store, PostgresIncarnation, testing::Values(StoreKind::Postgres), kind_name);

TEST_P(PostgresIncarnation, BeginsWithTheFirstRankAtThePlaceWhereItWasMade) {
    EXPECT_EQ(store->rank(), 1);
    EXPECT_EQ(place(), raw->value("SELECT place()"));
    EXPECT_EQ(place(), concat(raw->value("SELECT system_identifier FROM pg_control_system()"), "/00000001/",
                              raw->value("SELECT 'incarnation'::regclass::oid")));
    EXPECT_THAT(rollovers(*store), IsEmpty());
}

TEST_P(PostgresIncarnation, EveryKindOfWriteNoticesThatAnotherProcessHasRolledOver) {
    const std::vector<std::function<void()>> writes = {
        [&] { submit(); },
        [&] { claim(*store, worker, 1); },
        [&] { store->beat(beat_of(worker)); },
        [&] { join(*store); },
        [&] {
            store->turn({.worker = worker, .start = {{random_uuid(), 1}}});
        },
        [&] {
            finish(*store, worker, failed({random_uuid(), 1}));
        },
        [&] {
            recover(*store, crash_verdict({random_uuid(), 1}));
        },
        [&] { store->sweep_lease("me", 3s); },
        [&] { start({a_step("a")}); },
        [&] {
            store->append_logs(worker, {{random_uuid(), 1, 0, "stdout", "hello", clock.now()}});
        },
    };
    const auto watch =
        store->watch(store::Topic::Done);  // all of its connections are open: none meets anything by itself
    std::int64_t rank = 1;
    for (const auto& write : writes) {
        roll_over_elsewhere();
        EXPECT_EQ(store->rank(), rank++) << "reading the rank asks nobody";
        write();
        EXPECT_EQ(store->rank(), rank);
    }
    EXPECT_THAT(rollovers(*store), SizeIs(writes.size())) << "the one that follows does not roll over again";
}

TEST_P(PostgresIncarnation, AWriteThatMeetsANewRankIsMadeOnceAndWhole) {
    const auto lease = (submit(), claim_one(worker));
    roll_over_elsewhere();
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(state_of(*store, lease.task), TaskState::Completed);
    EXPECT_THAT(store->attempts(lease.task), SizeIs(1));
}

TEST_P(PostgresIncarnation, AServerThatWasPromotedUnderAnOpenConnectionIsNoticedByItsTimeline) {
    // Behind a pooler, or connected to a standby, a process does not see a connection break when the server is
    // another.
    const auto here = place();
    record_place(concat(part(here, 0), "/000000FE/", part(here, 2)));
    submit();
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(place(), here);
    const auto events = rollovers(*store);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(part(data_of(events[0], "old_place"), 1), "000000FE");
    EXPECT_EQ(data_of(events[0], "place"), here);
    EXPECT_THAT(events[0].message, HasSubstr("from rank 1 to rank 2"));
    EXPECT_EQ(events[0].at, clock.now());
}

TEST_P(PostgresIncarnation, ARestartIsNoticedUnderAnOpenConnectionAlsoWhenAnotherProcessHasNotedIt) {
    // A pooler hides it: connections stay open.
    const auto before = store->history();
    submit();
    EXPECT_EQ(store->history(), before);
    const auto first = claim_one(worker).lease;
    raw->execute("UPDATE incarnation SET server_start = server_start - interval '1 hour'");
    submit(tasks(clock.now(), 2));
    EXPECT_EQ(raw->value("SELECT server_start = pg_postmaster_start_time() FROM incarnation"), "t");
    EXPECT_GT(claim_one(worker).lease, first + (1 << 28));
    EXPECT_EQ(store->rank(), 1);
    EXPECT_THAT(rollovers(*store), IsEmpty());
}

TEST_P(PostgresIncarnation, AnotherSystemIsNoticedByTheNextConnection) {
    const auto here = place();
    record_place(concat("4711/", part(here, 1), "/", part(here, 2)));
    EXPECT_EQ(open()->rank(), 2);
    submit();
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(place(), here);
}

TEST_P(PostgresIncarnation, TwoProcessesThatMeetAnUnrecordedPlaceAtOnceRollOverOnce) {
    for (int round = 0; round < 10; ++round) {
        const auto rank = store->rank();
        record_place("elsewhere");
        std::thread first([&] { submit(); });
        std::thread second([&] { other->submit({a_task(clock.now())}); });
        first.join();
        second.join();
        EXPECT_EQ(store->rank(), rank + 1);
        EXPECT_EQ(other->rank(), rank + 1);
        EXPECT_THAT(rollovers(*store), SizeIs(static_cast<std::size_t>(round + 1)));
    }
}

TEST_P(PostgresIncarnation, ATwinOfTheSameRankIsLeftBehindByBoth) {
    // Another fork of history has come to the same rank with a nonce of its own.
    raw->execute("UPDATE incarnation SET nonce = gen_random_uuid()");
    submit();
    EXPECT_EQ(store->rank(), 2);
}

TEST_P(PostgresIncarnation, AnOlderHistoryAtARecordedPlaceIsRefusedInASentence) {
    roll_over_elsewhere();
    submit();
    ASSERT_EQ(store->rank(), 2);
    raw->execute("UPDATE incarnation SET rank = 1, nonce = gen_random_uuid()");
    const auto task = a_task(clock.now());
    try {
        store->submit({task});
        FAIL() << "a former primary took a submit in";
    } catch (const store::Unavailable& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("older history of this store (rank 1, this process has seen rank 2)"));
    }
    EXPECT_EQ(raw->number(concat("SELECT count(*) FROM task WHERE id = ", raw->literal(task.id))), 0);
    EXPECT_EQ(raw->number("SELECT rank FROM incarnation"), 1) << "it stays as it was";
    EXPECT_EQ(open()->rank(), 1) << "a process that has not seen more uses it";
}

TEST_P(PostgresIncarnation, ARolloverNeverHandsOutANumberAgain) {
    std::set<store::Lease> seen;
    for (int round = 0; round < 5; ++round) {
        submit(tasks(clock.now(), 3));
        for (const auto& claimed : claim(*store, worker, 3).tasks) {
            EXPECT_TRUE(seen.insert(claimed.lease).second);
            EXPECT_EQ(core::rank_of(claimed.lease), store->rank());
            EXPECT_EQ(*seen.rbegin(), claimed.lease) << "they only grow";
        }
        // Its counter and its rank go back, as in a restored disk; the numbers begin elsewhere all the same.
        roll_over_elsewhere();
    }
    EXPECT_THAT(seen, SizeIs(15));
}

TEST_P(PostgresIncarnation, ARolloverThatFailedHalfWayLeavesTheCounterAheadForEver) {
    raw->execute(
        concat("SELECT setval('lease_number', ", core::first_lease_of(2) + (std::int64_t{1} << 39) + 5, ")"));
    roll_over_elsewhere();
    submit();
    EXPECT_GT(claim_one(worker).lease, core::first_lease_of(2) + (std::int64_t{1} << 39) + 5);
}

TEST_P(PostgresIncarnation, ARolloverBeginsTheJobsOfTheLeasesThatCountAsStarted) {
    const Uuid id = start({a_step("a")});
    const auto lease = hold_one(worker);
    ASSERT_EQ(state(id), JobState::Pending);
    roll_over_elsewhere();
    EXPECT_EQ(record(*store, lease.task).state, TaskState::Running);
    EXPECT_EQ(state(id), JobState::Running);
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(PostgresIncarnation, ALeaseOfAPausedJobMayRunOnAfterARollover) {
    const Uuid id = start({a_step("a"), a_step("b", {"a"})});
    const auto lease = hold_one(worker);
    pause(id);
    ASSERT_EQ(raw->value("SELECT stop_requested FROM lease"), "pause");
    roll_over_elsewhere();
    EXPECT_EQ(raw->value("SELECT stop_requested FROM lease"), "") << "what counts as running is not held";
    EXPECT_THAT(store->turn({.worker = worker, .start = {lease}}).started, ElementsAre(Fenced::Already));
    EXPECT_EQ(finish(*store, worker, completed(lease)).fenced, Fenced::Applied);
    EXPECT_EQ(states(id), "a=COMPLETED b=READY");
    resume(id);
    complete(id, "b");
    EXPECT_EQ(state(id), JobState::Completed);
}

TEST_P(PostgresIncarnation, TheEpochOfALookIsAnotherAfterARollover) {
    const auto before = store->look().store_epoch;
    EXPECT_EQ(store->look().store_epoch, before);
    roll_over_elsewhere();
    EXPECT_NE(store->look().store_epoch, before);
}

TEST_P(PostgresIncarnation, WithoutAPermittedFunctionAPartOfThePlaceIsHiddenAndTheDoctorSaysSo) {
    const auto finding = [this] {
        const auto findings = store->check_up();
        const auto found =
            std::find_if(findings.begin(), findings.end(), [](const auto& each) { return each.what == "identity"; });
        return found == findings.end() ? store::Finding{} : *found;
    };
    EXPECT_EQ(finding().grade, store::Finding::Grade::Ok);
    const auto role = concat("holdfast_hidden_", getpid());
    raw->execute(concat(
        "CREATE ROLE ", role, "; GRANT USAGE ON SCHEMA holdfast TO ", role,
        "; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; ALTER FUNCTION place() OWNER TO ", role));
    EXPECT_EQ(part(raw->value("SELECT place()"), 0), "?");
    EXPECT_EQ(finding().grade, store::Finding::Grade::Warning);
    EXPECT_THAT(finding().advice, HasSubstr("pg_control_system()"));
    EXPECT_EQ(open()->rank(), 1) << "what cannot be read says nothing";
    raw->execute(concat("ALTER FUNCTION place() OWNER TO CURRENT_USER; DROP OWNED BY ", role, "; DROP ROLE ", role));
}

TEST_P(PostgresIncarnation, ADumpThatIsRestoredIntoTheSameClusterRollsOver) {
    const auto held = (submit(), hold_one(worker));
    const auto database_name = raw->value("SELECT current_database()");
    const auto programs = raw->value("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
    const auto dump = concat("/tmp/holdfast-dump-", getpid(), ".sql");
    ASSERT_EQ(crew::run_to_end({.command = {programs + "/pg_dump", "-f", dump, database->address()}}), 0);
    // What comes after the dump is lost.
    const auto lost = (submit(), claim_one(worker));
    raw.reset();
    PostgresRaw server(server_url());
    server.execute("DROP DATABASE " + database_name + " WITH (FORCE)");
    server.execute("CREATE DATABASE " + database_name + " TEMPLATE template0");
    ASSERT_EQ(crew::run_to_end({.command = {programs + "/psql", "-qX", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null",
                                            "-f", dump, database->address()}}),
              0);
    std::filesystem::remove(dump);
    const auto task = a_task(clock.now());
    EXPECT_EQ(once_it_is_back([&] { return store->submit({task}); }).at(0).status, store::SubmitStatus::Accepted);
    EXPECT_EQ(store->rank(), 2);
    EXPECT_EQ(state_of(*store, held.task), TaskState::Running) << "it may have been started in the lost part";
    EXPECT_FALSE(store->find({lost.task}).at(0).has_value());
    EXPECT_GT(claim_one(worker).lease, lost.lease);
    EXPECT_EQ(rollovers(*store).size(), 1U);
}

// ---- Real standbys
// ---------------------------------------------------------------------------------------------------

void wait_until(PostgresRaw& raw, const std::string& query) {
    while (raw.value(query) != "t") std::this_thread::sleep_for(1ms);
}

/// A server of this test's own, and a copy of it that can be promoted: what the server commits after the copy was
/// made is lost there.
class PostgresFailover : public testing::Test {
protected:
    void SetUp() override {
        server = std::make_unique<SpawnedProgram>(std::vector<std::string>{
            HOLDFAST_SCRIPTS "/private-postgres", "sh", "-c", "echo $HOLDFAST_TEST_POSTGRES; exec sleep 600"});
        primary_url = server->read_line().value_or("");
        ASSERT_NE(primary_url, "");
        PostgresRaw raw(primary_url);
        programs = raw.value("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
        home = raw.value("SHOW unix_socket_directories");
        port = raw.value("SHOW port");
        copy_port = concat(std::stoi(port) + 1);
        copy_url = concat("postgresql://postgres@/postgres?host=", home, "&port=", copy_port);
        both_url = concat("postgresql://postgres@/postgres?host=", home, ",", home, "&port=", port, ",", copy_port);
        store = open(primary_url);
        worker = join(*store);
    }
    void TearDown() override {
        store.reset();
        stop(home + "/copy");
    }

    [[nodiscard]] std::unique_ptr<store::Store> open(const std::string& url) const {
        return open_store({.kind = StoreKind::Postgres, .address = url}, clock);
    }
    int run(std::vector<std::string> command) const {
        return crew::run_to_end({.command = as_database_user(std::move(command))});
    }
    void stop(const std::string& data) const {
        run({programs + "/pg_ctl", "-D", data, "-m", "immediate", "-s", "-w", "stop"});
    }
    void copy() const {
        const auto data = home + "/copy";
        ASSERT_EQ(run({programs + "/pg_basebackup", "-D", data, "-d", primary_url, "-c", "fast", "-X", "stream"}), 0);
        ASSERT_EQ(run({"touch", data + "/standby.signal"}), 0);
    }
    void start_copy() const {
        const auto data = home + "/copy";
        ASSERT_EQ(run({programs + "/pg_ctl", "-D", data, "-s", "-w", "-l", home + "/copy-log", "-o",
                       concat("-p ", copy_port, " -c listen_addresses="), "start"}),
                  0);
    }
    void promote_copy() const { ASSERT_EQ(PostgresRaw(copy_url).value("SELECT pg_promote(true, 300)"), "t"); }
    Uuid submit() {
        const auto task = a_task(clock.now());
        EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::Accepted);
        return task.id;
    }

    FakeClock clock;
    std::unique_ptr<SpawnedProgram> server;
    std::string primary_url, copy_url, both_url, programs, home, port, copy_port;
    std::unique_ptr<store::Store> store;
    Uuid worker;
};

TEST_F(PostgresFailover, APromotedStandbyThatLostCommitsGetsTheNextRankAndNewNumbers) {
    submit();
    const auto held = lease_of(claim(*store, worker, 0, 1).tasks.at(0));
    ASSERT_NO_FATAL_FAILURE(copy());
    std::set<store::Lease> lost;
    for (int i = 0; i < 50; ++i) {
        submit();
        lost.insert(claim(*store, worker, 1).tasks.at(0).lease);
    }
    EXPECT_THAT(store->turn({.worker = worker, .start = {held}}).started, ElementsAre(Fenced::Applied));
    ASSERT_NO_FATAL_FAILURE(start_copy());
    ASSERT_NO_FATAL_FAILURE(promote_copy());

    const auto promoted = open(copy_url);
    EXPECT_EQ(promoted->rank(), 2);
    EXPECT_EQ(state_of(*promoted, held.task), TaskState::Running) << "its start was lost, but was made";
    const auto events = rollovers(*promoted);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(part(data_of(events[0], "old_place"), 1), "00000001");
    EXPECT_EQ(part(data_of(events[0], "place"), 1), "00000002");
    EXPECT_EQ(part(data_of(events[0], "old_place"), 0), part(data_of(events[0], "place"), 0));

    const auto fresh = tasks(clock.now(), 100);
    promoted->submit(fresh);
    for (const auto& claimed : claim(*promoted, worker, 100).tasks) {
        EXPECT_FALSE(lost.contains(claimed.lease));
        EXPECT_EQ(core::rank_of(claimed.lease), 2);
    }
    EXPECT_EQ(finish(*promoted, worker, completed(held)).fenced, Fenced::Applied) << "the claim has survived";
    EXPECT_EQ(open(copy_url)->rank(), 2) << "nobody rolls over again";
}

TEST_F(PostgresFailover, AStandbyCanBeReadAndIsMetAnewWhenItIsPromotedUnderAnOpenConnection) {
    const Uuid task = submit();
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_NO_FATAL_FAILURE(start_copy());
    const auto reader = open(copy_url);
    EXPECT_EQ(reader->rank(), 1);
    EXPECT_EQ(state_of(*reader, task), TaskState::Pending);
    EXPECT_THROW(open(copy_url)->submit({a_task(clock.now())}), store::Unavailable);
    ASSERT_NO_FATAL_FAILURE(promote_copy());
    EXPECT_EQ(reader->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
    EXPECT_EQ(reader->rank(), 2);
    EXPECT_THAT(rollovers(*reader), SizeIs(1));
}

TEST_F(PostgresFailover, AFormerPrimaryIsRefusedByAProcessThatHasMetTheNewOne) {
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_NO_FATAL_FAILURE(start_copy());
    ASSERT_NO_FATAL_FAILURE(promote_copy());
    ASSERT_EQ(open(copy_url)->rank(), 2);
    const auto both = open(both_url);
    EXPECT_EQ(both->rank(), 2) << "of two hosts that accept writes the one with the higher rank is used";
    EXPECT_EQ(both->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
    EXPECT_EQ(PostgresRaw(primary_url).number("SELECT count(*) FROM task"), 0);

    stop(home + "/copy");
    const auto task = a_task(clock.now());
    std::string refusal;  // the first call may only notice that its connection is gone
    for (int tries = 0; tries < 1000 && refusal.find("older history of this store") == std::string::npos; ++tries)
        try {
            both->submit({task});
            FAIL() << "the former primary took a submit in";
        } catch (const store::Unavailable& unavailable) {
            refusal = unavailable.what();
        }
    EXPECT_THAT(refusal, HasSubstr("older history of this store (rank 1, this process has seen rank 2)"));
    EXPECT_EQ(PostgresRaw(primary_url).number("SELECT count(*) FROM task"), 0);
    EXPECT_EQ(both->rank(), 2);

    ASSERT_NO_FATAL_FAILURE(start_copy());
    EXPECT_EQ(once_it_is_back([&] { return both->submit({task}); }).at(0).status, store::SubmitStatus::Accepted);
    EXPECT_THAT(rollovers(*both), SizeIs(1));
}

TEST_F(PostgresFailover, AHostThatWasSilentLatelyIsWaitedForBecauseItMayBeThePrimaryByNow) {
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_NO_FATAL_FAILURE(start_copy());
    ASSERT_NO_FATAL_FAILURE(promote_copy());
    ASSERT_EQ(open(copy_url)->rank(), 2);
    pid_t promoted = 0;
    std::ifstream(home + "/copy/postmaster.pid") >> promoted;
    ASSERT_GT(promoted, 0);
    ASSERT_EQ(kill(promoted, SIGSTOP), 0);
    const auto both = open(both_url);
    EXPECT_EQ(both->rank(), 1) << "only the former primary has answered";

    PostgresRaw former(primary_url);
    const std::string others =
        "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    store.reset();
    former.execute("SELECT pg_terminate_backend(pid) " + others);
    wait_until(former, "SELECT count(*) = 0 " + others);
    std::thread submitting([&] {
        EXPECT_EQ(once_it_is_back([&] { return both->submit({a_task(clock.now())}); }).at(0).status,
                  store::SubmitStatus::Accepted);
    });
    wait_until(former, "SELECT count(*) > 0 " + others);  // it asks both
    EXPECT_EQ(kill(promoted, SIGCONT), 0);
    submitting.join();
    EXPECT_EQ(both->rank(), 2);
    EXPECT_EQ(former.number("SELECT count(*) FROM task"), 0);
}

TEST_F(PostgresFailover, ABackupThatKeepsItsTimelineIsNoticedByTheStartOfTheServer) {
    // A copy that is not promoted but simply started has the same place: a snapshot of a disk.
    submit();
    const auto held = lease_of(claim(*store, worker, 0, 1).tasks.at(0));
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_EQ(run({"rm", home + "/copy/standby.signal"}), 0);
    std::set<store::Lease> lost;
    for (int i = 0; i < 50; ++i) {
        submit();
        lost.insert(claim(*store, worker, 1).tasks.at(0).lease);
    }
    ASSERT_NO_FATAL_FAILURE(start_copy());
    const auto restored = open(copy_url);
    EXPECT_EQ(restored->rank(), 1) << "a former primary must not rise above the present one by a restart";
    EXPECT_GT(restored->history(), store->history());
    EXPECT_EQ(state_of(*restored, held.task), TaskState::Claimed) << "a restart alone says nothing about starts";
    EXPECT_EQ(finish(*restored, worker, completed(held)).fenced, Fenced::Applied) << "but its run does";
    restored->submit(tasks(clock.now(), 50));
    const auto claimed = claim(*restored, worker, 50).tasks;
    ASSERT_THAT(claimed, SizeIs(50));
    for (const auto& each : claimed) EXPECT_FALSE(lost.contains(each.lease));
    EXPECT_EQ(core::rank_of(claimed.back().lease), 1);
    const auto again = open(copy_url);
    EXPECT_EQ(again->history(), restored->history());
    again->submit({a_task(clock.now())});
    EXPECT_EQ(claim(*again, worker, 1).tasks.at(0).lease, claimed.back().lease + 1) << "it is noted once";
}

TEST_F(PostgresFailover, ARestartInARankThatHasNoNumbersLeftRollsOver) {
    PostgresRaw(primary_url).execute(concat("SELECT setval('lease_number', ", core::first_lease_of(2) - 100, ")"));
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_EQ(run({"rm", home + "/copy/standby.signal"}), 0);
    ASSERT_NO_FATAL_FAILURE(start_copy());
    const auto restarted = open(copy_url);
    EXPECT_EQ(restarted->rank(), 2);
    EXPECT_EQ(open(copy_url)->history(), restarted->history());
}

TEST_F(PostgresFailover, AWorkerThatHasSeenMoreThanARestartedServerGivesAwayThatItWentBack) {
    const auto other = join(*store);
    submit();
    const auto held = lease_of(claim(*store, other, 0, 1).tasks.at(0));
    ASSERT_NO_FATAL_FAILURE(copy());
    ASSERT_EQ(run({"rm", home + "/copy/standby.signal"}), 0);
    const auto seen = store->beat(beat_of(worker));
    ASSERT_NO_FATAL_FAILURE(start_copy());
    const auto restored = open(copy_url);
    auto beat = beat_of(worker);
    beat.acknowledged = {seen.rank, seen.beat};
    EXPECT_EQ(restored->beat(beat).rank, 2);
    EXPECT_EQ(state_of(*restored, held.task), TaskState::Running) << "its start may be in the lost part";
    EXPECT_EQ(restored->beat(beat).rank, 2);
    EXPECT_THAT(rollovers(*restored), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::contract
