#include "store/stats_tally.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace holdfast::store {

namespace {

constexpr std::size_t most_names = 20;

/// By nearest rank: each is a value that occurred.
Percentiles percentiles_of(std::vector<Duration>& values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
        return values[std::max<std::size_t>(rank, 1) - 1];
    };
    return {at(0.50), at(0.95), at(0.99), values.back()};
}

void count(StatsBucket& bucket, TaskState state) {
    if (state == TaskState::Completed) ++bucket.completed;
    if (state == TaskState::Failed) ++bucket.failed;
    if (state == TaskState::Cancelled) ++bucket.cancelled;
    if (state == TaskState::Expired) ++bucket.expired;
}

bool ended_more_often(const NameStats& a, const NameStats& b) {
    const auto ended = [](const NameStats& stats) { return stats.completed + stats.failed; };
    return ended(a) != ended(b) ? ended(a) > ended(b) : a.name < b.name;
}

}  // namespace

StatsTally::StatsTally(const StatsParams& params, Timestamp now)
    : window_(std::clamp<Duration>(params.window, std::chrono::minutes(1), std::chrono::days(7))),
      since_(now - window_),
      buckets_(static_cast<std::size_t>(std::clamp(params.buckets, 1, 200))) {
    for (std::size_t i = 0; i < buckets_.size(); ++i)
        buckets_[i].at = since_ + window_ * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(buckets_.size());
}

/// The very end of the window belongs to the last bucket.
StatsBucket& StatsTally::bucket_at(Timestamp at) {
    const auto after = std::upper_bound(buckets_.begin(), buckets_.end(), at,
                                        [](Timestamp time, const StatsBucket& bucket) { return time < bucket.at; });
    return *std::prev(after);
}

void StatsTally::add_ended(TaskState state, Timestamp finished_at, Timestamp run_at,
                           std::optional<Timestamp> started_at, std::string_view name) {
    if (finished_at < since_) return;
    ++ended_;
    count(bucket_at(finished_at), state);
    std::optional<Duration> length;
    if (started_at) {
        waits_.push_back(std::max(*started_at - run_at, Duration::zero()));
        length = runs_.emplace_back(std::max(finished_at - *started_at, Duration::zero()));
    }
    if (!name.empty()) add_to_name(name, state, length);
}

void StatsTally::add_to_name(std::string_view name, TaskState state, std::optional<Duration> length) {
    auto place = names_.find(name);
    if (place == names_.end()) place = names_.emplace(name, OfName{}).first;
    auto& of_name = place->second;
    of_name.completed += state == TaskState::Completed ? 1 : 0;
    of_name.failed += state == TaskState::Failed ? 1 : 0;
    if (length) of_name.runs.push_back(*length);
}

void StatsTally::add_event(std::string_view kind, Timestamp at) {
    constexpr std::array<std::string_view, 3> recoveries = {"worker_lost", "requeued", "failed"};
    if (at < since_ || std::find(recoveries.begin(), recoveries.end(), kind) == recoveries.end()) return;
    ++bucket_at(at).recovered;
}

Stats StatsTally::result() && {
    Stats stats;
    stats.buckets = std::move(buckets_);
    stats.ended = ended_;
    stats.wait = percentiles_of(waits_);
    stats.run = percentiles_of(runs_);
    for (auto& [name, of_name] : names_) stats.names.push_back({name, of_name.completed, of_name.failed, {}});
    std::sort(stats.names.begin(), stats.names.end(), ended_more_often);
    if (stats.names.size() > most_names) stats.names.resize(most_names);
    for (auto& of_name : stats.names) of_name.run = percentiles_of(names_.at(of_name.name).runs);
    stats.complete = complete_;
    return stats;
}

void add_to(JobCounts& counts, JobState state, std::int64_t number) {
    using enum JobState;
    using Counts = JobCounts;
    constexpr std::pair<JobState, std::int64_t Counts::*> members[] = {
        {Pending, &Counts::pending},     {Running, &Counts::running}, {Paused, &Counts::paused},
        {Completed, &Counts::completed}, {Failed, &Counts::failed},   {Cancelled, &Counts::cancelled}};
    for (const auto& [counted, member] : members)
        if (counted == state) counts.*member += number;
}

}  // namespace holdfast::store
