#include <gmock/gmock.h>

#include "holdfast/app.h"
#include "holdfast/client.h"
#include "holdfast/worker.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// An application whose worker runs inside of the test.
class ClientJobs : public AnyStoreProgramTest {
protected:
    /// After the test has registered its tasks.
    void start_worker() {
        worker_.emplace(place->url(), app.functions(), WorkerOptions{.max_concurrent_tasks = 4});
        worker_->start();
    }
    Client& client() {
        if (!client_) client_.emplace(place->url(), ClientOptions{.who = "test"});
        return *client_;
    }
    [[nodiscard]] StepState state_of(const JobHandle& job, const std::string& step) {
        for (const auto& each : client().steps(job))
            if (each.name == step) return each.state;
        ADD_FAILURE() << "no step " << step;
        return {};
    }

    App app;

private:
    std::optional<Worker> worker_;
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Stores, ClientJobs, testing::ValuesIn(store_kinds()), name_of);

TEST_P(ClientJobs, HandWhatOneStepReturnsToTheNext) {
    const auto range = app.task<int, std::vector<int>>("range", [](int n) {
        std::vector<int> numbers;
        for (int i = 1; i <= n; ++i) numbers.push_back(i);
        return numbers;
    });
    const auto square = app.task<int, int>("square", [](int n) { return n * n; });
    const auto add = app.task<std::vector<int>, int>("add", [](const std::vector<int>& numbers) {
        int sum = 0;
        for (const int n : numbers) sum += n;
        return sum;
    });
    start_worker();
    Workflow flow("squares");
    const auto numbers = flow.step("numbers", range, 10);
    auto squares = flow.step_for_each("squares", square, numbers.output());
    squares.parallel(3);
    flow.step("sum", add, squares.output());
    const JobInfo job = client().wait(client().run(flow));
    EXPECT_EQ(job.state, JobState::Completed);
    EXPECT_EQ(job.output, "385");
}

TEST_P(ClientJobs, TellEverythingThatIsWrongWithAWorkflowAtOnce) {
    Workflow flow("bad");
    flow.step("a", "x", "{{ steps.b.output }}").after({"nobody"});
    flow.step("b", "x", nullptr).when("1 +");
    EXPECT_THAT(
        [&] { client().run(flow); },
        ThrowsMessage<BadInput>(AllOf(HasSubstr("nobody"), HasSubstr("steps.a.input"), HasSubstr("steps.b.when"))));
}

TEST_P(ClientJobs, AreStartedOnceUnderOneId) {
    Workflow flow("once");
    flow.approval("ask", "?");
    const Uuid id = client().run(flow).id;
    EXPECT_EQ(client().run(flow, nlohmann::json::object(), {.id = id}).id, id);
    EXPECT_EQ(client().jobs().size(), 1U);
    EXPECT_THROW(client().run(flow, {{"other", 1}}, {.id = id}), PayloadMismatch);
}

TEST_P(ClientJobs, CanBePausedResumedApprovedAndCancelled) {
    const auto note = app.task<std::string, Nothing>("note", [](const std::string&) { return Nothing(); });
    start_worker();
    Workflow flow("steered");
    const auto ask = flow.approval("ask", "Go on?");
    flow.step("then", note, "done").after(ask);
    const JobHandle job = client().run(flow);
    EXPECT_EQ(client().pause(job, "lunch"), SteerStatus::Applied);
    EXPECT_TRUE(client().approve(job, "ask", true, "fine"));
    EXPECT_FALSE(client().approve(job, "ask")) << "it has been decided";
    EXPECT_FALSE(client().wait(job, 300ms).has_value());
    EXPECT_EQ(state_of(job, "then"), StepState::Ready);
    EXPECT_EQ(client().resume(job), SteerStatus::Applied);
    EXPECT_EQ(client().wait(job).state, JobState::Completed);
    EXPECT_EQ(client().cancel(job), SteerStatus::Finished);

    const JobHandle other = client().run(flow);
    EXPECT_EQ(client().cancel(other, "enough"), SteerStatus::Applied);
    const JobInfo cancelled = client().wait(other);
    EXPECT_EQ(cancelled.state, JobState::Cancelled);
    EXPECT_THAT(cancelled.error->message, HasSubstr("enough"));
    EXPECT_FALSE(client().events(other).empty());
}

TEST_P(ClientJobs, AreRetriedFromWhatFailed) {
    std::atomic<int> first = 0, second = 0;
    app.task<Nothing, int>("first", [&](const Nothing&) { return ++first; });
    app.task<Nothing, int>("second", [&](const Nothing&) -> Result<int, TaskError> {
        if (++second == 1) return Failure{TaskError{"NOT_YET", "try again", ""}};
        return 7;
    });
    start_worker();
    Workflow flow("twice");
    flow.step("first", "first", nullptr);
    flow.step("second", "second", nullptr).after({"first"});
    const JobHandle job = client().run(flow);
    EXPECT_EQ(client().wait(job).state, JobState::Failed);
    const JobHandle again = client().retry(job);
    const JobInfo ended = client().wait(again);
    EXPECT_EQ(ended.state, JobState::Completed);
    EXPECT_EQ(ended.retry_of, job.id);
    EXPECT_EQ(first, 1) << "what succeeded is kept";
    EXPECT_THROW(client().retry(again), WrongState);
}

TEST_P(ClientJobs, AreRetriedInThePlaceOfTheTasksOfTheirSteps) {
    app.task<Nothing, int>("fail", [](const Nothing&) -> Result<int, TaskError> {
        return Failure{TaskError{"NOT_YET", "try again", ""}};
    });
    start_worker();
    Workflow flow("once");
    flow.step("only", "fail", nullptr);
    const JobHandle job = client().run(flow);
    EXPECT_EQ(client().wait(job).state, JobState::Failed);
    const Uuid task = client().steps(job).front().task;
    EXPECT_THAT([&] { client().retry(task); },
                ThrowsMessage<WrongState>(HasSubstr("holdfast jobs retry " + job.id.to_string())));
    EXPECT_EQ(client().list().size(), 1U);
}

TEST_P(ClientJobs, ThatAreUnknownAreToldSo) {
    EXPECT_THROW(client().wait(JobHandle{}), UnknownJob);
    EXPECT_FALSE(client().get(JobHandle{}).has_value());
    EXPECT_EQ(client().cancel(JobHandle{}), SteerStatus::NotFound);
}

}  // namespace
}  // namespace holdfast::integration
