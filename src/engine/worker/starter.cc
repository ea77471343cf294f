#include "engine/worker/starter.h"

#include "engine/fence.h"

namespace holdfast::engine {

std::vector<store::TaskLease> choose_starts(RunBook& book, std::size_t reserved, Duration now) {
    std::vector<store::TaskLease> leases;
    const std::set<store::Lease> in_doubt = book.in(RunStage::Starting);
    for (const store::Lease lease : in_doubt) {
        Run& run = book.at(lease);
        if (run.stop) {  // do not start it only to stop it; the hand-back tells whether an earlier start was
                         // committed
            book.release(run, now);
            book.move(run, RunStage::Returning, now);
        } else {
            leases.push_back(run.lease());
        }
    }
    while (book.idle_runners() > reserved && book.count(RunStage::Held) > 0) {
        Run& run = book.at(*book.in(RunStage::Held).begin());
        book.assign(run, now);
        book.move(run, RunStage::Starting, now);
        leases.push_back(run.lease());
    }
    return leases;
}

RunOrder order_for(const Run& run) {
    return {.lease = run.lease(),
            .name = run.claimed.task.name,
            .args = run.claimed.task.args,
            .spec = run.claimed.task.spec,
            .attempt = run.claimed.history.next_attempt_number(),
            .timeout = run.timeout,
            .checkpoint = run.claimed.checkpoint,
            .fenced = is_fenced(run.claimed.task),
            .traceparent = run.claimed.task.traceparent};
}

}  // namespace holdfast::engine
