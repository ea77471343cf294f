#include "holdfast/client.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "integration/place.h"

// The types of a user's task, outside of the library's namespace as a user's are.
namespace pictures {

struct ResizeArgs {
    std::string file;
    int width = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResizeArgs, file, width)

struct ResizeResult {
    int bytes = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResizeResult, bytes)

inline const holdfast::Task<ResizeArgs, ResizeResult> resize{"resize"};

}  // namespace pictures

namespace holdfast::integration {
namespace {

using namespace std::chrono_literals;
using pictures::resize;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TaskQuery page(std::size_t size, std::optional<Uuid> after = std::nullopt) {
    TaskQuery query;
    query.limit = size;
    query.after = after;
    return query;
}

class ClientTest : public AnyStoreProgramTest {
protected:
    Client client{place->url(), {.who = "the test"}};
    StandInWorker worker{store(), {"task:resize"}};
};
INSTANTIATE_TEST_SUITE_P(Stores, ClientTest, testing::ValuesIn(store_kinds()), name_of);

TEST_P(ClientTest, ATypedTaskCarriesItsArgumentsThereAndItsResultBack) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    const auto taken = worker.take();
    EXPECT_EQ(nlohmann::json::parse(taken.task.args), (nlohmann::json{{"file", "cat.png"}, {"width", 640}}));
    worker.complete(taken, R"({"bytes": 42})");
    const auto result = client.wait(handle);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->bytes, 42);
}

TEST_P(ClientTest, AFailureIsAnErrorWithCodeMessageAndData) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    worker.fail(worker.take(), {"NO_SUCH_PICTURE", "there is no cat.png", R"({"looked_in": "/"})"});
    const auto result = client.wait(handle, 10s);
    ASSERT_TRUE(result.has_value());
    ASSERT_FALSE(result->ok());
    EXPECT_EQ(result->error().code, "NO_SUCH_PICTURE");
    EXPECT_EQ(result->error().message, "there is no cat.png");
    EXPECT_EQ(nlohmann::json::parse(result->error().data)["looked_in"], "/");
}

TEST_P(ClientTest, APolicyThatRetriesOnCrashesIsRefusedForOnCrash) {
    SubmitOptions options;
    options.policy.retry.retry_on = {std::string(error_code::worker_crashed)};
    EXPECT_THAT(
        [&] {
            client.submit(resize, {"cat.png", 640}, options);
        },
        testing::ThrowsMessage<BadInput>(HasSubstr("on_crash: requeue")));
}

TEST_P(ClientTest, ASubmitIsToldTheLimitInForceForItsConcurrencyKey) {
    store().declare_key({.key = "disk", .queue = "", .limit = 2}, "operator");
    SubmitOptions options;
    options.concurrency = ConcurrencyKey{"disk", 7};
    EXPECT_EQ(client.submit(resize, {"cat.png", 640}, options).concurrency_limit, 2);
    EXPECT_EQ(client.submit({"resize", nullptr, options}).concurrency_limit, 2);
    EXPECT_EQ(client.submit_many({{"resize", nullptr, options}}).at(0).concurrency_limit, 2);
    EXPECT_FALSE(client.submit(resize, {"cat.png", 640}).concurrency_limit);
}

TEST_P(ClientTest, ACancelledTaskIsAnErrorToo) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    EXPECT_EQ(client.cancel(handle.id, "changed my mind"), CancelStatus::Cancelled);
    EXPECT_EQ(client.cancel(handle.id), CancelStatus::Already);
    EXPECT_EQ(client.wait(handle).error().code, error_code::task_cancelled);
    ASSERT_THAT(client.events(handle.id), SizeIs(1));
    EXPECT_EQ(client.events(handle.id)[0].who, "the test");
}

TEST_P(ClientTest, AResultOfAnotherTypeIsAnErrorThatShowsIt) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    worker.complete(worker.take(), R"(["unexpected"])");
    const auto result = client.wait(handle);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, error_code::result_not_readable);
    EXPECT_EQ(result.error().data, R"(["unexpected"])");
}

TEST_P(ClientTest, ATimeoutIsNeitherResultNorError) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    EXPECT_FALSE(client.wait(handle, 20ms).has_value());
    EXPECT_EQ(client.get(handle.id)->state, TaskState::Pending);
}

TEST_P(ClientTest, WaitingIsPushedSoThatAnEndIsHeardLongBeforeTheSafetyPoll) {
    using Clock = std::chrono::steady_clock;
    std::vector<Clock::duration> delays;
    for (int i = 0; i < 21; ++i) {
        const auto handle = client.submit(resize, {"cat.png", i});
        const auto taken = worker.take();
        Clock::time_point ended;
        std::thread finisher([&] {
            std::this_thread::sleep_for(20ms);  // so that the client waits before the end
            worker.complete(taken, R"({"bytes": 1})");
            ended = Clock::now();
        });
        EXPECT_TRUE(client.wait(handle).ok());
        const auto heard = Clock::now();
        finisher.join();
        delays.push_back(heard - ended);
    }
    // The median: on a busy machine a few are slow, but with safety polls alone nearly all would take about a second.
    std::ranges::nth_element(delays, delays.begin() + 10);
    EXPECT_LT(delays[10], 500ms);
}

TEST_P(ClientTest, ManyThreadsWaitAtOnceAndEachHearsOfItsOwnTask) {
    constexpr int count = 40;
    std::vector<TaskHandle<pictures::ResizeResult>> handles;
    for (int i = 0; i < count; ++i) handles.push_back(client.submit(resize, {"cat.png", i}));
    std::vector<int> heard(count, -1);
    std::vector<std::thread> waiters;
    for (std::size_t i = 0; i < count; ++i)
        waiters.emplace_back([&, i] { heard[i] = client.wait(handles[i]).value().bytes; });
    while (const auto taken = worker.take_if_any()) {
        const auto width = nlohmann::json::parse(taken->task.args)["width"];
        worker.complete(*taken, nlohmann::json{{"bytes", width}}.dump());
    }
    for (auto& waiter : waiters) waiter.join();
    for (int i = 0; i < count; ++i) EXPECT_EQ(heard[static_cast<std::size_t>(i)], i);
}

TEST_P(ClientTest, ThreadsSubmitThroughOneClientWithoutLosingATask) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i) client.submit(resize, {"cat.png", i});
        });
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(client.list(page(1000)), SizeIs(100));
}

TEST_P(ClientTest, SubmittingTheSameIdAgainReturnsTheFirstTask) {
    SubmitOptions options;
    options.idempotency_key = "cat-640";
    const auto first = client.submit(resize, {"cat.png", 640}, options);
    EXPECT_EQ(client.submit(resize, {"cat.png", 640}, options).id, first.id);
    EXPECT_THROW(client.submit(resize, {"cat.png", 800}, options), PayloadMismatch);
}

TEST_P(ClientTest, ABadItemDoesNotTakeDownItsBatch) {
    SubmitOptions bad;
    bad.priority = 0;
    const auto outcomes = client.submit_many({request(resize, {"a.png", 1}),
                                              request(resize, {"b.png", 2}, bad),
                                              {"mail", "not UTF-8: \xff", {}},
                                              request(resize, {"c.png", 3})});
    ASSERT_THAT(outcomes, SizeIs(4));
    EXPECT_EQ(outcomes[0].status, SubmitStatus::Accepted);
    EXPECT_EQ(outcomes[1].status, SubmitStatus::Refused);
    EXPECT_THAT(outcomes[1].complaint, HasSubstr("priority"));
    EXPECT_EQ(outcomes[2].status, SubmitStatus::Refused);
    EXPECT_THAT(outcomes[2].complaint, HasSubstr("UTF-8"));
    EXPECT_EQ(outcomes[3].status, SubmitStatus::Accepted);
    EXPECT_THAT(client.list(), SizeIs(2));
    EXPECT_THAT(client.submit_many({}), IsEmpty());
}

TEST_P(ClientTest, RetryMakesANewTaskAndOnlyOfAnEndedOne) {
    const auto handle = client.submit(resize, {"cat.png", 640});
    EXPECT_THROW(client.retry(handle), WrongState);
    worker.fail(worker.take(), {"BUSY", "", ""});
    const auto again = client.retry(handle);
    EXPECT_EQ(client.get(again.id)->retry_of, handle.id);
    EXPECT_EQ(client.get(handle.id)->state, TaskState::Failed);
    worker.complete(worker.take(), R"({"bytes": 7})");
    EXPECT_EQ(client.wait(again).value().bytes, 7);
    EXPECT_THAT(client.attempts(handle.id), SizeIs(1));
}

TEST_P(ClientTest, UnknownTasksAreSaidToBeSo) {
    const Uuid nowhere = *Uuid::parse("01900000-0000-7000-8000-0000000000ff");
    EXPECT_FALSE(client.get(nowhere).has_value());
    EXPECT_EQ(client.cancel(nowhere), CancelStatus::NotFound);
    EXPECT_THROW(client.wait(nowhere), UnknownTask);
    EXPECT_THROW(client.retry(nowhere), UnknownTask);
}

TEST_P(ClientTest, ListPagesFromNewToOld) {
    std::vector<Uuid> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(client.submit(resize, {"cat.png", i}).id);
    const auto newest = client.list(page(2));
    ASSERT_THAT(newest, SizeIs(2));
    EXPECT_EQ(newest[0].id, ids[2]);
    const auto rest = client.list(page(2, newest[1].id));
    ASSERT_THAT(rest, SizeIs(1));
    EXPECT_EQ(rest[0].id, ids[0]);
}

TEST(ClientUrl, AnythingButAStoreUrlIsRefusedWithAHint) {
    EXPECT_THAT([] { Client("app.db"); }, testing::ThrowsMessage<BadInput>(HasSubstr("sqlite:app.db")));
    EXPECT_THAT([] { Client("sqlite:"); }, testing::ThrowsMessage<BadInput>(HasSubstr("names no file")));
    EXPECT_THAT([] { Client("sqlite::memory:"); }, testing::ThrowsMessage<BadInput>(HasSubstr("not durable")));
    EXPECT_THAT([] { Client("host=db password=s3cret"); },
                testing::ThrowsMessage<BadInput>(
                    testing::AllOf(HasSubstr("postgresql://"), testing::Not(HasSubstr("s3cret")))));
}

}  // namespace
}  // namespace holdfast::integration
