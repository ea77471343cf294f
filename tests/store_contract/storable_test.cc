#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

using store::Fenced;

/// What cannot be stored fails its own task by name, and nobody else's.
class Storable : public StoreContract {
protected:
    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        submit(tasks(clock.now(), 3));
        leases = leases_of(claim(*store, worker, 3).tasks);
    }
    /// Finishes the given run between two good ones; the error that its task ended with.
    TaskError error_of(const store::FinishedRun& bad) {
        const auto answer =
            store->turn({.worker = worker, .finish = {completed(leases[0]), bad, completed(leases[2])}});
        for (const auto& outcome : answer.finished) EXPECT_EQ(outcome.fenced, Fenced::Applied);
        EXPECT_EQ(answer.finished.at(0).state, TaskState::Completed);
        EXPECT_EQ(answer.finished.at(1).state, TaskState::Failed);
        EXPECT_EQ(answer.finished.at(2).state, TaskState::Completed);
        return record(*store, bad.lease.task).error.value();
    }

    Uuid worker;
    std::vector<store::TaskLease> leases;
};
HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Storable);

TEST_P(Storable, ResultThatIsTooLargeFailsItsTaskWithItsOwnCode) {
    const auto error = error_of(completed(leases[1], "\"" + std::string(1 << 20, 'x') + "\""));
    EXPECT_EQ(error.code, "RESULT_TOO_LARGE");
    EXPECT_THAT(error.message, HasSubstr("1048576"));
    EXPECT_EQ(record(*store, leases[1].task).result, "");
}

TEST_P(Storable, ResultWithANulByteFailsItsTaskWithItsOwnCode) {
    EXPECT_EQ(error_of(completed(leases[1], std::string("\"a\0b\"", 5))).code, "RESULT_NOT_STORABLE");
}

TEST_P(Storable, ResultThatIsNotUtf8FailsItsTaskWithItsOwnCode) {
    EXPECT_EQ(error_of(completed(leases[1], "\"\xff\"")).code, "RESULT_NOT_STORABLE");
}

TEST_P(Storable, ResultThatIsNotJsonFailsItsTaskWithItsOwnCode) {
    EXPECT_EQ(error_of(completed(leases[1], "{nope")).code, "RESULT_NOT_STORABLE");
}

TEST_P(Storable, ErrorDataThatIsTooLargeIsNamedAndNotTruncatedInSilence) {
    auto run = failed(leases[1], "BOOM");
    run.error.data = "\"" + std::string(1 << 20, 'x') + "\"";
    const auto error = error_of(run);
    EXPECT_EQ(error.code, "BOOM");
    EXPECT_THAT(error.data, HasSubstr("1048576"));
}

TEST_P(Storable, ErrorMessageThatIsNotTextIsMadeReadable) {
    auto run = failed(leases[1], "BOOM");
    run.error.message = std::string("bad \xff byte and \0 nul", 20);
    const auto error = error_of(run);
    EXPECT_EQ(error.code, "BOOM");
    EXPECT_THAT(error.message, HasSubstr("bad \xef\xbf\xbd byte and \xef\xbf\xbd nul"));
}

TEST_P(Storable, ResultOfExactlyTheLimitIsKeptWhole) {
    const std::string result = "\"" + std::string((1 << 20) - 2, 'x') + "\"";
    EXPECT_EQ(finish(*store, worker, completed(leases[1], result)).state, TaskState::Completed);
    EXPECT_EQ(record(*store, leases[1].task).result, result);
}

}  // namespace
}  // namespace holdfast::contract
