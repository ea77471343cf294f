#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

// The overview: the first page of the user interface.

enum class Severity { Problem, Warning };
constexpr auto words_of(Severity) {
    return words<Severity>({{Severity::Problem, "problem"}, {Severity::Warning, "warning"}});
}

/// A link to a page, or with an id to one entry of it.
struct Link {
    std::string page = {};
    std::string id = {};
};

/// A condition that needs a person's attention.
struct Concern {
    std::string kind = {};
    Severity severity = Severity::Warning;
    std::string text = {};
    Link link = {};
    std::int64_t count = 0;
};

struct WorkerCounts {
    std::int64_t fresh = 0, stale = 0, draining = 0, inactive = 0, capacity = 0, busy = 0;
};

struct OldestWaiting {
    Uuid task = {};
    Duration waits = {};
};

struct Overview {
    Timestamp now = {};
    std::string version = {};
    std::string store = {};  ///< its URL without passwords; empty: the caller may not know it
    store::TaskCounts tasks = {};
    store::JobCounts jobs = {};
    WorkerCounts workers = {};
    std::vector<store::QueueRecord> queues = {};
    std::optional<OldestWaiting> oldest_waiting = {};
    std::vector<Concern> attention = {};  ///< most severe first
};

/// The members are null when there are no samples.
struct Percentiles {
    std::optional<Duration> p50 = {}, p95 = {}, p99 = {}, max = {};
};

struct StatsView {
    Duration window = {};
    store::Stats stats = {};
};

Table<Link> table(Of<Link>);
Table<Concern> table(Of<Concern>);
Table<WorkerCounts> table(Of<WorkerCounts>);
Table<OldestWaiting> table(Of<OldestWaiting>);
Table<Overview> table(Of<Overview>);
Table<Percentiles> table(Of<Percentiles>);
Table<store::StatsBucket> table(Of<store::StatsBucket>);
Table<store::NameStats> table(Of<store::NameStats>);
Table<StatsView> table(Of<StatsView>);

}  // namespace holdfast::views
