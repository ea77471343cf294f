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

}  // namespace holdfast::engine
