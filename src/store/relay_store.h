#pragma once

#include "store/store.h"

namespace holdfast::store {

/// What a verb does to the database.
enum class Effect { Reads, Writes };

/// A store that passes every verb on through one function of its heir, which may measure it or make it fail:
/// `relay(verb, effect, call)`, where `call(store)` performs the verb on another store and returns its answer. The
/// heir overrides the verbs that need more. watch() and describe() do not ask the database and are left to the heir.
template <typename Heir>
class RelayStore : public Store {
    /// One row of the table below: the verb, its effect, the types of its answer and of its parameters.
#define RELAY0(verb, effect, Answer)                                                      \
    Answer verb() override {                                                              \
        return relayed(#verb, Effect::effect, [](Store& store) { return store.verb(); }); \
    }
#define RELAY1(verb, effect, Answer, A)                                                     \
    Answer verb(A a) override {                                                             \
        return relayed(#verb, Effect::effect, [&](Store& store) { return store.verb(a); }); \
    }
#define RELAY2(verb, effect, Answer, A, B)                                                     \
    Answer verb(A a, B b) override {                                                           \
        return relayed(#verb, Effect::effect, [&](Store& store) { return store.verb(a, b); }); \
    }
#define RELAY3(verb, effect, Answer, A, B, C)                                                     \
    Answer verb(A a, B b, C c) override {                                                         \
        return relayed(#verb, Effect::effect, [&](Store& store) { return store.verb(a, b, c); }); \
    }

public:
    // clang-format off
    // For clients: tasks
    RELAY1(submit,                 Writes, std::vector<SubmitOutcome>, const std::vector<NewTask>&)
    RELAY1(find,                   Reads,  std::vector<std::optional<TaskRecord>>, const std::vector<Uuid>&)
    RELAY1(list,                   Reads,  std::vector<TaskRecord>, const ListParams&)
    RELAY1(count,                  Reads,  TaskCounts, const Queues&)
    RELAY1(attempts,               Reads,  std::vector<AttemptRecord>, const Uuid&)
    RELAY1(events,                 Reads,  std::vector<EventRecord>, const ReadEventsParams&)
    RELAY2(last_events,            Reads,  std::vector<EventRecord>, std::size_t, const Queues&)
    RELAY1(read_logs,              Reads,  std::vector<LogRecord>, const ReadLogsParams&)
    RELAY1(cancel,                 Writes, std::vector<CancelStatus>, const CancelParams&)
    RELAY1(force,                  Writes, std::vector<ForceStatus>, const ForceParams&)
    // For clients: jobs and schedules
    RELAY1(start_jobs,             Writes, std::vector<SubmitOutcome>, const std::vector<NewJob>&)
    RELAY1(find_jobs,              Reads,  std::vector<std::optional<JobInfo>>, const std::vector<Uuid>&)
    RELAY2(list_jobs,              Reads,  std::vector<JobInfo>, const JobQuery&, const Queues&)
    RELAY3(jobs_with_prefix,       Reads,  std::vector<Uuid>, const std::string&, std::size_t, const Queues&)
    RELAY1(steps,                  Reads,  std::vector<StepInfo>, const StepsParams&)
    RELAY1(job_definition,         Reads,  std::string, const Uuid&)
    RELAY1(job_events,             Reads,  std::vector<EventRecord>, const JobEventsParams&)
    RELAY1(step_of_task,           Reads,  std::optional<StepOfTask>, const Uuid&)
    RELAY1(cancel_jobs,            Writes, std::vector<SteerStatus>, const SteerJobsParams&)
    RELAY1(pause_jobs,             Writes, std::vector<SteerStatus>, const SteerJobsParams&)
    RELAY1(resume_jobs,            Writes, std::vector<SteerStatus>, const SteerJobsParams&)
    RELAY1(decide_approval,        Writes, DecideStatus, const DecideParams&)
    RELAY1(retry_job,              Writes, RetryStatus, const RetryJobParams&)
    RELAY0(schedules,              Reads,  std::vector<ScheduleRecord>)
    RELAY3(set_schedule_paused,    Writes, bool, const std::string&, bool, const std::string&)
    RELAY2(remove_schedule,        Writes, bool, const std::string&, const std::string&)
    // For clients: workers, queues, keys, tokens, the store itself
    RELAY0(workers,                Reads,  std::vector<WorkerRecord>)
    RELAY2(worker_snapshots,       Reads,  std::vector<WorkerSnapshot>, const Uuid&, std::size_t)
    RELAY1(order_worker,           Writes, bool, const OrderParams&)
    RELAY2(remove_worker,          Writes, RemoveStatus, const Uuid&, const std::string&)
    RELAY0(queues,                 Reads,  std::vector<QueueRecord>)
    RELAY3(set_queue_paused,       Writes, void, const std::string&, bool, const std::string&)
    RELAY1(keys,                   Reads,  std::vector<KeyRecord>, const KeysParams&)
    RELAY2(declare_key,            Writes, DeclareStatus, const core::KeyDeclaration&, const std::string&)
    RELAY3(remove_key,             Writes, bool, const std::string&, const std::string&, const std::string&)
    RELAY0(tokens,                 Reads,  std::vector<TokenRecord>)
    RELAY2(revoke_token,           Writes, bool, const std::string&, const std::string&)
    RELAY0(sessions,               Reads,  std::vector<SessionRecord>)
    RELAY2(end_session,            Writes, bool, const Uuid&, const std::string&)
    RELAY0(check_up,               Reads,  std::vector<Finding>)
    RELAY0(now,                    Reads,  Timestamp)
    // For workers
    RELAY1(register_worker,        Writes, RegisterAnswer, const WorkerRegistration&)
    RELAY1(deregister_worker,      Writes, bool, const Uuid&)
    RELAY1(beat,                   Writes, BeatAnswer, const BeatParams&)
    RELAY1(turn,                   Writes, TurnAnswer, const TurnParams&)
    RELAY2(save_progress,          Writes, std::vector<Fenced>, const Uuid&, const std::vector<ProgressReport>&)
    RELAY2(append_logs,            Writes, std::vector<Fenced>, const Uuid&, const std::vector<LogChunk>&)
    RELAY1(append_worker_snapshot, Writes, void, const WorkerSnapshot&)
    // For recovery
    RELAY0(look,                   Reads,  LivenessView)
    RELAY1(mark_lost,              Writes, std::vector<bool>, const std::vector<LostWorker>&)
    RELAY1(leases,                 Reads,  std::vector<LeaseRecord>, const FindLeasesParams&)
    RELAY1(recover,                Writes, std::vector<RecoverOutcome>, const RecoverParams&)
    RELAY1(ask_to_stop,            Writes, std::vector<Fenced>, const AskToStopParams&)
    RELAY1(expire_overdue,         Writes, std::size_t, std::size_t)
    RELAY0(backlog,                Reads,  std::vector<RouteBacklog>)
    RELAY1(unmatched_tasks,        Reads,  std::vector<Uuid>, const UnmatchedParams&)
    RELAY1(reject,                 Writes, std::vector<bool>, const RejectParams&)
    RELAY1(end_due_waits,          Writes, std::size_t, std::size_t)
    RELAY2(cancel_overdue_jobs,    Writes, std::size_t, std::size_t, const std::string&)
    RELAY1(repair_jobs,            Writes, RepairAnswer, const RepairParams&)
    RELAY1(fire,                   Writes, bool, const FireParams&)
    RELAY1(prune,                  Writes, PruneAnswer, const PruneParams&)
    RELAY2(sweep_lease,            Writes, SweepLeaseAnswer, const std::string&, Duration)
    RELAY1(note_sweep,             Writes, void, const SweepNote&)
    RELAY0(sweep_notes,            Reads,  std::vector<SweepNote>)
    // For servers
    RELAY1(create_token,           Writes, CreateTokenStatus, const NewToken&)
    RELAY1(find_token,             Reads,  std::optional<TokenRecord>, const std::string&)
    RELAY2(note_token_use,         Writes, void, const Uuid&, const std::string&)
    RELAY2(create_session,         Writes, void, const NewSession&, const std::string&)
    RELAY1(find_session,           Reads,  std::optional<SessionRecord>, const std::string&)
    RELAY2(note_session_use,       Writes, void, const Uuid&, const std::string&)
    RELAY2(put_schedule,           Writes, void, const ScheduleDefinition&, const std::string&)
    RELAY1(beat_replica,           Writes, void, const Replica&)
    RELAY0(replicas,               Reads,  std::vector<ReplicaRecord>)
    RELAY1(remove_replica,         Writes, void, const Uuid&)
    RELAY1(prune_replicas,         Writes, std::size_t, Duration)
    RELAY1(note_disconnected,      Writes, void, const std::vector<Uuid>&)
    RELAY1(note_exited,            Writes, bool, const Uuid&)
    RELAY1(append_event,           Writes, void, const EventRecord&)
    RELAY1(orders,                 Reads,  std::vector<EventRecord>, const OrdersParams&)
    RELAY0(event_writers,          Reads,  EventWriters)
    RELAY1(count_jobs,             Reads,  JobCounts, const Queues&)
    RELAY1(stats,                  Reads,  Stats, const StatsParams&)
    RELAY1(vitals,                 Reads,  Vitals, const Queues&)
    RELAY2(ended_tasks,            Reads,  EndedTasks, Timestamp, Timestamp)
    // For upkeep
    RELAY0(check,                  Reads,  CheckReport)
    // The schema
    RELAY0(migrate,                Writes, MigrateAnswer)
    // clang-format on
#undef RELAY0
#undef RELAY1
#undef RELAY2
#undef RELAY3

private:
    template <typename Call>
    auto relayed(const char* verb, Effect effect, const Call& call) {
        return static_cast<Heir&>(*this).relay(verb, effect, call);
    }
};

}  // namespace holdfast::store
