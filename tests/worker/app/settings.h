#pragma once

#include "worker/worker_process.h"

namespace holdfast::worker_test {

/// The plan of a worker that runs these functions, from words like "store=URL", "isolation=thread", "beat_ms=200".
/// Throws BadInput for a word that it does not know.
[[nodiscard]] worker::WorkerPlan plan_from(int argc, char** argv, const FunctionTable& functions);

}  // namespace holdfast::worker_test
