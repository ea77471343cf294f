#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

class SweepLease : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(SweepLease);

TEST_P(SweepLease, GoesToTheFirstWhoAsks) {
    const auto first = store->sweep_lease("a", 3s);
    EXPECT_TRUE(first.held);
    EXPECT_EQ(first.holder, "a");
    const auto second = open()->sweep_lease("b", 3s);
    EXPECT_FALSE(second.held);
    EXPECT_EQ(second.holder, "a");
}

TEST_P(SweepLease, IsKeptByRenewing) {
    store->sweep_lease("a", 3s);
    for (int i = 0; i < 5; ++i) {
        clock.advance(2s);
        EXPECT_TRUE(store->sweep_lease("a", 3s).held);
        EXPECT_FALSE(store->sweep_lease("b", 3s).held);
    }
}

TEST_P(SweepLease, LapsesWhenItIsNotRenewed) {
    store->sweep_lease("a", 3s);
    clock.advance(2s + 900ms);
    EXPECT_FALSE(store->sweep_lease("b", 3s).held);
    clock.advance(200ms);
    EXPECT_TRUE(store->sweep_lease("b", 3s).held);
    const auto late = store->sweep_lease("a", 3s);
    EXPECT_FALSE(late.held);
    EXPECT_EQ(late.holder, "b");
}

TEST_P(SweepLease, LapsesAlsoWhenTheClockIsSetBack) {
    store->sweep_lease("a", 3s);
    clock.advance(-2s);
    EXPECT_FALSE(store->sweep_lease("b", 3s).held);  // a little: it lapses that much later
    clock.advance(-1h);
    EXPECT_TRUE(store->sweep_lease("b", 3s).held);
    EXPECT_FALSE(store->sweep_lease("a", 3s).held);
}

TEST_P(SweepLease, CanBeGivenUpAtOnce) {
    store->sweep_lease("a", 3s);
    EXPECT_FALSE(store->sweep_lease("a", 0s).held);
    EXPECT_TRUE(store->sweep_lease("b", 3s).held);
}

TEST_P(SweepLease, OfAnotherIsNotGivenUp) {
    store->sweep_lease("a", 3s);
    EXPECT_FALSE(store->sweep_lease("b", 0s).held);
    EXPECT_FALSE(store->sweep_lease("b", 3s).held);
}

TEST_P(SweepLease, ThatLapsedIsHeldByNobody) {
    store->sweep_lease("a", 3s);
    EXPECT_EQ(store->sweep_lease("b", 0s).holder, "a");
    clock.advance(4s);
    EXPECT_EQ(store->sweep_lease("b", 0s).holder, "");
}

class SweepNotes : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(SweepNotes);

TEST_P(SweepNotes, AreNoneAtFirst) {
    EXPECT_THAT(store->sweep_notes(), IsEmpty());
}

TEST_P(SweepNotes, SayOfEachServiceWhatItDidLastByItsName) {
    store->note_sweep({.service = "retention", .who = "a", .at = {}, .did = R"({"pruned":3})", .failure = ""});
    const Timestamp first = clock.now();
    clock.advance(1s);
    store->note_sweep({.service = "deadlines", .who = "a", .at = {}, .did = "{}", .failure = "no such table"});
    const std::vector<store::SweepNote> expected{{"deadlines", "a", clock.now(), "{}", "no such table"},
                                                 {"retention", "a", first, R"({"pruned":3})", ""}};
    EXPECT_EQ(store->sweep_notes(), expected);
    EXPECT_EQ(open()->sweep_notes(), expected);
}

TEST_P(SweepNotes, AreReplacedByTheNextOneOfTheSameService) {
    store->note_sweep({.service = "liveness", .who = "a", .at = {}, .did = R"({"ended":1})", .failure = "full"});
    clock.advance(1s);
    store->note_sweep({.service = "liveness", .who = "b", .at = {}, .did = R"({"ended":0})", .failure = ""});
    EXPECT_EQ(store->sweep_notes(),
              (std::vector<store::SweepNote>{{"liveness", "b", clock.now(), R"({"ended":0})", ""}}));
}

TEST_P(SweepNotes, KeepAFailureThatIsTooLongOrNoTextReadable) {
    const std::string failure = "bad \xff" + std::string(store::max_failure_bytes, 'x');
    store->note_sweep({.service = "liveness", .who = "a", .at = {}, .did = "{}", .failure = failure});
    const std::string kept = store->sweep_notes().at(0).failure;
    EXPECT_LE(kept.size(), store::max_failure_bytes);
    EXPECT_TRUE(kept.starts_with("bad "));
}

class LastEvents : public StoreContract {};
HOLDFAST_FOR_EVERY_STORE(LastEvents);

TEST_P(LastEvents, StandNewestFirstUpToTheLimit) {
    EXPECT_THAT(store->last_events(10), IsEmpty());
    for (const char* queue : {"a", "b", "c"}) store->set_queue_paused(queue, true, "test");
    const auto events = store->last_events(2);
    ASSERT_THAT(events, SizeIs(2));
    EXPECT_THAT(events[0].message, HasSubstr("queue c"));
    EXPECT_THAT(events[1].message, HasSubstr("queue b"));
}

}  // namespace
}  // namespace holdfast::contract
