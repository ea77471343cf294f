#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/calendar/time_zone.h"
#include "core/task/verdict.h"
#include "holdfast/result.h"
#include "store/worker_records.h"

namespace holdfast::engine {

/// What this machine knows about a worker, beside the store: certain evidence, or none. Being unable to look does not
/// count as evidence.
struct Sight {
    core::Evidence evidence = core::Evidence::None;  ///< None, Exited or Rebooted
    std::string how;                                 ///< "process 4711 is gone", "its lock is free"
    /// The store cannot contradict it, because the kernel itself keeps the lock. Otherwise the store must confirm it,
    /// because cloned machines share their boot id and may share pids.
    bool stands_alone = false;
};

/// The monotonic time of this process, as in `now` of its services.
using Stopwatch = std::function<Duration()>;

/// The time zone of a name like "Europe/Berlin"; the error is a sentence for the user who wrote the name.
using Zones = std::function<Result<core::TimeZone, std::string>(const std::string& name)>;

/// This machine, as an observer of workers.
class HostWatch {
public:
    virtual ~HostWatch() = default;
    [[nodiscard]] virtual Sight look_at(const store::WorkerLiveness& worker) = 0;
    /// Kills every process of this machine that belongs to a dead worker, before its tasks may run again. True when
    /// none is left, or the worker was on another machine. A worker without a host may have been on this one.
    [[nodiscard]] virtual bool clear_away(const store::WorkerLiveness& worker) = 0;
    /// Stops and removes the container of a dead worker's lease. True when it certainly does not run any more: it was
    /// removed here, or the worker was on this machine and its container engine has none.
    [[nodiscard]] virtual bool stop_container(const store::WorkerLiveness& worker, const store::TaskLease& lease) = 0;
};

/// What is known for certain about any worker. This machine says nothing about one behind a server: its boot id and
/// its pids may be those of another machine, and it holds no lock. Its keeper may have testified.
[[nodiscard]] inline Sight sight_of(HostWatch& host, const store::WorkerLiveness& worker) {
    if (worker.via == store::Via::Store) return host.look_at(worker);
    if (!worker.exited) return {};
    return {core::Evidence::Exited, "its keeper has testified that nothing of it is left", true};
}

}  // namespace holdfast::engine
