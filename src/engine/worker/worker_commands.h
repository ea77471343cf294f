#pragma once

#include <variant>
#include <vector>

#include "base/log.h"
#include "engine/worker/runners.h"
#include "engine/worker/store_calls.h"

namespace holdfast::engine {

// What a worker wants done, as values.

/// The connections of a worker: what is under way on one does not keep the others waiting, as far as the store can.
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
/// For whoever supervises the process.
struct Announce {
    enum class What { Ready, Stopping };
    What what = What::Ready;
};
/// The worker has nothing left to do. The process ends, and with it every runner.
struct Leave {
    int exit_code = 0;
    bool at_once = false;  ///< whatever else the process does: a run that must not go on cannot be ended otherwise
};

using Command =
    std::variant<CallStore, SpawnRunner, BeginRun, AskToStop, KillRunner, SetFence, LogsStored, Say, Announce, Leave>;
using Commands = std::vector<Command>;

}  // namespace holdfast::engine
