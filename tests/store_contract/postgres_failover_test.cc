#include <future>
#include <thread>

#include "store/postgres/lane.h"
#include "store_contract/postgres_own_server.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// A primary and a standby, both in the URL.
class PostgresPrimaryAndStandby : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<store::Store> open(Duration safety_poll = 1s) const {
        return open_store({.kind = StoreKind::Postgres, .address = url, .safety_poll = safety_poll}, clock);
    }
    /// Makes the call until it succeeds.
    template <typename Call>
    static auto persistently(const Call& call) {
        for (int tries = 0;; ++tries) {
            try {
                return call();
            } catch (const store::Unavailable&) {
                if (tries == 100) throw;
            }
        }
    }

    FakeClock clock;
    OwnServer primary;
    OwnServer standby{OwnServer::StandbyOf{primary}};
    std::string url = OwnServer::url_of(standby, primary);
};

TEST_F(PostgresPrimaryAndStandby, AllConnectionsOfAStoreFollowTheFirstThatFindsTheNewPrimary) {
    const auto store = open(1h);
    const auto other = open();
    const auto watch = store->watch(store::Topic::Work);
    const auto registration = a_worker();
    join(*store, registration);
    store->submit({a_task(clock.now())});
    auto raw = standby.raw();
    await([&] { return raw.value("SELECT count(*) FROM task") == "1"; }, "the standby to catch up");

    standby.promote();
    primary.freeze();
    const auto task = a_task(clock.now());
    // Nobody answers this one. It is not given up after ten seconds, but as soon as any call has found the primary.
    auto held_up = std::async(std::launch::async, [&] {
        try {
            store->submit({task});
        } catch (const store::Unavailable& given_up) {
            return std::string(given_up.what());
        }
        return std::string();
    });
    persistently([&] { return store->beat(beat_of(registration.id)); });
    EXPECT_THAT(held_up.get(), HasSubstr("the primary is at another host"));

    persistently([&] { return store->submit({task}); });
    EXPECT_EQ(raw.value("SELECT count(*) FROM task"), "2");
    await(
        [&] {
            return raw.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast wake-ups'") >
                   0;
        },
        "the connection that listens");
    while (watch->wait(500ms)) continue;
    persistently([&] { return other->submit({a_task(clock.now())}); });
    // Its notification comes through the new primary: the safety poll is an hour away.
    EXPECT_TRUE(watch->wait(60s));
    primary.thaw();
    EXPECT_EQ(raw.value("SELECT count(*) FROM task"), "3");
    EXPECT_EQ(store->count().pending, 3) << "the former primary is not used again";
    const auto newcomer = open_store(
        {.kind = StoreKind::Postgres, .address = OwnServer::url_of(primary, standby), .limits = {}}, clock);
    EXPECT_EQ(newcomer->count().pending, 3) << "both accept writes, and the former primary is the first of the URL";
}

TEST_F(PostgresPrimaryAndStandby, ACallWithoutAnAnswerFindsTheNewPrimaryBeforeItsDeadline) {
    const auto store = open();
    store->submit({a_task(clock.now())});
    standby.promote();
    primary.freeze();
    try {
        store->submit({a_task(clock.now())});
        FAIL() << "nobody has answered";
    } catch (const store::Unavailable& given_up) {
        EXPECT_THAT(given_up.what(), HasSubstr("the primary is at another host"));
    }
}

TEST_F(PostgresPrimaryAndStandby, ASlowPrimaryIsWaitedForAsLongAsNoOtherIsNewer) {
    const auto store = open();
    auto held = primary.raw();
    held.execute("BEGIN");
    held.execute("LOCK TABLE holdfast.task");
    auto slow = std::async(std::launch::async, [&] { store->submit({a_task(clock.now())}); });
    EXPECT_EQ(slow.wait_for(2s), std::future_status::timeout) << "it has looked around twice by now";
    held.execute("COMMIT");
    slow.get();
    EXPECT_EQ(store->count().pending, 1);
}

TEST_F(PostgresPrimaryAndStandby, AConnectionThatBecameReadOnlyLooksForThePrimary) {
    const auto store = open();
    store->submit({a_task(clock.now())});
    standby.promote();
    primary.set("default_transaction_read_only", "on");
    auto raw = standby.raw();
    const auto before = raw.number("SELECT count(*) FROM task");
    // The sessions of the former primary hear of it in their own time.
    await(
        [&] {
            persistently([&] { return store->submit({a_task(clock.now())}); });
            return raw.number("SELECT count(*) FROM task") > before;
        },
        "a task on the new primary");
}

TEST_F(PostgresPrimaryAndStandby, AStandbyAloneIsNotUsed) {
    (void)open();
    primary.freeze();
    try {
        (void)open();
        FAIL() << "a standby cannot be written to";
    } catch (const store::Unavailable& unavailable) {
        EXPECT_THAT(unavailable.what(), HasSubstr(concat("127.0.0.1:", standby.port(), " does not accept writes")));
    }
}

TEST(PostgresHosts, TwoWritableHostsWithDifferentHistoriesAreRefused) {
    const OwnServer one;
    const OwnServer other;
    FakeClock clock;
    for (const auto* server : {&one, &other})
        (void)open_store({.kind = StoreKind::Postgres, .address = server->url()}, clock);
    try {
        (void)open_store({.kind = StoreKind::Postgres, .address = OwnServer::url_of(one, other)}, clock);
        FAIL() << "nobody can tell which of them is right";
    } catch (const store::Unusable& unusable) {
        EXPECT_THAT(unusable.what(), testing::AllOf(HasSubstr(concat("127.0.0.1:", one.port())),
                                                    HasSubstr(concat("127.0.0.1:", other.port()))));
    }
}

}  // namespace
}  // namespace holdfast::contract
