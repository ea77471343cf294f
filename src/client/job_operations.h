#pragma once

#include <string>

#include "store/client_store.h"

namespace holdfast::client {

/// Starts a job under this id (nil: a fresh one) and returns its id. Repeats the call when a commit is in doubt.
/// Throws PayloadMismatch, or BadInput with everything that is wrong.
Uuid start_job(store::ClientStore& store, store::NewJob job);

/// The job; throws UnknownJob.
[[nodiscard]] JobInfo find_one_job(store::ClientStore& store, const Uuid& job);

/// Starts a job that keeps what succeeded in an ended one, and returns its id: `new_id`, or a fresh one when that is
/// nil. Throws UnknownJob or WrongState.
Uuid retry_ended_job(store::ClientStore& store, const Uuid& job, const std::string& who, Uuid new_id = {});

/// Every event about the job and the tasks of its steps, oldest first.
[[nodiscard]] std::vector<store::EventRecord> all_job_events(store::ClientStore& store, const Uuid& job);

}  // namespace holdfast::client
