#pragma once

#include <string>
#include <utility>

#include "engine/recovery/recovery_report.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

/// Ends waits of jobs whose time has come, fails approvals that were not given in time, and cancels jobs that take
/// too long.
class JobTimers {
public:
    JobTimers(store::RecoveryStore& store, std::string who) : store_(store), who_(std::move(who)) {}

    RecoveryReport run_once();

private:
    store::RecoveryStore& store_;
    const std::string who_;
};

/// Finds jobs in states that the transactions should make impossible, and repairs them: a few hundred in each pass,
/// continuing where the last pass stopped. A job that cannot be repaired is reported and does not block the rest.
class JobRepair {
public:
    JobRepair(store::RecoveryStore& store, std::string who) : store_(store), who_(std::move(who)) {}

    RecoveryReport run_once();

private:
    store::RecoveryStore& store_;
    const std::string who_;
    Uuid after_;  // nil: from the beginning
};

}  // namespace holdfast::engine
