#include "engine/recovery/bailiff.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/backoff.h"

namespace holdfast::engine {

namespace {

constexpr Duration aside_for = std::chrono::minutes(5);

std::int64_t milliseconds(Duration length) {
    return std::chrono::floor<std::chrono::milliseconds>(length).count();
}

std::string numbers_of(const Sentence& sentence) {
    return nlohmann::json{{"evidence", word_of(sentence.worker.evidence)},
                          {"age_ms", milliseconds(sentence.verdict.counted_age)},
                          {"limit_ms", milliseconds(sentence.verdict.required_age)},
                          {"observer_up_ms", milliseconds(sentence.worker.unbroken_view)}}
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

TaskError crash_error(const Sentence& sentence) {
    if (sentence.verdict.action == core::Action::TimeOut)
        return {std::string(error_code::task_timeout), sentence.verdict.reason, numbers_of(sentence)};
    const std::string code(error_code::worker_crashed);
    if (sentence.worker.evidence != core::Evidence::None)
        return {code, sentence.verdict.reason, numbers_of(sentence)};
    const auto age = milliseconds(sentence.verdict.counted_age);
    return {code, concat("Worker process crashed (no runner heartbeat for ", age, "ms = ", age / 1000, "s)"),
            numbers_of(sentence)};
}

store::RecoveredLease Bailiff::recovered(const Sentence& sentence) {
    return {.lease = sentence.lease.lease,
            .expect_started = sentence.lease.started,
            .end = core::lease_end(sentence.verdict.action).value_or(core::LeaseEnd::Crashed),
            .error = crash_error(sentence),
            .jitter = draw_fraction(random_),
            .evidence = sentence.verdict.reason,
            .data = numbers_of(sentence),
            .is_final = sentence.verdict.is_final};
}

RecoveryReport Bailiff::carry_out(const std::vector<Sentence>& sentences, Duration now,
                                  const std::optional<store::SilentWorker>& only_while_silent) {
    RecoveryReport report;
    std::erase_if(put_aside_, [now](const auto& each) { return each.second <= now; });
    store::RecoverParams verdicts{.who = who_, .leases = {}, .only_while_silent = only_while_silent};
    for (const Sentence& sentence : sentences) {
        if (sentence.verdict.action == core::Action::Keep || put_aside_.contains(sentence.lease.lease.lease))
            continue;
        verdicts.leases.push_back(recovered(sentence));
    }
    if (!verdicts.leases.empty()) apply(verdicts, report, now);
    return report;
}

void Bailiff::apply(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now) {
    try {
        const auto outcomes = store_.recover(verdicts);
        for (std::size_t i = 0; i < outcomes.size(); ++i) count(verdicts.leases[i], outcomes[i], report);
    } catch (const store::Unavailable&) {
        throw;
    } catch (const store::StoreError&) {
        apply_one_by_one(verdicts, report, now);
    }
}

void Bailiff::apply_one_by_one(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now) {
    store::RecoverParams one = verdicts;
    for (const store::RecoveredLease& lease : verdicts.leases) {
        try {
            one.leases = {lease};
            count(lease, store_.recover(one).front(), report);
        } catch (const store::Unavailable&) {
            throw;
        } catch (const store::StoreError& fault) {
            ++report.skipped;
            put_aside_[lease.lease.lease] = now + aside_for;
            report.remarks.push_back(concat("lease ", lease.lease.lease, " of task ", lease.lease.task.to_string(),
                                            " cannot be recovered, trying again in 5m: ", fault.what()));
        }
    }
}

}  // namespace holdfast::engine
