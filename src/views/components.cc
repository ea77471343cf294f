#include "core/public_words.h"
#include "views/audit.h"
#include "views/configuration.h"
#include "views/job.h"
#include "views/overview.h"
#include "views/recovery.h"
#include "views/schedule.h"
#include "views/task.h"
#include "views/token.h"
#include "views/work.h"
#include "views/worker.h"

namespace holdfast::views {

namespace {

template <typename... Enums>
void add_words(Json& all) {
    ((all[std::string(name_of_type<Enums>())] = schema::word(Form<Enums>::words())), ...);
}

template <typename... Records>
void add_records(Json& all) {
    ((all[std::string(table(Of<Records>()).name)] = object_schema<Records>()), ...);
}

}  // namespace

Json components() {
    Json all = Json::object();
    add_words<TaskState, WaitReason, core::LeaseEnd, engine::Obstacle, JobState, StepState, core::StepKind, OnCrash,
              CatalogKind, core::InputType, store::WorkerStatus, store::Via, core::Evidence, Severity, store::Scope>(
        all);
    add_records<TaskError, Progress, ConcurrencyKey, store::TaskRecord, store::AttemptRecord, store::EventRecord,
                WholeEvent, store::LogRecord, StepOfTask, engine::WhyWaiting, TaskStory, store::TaskCounts>(all);
    add_records<StepCounts, JobInfo, StepInfo, GraphStep, Edge, JobStory, StepLogLine, store::JobCounts>(all);
    add_records<RetryPolicy, config::TaskDefinition, core::InputField, core::WorkflowStep, core::Workflow,
                config::ConfigError>(all);
    add_records<WorkerView, store::LeaseRecord, store::WorkerSnapshot, WorkerStory, store::QueueRecord,
                store::KeyRecord, Slot, ScheduleView>(all);
    add_records<store::SweepNote, SeenWorker, RecoveryEvent, RecoveryView, store::ReplicaRecord, engine::StaleTask,
                engine::ManualAnswer, engine::ServicePass, PruneView>(all);
    add_records<Overview, Link, Concern, WorkerCounts, OldestWaiting, Percentiles, store::StatsBucket,
                store::NameStats, StatsView>(all);
    add_records<store::TokenRecord, MadeToken, store::SessionRecord, AuditLine>(all);
    add_words<store::StopReason, store::Fenced, store::ClaimRefusal>(all);
    add_records<WorkWelcome, store::TaskLease, core::Witness, store::HostIdentity, store::WorkerRegistration,
                store::RegisterAnswer, store::HeldLease, store::ProgressReport, store::BeatParams, store::StopRequest,
                store::BeatAnswer, store::FinishedRun, store::TurnParams, store::FinishOutcome, store::ClaimedTask,
                store::ClaimAnswer, store::TurnAnswer, WorkProgress, WorkLogChunk, WorkLogs, WorkState, WorkLeave,
                WorkFenced, WorkDone>(all);
    return all;
}

}  // namespace holdfast::views
