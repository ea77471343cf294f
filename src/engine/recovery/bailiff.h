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

/// A verdict about one lease, on its way to the store.
struct Sentence {
    store::LeaseRecord lease;
    core::WorkerSeen worker;
    core::Verdict verdict;
};

/// Carries out verdicts: each is written on condition that the lease is still in the state that it was judged in. A
/// lease that the store cannot handle is put aside for a while and starves nobody.
class Bailiff {
public:
    /// `who`: for the events.
    Bailiff(store::RecoveryStore& store, std::string who, Random& random)
        : store_(store), who_(std::move(who)), random_(random) {}

    /// `only_while_silent`: the worker whose next beat or registration refutes them all, if that is so.
    RecoveryReport carry_out(const std::vector<Sentence>& sentences, Duration now,
                             const std::optional<store::SilentWorker>& only_while_silent = std::nullopt);
    [[nodiscard]] const std::string& who() const { return who_; }

private:
    [[nodiscard]] store::RecoveredLease recovered(const Sentence& sentence);
    void apply(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now);
    void apply_one_by_one(const store::RecoverParams& verdicts, RecoveryReport& report, Duration now);

    store::RecoveryStore& store_;
    const std::string who_;
    Random& random_;
    std::map<store::Lease, Duration> put_aside_;  // until when
};

/// The error of a task whose run was cut short, or is out of time.
[[nodiscard]] TaskError crash_error(const Sentence& sentence);

}  // namespace holdfast::engine
