#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/job_records.h"
#include "store/store.h"

namespace holdfast::store {

/// Why a task cannot be accepted, as one sentence that names the field and what is allowed; nullopt when it can.
/// The same rules for every store: text is UTF-8 without NUL, names have no control characters, payloads are JSON
/// within the limit in which no member is given twice, numbers are in range.
[[nodiscard]] std::optional<std::string> refusal(const NewTask& task, const Limits& limits);

/// Why submitted JSON cannot be stored as written, as a sentence about `field`; nullopt when it can.
[[nodiscard]] std::optional<std::string> payload_complaint(std::string_view field, std::string_view text,
                                                           const Limits& limits);

/// Why this cannot be the id of a task or job: it is nil, or not a UUIDv7; nullopt when it can.
[[nodiscard]] std::optional<std::string> id_complaint(const Uuid& id);

/// Is the id so old that its task may have been pruned?
[[nodiscard]] bool is_too_old(const Uuid& id, Timestamp now, const Limits& limits);

/// How far ahead of the store's clock the clock of a submitter may be.
inline constexpr Duration most_clock_lead = std::chrono::hours(1);
/// Why an id from further in the future is refused: it would be listed first until then, and its removal would make
/// every id before it too old. nullopt: it is not.
[[nodiscard]] std::optional<std::string> future_complaint(const Uuid& id, Timestamp now);
[[nodiscard]] std::string future_complaint(const Uuid& id);  ///< of an id that the database refused

/// Sorted, without duplicates: the form in which tags are interned.
[[nodiscard]] std::vector<std::string> canonical_tags(std::vector<std::string> tags);

/// Gives every item of a submit the limit of its key that is in force at the end: that of the last item with the key.
void tell_last_limits(const std::vector<NewTask>& tasks, std::vector<SubmitOutcome>& outcomes);

/// The run as it can be stored: unchanged, or FAILED with RESULT_NOT_STORABLE or RESULT_TOO_LARGE and the reason.
/// An error's message that is not text is made readable rather than refused.
[[nodiscard]] FinishedRun storable(FinishedRun run, const Limits& limits);

/// Throws BadInput unless it can be a queue's name.
void check_queue_name(const std::string& queue);

/// Throws BadInput unless the names of a worker, its queues and its tags can be names.
void check_worker(const WorkerRegistration& worker);

/// Throws BadInput unless the key can be declared: a name, the name of a queue or none, and a limit.
void check_key(const core::KeyDeclaration& key);

/// Throws BadInput unless an event can say who ordered something, and why.
void check_remark(const std::string& who, const std::string& reason = {});

/// Throws BadInput unless the token can be stored: a name that is not an id, a hash, and names of queues.
void check_token(const NewToken& token);

/// Throws BadInput unless the schedule can be stored: a name, and JSON within the limits.
void check_schedule(const ScheduleDefinition& schedule, const Limits& limits);

/// Any text made storable: NUL bytes and invalid sequences become U+FFFD, and it is cut to `max_bytes` with a marker.
[[nodiscard]] std::string readable_text(std::string_view text, std::size_t max_bytes);

/// Why a progress report cannot be stored; nullopt when it can.
[[nodiscard]] std::optional<std::string> refusal(const ProgressReport& report, const Limits& limits);

/// How deep arrays and objects of a JSON text may be nested. Values are copied level by level, on the stack, so
/// deeper ones are not stored.
inline constexpr std::size_t max_json_nesting = 256;
[[nodiscard]] std::size_t json_nesting(std::string_view text);

}  // namespace holdfast::store
