#include "holdfast/worker.h"

#include <gmock/gmock.h>

#include <future>
#include <mutex>

#include "holdfast/app.h"
#include "holdfast/client.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(AppTest, KeepsItsFunctionsByTheNamesOfTheirTasks) {
    App app;
    const Task<int, int> twice = app.task<int, int>("twice", [](int n) { return 2 * n; });
    const Task<int, int> thrice{"thrice"};
    app.task(thrice, [](int n) { return 3 * n; });
    EXPECT_EQ(twice.name(), "twice");
    std::vector<std::string> names;
    for (const auto& [name, function] : app.functions()) names.push_back(name);
    EXPECT_THAT(names, ElementsAre("thrice", "twice"));
}

TEST(AppTest, RefusesNamesThatAreTakenEmptyOrTooLong) {
    App app;
    const auto add = [&](const std::string& name) { app.task<int, int>(name, [](int n) { return n; }); };
    add("x");
    EXPECT_THAT([&] { add("x"); }, ThrowsMessage<BadInput>(HasSubstr("a function for the task 'x' already")));
    EXPECT_THAT([&] { add(""); }, ThrowsMessage<BadInput>(HasSubstr("1 to 250 bytes")));
    EXPECT_THAT([&] { add(std::string(251, 'x')); }, ThrowsMessage<BadInput>(HasSubstr("1 to 250 bytes")));
    EXPECT_THAT([&] { add("\xFF"); }, ThrowsMessage<BadInput>(HasSubstr("UTF-8")));
    EXPECT_EQ(app.functions().size(), 1U);
}

class WorkerTest : public AnyStoreProgramTest {
protected:
    App app;
};
INSTANTIATE_TEST_SUITE_P(Stores, WorkerTest, testing::ValuesIn(store_kinds()), name_of);

TEST_P(WorkerTest, RunsTheFunctionsOfItsApplicationInTheSameProcess) {
    const auto twice = app.task<int, int>("twice", [](int n) { return 2 * n; });
    const auto refuse = app.task<Nothing, int>("refuse", [](const Nothing&) -> Result<int, TaskError> {
        return Failure{TaskError{"NOT_TODAY", "come back tomorrow", R"({"hours":24})"}};
    });
    const auto fall = app.task<Nothing, Nothing>("fall", [](const Nothing&) { throw std::runtime_error("ouch"); });
    Worker worker(place->url(), app.functions());
    worker.start();
    Client client(place->url());
    EXPECT_EQ(client.wait(client.submit(twice, 21)).value(), 42);
    const auto refused = client.wait(client.submit(refuse, {})).error();
    EXPECT_EQ(refused, (TaskError{"NOT_TODAY", "come back tomorrow", R"({"hours":24})"}));
    const auto fallen = client.wait(client.submit(fall, {})).error();
    EXPECT_EQ(fallen.code, error_code::task_exception);
    EXPECT_THAT(fallen.message, HasSubstr("ouch"));
}

TEST_P(WorkerTest, FailsATaskOnceWhoseArgumentsDoNotFitItsFunction) {
    const auto total =
        app.task<std::map<std::string, int>, int>("total", [](const std::map<std::string, int>& parts) {
            int sum = 0;
            for (const auto& [name, part] : parts) sum += part;
            return sum;
        });
    Worker worker(place->url(), app.functions());
    worker.start();
    Client client(place->url());
    SubmitOptions eager;
    eager.policy.retry.max_attempts = 5;
    eager.policy.retry.delays = {0s};
    EXPECT_EQ(client.wait(client.submit(total, {{"bread", 3}, {"butter", 2}}, eager)).value(), 5);
    const TaskInfo info = client.wait(client.submit("total", {{"bread", 3}, {"butter", "two"}}, eager));
    EXPECT_EQ(info.state, TaskState::Failed);
    EXPECT_EQ(info.error->code, error_code::args_not_readable);
    EXPECT_EQ(info.error->message, "args.butter: expected a number, got a string");
    EXPECT_EQ(info.attempts, 1);
}

TEST_P(WorkerTest, IsNamedAndTaggedByItsOptions) {
    app.task<int, int>("twice", [](int n) { return 2 * n; });
    const auto ping = app.task<Nothing, Nothing>("ping", [](const Nothing&) {});
    Worker worker(place->url(), app.functions(),
                  {.name = "embedded", .queues = {"default", "other"}, .tags = {"gpu"}, .max_concurrent_tasks = 3});
    worker.start();
    Client client(place->url());
    (void)client.wait(client.submit(ping, {}));  // it is registered once it has run something
    const auto listed = holdfast({"workers", "list", "--json"}).json();
    EXPECT_EQ(listed["name"], "embedded");
    EXPECT_EQ(listed["capacity"], 3);
    EXPECT_EQ(listed["queues"], nlohmann::json({"default", "other"}));
    EXPECT_EQ(listed["tags"], nlohmann::json({"task:ping", "task:twice", "gpu"}));
}

TEST_P(WorkerTest, DrainLetsWhatRunsEndAndLeaves) {
    std::promise<void> began, may_end;
    const auto slow = app.task<Nothing, int>("slow", [&](const Nothing&) {
        began.set_value();
        may_end.get_future().wait();
        return 7;
    });
    Worker worker(place->url(), app.functions());
    worker.start();
    Client client(place->url());
    const auto first = client.submit(slow, {});
    began.get_future().wait();
    worker.drain();
    may_end.set_value();
    worker.wait();
    EXPECT_EQ(client.wait(first).value(), 7);
    EXPECT_EQ(holdfast({"workers", "list", "--all", "--json"}).json()["status"], "inactive");
}

TEST_P(WorkerTest, StopAsksWhatRunsToStop) {
    std::promise<void> began;
    const auto patient = app.task<Nothing, Nothing>("patient", [&](Context& context, const Nothing&) {
        began.set_value();
        while (!context.cancelled()) std::this_thread::yield();
    });
    Worker worker(place->url(), app.functions(), {.shutdown_grace = 24h});
    worker.start();
    Client client(place->url());
    const auto task = client.submit(patient, {});
    began.get_future().wait();
    worker.stop();
    worker.wait();  // would take a day
    EXPECT_TRUE(client.get(task.id).has_value());
}

TEST_P(WorkerTest, APartThatARunReturnsAfterItsCancelIsKeptInTheError) {
    std::promise<void> began;
    const auto count = app.task<int, int>("count", [&](Context& context, int total) {
        int n = 0;
        began.set_value();
        for (; n < total && !context.cancelled(); ++n) std::this_thread::sleep_for(1ms);
        return n;
    });
    Worker worker(place->url(), app.functions(), {.heartbeat_interval = 2min, .stop_grace = 24h});
    worker.start();
    Client client(place->url());
    const auto task = client.submit(count, std::numeric_limits<int>::max());
    began.get_future().wait();
    EXPECT_EQ(client.cancel(task.id), CancelStatus::Requested);
    const auto error = client.wait(task).error();
    EXPECT_EQ(error.code, error_code::task_cancelled);
    EXPECT_GE(nlohmann::json::parse(error.data).at("returned").get<int>(), 0);
    EXPECT_THAT(holdfast({"tasks", "show", task.id.to_string()}).out, HasSubstr(R"({"returned":)"));
}

TEST_P(WorkerTest, ASecondDrainDoesNotHurryWhatRuns) {
    std::promise<void> began;
    std::promise<void> may_end;
    const auto slow = app.task<Nothing, bool>("slow", [&](Context& context, const Nothing&) {
        began.set_value();
        may_end.get_future().wait();
        return context.cancelled();
    });
    Client client(place->url());
    TaskHandle<bool> task;
    {
        Worker worker(place->url(), app.functions(), {.shutdown_grace = 24h});
        worker.start();
        task = client.submit(slow, {});
        began.get_future().wait();
        worker.drain();
        worker.drain();
        while (holdfast({"workers", "list", "--json"}).json()["status"] != "draining") std::this_thread::yield();
        may_end.set_value();
    }
    EXPECT_FALSE(client.wait(task).value());
}

TEST_P(WorkerTest, DestroyedIsDrained) {
    const auto ping = app.task<Nothing, Nothing>("ping", [](const Nothing&) {});
    Client client(place->url());
    {
        Worker worker(place->url(), app.functions());
        worker.start();
        (void)client.wait(client.submit(ping, {}));
    }
    EXPECT_EQ(holdfast({"workers", "list", "--all", "--json"}).json()["status"], "inactive");
}

TEST_P(WorkerTest, HandsTheLinesOfItsLogToTheApplication) {
    std::mutex mutex;
    std::vector<std::string> lines;
    const auto ping = app.task<Nothing, Nothing>("ping", [](const Nothing&) {});
    {
        Worker worker(place->url(), app.functions(), {.log = [&](std::string_view line) {
                          const std::lock_guard lock(mutex);
                          lines.emplace_back(line);
                      }});
        worker.start();
        Client client(place->url());
        (void)client.wait(client.submit(ping, {}));
    }
    EXPECT_THAT(lines, Contains(AllOf(HasSubstr(" info "), HasSubstr("Worker registered"))));
}

class WorkerFaults : public SqliteProgramTest {};

TEST_F(WorkerFaults, OptionsThatNoWorkerCanHaveAreRefusedByName) {
    const auto with = [&](const WorkerOptions& options) {
        return [this, options] { Worker(place->url(), {}, options); };
    };
    EXPECT_THAT(with({.queues = {}}), ThrowsMessage<BadInput>(HasSubstr("queues")));
    EXPECT_THAT(with({.max_concurrent_tasks = 0}), ThrowsMessage<BadInput>(HasSubstr("max_concurrent_tasks")));
    EXPECT_THAT(with({.task_timeout = 0s}), ThrowsMessage<BadInput>(HasSubstr("task_timeout")));
    EXPECT_THAT(with({.heartbeat_interval = 1ms}), ThrowsMessage<BadInput>(HasSubstr("heartbeat_interval")));
    EXPECT_THAT([] { Worker("app.db", {}); }, ThrowsMessage<BadInput>(HasSubstr("write sqlite:app.db")));
}

TEST_F(WorkerFaults, ProcessesNeedAProgramThatBeganWithRunnerMain) {
    EXPECT_THAT([&] { Worker(place->url(), {}, {.isolation = Isolation::Process}); },
                ThrowsMessage<BadInput>(HasSubstr("runner_main")));
}

TEST_F(WorkerFaults, AStoreThatCannotBeUsedIsThrownByWait) {
    folder.write("test.db", "this is not a database, whatever its name says, and long enough to be looked at twice");
    Worker worker(place->url(), {});
    worker.start();
    EXPECT_THROW(worker.wait(), Unusable);
}

TEST_F(WorkerFaults, OneThatWasNeverStartedCanBeDestroyedAndWaitedFor) {
    Worker worker(place->url(), {});
    worker.drain();
    worker.wait();
}

}  // namespace
}  // namespace holdfast::integration
