#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

class Logs : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        submit(with_retries(a_task(clock.now()), 3));
        lease = claim_one(worker);
    }
    store::LogChunk chunk(int sequence, std::string text, std::string stream = "stdout") const {
        return {.task = lease.task,
                .lease = lease.lease,
                .sequence = sequence,
                .stream = std::move(stream),
                .text = std::move(text),
                .at = clock.now()};
    }
    std::vector<std::string> texts(std::int64_t after = 0, std::size_t limit = 1000) {
        std::vector<std::string> found;
        for (const auto& log : store->read_logs({.task = lease.task, .after_offset = after, .limit = limit})) {
            found.push_back(log.chunk.text);
        }
        return found;
    }

    Uuid worker;
    store::TaskLease lease;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Logs);

TEST_P(Logs, AreReadBackInOrderAsTheyWereWritten) {
    EXPECT_THAT(store->append_logs(worker, {chunk(0, "one\n"), chunk(1, "two\n", "stderr")}),
                ElementsAre(Fenced::Applied, Fenced::Applied));
    const auto logs = store->read_logs({.task = lease.task, .after_offset = 0, .limit = 10});
    ASSERT_THAT(logs, SizeIs(2));
    EXPECT_EQ(logs[0].chunk.text, "one\n");
    EXPECT_EQ(logs[1].chunk.stream, "stderr");
    EXPECT_EQ(logs[1].chunk.lease, lease.lease);
    EXPECT_EQ(logs[1].chunk.sequence, 1);
    EXPECT_EQ(logs[0].chunk.at, clock.now());
    EXPECT_LT(logs[0].offset, logs[1].offset);
}

TEST_P(Logs, AreReadOnFromAnOffsetWithALimit) {
    for (int i = 0; i < 5; ++i) store->append_logs(worker, {chunk(i, std::to_string(i))});
    const auto first = store->read_logs({.task = lease.task, .after_offset = 0, .limit = 2});
    ASSERT_THAT(first, SizeIs(2));
    EXPECT_THAT(texts(first.back().offset), ElementsAre("2", "3", "4"));
    EXPECT_THAT(texts(first.back().offset, 1), ElementsAre("2"));
}

TEST_P(Logs, OfTheSameSequenceAgainAreTheSameChunk) {
    store->append_logs(worker, {chunk(0, "one")});
    EXPECT_THAT(store->append_logs(worker, {chunk(0, "one"), chunk(1, "two")}),
                ElementsAre(Fenced::Already, Fenced::Applied));
    EXPECT_THAT(texts(), ElementsAre("one", "two"));
}

TEST_P(Logs, TwiceInOneBatchAreWrittenOnce) {
    EXPECT_THAT(store->append_logs(worker, {chunk(0, "one"), chunk(0, "one")}),
                ElementsAre(Fenced::Applied, Fenced::Already));
    EXPECT_THAT(texts(), ElementsAre("one"));
}

TEST_P(Logs, OfALostLeaseAreRefused) {
    auto stranger = chunk(0, "stranger");
    stranger.lease += 1;
    auto unknown = chunk(0, "unknown");
    unknown.task = new_task_id(clock.now());
    EXPECT_THAT(store->append_logs(worker, {stranger, unknown}), ElementsAre(Fenced::LeaseLost, Fenced::LeaseLost));
    recover(*store, crash_verdict(lease));
    EXPECT_THAT(store->append_logs(worker, {chunk(0, "late")}), ElementsAre(Fenced::LeaseLost));
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_P(Logs, OfSeveralAttemptsFollowEachOther) {
    store->append_logs(worker, {chunk(0, "first")});
    finish(*store, worker, failed(lease));
    clock.advance(1h);
    lease = claim_one(worker);
    EXPECT_THAT(store->append_logs(worker, {chunk(0, "second")}), ElementsAre(Fenced::Applied));
    EXPECT_THAT(texts(), ElementsAre("first", "second"));
}

TEST_P(Logs, WithBytesThatAreNoTextAreMadeReadable) {
    EXPECT_THAT(store->append_logs(worker, {chunk(0, std::string("a\0\xff", 3))}), ElementsAre(Fenced::Applied));
    EXPECT_THAT(texts(), ElementsAre("a\xef\xbf\xbd\xef\xbf\xbd"));
}

TEST_P(Logs, OfMoreThanOneTransactionHoldsAreWrittenWhole) {
    std::vector<store::LogChunk> chunks;
    for (int i = 0; i < 1500; ++i) chunks.push_back(chunk(i, std::to_string(i)));
    EXPECT_THAT(store->append_logs(worker, chunks), SizeIs(1500));
    EXPECT_THAT(texts(0, 5000), SizeIs(1500));
}

TEST_P(Logs, OfAnUnknownTaskAreEmpty) {
    EXPECT_THAT(store->read_logs({.task = new_task_id(clock.now()), .after_offset = 0, .limit = 10}), IsEmpty());
}

}  // namespace
}  // namespace holdfast::contract
