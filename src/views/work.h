#pragma once

#include <string>
#include <vector>

#include "store/worker_store.h"
#include "views/members.h"

namespace holdfast::views {

// What a worker behind a server and that server say to each other (docs/worker-protocol.md). JSON texts (args, spec,
// results, checkpoints, data of errors) travel as strings, so that not a byte of them changes. Times are seconds that
// have passed or have to pass; only `run_at` and `deadline` are instants, because their submitter chose them.

/// The versions of the protocol that this program speaks. A worker and a server use the newest that both speak.
inline constexpr int newest_work_protocol = 1;
inline constexpr int oldest_work_protocol = 1;

/// The answer of a server to the first question of a worker.
struct WorkWelcome {
    std::string version = {};  ///< of the server's program
    int protocol = newest_work_protocol;
    int oldest_protocol = oldest_work_protocol;
    std::size_t max_body_bytes = 0;  ///< of a request
};
/// The newest version of the protocol that both speak; nullopt: there is none.
[[nodiscard]] std::optional<int> common_protocol(const WorkWelcome& server, int oldest = oldest_work_protocol,
                                                 int newest = newest_work_protocol);

struct WorkProgress {
    Uuid worker = {};
    std::vector<store::ProgressReport> reports = {};
};
/// A chunk of output, and how long ago the worker read it.
struct WorkLogChunk {
    store::LogChunk chunk = {};
    Duration age = {};
};
struct WorkLogs {
    Uuid worker = {};
    std::vector<WorkLogChunk> chunks = {};
};
struct WorkState {
    store::WorkerSnapshot snapshot = {};
};
struct WorkLeave {
    Uuid worker = {};
};
/// The answer to each item of a request, in its order.
struct WorkFenced {
    std::vector<store::Fenced> items = {};
};
struct WorkDone {
    bool done = false;  ///< false: there was nothing to do
};

Table<WorkWelcome> table(Of<WorkWelcome>);
Table<store::TaskLease> table(Of<store::TaskLease>);
Table<core::Witness> table(Of<core::Witness>);
Table<store::HostIdentity> table(Of<store::HostIdentity>);
Table<store::WorkerRegistration> table(Of<store::WorkerRegistration>);
Table<store::RegisterAnswer> table(Of<store::RegisterAnswer>);
Table<store::HeldLease> table(Of<store::HeldLease>);
Table<store::ProgressReport> table(Of<store::ProgressReport>);
Table<store::BeatParams> table(Of<store::BeatParams>);
Table<store::StopRequest> table(Of<store::StopRequest>);
Table<store::BeatAnswer> table(Of<store::BeatAnswer>);
Table<store::FinishedRun> table(Of<store::FinishedRun>);
Table<store::TurnParams> table(Of<store::TurnParams>);
Table<store::FinishOutcome> table(Of<store::FinishOutcome>);
Table<store::ClaimedTask> table(Of<store::ClaimedTask>);
Table<store::ClaimAnswer> table(Of<store::ClaimAnswer>);
Table<store::TurnAnswer> table(Of<store::TurnAnswer>);
Table<WorkProgress> table(Of<WorkProgress>);
Table<WorkLogChunk> table(Of<WorkLogChunk>);
Table<WorkLogs> table(Of<WorkLogs>);
Table<WorkState> table(Of<WorkState>);
Table<WorkLeave> table(Of<WorkLeave>);
Table<WorkFenced> table(Of<WorkFenced>);
Table<WorkDone> table(Of<WorkDone>);

}  // namespace holdfast::views
