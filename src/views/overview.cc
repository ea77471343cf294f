#include "views/overview.h"

#include "views/job.h"
#include "views/queue.h"

namespace holdfast::views {

namespace {

Percentiles percentiles_of(const store::Percentiles& found, bool has_any) {
    if (!has_any) return {};
    return {.p50 = found.p50, .p95 = found.p95, .p99 = found.p99, .max = found.max};
}

}  // namespace

StatsView view_of(const store::Stats& stats, Duration window) {
    StatsView view{.window = window,
                   .complete = stats.complete,
                   .ended = stats.ended,
                   .buckets = stats.buckets,
                   .wait = percentiles_of(stats.wait, stats.ended > 0),
                   .run = percentiles_of(stats.run, stats.ended > 0),
                   .names = {}};
    for (const auto& [name, completed, failed, run] : stats.names)
        view.names.push_back({name, completed, failed, percentiles_of(run, completed + failed > 0)});
    return view;
}

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
        member<&Overview::store>("store"),
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

Table<NameView> table(Of<NameView>) {
    static constexpr Member<NameView> members[] = {
        member<&NameView::name>("name"),
        member<&NameView::completed>("completed"),
        member<&NameView::failed>("failed"),
        member<&NameView::run>("run"),
    };
    return {"NameStats", members};
}

Table<StatsView> table(Of<StatsView>) {
    static constexpr Member<StatsView> members[] = {
        member<&StatsView::window>("window_seconds", seconds),
        member<&StatsView::complete>("complete"),
        member<&StatsView::ended>("ended"),
        member<&StatsView::buckets>("buckets"),
        member<&StatsView::wait>("wait"),
        member<&StatsView::run>("run"),
        member<&StatsView::names>("names"),
    };
    return {"Stats", members};
}

}  // namespace holdfast::views
