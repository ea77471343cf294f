#include "store_contract/child_process.h"
#include "store_contract/schema_version.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using ::testing::ThrowsMessage;

class Migrations : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(Migrations);

TEST_P(Migrations, OfAFreshDatabaseSurviveTenProcessesAtOnce) {
    const auto fresh = make_database(GetParam(), true);
    std::vector<ChildProcess> children;
    for (int i = 0; i < 10; ++i) {
        children.emplace_back(ChildProcess::Params{
            .role = "open", .kind = GetParam(), .address = fresh->address(), .now = clock.now()});
    }
    for (auto& child : children) {
        EXPECT_THAT(child.read_lines(), ElementsAre(std::to_string(store->migrate().to)));
        EXPECT_EQ(child.wait(), 0);
    }
    const auto opened = open_store({.kind = GetParam(), .address = fresh->address()}, clock);
    EXPECT_EQ(opened->submit({a_task(clock.now())}).at(0).status, store::SubmitStatus::Accepted);
}

TEST_P(Migrations, OfAnUpToDateDatabaseDoNothing) {
    const auto id = submit();
    const auto answer = store->migrate();
    EXPECT_EQ(answer.from, answer.to);
    EXPECT_GE(answer.to, 1);
    EXPECT_EQ(state_of(*store, id), TaskState::Pending);
}

TEST_P(Migrations, RefuseADatabaseThatIsNewerThanTheProgram) {
    const int known = store->migrate().to;
    store.reset();
    set_schema_version(*database, known + 1);
    try {
        store = open();
        FAIL() << "opened a newer schema";
    } catch (const store::Unusable& refusal) {
        EXPECT_THAT(refusal.what(), HasSubstr(std::to_string(known + 1)));
        EXPECT_THAT(refusal.what(), HasSubstr("newer"));
    }
    set_schema_version(*database, known);
    store = open();
    submit();
}

TEST_P(Migrations, RefuseADatabaseThatOtherTextsMade) {
    store.reset();
    database->raw()->execute("UPDATE schema_version SET fingerprint = fingerprint + 1");
    EXPECT_THAT([&] { (void)open(); },
                ThrowsMessage<store::Unusable>(HasSubstr("was made by another, unreleased build of holdfast")));
    database->raw()->execute("UPDATE schema_version SET fingerprint = fingerprint - 1");
    store = open();
    submit();
}

TEST_P(Migrations, RefuseADatabaseFromBeforeTextsWereRecorded) {
    store.reset();
    database->raw()->execute(GetParam() == StoreKind::Sqlite ? "DROP TABLE schema_version"
                                                             : "ALTER TABLE schema_version DROP COLUMN fingerprint");
    EXPECT_THAT([&] { (void)open(); },
                ThrowsMessage<store::Unusable>(HasSubstr("was made by another, unreleased build of holdfast")));
}

TEST_P(Migrations, AreRefusedWhereTheCallerDidNotAllowThem) {
    const auto fresh = make_database(GetParam(), true);
    const OpenParams params{.kind = GetParam(), .address = fresh->address(), .limits = {}, .migrate = false};
    EXPECT_THROW((void)open_store(params, clock), store::Unusable);
    (void)open_store({.kind = GetParam(), .address = fresh->address()}, clock);
    EXPECT_EQ(open_store(params, clock)->count().pending, 0);
}

TEST_P(Migrations, FailRunningTasksThatHaveNoOwner) {
    const auto old = make_database(GetParam(), true);
    const auto tasks = build_old_database(*old, clock.now());
    store = open_store({.kind = GetParam(), .address = old->address()}, clock);
    const auto failed = record(*store, tasks.ownerless);
    EXPECT_EQ(failed.state, TaskState::Failed);
    EXPECT_EQ(failed.error->message, "Marked as failed during heartbeat migration");
    EXPECT_EQ(state_of(*store, tasks.owned), TaskState::Running);
    store.reset();
}

}  // namespace
}  // namespace holdfast::contract
