#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::ClaimAnswer;
using store::ClaimRefusal;

Command claimed_command(const store::TurnParams& params) {
    return {
        R"sql(SELECT id, name, args, spec, priority, run_at, deadline, policy::text, concurrency_key,
                concurrency_limit, idempotency_key, retry_of, traceparent, route_id, lease, started, attempts,
                crashes, requeues, checkpoint
              FROM holdfast.claimed($1, $2))sql",
        Params(params.worker, params.request)};
}

ClaimRefusal read_refusal(const Row& head) {
    if (head.boolean(4)) return ClaimRefusal::PutOff;
    const auto text = head.text(0);
    if (text.empty()) return ClaimRefusal::None;
    if (text == "unknown") return ClaimRefusal::UnknownWorker;
    return text == "cordoned" ? ClaimRefusal::Cordoned : ClaimRefusal::NotActive;
}

store::ClaimedTask read_claimed(const Row& row) {
    store::ClaimedTask claimed;
    claimed.task = store::read_task(row);
    claimed.lease = row.integer(14);
    claimed.started = row.boolean(15);
    claimed.history = store::read_history(row, 16);
    claimed.checkpoint = row.string(19);
    return claimed;
}

}  // namespace

std::vector<Command> PostgresStore::turn_commands(const store::TurnParams& params, const TurnPart& part) {
    // One more than a transaction may take, so that it says when it was cut short.
    const auto at_most = [&](std::size_t count) {
        return part.claims ? static_cast<int>(std::min(count, store::max_batch_rows + 1)) : 0;
    };
    const auto served = routes_.served(params.worker);
    std::vector<Command> commands;
    commands.push_back({R"sql(SELECT refusal, stale, next_due_us, more, put_off, freed, starts
               FROM holdfast.turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18))sql",
                        Params(params.worker, part.ended, part.ended_leases, part.results, part.to_start,
                               part.to_start_leases, params.request, at_most(params.to_start),
                               at_most(params.to_hold), static_cast<int>(store::max_batch_rows), served.queues,
                               served.tags, served.route_count, served.routes, last_claim_was_empty_.load(),
                               params.highest_lease.rank, params.highest_lease.number, params.may_wait)});
    if (part.claims) commands.push_back(claimed_command(params));
    return commands;
}

ClaimAnswer PostgresStore::claim(const store::TurnParams& params) {
    for (;;)
        if (auto answer = read_claim(params, work_.run(turn_commands(params, {.claims = true}), Effect::Writes)))
            return *answer;
}

std::optional<ClaimAnswer> PostgresStore::read_claim(const store::TurnParams& params,
                                                     const std::vector<Rows>& answers) {
    const auto& head = answers[0];
    ClaimAnswer answer{.refusal = read_refusal(head[0])};
    if (answer.refusal != ClaimRefusal::None) return answer;
    if (head[0].boolean(1)) {  // a new route, or another registration
        routes_.refresh(params.worker);
        return std::nullopt;
    }
    if (!head[0].is_null(2)) answer.next_due = Duration(head[0].integer(2));
    answer.more = head[0].boolean(3);
    const auto& tasks = answers[1];
    last_claim_was_empty_ = tasks.empty();
    answer.tasks.reserve(static_cast<std::size_t>(tasks.size()));
    std::unordered_map<int, store::Route> routes;
    for (const Row row : tasks) {
        auto& claimed = answer.tasks.emplace_back(read_claimed(row));
        const int id = row.small(13);
        const auto [route, is_new] = routes.try_emplace(id);
        if (is_new) route->second = routes_.find(id);
        claimed.task.queue = route->second.queue;
        claimed.task.tags = route->second.tags;
    }
    return answer;
}

}  // namespace holdfast::postgres
