#include <atomic>
#include <thread>

#include "platform/host_identity.h"
#include "platform/system_random.h"
#include "store_contract/fake_clock.h"
#include "store_contract/moves.h"
#include "tests/worker/worker_fixture.h"
#include "worker/service.h"
#include "worker/thread_runners.h"

namespace holdfast::worker_test {
namespace {

class NoLog : public Log {
public:
    void write(const LogLine&) override {}
};

/// A worker in a thread of the test, over a store whose clock the test sets.
class WorkerInThread {
public:
    WorkerInThread(store::Store& store, FunctionTable functions)
        : store_(store), functions_(std::move(functions)), thread_([this] { run(); }) {}
    ~WorkerInThread() {
        store_.order_worker({.worker = id, .order = store::WorkerOrder::Drain, .who = "test"});
        thread_.join();
    }

    const Uuid id = contract::random_uuid();

private:
    void run() {
        platform::ServiceLoop loop;
        platform::SystemRandom random;
        NoLog log;
        worker::Service service(settings(),
                                {.loop = loop, .store = store_, .claims = store_, .random = random, .log = log});
        worker::ThreadRunners runners(
            loop, functions_, [&](const engine::RunnerEvent& event) { service.handle(event); },
            [&](const auto& happening) { return service.enter(happening); });
        service.use(runners, &runners);
        service.run();
    }
    [[nodiscard]] engine::WorkerSettings settings() const {
        engine::WorkerSettings settings;
        settings.registration.id = id;
        settings.registration.name = "in a thread";
        settings.registration.host = platform::own_host_identity();
        settings.registration.queues = {"default"};
        settings.registration.capacity = 2;
        settings.registration.beat_interval = 100ms;
        settings.runners_can_die = false;
        return settings;
    }

    store::Store& store_;
    const FunctionTable functions_;
    std::thread thread_;
};

class ClockJump : public testing::TestWithParam<StoreKind> {
protected:
    ClockJump() {
        functions["note"] = [](Context&, const nlohmann::json& args) { return args; };
        functions["hold"] = [this](Context& context, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
            while (!gate_is_open && !context.cancelled()) std::this_thread::sleep_for(1ms);
            return nlohmann::json(context.cancelled() ? "stopped" : "let go");
        };
    }

    Uuid submit(const std::string& name) {
        const auto task = contract::requeued_on_crash(contract::a_task(clock.now(), name));
        EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::Accepted);
        return task.id;
    }
    void wait_for_state(const Uuid& id, TaskState state) {
        wait_until([&] { return contract::state_of(*store, id) == state; }, std::string(to_text(state)));
    }
    void wait_for_beats(int count) {
        const auto beat = [&] {
            const auto workers = store->workers();
            return workers.empty() ? 0 : workers.at(0).beat;
        };
        const std::int64_t wanted = beat() + count;
        wait_until([&] { return beat() >= wanted; }, "beats");
    }

    contract::FakeClock clock;
    std::unique_ptr<contract::TestDatabase> database = contract::make_database(GetParam());
    std::unique_ptr<store::Store> store =
        contract::open_store({.kind = GetParam(), .address = database->address()}, clock);
    std::atomic<bool> gate_is_open = false;
    FunctionTable functions;
};
HOLDFAST_ON_EVERY_STORE(ClockJump);

TEST_P(ClockJump, BackOrForwardStopsNoRunAndHoldsUpNoTask) {
    const WorkerInThread worker(*store, functions);
    const Uuid running = submit("hold");
    wait_for_state(running, TaskState::Running);
    for (const Duration jump :
         {Duration(24h), Duration(-48h), Duration(24h), Duration(24h * 20), Duration(-24h * 20)}) {
        clock.advance(jump);
        wait_for_state(submit("note"), TaskState::Completed);
        wait_for_beats(3);
        EXPECT_EQ(contract::state_of(*store, running), TaskState::Running);
    }
    gate_is_open = true;
    wait_for_state(running, TaskState::Completed);
    EXPECT_EQ(contract::record(*store, running).result, R"("let go")");
}

TEST_P(ClockJump, BackHoldsUpNoTaskThatWasSubmittedBefore) {
    const WorkerInThread worker(*store, functions);
    wait_for_beats(1);
    store->set_queue_paused("default", true, "test");
    const Uuid id = submit("note");
    clock.advance(-24h);
    store->set_queue_paused("default", false, "test");
    wait_for_state(id, TaskState::Completed);
}

}  // namespace
}  // namespace holdfast::worker_test
