#include "views/overview.h"

#include "views/job.h"

namespace holdfast::views {

namespace {

Percentiles percentiles_of(const store::Percentiles& found, bool has_any) {
    if (!has_any) return {};
    return {.p50 = found.p50, .p95 = found.p95, .p99 = found.p99, .max = found.max};
}

Percentiles run_of_name(const store::NameStats& stats) {
    return percentiles_of(stats.run, stats.completed + stats.failed > 0);
}

template <auto part>
Percentiles part_of(const StatsView& view) {
    return percentiles_of(view.stats.*part, view.stats.ended > 0);
}

}  // namespace

Table<Link> table(Of<Link>) {
    static constexpr Member<Link> members[] = {
        member<&Link::page>("page"),
        member<&Link::id>("id", or_null),
    };
    return {"Link", members};
}

Table<Concern> table(Of<Concern>) {
    static constexpr Member<Concern> members[] = {
        member<&Concern::kind>("kind"), member<&Concern::severity>("severity"), member<&Concern::text>("text"),
        member<&Concern::link>("link"), member<&Concern::count>("count"),
    };
    return {"Concern", members};
}

Table<WorkerCounts> table(Of<WorkerCounts>) {
    static constexpr Member<WorkerCounts> members[] = {
        member<&WorkerCounts::fresh>("fresh"),       member<&WorkerCounts::stale>("stale"),
        member<&WorkerCounts::draining>("draining"), member<&WorkerCounts::inactive>("inactive"),
        member<&WorkerCounts::capacity>("capacity"), member<&WorkerCounts::busy>("busy"),
    };
    return {"WorkerCounts", members};
}

Table<OldestWaiting> table(Of<OldestWaiting>) {
    static constexpr Member<OldestWaiting> members[] = {
        member<&OldestWaiting::task>("task"),
        member<&OldestWaiting::waits>("seconds", seconds),
    };
    return {"OldestWaiting", members};
}

Table<Overview> table(Of<Overview>) {
    static constexpr Member<Overview> members[] = {
        member<&Overview::now>("now"),
        member<&Overview::version>("version"),
        member<&Overview::store>("store", or_null, "its URL without passwords; only for admins of all queues"),
        member<&Overview::tasks>("tasks"),
        member<&Overview::jobs>("jobs"),
        member<&Overview::workers>("workers"),
        member<&Overview::queues>("queues"),
        member<&Overview::oldest_waiting>("oldest_waiting"),
        member<&Overview::attention>("attention"),
    };
    return {"Overview", members};
}

Table<Percentiles> table(Of<Percentiles>) {
    static constexpr Member<Percentiles> members[] = {
        member<&Percentiles::p50>("p50", seconds),
        member<&Percentiles::p95>("p95", seconds),
        member<&Percentiles::p99>("p99", seconds),
        member<&Percentiles::max>("max", seconds),
    };
    return {"Percentiles", members};
}

Table<store::StatsBucket> table(Of<store::StatsBucket>) {
    using Bucket = store::StatsBucket;
    static constexpr Member<Bucket> members[] = {
        member<&Bucket::at>("at"),           member<&Bucket::completed>("completed"),
        member<&Bucket::failed>("failed"),   member<&Bucket::cancelled>("cancelled"),
        member<&Bucket::expired>("expired"), member<&Bucket::recovered>("recovered"),
    };
    return {"StatsBucket", members};
}

Table<store::NameStats> table(Of<store::NameStats>) {
    using Name = store::NameStats;
    static constexpr Member<Name> members[] = {
        member<&Name::name>("name"),
        member<&Name::completed>("completed"),
        member<&Name::failed>("failed"),
        derived<run_of_name>("run"),
    };
    return {"NameStats", members};
}

Table<StatsView> table(Of<StatsView>) {
    using View = StatsView;
    using store::Stats;
    static constexpr Member<View> members[] = {
        member<&View::window>("window_seconds", seconds), member<&View::stats, &Stats::complete>("complete"),
        member<&View::stats, &Stats::ended>("ended"),     member<&View::stats, &Stats::buckets>("buckets"),
        derived<part_of<&Stats::wait>>("wait"),           derived<part_of<&Stats::run>>("run"),
        member<&View::stats, &Stats::names>("names"),
    };
    return {"Stats", members};
}

}  // namespace holdfast::views
