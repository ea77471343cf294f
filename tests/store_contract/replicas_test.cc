#include <barrier>
#include <thread>

#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class Replicas : public StoreContract {
protected:
    static store::Replica a_replica() {
        return {.id = random_uuid(),
                .hostname = "web1",
                .pid = 4711,
                .version = "1.2.3",
                .address = "http://127.0.0.1:7070",
                .sweeping = false};
    }
    std::vector<Uuid> ids() {
        std::vector<Uuid> ids;
        for (const auto& record : store->replicas()) ids.push_back(record.replica.id);
        return ids;
    }
};
HOLDFAST_FOR_EVERY_STORE(Replicas);

TEST_P(Replicas, AreRegisteredByTheirFirstBeat) {
    EXPECT_THAT(store->replicas(), IsEmpty());
    const auto replica = a_replica();
    store->beat_replica(replica);
    clock.advance(2s);
    const auto records = store->replicas();
    ASSERT_THAT(records, SizeIs(1));
    EXPECT_EQ(records[0].replica.id, replica.id);
    EXPECT_EQ(records[0].replica.hostname, "web1");
    EXPECT_EQ(records[0].replica.pid, 4711);
    EXPECT_EQ(records[0].replica.version, "1.2.3");
    EXPECT_EQ(records[0].replica.address, "http://127.0.0.1:7070");
    EXPECT_FALSE(records[0].replica.sweeping);
    EXPECT_EQ(records[0].started_at, clock.now() - 2s);
    EXPECT_EQ(records[0].last_heartbeat, clock.now() - 2s);
    EXPECT_EQ(records[0].seconds_ago, Duration(2s));
}

TEST_P(Replicas, KeepTheirStartWhileTheyBeat) {
    auto replica = a_replica();
    store->beat_replica(replica);
    const auto started = clock.now();
    clock.advance(10s);
    replica.sweeping = true;
    replica.address = "https://web1:443";
    store->beat_replica(replica);
    const auto records = store->replicas();
    ASSERT_THAT(records, SizeIs(1));
    EXPECT_EQ(records[0].started_at, started);
    EXPECT_EQ(records[0].last_heartbeat, clock.now());
    EXPECT_TRUE(records[0].replica.sweeping);
    EXPECT_EQ(records[0].replica.address, "https://web1:443");
}

TEST_P(Replicas, StandInTheOrderOfTheirStarts) {
    std::vector<Uuid> expected;
    for (int i = 0; i < 3; ++i) {
        const auto replica = a_replica();
        store->beat_replica(replica);
        expected.push_back(replica.id);
        clock.advance(1s);
    }
    EXPECT_EQ(ids(), expected);
}

TEST_P(Replicas, AreRemovedWhenTheyLeave) {
    const auto leaves = a_replica(), stays = a_replica();
    store->beat_replica(leaves);
    store->beat_replica(stays);
    store->remove_replica(leaves.id);
    store->remove_replica(random_uuid());
    EXPECT_THAT(ids(), ElementsAre(stays.id));
}

TEST_P(Replicas, ThatFellSilentArePruned) {
    const auto silent = a_replica(), alive = a_replica();
    store->beat_replica(silent);
    store->beat_replica(alive);
    clock.advance(1min);
    store->beat_replica(alive);
    EXPECT_EQ(store->prune_replicas(1min), 0U);
    EXPECT_EQ(store->prune_replicas(59s), 1U);
    EXPECT_THAT(ids(), ElementsAre(alive.id));
    EXPECT_EQ(store->prune_replicas(59s), 0U);
}

TEST_P(Replicas, BeatAllAtOnce) {
    constexpr int callers = 6;
    std::barrier begin(callers);
    std::vector<std::jthread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] {
            const auto own = open();
            const auto replica = a_replica();
            begin.arrive_and_wait();
            for (int beat = 0; beat < 10; ++beat) {
                own->beat_replica(replica);
                own->prune_replicas(1h);
            }
        });
    threads.clear();
    EXPECT_THAT(ids(), SizeIs(callers));
}

}  // namespace
}  // namespace holdfast::contract
