#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "client/connect.h"
#include "engine/worker/worker_settings.h"
#include "holdfast/function.h"
#include "holdfast/worker.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "platform/system_random.h"
#include "runner/keeper_link.h"
#include "runner/process_pool.h"
#include "runner/program_pool.h"
#include "worker/service.h"
#include "worker/sweep_thread.h"

namespace holdfast::worker {

/// The configuration of a worker process.
struct WorkerPlan {
    client::ConnectParams store;
    /// Opens each of its connections to the store.
    std::function<std::unique_ptr<store::Store>(const client::ConnectParams&)> connect = client::connect;
    /// Opens each connection of a worker behind a server. Set, `store`, `connect`, `prepare` and `sweep` are not
    /// used.
    std::function<std::unique_ptr<store::WorkerStore>()> connect_to_server = {};
    /// Returns what a witness needs that testifies to the death of this worker; empty: there is none. Of a worker
    /// behind a server with isolation process.
    std::function<std::string(const Uuid& worker)> testimony = [](const Uuid&) { return std::string(); };
    engine::WorkerSettings settings;  ///< the worker's id and host are filled in here
    Isolation isolation = Isolation::Process;
    runner::PoolLimits limits = {};                  ///< with isolation process
    std::vector<std::string> runners = {};           ///< commands of runner programs; with isolation process
    std::vector<std::string> secret_variables = {};  ///< its known variables that secrets are read from
    bool handles_signals = true;  ///< SIGTERM and SIGINT drain it; they are blocked from construction on
    std::optional<engine::SweepSettings> sweep = std::nullopt;          ///< also recovers; unset: does not
    Duration liveness_interval = std::chrono::seconds(1);               ///< between two looks of the recovery
    std::function<void(store::Store&)> prepare = [](store::Store&) {};  ///< once, before it works; again when the
                                                                        ///< store was away
    std::function<void(engine::Announce::What)> announce = [](engine::Announce::What) {};
    std::function<void()> turned = [] {};  ///< called in every turn of its loop, at least once a second
};

/// The whole life of a worker: connects, however long that takes, works, drains, leaves.
class WorkerProcess {
public:
    /// With isolation process this starts the keeper: the process must not have a second thread yet. Asks each runner
    /// program what it can do, and adds that to the worker's tags. Throws BadInput when the program cannot start
    /// runners, or a runner program does not answer as it should. `functions` and `log` must outlive it.
    WorkerProcess(WorkerPlan plan, const FunctionTable& functions, Log& log);
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    /// Returns the exit code when the worker has left. Throws BadInput for the store's URL, and Unusable when the
    /// store is there but cannot be used.
    int run();
    /// From any thread. The second call stops running tasks at once.
    void ask_to_drain(const std::string& why);

private:
    [[nodiscard]] bool is_on_sqlite() const;
    void meet_programs();
    [[nodiscard]] std::vector<std::string> tags_with(const std::vector<std::string>& tasks) const;
    void watch_signals();
    void drain(const std::string& why);
    void keeper_gone();
    [[nodiscard]] std::unique_ptr<store::Store> connect_patiently(const std::function<void(store::Store&)>& prepare);
    [[nodiscard]] int run_behind_server();
    [[nodiscard]] std::unique_ptr<store::WorkerStore> connect_to_server_patiently();
    [[nodiscard]] int work(store::WorkerStore& store, store::WorkerStore& claims);
    /// Also lets the service use them.
    [[nodiscard]] std::unique_ptr<engine::Runners> make_runners(Service& service);
    [[nodiscard]] std::unique_ptr<engine::Runners> make_program_runners(Service& service);
    [[nodiscard]] std::unique_ptr<runner::ProcessPool> make_processes(runner::ProcessPool::Sink sink);
    [[nodiscard]] ServiceParts parts_for(store::WorkerStore& store, store::WorkerStore& claims);
    [[nodiscard]] std::unique_ptr<SweepThread> start_sweeping();

    WorkerPlan plan_;
    const FunctionTable& functions_;
    Log& log_;
    std::vector<runner::KnownProgram> programs_;
    std::vector<std::string> own_tags_;  // without the tasks of the programs
    platform::SystemRandom random_;
    std::unique_ptr<runner::KeeperLink> keeper_;  // before every thread
    platform::ServiceLoop loop_;
    std::optional<platform::SignalWatch> signals_;
    Service* service_ = nullptr;  // while it works
    std::optional<std::string> drain_reason_;
    bool keeper_lost_ = false;
};

}  // namespace holdfast::worker
