#include "views/work.h"

#include <algorithm>

#include "core/public_words.h"
#include "core/task/task_options.h"
#include "views/task.h"

namespace holdfast::views {

namespace {

using Lease = store::TaskLease;
using Task = store::NewTask;

std::string policy_text(const store::ClaimedTask& claimed) {
    return core::encode_policy(claimed.task.policy);
}
void read_policy_text(const std::string& text, store::ClaimedTask& claimed) {
    auto policy = core::decode_policy(text);
    if (!policy.ok()) misfit("policy", text);
    claimed.task.policy = std::move(policy).value();
}

}  // namespace

std::optional<int> common_protocol(const WorkWelcome& server, int oldest, int newest) {
    const int common = std::min(server.protocol, newest);
    if (common < oldest || common < server.oldest_protocol) return std::nullopt;
    return common;
}

Table<WorkWelcome> table(Of<WorkWelcome>) {
    static constexpr Member<WorkWelcome> members[] = {
        member<&WorkWelcome::version>("version", "of the server's program"),
        member<&WorkWelcome::protocol>("protocol", "the newest version of the protocol that the server speaks"),
        member<&WorkWelcome::oldest_protocol>("oldest_protocol", "the oldest one"),
        member<&WorkWelcome::max_body_bytes>("max_body_bytes", "of a request; a larger one is refused"),
    };
    return {"WorkWelcome", members};
}

Table<store::TaskLease> table(Of<store::TaskLease>) {
    static constexpr Member<Lease> members[] = {
        member<&Lease::task>("task"),
        member<&Lease::lease>("lease"),
    };
    return {"WorkLease", members};
}

Table<core::Witness> table(Of<core::Witness>) {
    static constexpr Member<core::Witness> members[] = {
        member<&core::Witness::rank>("rank", "of the store's history; 0: the worker has seen none yet"),
        member<&core::Witness::number>("number"),
    };
    return {"WorkWitness", members};
}

Table<store::HostIdentity> table(Of<store::HostIdentity>) {
    using Host = store::HostIdentity;
    static constexpr Member<Host> members[] = {
        member<&Host::hostname>("hostname"),
        member<&Host::boot_id>("boot_id"),
        member<&Host::pid_namespace>("pid_namespace"),
        member<&Host::pid>("pid"),
        member<&Host::start_time>("start_time"),
        member<&Host::keeper_pid>("keeper_pid"),
        member<&Host::keeper_start_time>("keeper_start_time"),
    };
    return {"WorkHost", members};
}

Table<store::WorkerRegistration> table(Of<store::WorkerRegistration>) {
    using Worker = store::WorkerRegistration;
    static constexpr Member<Worker> members[] = {
        member<&Worker::id>("worker", "random, new at every start of the process"),
        member<&Worker::name>("name"),
        member<&Worker::host>("host", "for people: what runs where"),
        member<&Worker::version>("version", "of the worker's program"),
        member<&Worker::queues>("queues"),
        member<&Worker::tags>("tags"),
        member<&Worker::capacity>("capacity", "how many tasks it runs at once"),
        member<&Worker::beat_interval>("beat_interval", seconds),
        member<&Worker::fence_after>("fence_after", seconds,
                                     "by when after its last acknowledged beat it has surely fenced itself"),
    };
    return {"WorkRegister", members};
}

Table<store::RegisterAnswer> table(Of<store::RegisterAnswer>) {
    static constexpr Member<store::RegisterAnswer> members[] = {
        member<&store::RegisterAnswer::number>("number"),
        member<&store::RegisterAnswer::rank>("rank", "of the store's history"),
    };
    return {"WorkRegistered", members};
}

Table<store::HeldLease> table(Of<store::HeldLease>) {
    using Held = store::HeldLease;
    static constexpr Member<Held> members[] = {
        members_of<&Held::lease>(),
        member<&Held::running>("running"),
        member<&Held::runner_pid>("pid", "0: none"),
        member<&Held::runner_beat_age>("beat_age", seconds, "of the runner's last beat to its worker"),
    };
    return {"WorkHeld", members};
}

Table<store::ProgressReport> table(Of<store::ProgressReport>) {
    using Report = store::ProgressReport;
    static constexpr Member<Report> members[] = {
        members_of<&Report::lease>(),
        member<&Report::fraction>("fraction", "0 to 1; null: unknown"),
        member<&Report::text>("text"),
        member<&Report::checkpoint>("checkpoint", "JSON text; null: as it was"),
    };
    return {"WorkReport", members};
}

Table<store::BeatParams> table(Of<store::BeatParams>) {
    using Beat = store::BeatParams;
    static constexpr Member<Beat> members[] = {
        member<&Beat::worker>("worker"),
        member<&Beat::status>("status"),
        member<&Beat::held>("held", "every lease that it holds"),
        member<&Beat::progress>("progress", "what changed since the last beat"),
        member<&Beat::keep_history>("keep_history", "also append to the history of heartbeats"),
        member<&Beat::acknowledged>("acknowledged", "its last acknowledged beat"),
    };
    return {"WorkBeat", members};
}

Table<store::StopRequest> table(Of<store::StopRequest>) {
    using Stop = store::StopRequest;
    static constexpr Member<Stop> members[] = {
        members_of<&Stop::lease>(),
        member<&Stop::reason>("reason"),
    };
    return {"WorkStop", members};
}

Table<store::BeatAnswer> table(Of<store::BeatAnswer>) {
    using Answer = store::BeatAnswer;
    static constexpr Member<Answer> members[] = {
        member<&Answer::known>("known", "false: register again under the same id"),
        member<&Answer::rank>("rank", "of the store's history; a new one: register again, deliver outcomes again"),
        member<&Answer::beat>("beat", "the number of this beat"),
        member<&Answer::drain>("drain", "a person ordered the worker to drain"),
        member<&Answer::cordoned>("cordoned", "a person ordered it to claim nothing"),
        member<&Answer::lost>("lost", "listed, but not its leases any more: kill"),
        member<&Answer::stop>("stop", "asked to stop: kill, then finish"),
        member<&Answer::unlisted>("unlisted", "its leases that the beat did not list: hand back or settle"),
    };
    return {"WorkBeaten", members};
}

Table<store::FinishedRun> table(Of<store::FinishedRun>) {
    using Run = store::FinishedRun;
    static constexpr Member<Run> members[] = {
        members_of<&Run::lease>(),
        member<&Run::end>("end"),
        member<&Run::result>("result", "JSON text, of COMPLETED"),
        member<&Run::error, &TaskError::code>("error_code"),
        member<&Run::error, &TaskError::message>("error_message"),
        member<&Run::error, &TaskError::data>("error_data", "JSON text; may be empty"),
        member<&Run::jitter>("jitter", "drawn from 0 to 1, for the delay of a retry"),
    };
    return {"WorkFinish", members};
}

Table<store::TurnParams> table(Of<store::TurnParams>) {
    using Turn = store::TurnParams;
    static constexpr Member<Turn> members[] = {
        member<&Turn::worker>("worker"),
        member<&Turn::request>("request", "chosen for the claim: the same one again answers with the same tasks"),
        member<&Turn::finish>("finish"),
        member<&Turn::hand_back>("hand_back", "CLAIMED: their leases end without a run"),
        member<&Turn::start>("start", "CLAIMED: a free runner waits for each"),
        member<&Turn::to_start>("to_start", "claim so many that are RUNNING when this is answered"),
        member<&Turn::to_hold>("to_hold", "claim so many ahead, which stay CLAIMED"),
        member<&Turn::highest_lease>("highest_lease", "that the worker has seen"),
        member<&Turn::may_wait>("may_wait", "for other workers that use the same concurrency keys"),
    };
    return {"WorkTurn", members};
}

Table<store::FinishOutcome> table(Of<store::FinishOutcome>) {
    static constexpr Member<store::FinishOutcome> members[] = {
        member<&store::FinishOutcome::fenced>("fenced"),
        member<&store::FinishOutcome::state>("state", "of the task now, when applied"),
    };
    return {"WorkFinished", members};
}

Table<store::ClaimedTask> table(Of<store::ClaimedTask>) {
    using Claimed = store::ClaimedTask;
    static constexpr Member<Claimed> members[] = {
        member<&Claimed::task, &Task::id>("task"),
        member<&Claimed::lease>("lease"),
        member<&Claimed::started>("started"),
        member<&Claimed::task, &Task::name>("name"),
        member<&Claimed::task, &Task::args>("args", "JSON text"),
        member<&Claimed::task, &Task::spec>("spec", "JSON text: what to execute; empty: a function of that name"),
        member<&Claimed::task, &Task::queue>("queue"),
        member<&Claimed::task, &Task::tags>("tags"),
        member<&Claimed::task, &Task::priority>("priority"),
        member<&Claimed::task, &Task::run_at>("run_at"),
        member<&Claimed::task, &Task::deadline>("deadline"),
        member<&Claimed::task, &Task::concurrency>("concurrency"),
        member<&Claimed::task, &Task::idempotency_key>("idempotency_key"),
        derived<policy_text, read_policy_text>("policy", "JSON text with what differs from the defaults"),
        member<&Claimed::task, &Task::retry_of>("retry_of", or_null),
        member<&Claimed::task, &Task::traceparent>("traceparent"),
        member<&Claimed::history, &core::History::attempts>("attempts", "before this lease"),
        member<&Claimed::history, &core::History::crashes>("crashes", "before this lease"),
        member<&Claimed::history, &core::History::requeues>("requeues", "before this lease"),
        member<&Claimed::checkpoint>("checkpoint", "JSON text, of an earlier attempt; empty: none"),
    };
    return {"WorkTask", members};
}

Table<store::ClaimAnswer> table(Of<store::ClaimAnswer>) {
    using Answer = store::ClaimAnswer;
    static constexpr Member<Answer> members[] = {
        member<&Answer::refusal>("refusal"),
        member<&Answer::tasks>("tasks", "started ones first"),
        member<&Answer::next_due>("next_due", seconds, "until the next task falls due; null: none is scheduled"),
        member<&Answer::more>("more", "the search was cut short: claim again at once"),
    };
    return {"WorkClaimed", members};
}

Table<store::TurnAnswer> table(Of<store::TurnAnswer>) {
    using Answer = store::TurnAnswer;
    static constexpr Member<Answer> members[] = {
        member<&Answer::finished>("finished"),
        member<&Answer::handed_back>("handed_back", "also lease_lost: it was started; finish it instead"),
        member<&Answer::started>("started"),
        member<&Answer::claimed>("claimed"),
    };
    return {"WorkTurned", members};
}

Table<WorkProgress> table(Of<WorkProgress>) {
    static constexpr Member<WorkProgress> members[] = {
        member<&WorkProgress::worker>("worker"),
        member<&WorkProgress::reports>("reports"),
    };
    return {"WorkProgress", members};
}

Table<WorkLogChunk> table(Of<WorkLogChunk>) {
    using Chunk = store::LogChunk;
    static constexpr Member<WorkLogChunk> members[] = {
        member<&WorkLogChunk::chunk, &Chunk::task>("task"),
        member<&WorkLogChunk::chunk, &Chunk::lease>("lease"),
        member<&WorkLogChunk::chunk, &Chunk::sequence>("sequence", "of the lease, from 0"),
        member<&WorkLogChunk::chunk, &Chunk::stream>("stream", "stdout, stderr or log"),
        member<&WorkLogChunk::chunk, &Chunk::text>("text"),
        member<&WorkLogChunk::age>("age", seconds, "since the worker read it"),
    };
    return {"WorkLogChunk", members};
}

Table<WorkLogs> table(Of<WorkLogs>) {
    static constexpr Member<WorkLogs> members[] = {
        member<&WorkLogs::worker>("worker"),
        member<&WorkLogs::chunks>("chunks"),
    };
    return {"WorkLogs", members};
}

Table<WorkState> table(Of<WorkState>) {
    using Snapshot = store::WorkerSnapshot;
    static constexpr Member<WorkState> members[] = {
        member<&WorkState::snapshot, &Snapshot::worker>("worker"),
        member<&WorkState::snapshot, &Snapshot::running>("running"),
        member<&WorkState::snapshot, &Snapshot::claimed>("claimed"),
        member<&WorkState::snapshot, &Snapshot::capacity>("capacity"),
        member<&WorkState::snapshot, &Snapshot::cpu_percent>("cpu_percent"),
        member<&WorkState::snapshot, &Snapshot::memory_mb>("memory_mb"),
        member<&WorkState::snapshot, &Snapshot::load>("machine_load"),
    };
    return {"WorkState", members};
}

Table<WorkLeave> table(Of<WorkLeave>) {
    static constexpr Member<WorkLeave> members[] = {
        member<&WorkLeave::worker>("worker"),
    };
    return {"WorkLeave", members};
}

Table<WorkFenced> table(Of<WorkFenced>) {
    static constexpr Member<WorkFenced> members[] = {
        member<&WorkFenced::items>("items", "one for each item of the request, in its order"),
    };
    return {"WorkFenced", members};
}

Table<WorkDone> table(Of<WorkDone>) {
    static constexpr Member<WorkDone> members[] = {
        member<&WorkDone::done>("done", "false: there was nothing to do"),
    };
    return {"WorkDone", members};
}

}  // namespace holdfast::views
