#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/random.h"
#include "engine/worker/worker.h"
#include "platform/life_lock.h"
#include "platform/own_load.h"
#include "platform/service_loop.h"
#include "worker/service_threads.h"

namespace holdfast::worker {

/// The parts of a worker. Everything referred to must outlive the service.
struct ServiceParts {
    platform::ServiceLoop& loop;
    store::WorkerStore& store;
    store::WorkerStore& claims;  ///< for claims beside other work; may be the same
    Random& random;
    Log& log;
    std::string life_lock = {};  ///< the file of its life lock; empty: the store keeps its proof of life
    /// Called with the descriptor of the life lock, for a process that outlives this one to hold as well.
    std::function<void(int descriptor)> share_life_lock = [](int) {};
    std::function<void(engine::Announce::What)> announce = [](engine::Announce::What) {};
    /// Called in every turn of the loop.
    std::function<void()> turned = [] {};
};

/// Drives an engine::Worker on this machine: performs its commands and returns their outcomes as events.
class Service {
public:
    Service(engine::WorkerSettings settings, ServiceParts parts);

    /// To be called once, before run(). `runners` must not be used any more once run() has returned. `work_caller`
    /// performs the calls of the work lane; nullptr: a thread of its own does.
    void use(engine::Runners& runners, Caller* work_caller = nullptr);

    /// Works until the worker has left and returns the exit code. In the loop's thread.
    int run();

    /// Calls `happening` inside the loop, and performs what the worker decides upon it, in this thread: a round
    /// through the loop's thread would cost two changes of threads. Returns false, and does nothing, unless run() is
    /// under way. From any thread that is not inside the loop.
    bool enter(const std::function<void()>& happening);

    // Inside the loop:
    void handle(const engine::RunnerEvent& event);
    void ask_to_drain(const std::string& why);
    void tags_changed(std::vector<std::string> tags);

private:
    class Running;

    [[noreturn]] void report_stuck(Duration stuck_for);
    void decide();
    void perform(engine::Command command);
    void call_store(engine::Lane lane, engine::StoreCall call);
    [[nodiscard]] Caller& caller_of(engine::Lane lane);
    void tell(engine::Lane lane, engine::StoreAnswer answer);
    void answered(engine::Lane lane, engine::StoreAnswer answer);
    void hold_life_lock(std::int64_t number);
    void leave(const engine::Leave& leave);
    [[nodiscard]] std::optional<Duration> decide_and_pause();
    void orders_arrived();

    ServiceParts parts_;
    const engine::WorkerSettings settings_;
    engine::Worker worker_;
    engine::Runners* runners_ = nullptr;
    platform::OwnLoad load_;
    platform::LifeLock life_lock_;
    // Inside the loop:
    bool is_running_ = false;
    std::optional<int> exit_code_;
    Duration turn_at_{};  // when the loop's thread turns at the latest
    std::atomic<bool> orders_posted_ = false;
    Caller* work_caller_ = nullptr;
    std::optional<StoreLane> work_lane_;
    StoreLane claim_lane_;
    StoreLane beat_lane_;
    StoreWatch work_watch_;
    StoreWatch orders_watch_;
    std::optional<LoopGuard> guard_;  // while run() turns the loop
};

}  // namespace holdfast::worker
