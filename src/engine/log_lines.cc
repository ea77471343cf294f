#include "engine/log_lines.h"

#include "base/text.h"

namespace holdfast::engine::log_lines {

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const store::TaskLease& lease) {
    return {{"task", lease.task.to_string()}, {"lease", std::to_string(lease.lease)}};
}

Fields fields_of(const Run& run) {
    Fields fields = fields_of(run.lease());
    fields.emplace_back("name", run.claimed.task.name);
    if (run.runner != 0) fields.emplace_back("runner", std::to_string(run.runner));
    return fields;
}

std::string_view reason(StopCause cause) {
    switch (cause) {
        case StopCause::Drain:
            return "the worker is shutting down";
        case StopCause::Timeout:
            return "it is out of time";
        case StopCause::Cancel:
            return "a stop was requested";
        case StopCause::Fence:
            return "the store has been unreachable for so long that another worker might get it";
        case StopCause::LeaseLost:
            return "its lease does not belong to this worker any more";
    }
    return "";
}

}  // namespace

LogLine registered(const store::WorkerRegistration& worker) {
    return {LogLevel::Info,
            concat("Worker registered with ID: ", worker.id.to_string()),
            {{"name", worker.name},
             {"queues", join(worker.queues, ",")},
             {"tags", join(worker.tags, ",")},
             {"capacity", std::to_string(worker.capacity)}}};
}

LogLine beat_sent(std::size_t leases) {
    return {LogLevel::Debug, "Heartbeat sent successfully", {{"leases", std::to_string(leases)}}};
}

LogLine received_signal(const std::string& name) {
    return {LogLevel::Info, concat("Received ", name, " signal"), {}};
}

LogLine draining(const std::string& why, std::size_t runs, Duration grace) {
    return {LogLevel::Info,
            concat("Draining: ", why, "; ", runs, " runs may go on for ", format_duration(grace)),
            {{"runs", std::to_string(runs)}}};
}

LogLine hurrying(const std::string& why) {
    return {LogLevel::Warning, concat("Asked a second time to shut down (", why, "): stopping all runs at once"), {}};
}

LogLine deregistering(const Uuid& worker) {
    return {LogLevel::Info, concat("Deregistering worker ID: ", worker.to_string()), {}};
}

LogLine left_undelivered(std::size_t runs) {
    return {LogLevel::Error,
            concat("Leaving with ", runs,
                   " leases unsettled, because the store is unreachable or a thread does not "
                   "end; recovery will settle them"),
            {{"leases", std::to_string(runs)}}};
}

LogLine store_away(const std::string& why, Duration try_again) {
    return {LogLevel::Warning,
            concat("The store does not answer: ", why, "; runs continue, trying again in ",
                   format_duration(std::chrono::ceil<std::chrono::milliseconds>(try_again))),
            {}};
}

LogLine store_silent(Duration under_way) {
    return {LogLevel::Warning,
            concat("The store has not answered for ",
                   format_duration(std::chrono::floor<std::chrono::seconds>(under_way)),
                   ", and a call is still under way; runs continue"),
            {}};
}

LogLine store_back(Duration away) {
    return {LogLevel::Info,
            concat("The store answers again after ",
                   format_duration(std::chrono::floor<std::chrono::milliseconds>(away))),
            {}};
}

LogLine gone_back(std::int64_t rank_before, std::int64_t rank, std::size_t outcomes) {
    return {LogLevel::Warning,
            concat("The store may have gone back in time (rank ", rank_before, " -> ", rank,
                   "): registering again under the same ID, and delivering again the ", outcomes,
                   " outcomes that it acknowledged last"),
            {{"rank_before", std::to_string(rank_before)},
             {"rank", std::to_string(rank)},
             {"outcomes", std::to_string(outcomes)}}};
}

LogLine delivered_again(const Delivered::Counts& counts) {
    const bool was_intact = counts.applied + counts.lost == 0;
    return {
        was_intact ? LogLevel::Info : LogLevel::Warning,
        concat("Delivered outcomes again that the store may have lost: ", counts.applied,
               " were lost and applied again, ", counts.already, " were still there, ", counts.lost,
               " cannot be applied, because the store has lost their leases, too: their tasks may run a second time"),
        {{"applied", std::to_string(counts.applied)},
         {"already", std::to_string(counts.already)},
         {"lost", std::to_string(counts.lost)}}};
}

LogLine claimed(const store::ClaimedTask& task) {
    Fields fields = fields_of(store::TaskLease{task.task.id, task.lease});
    fields.emplace_back("name", task.task.name);
    return {LogLevel::Debug, task.started ? "Task claimed and started" : "Task claimed ahead", std::move(fields)};
}

LogLine ended(const Run& run) {
    Fields fields = fields_of(run);
    fields.emplace_back("end", std::string(word_of(run.outcome.end)));
    if (run.outcome.end == core::LeaseEnd::Completed) return {LogLevel::Debug, "Run completed", std::move(fields)};
    fields.emplace_back("code", run.outcome.error.code);
    const bool crashed = run.outcome.end == core::LeaseEnd::Crashed;
    return {crashed ? LogLevel::Warning : LogLevel::Info, concat("Run ended: ", run.outcome.error.message),
            std::move(fields)};
}

LogLine refused(const Run& run) {
    return {LogLevel::Warning, "The store refused the run's outcome: its lease had been ended by others",
            fields_of(run)};
}

LogLine stopping(const Run& run, StopCause cause) {
    return {LogLevel::Info, concat("Stopping a run: ", reason(cause)), fields_of(run)};
}

LogLine runner_died(const RunnerGone& gone) {
    return {LogLevel::Warning, concat("Runner ended: ", gone.how), {{"runner", std::to_string(gone.runner)}}};
}

LogLine runner_silent(RunnerId id, const Runner& runner, Duration age) {
    return {LogLevel::Warning,
            concat("Runner gave no sign of life for ", format_duration(std::chrono::floor<std::chrono::seconds>(age)),
                   ": killing it"),
            {{"runner", std::to_string(id)}, {"pid", std::to_string(runner.pid)}}};
}

LogLine forgotten_by_store() {
    return {
        LogLevel::Warning, "The store does not know this worker any more: registering again under the same ID", {}};
}

LogLine orphan(const store::TaskLease& lease) {
    return {LogLevel::Warning, "The store holds a lease for this worker that it does not know: handing it back",
            fields_of(lease)};
}

LogLine cordoned(bool is) {
    return {LogLevel::Info, is ? "Cordoned: no new tasks are claimed" : "No longer cordoned", {}};
}

LogLine threads_beyond_the_fence() {
    return {LogLevel::Error,
            "A run in a thread did not end before the fence's deadline, and a thread cannot be killed: ending the "
            "process",
            {}};
}

}  // namespace holdfast::engine::log_lines
