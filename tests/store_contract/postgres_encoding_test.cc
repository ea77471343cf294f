#include <unistd.h>

#include "store_contract/postgres_raw.h"
#include "store_contract/store_fixture.h"

namespace holdfast::contract {

namespace {

/// Of this process alone: tests run side by side.
const std::string database_name = "holdfast_latin1_" + std::to_string(getpid());

/// A database whose encoding lacks most characters: content that only the database itself can refuse.
class PostgresEncoding : public testing::Test {
protected:
    void SetUp() override {
        PostgresRaw server(server_url());
        server.execute("DROP DATABASE IF EXISTS " + database_name + " WITH (FORCE)");
        server.execute("CREATE DATABASE " + database_name +
                       " TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
        store =
            open_store({.kind = StoreKind::Postgres, .address = with_database(server_url(), database_name)}, clock);
    }
    void TearDown() override {
        store.reset();
        PostgresRaw(server_url()).execute("DROP DATABASE " + database_name + " WITH (FORCE)");
    }

    FakeClock clock;
    std::unique_ptr<store::Store> store;
};

TEST_F(PostgresEncoding, OfTheDatabaseThatLacksACharacterRefusesTheOneTaskOfABatchThatHasIt) {
    auto batch = tasks(clock.now(), 7);
    batch[4].args = R"("€")";
    const auto outcomes = store->submit(batch);
    for (std::size_t i = 0; i < batch.size(); ++i)
        EXPECT_EQ(outcomes[i].status, i == 4 ? store::SubmitStatus::Refused : store::SubmitStatus::Accepted) << i;
    EXPECT_EQ(store->count().pending, 6);
}

TEST_F(PostgresEncoding, OfTheDatabaseThatLacksACharacterFailsTheOneRunOfABatchThatReturnsIt) {
    store->submit(tasks(clock.now(), 5));
    const Uuid worker = join(*store);
    std::vector<store::FinishedRun> runs;
    for (const auto& lease : leases_of(claim(*store, worker, 5).tasks)) runs.push_back(completed(lease));
    runs[2].result = R"("€")";
    const auto answer = store->finish({.worker = worker, .runs = runs, .then_start = {}});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        EXPECT_EQ(answer.runs[i].fenced, store::Fenced::Applied) << i;
        EXPECT_EQ(answer.runs[i].state, i == 2 ? TaskState::Failed : TaskState::Completed) << i;
    }
    EXPECT_EQ(record(*store, runs[2].lease.task).error->code, error_code::result_not_storable);
}

}  // namespace

}  // namespace holdfast::contract
