#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/job.h"
#include "store/task_records.h"

namespace holdfast::store {

// ---- Jobs ---------------------------------------------------------------------------------------------------------

/// A job as it is started.
struct NewJob {
    Uuid id = {};
    std::string definition = {};  ///< JSON text: core::to_json_text of the workflow's bundle
    std::string input = "{}";     ///< JSON text
    std::string who = {};         ///< for the event
    Uuid retry_of = {};           ///< set by retry_job
};

/// An order to jobs. Children follow their parents.
struct SteerJobsParams {
    std::vector<Uuid> jobs = {};
    std::string who = {};
    std::string reason = {};
};

struct DecideParams {
    Uuid job = {};
    std::string step = {};  ///< "release", "release[2]"
    bool approve = true;
    std::string who = {};
    std::string reason = {};
};
enum class DecideStatus { Applied, Already, NotWaiting, NotFound };

struct RetryJobParams {
    Uuid job = {};
    Uuid new_id = {};  ///< the same again is harmless
    std::string who = {};
};
enum class RetryStatus { Started, NotEnded, Completed, NotFound };

/// The job that a task belongs to, and the name of its step.
using StepOfTask = std::pair<Uuid, std::string>;

struct StepsParams {
    Uuid job = {};
    bool with_items = true;                ///< false: a for_each is one row with its counts
    std::optional<std::string> step = {};  ///< only this one, with its items
};

struct JobEventsParams {
    Uuid job = {};
    std::int64_t after_id = 0;
    std::size_t limit = 1000;
};

// ---- Schedules ----------------------------------------------------------------------------------------------------

/// When and what a schedule starts.
struct ScheduleDefinition {
    std::string name = {};
    std::string timing = {};      ///< JSON text: core::to_json_text(ScheduleTiming)
    std::string definition = {};  ///< of the job
    std::string input = "{}";

    friend bool operator==(const ScheduleDefinition&, const ScheduleDefinition&) = default;
};
struct ScheduleRecord {
    ScheduleDefinition schedule = {};
    bool paused = false;
    Timestamp created_at = {};
    Timestamp decided_until = {};  ///< every slot up to this one has been fired, skipped or missed
    Uuid last_job = {};            ///< of its last slot that started one; nil: none
    std::optional<JobState> last_state = {};
};

}  // namespace holdfast::store
