#pragma once

#include <vector>

#include "store/sqlite/places.h"
#include "store/sqlite/routes.h"
#include "store/store.h"

namespace holdfast::sqlite {

/// A task within reach, with everything that its worker is told about it.
struct Candidate {
    PendingTask pending;
    store::NewTask task;
};

/// A place in the order of claims, from which a search goes on.
struct Cursor {
    int priority = 0;
    Timestamp run_at;
    Uuid task;

    // As in holdfast::Uuid: NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Cursor&, const Cursor&) = default;
};

/// Grants leases in the order of claims, over all routes, until the request is fulfilled.
class ClaimSearch {
public:
    ClaimSearch(Transaction& tx, Routes& known_routes, const store::TurnParams& params,
                const std::vector<std::int64_t>& routes);

    /// Tasks that cannot be granted are put out of reach on the way, each once in its life as a candidate; how many
    /// are looked at in one transaction is bounded. False: the bound was met, and it is worth asking again.
    bool run();

    [[nodiscard]] std::vector<store::ClaimedTask>& granted() { return granted_; }

private:
    enum class Keys { With, Without };

    bool search(std::size_t goal, Keys keys);
    std::vector<Candidate> next_candidates(const Cursor& after, std::size_t limit, Keys keys);
    void read_candidates(std::int64_t route, bool keyed, const Cursor& after, std::size_t limit,
                         std::vector<Candidate>& candidates);
    bool take(std::vector<Candidate>& candidates, Cursor& cursor);
    void take_plain(std::vector<Candidate>& candidates, Cursor& cursor);
    void remove_ranges(const std::vector<Candidate>& candidates, const Cursor& after);
    bool consider(Candidate& candidate);
    void grant(Candidate& candidate);
    void remember();

    Transaction& tx_;
    Routes& known_routes_;
    const store::TurnParams& params_;
    const std::vector<std::int64_t>& routes_;
    std::vector<store::ClaimedTask> granted_;
    std::vector<LeaseRow> leases_;  // of those, in the same order
    std::size_t looked_at_ = 0;
    store::Lease lease_before_ = 0;
    store::Lease last_lease_ = 0;
};

/// Reads the columns that describe a task to its worker (name, args, spec, policy, concurrency_key,
/// concurrency_limit, idempotency_key, retry_of, traceparent), which start at `column`.
void read_description(const Query& row, int column, store::NewTask& task);

/// The task as its worker is told of it, with the lease that it was granted.
[[nodiscard]] store::ClaimedTask claimed_task(Database& db, const LeaseRow& row, store::NewTask&& task);

}  // namespace holdfast::sqlite
