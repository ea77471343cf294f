#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/random.h"
#include "client/connect.h"
#include "engine/recovery/sweeper.h"
#include "platform/host_watch.h"
#include "runner/container_tool.h"

namespace holdfast::worker {

struct SweepParams {
    client::ConnectParams store;
    engine::SweepSettings settings;
    Duration interval = std::chrono::seconds(1);  ///< between two looks
    std::string who;
    runner::ContainerTool containers = {};  ///< removes a dead worker's containers
    /// Called in the sweeping thread after each pass that reached the store.
    std::function<void(const engine::SweepReport&)> swept = [](const engine::SweepReport&) {};
};

/// Recovery in the background of a process, on a connection and in a thread of its own. It looks at regular
/// intervals, and at once when a worker of this machine dies.
class SweepThread {
public:
    /// `random` and `log` must outlive it.
    SweepThread(SweepParams params, Random& random, Log& log);
    ~SweepThread();
    /// Looks now instead of at the next interval. From any thread.
    void look_now() { host_->wake(); }
    SweepThread(const SweepThread&) = delete;
    SweepThread& operator=(const SweepThread&) = delete;

private:
    void run();
    void sweep(store::RecoveryStore& store);
    /// One line when an outage begins, and one when it ends.
    void say_failed(const char* what, const std::exception& fault);
    void say_works();
    void say(const engine::SweepReport& report);
    /// Notes in the store what each service did since the start: when that has changed, and when all of them ran.
    void note(store::RecoveryStore& store, const engine::SweepReport& report, Duration now);

    const SweepParams params_;
    Random& random_;
    Log& log_;
    const std::unique_ptr<platform::LocalHostWatch> host_;
    std::atomic<bool> stopping_ = false;
    std::optional<Duration> failing_since_;
    std::map<std::string, engine::RecoveryReport> totals_;  // by service
    Duration note_at_{};
    std::thread thread_;
};

/// The watch over the store's workers on this machine.
[[nodiscard]] std::unique_ptr<platform::LocalHostWatch> host_watch_for(const std::string& store_url,
                                                                       const runner::ContainerTool& containers);

}  // namespace holdfast::worker
