#ifdef HOLDFAST_WITH_POSTGRES

#include "holdfast/transaction.h"

#include <gmock/gmock.h>
#include <libpq-fe.h>

#include "holdfast/client.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const Task<int, int> square{"square"};

class CallersTransaction : public ProgramTest {
protected:
    CallersTransaction() : ProgramTest(StoreKind::Postgres) {}

    void execute(const char* sql) {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql), PQclear);
        ASSERT_NE(PQresultStatus(result.get()), PGRES_FATAL_ERROR) << PQerrorMessage(connection.get());
    }

    Client client{place->url()};
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection{PQconnectdb(place->url().c_str()), PQfinish};
};

TEST_F(CallersTransaction, TheTaskIsThereWhenItCommits) {
    execute("BEGIN");
    const auto handle = submit_in_transaction(connection.get(), square, 7);
    EXPECT_FALSE(client.get(handle.id).has_value());
    execute("COMMIT");
    const auto task = client.get(handle.id);
    ASSERT_TRUE(task.has_value());
    EXPECT_EQ(task->args, "7");
    StandInWorker worker(store(), {"task:square"});
    worker.complete(worker.take(), "49");
    EXPECT_EQ(client.wait(handle).value(), 49);
}

TEST_F(CallersTransaction, TheTaskNeverWasWhenItRollsBack) {
    execute("BEGIN");
    const auto handle = submit_in_transaction(connection.get(), square, 7);
    execute("ROLLBACK");
    EXPECT_FALSE(client.get(handle.id).has_value());
    EXPECT_THAT(client.list(), SizeIs(0));
}

TEST_F(CallersTransaction, EveryOptionArrives) {
    SubmitOptions options;
    options.queue = "numbers";
    options.priority = 3;
    options.tags = {"gpu"};
    options.run_at = Timestamp(std::chrono::hours(24 * 365 * 100));
    options.deadline = *options.run_at + std::chrono::hours(1);
    options.concurrency = ConcurrencyKey{"disk", 2};
    options.idempotency_key = "once";
    options.policy.retry.max_attempts = 5;
    options.policy.on_crash = OnCrash::Requeue;
    const auto task = client.get(submit_in_transaction(connection.get(), "square", {{"n", 7}}, options)).value();
    EXPECT_EQ(task.queue, "numbers");
    EXPECT_EQ(task.priority, 3);
    EXPECT_THAT(task.tags, ElementsAre("gpu", "task:square"));
    EXPECT_EQ(task.run_at, options.run_at);
    EXPECT_EQ(task.deadline, options.deadline);
    EXPECT_EQ(task.concurrency, options.concurrency);
    EXPECT_EQ(task.idempotency_key, "once");
    EXPECT_EQ(task.policy, options.policy);
}

TEST_F(CallersTransaction, TheSameTaskSubmittedThroughTheClientIsRecognised) {
    SubmitOptions options;
    options.idempotency_key = "once";
    options.policy.retry.max_attempts = 5;
    const auto first = client.submit(square, 7, options);
    EXPECT_EQ(submit_in_transaction(connection.get(), square, 7, options).id, first.id);
    EXPECT_THROW(submit_in_transaction(connection.get(), square, 8, options), PayloadMismatch);
}

TEST_F(CallersTransaction, BadInputIsFoundBeforeTheTransactionIsHarmed) {
    execute("BEGIN");
    SubmitOptions options;
    options.priority = 0;
    EXPECT_THROW(submit_in_transaction(connection.get(), square, 7, options), BadInput);
    const auto handle = submit_in_transaction(connection.get(), square, 7);
    execute("COMMIT");
    EXPECT_TRUE(client.get(handle.id).has_value());
}

TEST_F(CallersTransaction, TheDatabaseSaysHowLargeArgumentsMayBe) {
    const std::string small(10, 'x'), large(1'500'000, 'x');
    execute("SET holdfast.max_payload_bytes = 11");
    EXPECT_THAT([&] { submit_in_transaction(connection.get(), "square", small); },
                testing::ThrowsMessage<BadInput>(testing::HasSubstr("at most 11 are allowed")));
    execute("SET holdfast.max_payload_bytes = 2000000");
    EXPECT_TRUE(client.get(submit_in_transaction(connection.get(), "square", large)).has_value());
    execute("RESET holdfast.max_payload_bytes");
    EXPECT_THAT([&] { submit_in_transaction(connection.get(), "square", large); },
                testing::ThrowsMessage<BadInput>(testing::HasSubstr("at most 1048576 are allowed")));
}

class EmptyDatabase : public ProgramTest {
protected:
    EmptyDatabase() : ProgramTest(StoreKind::Postgres) {}
};

TEST_F(EmptyDatabase, ASubmitWithoutTheSchemaSaysWhatToDo) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(place->url().c_str()), PQfinish);
    EXPECT_THAT([&] { submit_in_transaction(connection.get(), square, 7); },
                testing::ThrowsMessage<Unusable>(testing::HasSubstr("holdfast migrate")));
}

TEST_F(EmptyDatabase, ALostConnectionIsUnavailable) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb("host=127.0.0.1 port=1"), PQfinish);
    EXPECT_THROW(submit_in_transaction(connection.get(), square, 7), Unavailable);
}

}  // namespace
}  // namespace holdfast::integration

#endif
