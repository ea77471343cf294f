#include "engine/recovery/verdict_writer.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/backoff.h"

namespace holdfast::engine {

namespace {

constexpr Duration aside_for = std::chrono::minutes(5);

std::int64_t milliseconds(Duration length) {
    return std::chrono::floor<std::chrono::milliseconds>(length).count();
}

std::string numbers_of(const JudgedLease& judged) {
    return nlohmann::json{{"evidence", word_of(judged.worker.evidence)},
                          {"age_ms", milliseconds(judged.verdict.counted_age)},
                          {"limit_ms", milliseconds(judged.verdict.required_age)},
                          {"observer_up_ms", milliseconds(judged.worker.unbroken_view)}}
        .dump();
}

void count(const store::RecoveredLease& lease, const store::RecoverOutcome& outcome, RecoveryReport& report) {
    if (outcome.fenced != store::Fenced::Applied) return;
    if (!lease.expect_started) {
        ++report.requeued;
    } else if (outcome.state == TaskState::Pending) {
        ++report.rerun;
    } else {
        ++report.ended;
    }
}

}  // namespace

TaskError crash_error(const JudgedLease& judged) {
    if (judged.verdict.action == core::Action::TimeOut)
        return {std::string(error_code::task_timeout), judged.verdict.reason, numbers_of(judged)};
    const std::string code(error_code::worker_crashed);
    if (judged.worker.evidence != core::Evidence::None) return {code, judged.verdict.reason, numbers_of(judged)};
    const auto age = milliseconds(judged.verdict.counted_age);
    return {code, concat("Worker process crashed (no runner heartbeat for ", age, "ms = ", age / 1000, "s)"),
            numbers_of(judged)};
}

store::RecoveredLease VerdictWriter::recovered(const JudgedLease& judged) {
    return {.lease = judged.lease.lease,
            .worker = judged.lease.worker,
            .expect_started = judged.lease.started,
            .end = core::lease_end(judged.verdict.action).value_or(core::LeaseEnd::Crashed),
            .error = crash_error(judged),
            .jitter = draw_fraction(random_),
            .evidence = judged.verdict.reason,
            .data = numbers_of(judged),
            .is_final = judged.verdict.is_final};
}

RecoveryReport VerdictWriter::apply(const std::vector<JudgedLease>& judged, Duration now,
                                    const std::optional<store::SilentWorker>& only_while_silent) {
    RecoveryReport report;
    std::erase_if(put_aside_, [now](const auto& each) { return each.second <= now; });
    store::RecoverParams verdicts{.who = who_, .leases = {}, .only_while_silent = only_while_silent};
    for (const JudgedLease& each : judged) {
        if (each.verdict.action == core::Action::Keep || put_aside_.contains(each.lease.lease.lease)) continue;
        verdicts.leases.push_back(recovered(each));
    }
    if (!verdicts.leases.empty()) write(verdicts, report, now);
    return report;
}

void VerdictWriter::write(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now) {
    const auto fault = fault_of([&] {
        const auto outcomes = store_.recover(verdicts);
        for (std::size_t i = 0; i < outcomes.size(); ++i) count(verdicts.leases[i], outcomes[i], report);
    });
    if (fault) write_one_by_one(verdicts, report, now);
}

void VerdictWriter::write_one_by_one(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now) {
    store::RecoverParams one = verdicts;
    for (const store::RecoveredLease& lease : verdicts.leases) {
        one.leases = {lease};
        const auto fault = fault_of([&] { count(lease, store_.recover(one).front(), report); });
        if (!fault) continue;
        put_aside_[lease.lease.lease] = now + aside_for;
        report.skip(concat("lease ", lease.lease.lease, " of task ", lease.lease.task.to_string(),
                           " cannot be recovered, trying again in 5m: ", *fault));
    }
}

}  // namespace holdfast::engine
