#pragma once

#include <variant>
#include <vector>

#include "base/log.h"
#include "engine/worker/runners.h"
#include "engine/worker/store_calls.h"

namespace holdfast::engine {

// The commands of a worker, as values.

/// The connections of a worker. A call on one does not delay the others, as far as the store allows.
enum class Lane { Work, Claim, Beat };

/// One call at a time is under way on each lane; its answer is given to Worker::answered.
struct CallStore {
    Lane lane = Lane::Work;
    StoreCall call;
};
struct SpawnRunner {
    RunnerId runner = 0;
};
struct BeginRun {
    RunnerId runner = 0;
    RunOrder order;
};
struct AskToStop {
    RunnerId runner = 0;
    StopCause cause = StopCause::Drain;
    Duration grace{};
};
struct KillRunner {
    RunnerId runner = 0;
};
struct SetFence {
    Duration deadline{};
};
struct LogsStored {
    RunnerId runner = 0;
    std::size_t bytes = 0;
};
struct Say {
    LogLine line;
};
/// For the supervisor of the process.
struct Announce {
    enum class What { Ready, Stopping };
    What what = What::Ready;
};
/// The worker has left. The process ends, and with it every runner.
struct Leave {
    int exit_code = 0;
    bool at_once = false;  ///< without waiting for anything: a run that must end cannot be ended otherwise
};

using Command =
    std::variant<CallStore, SpawnRunner, BeginRun, AskToStop, KillRunner, SetFence, LogsStored, Say, Announce, Leave>;
using Commands = std::vector<Command>;

}  // namespace holdfast::engine
