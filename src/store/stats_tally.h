#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/server_store.h"

namespace holdfast::store {

/// Statistics count the tasks with the newest ids, and the newest events: at most so many of each. No table is kept
/// in the order of ends, because every finish would pay for it.
inline constexpr std::size_t most_looked_at = 50'000;
/// Their names are looked up for so many of them.
inline constexpr std::size_t most_names_looked_up = 10'000;

/// Adds up what happened in a window of time: the same for both stores.
class StatsTally {
public:
    StatsTally(const StatsParams& params, Timestamp now);

    /// Where the window begins.
    [[nodiscard]] Timestamp since() const { return since_; }
    /// Leaves out tasks that ended before the window. An empty name was not looked up.
    void add_ended(TaskState state, Timestamp finished_at, Timestamp run_at, std::optional<Timestamp> started_at,
                   std::string_view name);
    /// Leaves out events before the window, and of other kinds than recoveries.
    void add_event(std::string_view kind, Timestamp at);
    /// This was the last event that was looked at, and there may be more.
    void cut_at(Timestamp oldest) { complete_ &= oldest < since_; }
    /// The same for tasks, whose ids carry the time they were made. A task that was made before the window, and long
    /// before many others, may have ended in it unseen.
    void cut_at(const Uuid& oldest) { cut_at(Timestamp(std::chrono::milliseconds(oldest.unix_milliseconds()))); }

    [[nodiscard]] Stats result() &&;

private:
    struct OfName {
        std::int64_t completed = 0, failed = 0;
        std::vector<Duration> runs = {};
    };
    [[nodiscard]] StatsBucket& bucket_at(Timestamp at);
    void add_to_name(std::string_view name, TaskState state, std::optional<Duration> length);

    Duration window_;
    Timestamp since_;
    std::vector<StatsBucket> buckets_;
    std::vector<Duration> waits_, runs_;
    std::map<std::string, OfName, std::less<>> names_;
    std::int64_t ended_ = 0;
    bool complete_ = true;
};

/// Counts `number` more in `state`.
void add_to(JobCounts& counts, JobState state, std::int64_t number);

}  // namespace holdfast::store
