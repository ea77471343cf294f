#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/calendar/time_zone.h"
#include "core/task/verdict.h"
#include "holdfast/result.h"
#include "store/worker_records.h"

namespace holdfast::engine {

/// What this machine knows about a worker, beyond the store: evidence that is certain, or none. Not being able to
/// look is no evidence.
struct Sight {
    core::Evidence evidence = core::Evidence::None;  ///< None, Exited or Rebooted
    std::string how;                                 ///< "process 4711 is gone", "its lock is free"
    /// Nothing that the store says could contradict it: the kernel itself keeps the lock. Else it needs the store's
    /// word, because cloned machines share their boot id and may share process numbers.
    bool stands_alone = false;
};

/// The monotonic time of this process, the one that `now` of its services is on.
using Stopwatch = std::function<Duration()>;

/// The time zone of a name like "Europe/Berlin"; the error is a sentence for whoever wrote the name.
using Zones = std::function<Result<core::TimeZone, std::string>(const std::string& name)>;

/// This machine, as an observer of workers.
class HostWatch {
public:
    virtual ~HostWatch() = default;
    [[nodiscard]] virtual Sight look_at(const store::WorkerLiveness& worker) = 0;
    /// Before a dead worker's task may run again: kills every process of this machine that still belongs to it. True
    /// when none is left, or the worker was on another machine. A worker without a host may have been on this one.
    [[nodiscard]] virtual bool clear_away(const store::WorkerLiveness& worker) = 0;
    /// Stops and removes the container of a dead worker's lease. True when it is surely not running any more: it was
    /// here and is gone, or the worker was on this machine and its container engine has none.
    [[nodiscard]] virtual bool stop_container(const store::WorkerLiveness& worker, const store::TaskLease& lease) = 0;
};

}  // namespace holdfast::engine
