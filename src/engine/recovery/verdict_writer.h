#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/task/verdict.h"
#include "engine/recovery/recovery_report.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

/// A lease with the verdict about it and the evidence for that.
struct JudgedLease {
    store::LeaseRecord lease;
    core::WorkerSeen worker;
    core::Verdict verdict;
};

/// Writes verdicts to the store, each on condition that the lease is still in the state that it was judged in. A
/// lease that the store cannot handle is put aside for a while, so that it does not block the others.
class VerdictWriter {
public:
    /// `who`: for the events.
    VerdictWriter(store::RecoveryStore& store, std::string who, Random& random)
        : store_(store), who_(std::move(who)), random_(random) {}

    /// `only_while_silent`: a worker whose next beat or registration refutes all of these verdicts.
    RecoveryReport apply(const std::vector<JudgedLease>& judged, Duration now,
                         const std::optional<store::SilentWorker>& only_while_silent = std::nullopt);
    [[nodiscard]] const std::string& who() const { return who_; }

private:
    [[nodiscard]] store::RecoveredLease recovered(const JudgedLease& judged);
    void write(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now);
    void write_one_by_one(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now);

    store::RecoveryStore& store_;
    const std::string who_;
    Random& random_;
    std::map<store::Lease, Duration> put_aside_;  // until when
};

/// The error of a task whose run was cut short, or is out of time.
[[nodiscard]] TaskError crash_error(const JudgedLease& judged);

}  // namespace holdfast::engine
