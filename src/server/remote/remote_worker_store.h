#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/remote/work_servers.h"
#include "server/remote/work_stream_reader.h"
#include "store/worker_store.h"

namespace holdfast::remote {

/// The store as one worker behind a server sees it. Beats have a connection of their own, so that they never wait
/// for other calls. A request that is larger than the server takes is sent in parts. Any thread may call.
class RemoteWorkerStore final : public store::WorkerStore {
public:
    /// Meets a server. `clock` tells how old output is. Throws Unavailable when none can be reached now, and Unusable
    /// when one refuses the token or the version, or is not a Holdfast server.
    RemoteWorkerStore(std::shared_ptr<WorkServers> servers, const Clock& clock);

    store::RegisterAnswer register_worker(const store::WorkerRegistration& worker) override;
    bool deregister_worker(const Uuid& worker) override;
    store::BeatAnswer beat(const store::BeatParams& params) override;
    store::TurnAnswer turn(const store::TurnParams& params) override;
    std::vector<store::Fenced> save_progress(const Uuid& worker,
                                             const std::vector<store::ProgressReport>& reports) override;
    std::vector<store::Fenced> append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) override;
    void append_worker_snapshot(const store::WorkerSnapshot& snapshot) override;
    /// Learns of news once the worker has registered here.
    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic) override;

private:
    std::vector<store::Fenced> save(WorkConnection& connection, const Uuid& worker,
                                    const std::vector<store::ProgressReport>& reports);

    const std::shared_ptr<WorkServers> servers_;
    const Clock& clock_;
    WorkConnection beats_;
    WorkConnection work_;
    const std::shared_ptr<WorkBell> work_bell_ = std::make_shared<WorkBell>(store::Topic::Work);
    const std::shared_ptr<WorkBell> orders_bell_ = std::make_shared<WorkBell>(store::Topic::Orders);
    std::mutex mutex_;
    std::unique_ptr<WorkStreamReader> reader_;  // guarded by mutex_
};

}  // namespace holdfast::remote
