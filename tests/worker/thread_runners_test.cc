#include "worker/thread_runners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace holdfast::worker {
namespace {

/// Runners in threads, with a loop in the thread of the test. Ends are collected wherever they are handed in.
class ThreadRunnersTest : public testing::Test {
protected:
    ThreadRunnersTest() {
        functions_["quick"] = [](Context&, const nlohmann::json&) { return nlohmann::json(nullptr); };
        functions_["slow"] = [this](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
            open_.wait();
            return nlohmann::json(nullptr);
        };
    }
    ~ThreadRunnersTest() override { open_gate(); }

    void spawn(int runners) {
        runners_.emplace(
            loop_, functions_, [this](const engine::RunnerEvent& event) { note(event); },
            [this](const auto& happening) {
                loop_.inside([&] {
                    happening();
                    decide_();
                });
                return true;
            });
        for (int id = 1; id <= runners; ++id) runners_->spawn(id);
    }
    void begin(engine::RunnerId runner, const std::string& name) {
        runners_->begin(runner, {.lease = {{}, runner}, .name = name, .args = "null"});
    }
    /// Waits until so many runs have ended; the loop turns meanwhile.
    void await_ends(int count) {
        while (ended_ < count) loop_.turn(std::chrono::milliseconds(1));
    }
    void open_gate() {
        if (!std::exchange(is_open_, true)) gate_.set_value();
    }

    platform::ServiceLoop loop_;
    std::function<void()> decide_ = [] {};
    std::atomic<int> ended_ = 0;
    std::promise<void> gate_;
    const std::shared_future<void> open_ = gate_.get_future();
    bool is_open_ = false;
    FunctionTable functions_;
    std::optional<ThreadRunners> runners_;

private:
    void note(const engine::RunnerEvent& event) {
        if (std::holds_alternative<engine::RunEnded>(event)) ++ended_;
    }
};

TEST_F(ThreadRunnersTest, ASlowFunctionDelaysNeitherOtherRunsNorTheirEnds) {
    constexpr int runners = 20;
    spawn(runners);
    for (int round = 0; round < 50; ++round) {
        ended_ = 0;
        for (int id = 1; id < runners; ++id) begin(id, "quick");
        if (round == 0) begin(runners, "slow");
        await_ends(runners - 1);
    }
    open_gate();
    await_ends(runners);
}

TEST_F(ThreadRunnersTest, AsManySlowFunctionsAsRunnersRunAtOnce) {
    std::atomic<int> begun = 0;
    functions_["counted"] = [&](Context&, const nlohmann::json&) -> Result<nlohmann::json, TaskError> {
        ++begun;
        open_.wait();
        return nlohmann::json(nullptr);
    };
    spawn(30);
    for (int id = 1; id <= 30; ++id) begin(id, "counted");
    while (begun < 30) std::this_thread::yield();
    open_gate();
    await_ends(30);
}

TEST_F(ThreadRunnersTest, ACallThatHangsDelaysNoRun) {
    spawn(3);
    std::atomic<bool> is_called = false;
    runners_->submit([&] {
        is_called = true;
        open_.wait();
    });
    while (!is_called) std::this_thread::yield();
    for (int id = 1; id <= 3; ++id) begin(id, "quick");
    await_ends(3);
}

TEST_F(ThreadRunnersTest, RunsThatHangDelayNoCall) {
    spawn(3);
    for (int id = 1; id <= 3; ++id) begin(id, "slow");
    std::promise<void> called;
    runners_->submit([&] { called.set_value(); });
    called.get_future().wait();
    open_gate();
    await_ends(3);
}

/// What the worker decides upon the end of a run is done in the thread that executed it.
TEST_F(ThreadRunnersTest, TheThreadOfARunPerformsTheCallThatItsEndLeadsTo) {
    std::thread::id ran_in, called_in;
    functions_["note"] = [&](Context&, const nlohmann::json&) {
        ran_in = std::this_thread::get_id();
        return nlohmann::json(nullptr);
    };
    std::promise<void>* called = nullptr;
    int seen = 0;
    decide_ = [&] {
        if (std::exchange(seen, ended_.load()) == ended_) return;
        runners_->submit([&] {
            called_in = std::this_thread::get_id();
            called->set_value();
        });
    };
    spawn(4);
    int in_same_thread = 0;
    for (int round = 0; round < 100; ++round) {
        std::promise<void> once;
        called = &once;
        begin(1, "note");
        once.get_future().wait();
        if (ran_in == called_in) ++in_same_thread;
    }
    EXPECT_GT(in_same_thread, 90);
}

TEST_F(ThreadRunnersTest, WhatARunTellsArrivesBeforeItsEnd) {
    functions_["tells"] = [](Context& context, const nlohmann::json&) {
        for (int i = 1; i <= 10; ++i) context.log(std::to_string(i));
        return nlohmann::json(nullptr);
    };
    std::vector<std::string> heard;
    bool is_over = false;
    ThreadRunners runners(
        loop_, functions_,
        [&](const engine::RunnerEvent& event) {
            if (const auto* line = std::get_if<engine::RunLog>(&event)) heard.push_back(line->text);
            if (std::holds_alternative<engine::RunEnded>(event)) is_over = true;
        },
        [&](const auto& happening) {
            loop_.inside(happening);
            return true;
        });
    runners.spawn(1);
    for (int round = 0; round < 100; ++round) {
        runners.begin(1, {.lease = {{}, 1}, .name = "tells", .args = "null"});
        bool was_over = false;
        while (!was_over) {
            loop_.turn(std::chrono::milliseconds(1));
            loop_.inside([&] { was_over = std::exchange(is_over, false); });
        }
        loop_.inside([&] { EXPECT_THAT(std::exchange(heard, {}), testing::SizeIs(10)); });
    }
}

TEST_F(ThreadRunnersTest, WhatNobodyWaitsForIsHandedInOnce) {
    std::atomic<int> attempts = 0;
    ThreadRunners runners(
        loop_, functions_, [](const engine::RunnerEvent&) {},
        [&](const auto&) {
            ++attempts;
            return false;  // the worker has left
        });
    runners.spawn(1);
    runners.begin(1, {.lease = {{}, 1}, .name = "quick", .args = "null"});
    while (attempts == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(attempts, 2);  // the runner is ready, and its run has ended: together, or one after the other
}

}  // namespace
}  // namespace holdfast::worker
