#pragma once

#include <string>
#include <utility>

#include "engine/recovery/recovery_report.h"
#include "store/recovery_store.h"

namespace holdfast::engine {

/// Finds jobs that the transactions should have made impossible, and mends them all the same: a few hundred in each
/// pass, going on where the last one stopped. A job that cannot be mended is told of, and does not keep it from the
/// others.
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
