#include "store_contract/differential_answers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/task/task_options.h"
#include "store/encoding.h"
#include "store_contract/differential_text.h"

namespace holdfast::contract {
namespace {

template <typename Items, typename Write>
std::string lines(const Items& items, const Write& write) {
    std::string text;
    for (const auto& item : items) text += write(item) + "\n";
    return text;
}

template <typename Enum>
std::string numbers(const std::vector<Enum>& values) {
    std::string text;
    for (const auto value : values) text += std::to_string(static_cast<int>(value)) + " ";
    return text;
}

std::string sorted_lines(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    return holdfast::join(texts, "\n") + "\n";
}

std::string history(const core::History& history) {
    return concat(history.attempts, "/", history.crashes, "/", history.requeues);
}

std::string new_task(const store::NewTask& task) {
    return concat(task.id.to_string(), " ", task.name, " ", task.args, " q=", task.queue,
                  " t=", holdfast::join(task.tags, ","), " p=", task.priority, " at=", time_text(task.run_at),
                  " by=", time_text(task.deadline),
                  " k=", task.concurrency ? concat(task.concurrency->key, ":", task.concurrency->limit) : "-",
                  " i=", task.idempotency_key, " ", core::encode_policy(task.policy));
}

}  // namespace

std::string AnswerText::lease(const store::TaskLease& lease) {
    return lease.task.to_string() + leases_.of(lease.lease);
}

std::string AnswerText::operator()(const std::vector<store::SubmitOutcome>& answer) {
    return lines(answer, [](const auto& one) {
        return concat(static_cast<int>(one.status), " ", one.id.to_string(), " ", one.complaint, " limit ",
                      one.concurrency_limit.value_or(0));
    });
}

std::string AnswerText::operator()(const store::ClaimAnswer& answer) {
    return concat("refusal ", static_cast<int>(answer.refusal), " due ",
                  answer.next_due ? answer.next_due->count() : -1, " more ", answer.more, "\n") +
           lines(answer.tasks, [this](const store::ClaimedTask& one) {
               return concat(leases_.of(one.lease), " started ", one.started, " ", history(one.history), " ",
                             one.checkpoint, " ", new_task(one.task));
           });
}

std::string AnswerText::operator()(const std::vector<store::Fenced>& answer) {
    return numbers(answer);
}
std::string AnswerText::operator()(const std::vector<store::CancelStatus>& answer) {
    return numbers(answer);
}
std::string AnswerText::operator()(const std::vector<store::ForceStatus>& answer) {
    return numbers(answer);
}
std::string AnswerText::operator()(const std::vector<bool>& answer) {
    return numbers(answer);
}

std::string AnswerText::operator()(const store::TurnAnswer& answer) {
    return lines(answer.finished,
                 [](const auto& run) {
                     const bool is_applied = run.fenced == store::Fenced::Applied;
                     return concat(static_cast<int>(run.fenced), " ", is_applied ? to_text(run.state) : "");
                 }) +
           "handed back " + numbers(answer.handed_back) + "started " + numbers(answer.started) +
           (*this)(answer.claimed);
}

std::string AnswerText::operator()(const std::vector<store::RecoverOutcome>& answer) {
    return lines(answer, [](const auto& one) {
        const bool is_applied = one.fenced == store::Fenced::Applied;
        return concat(static_cast<int>(one.fenced), " ", is_applied ? to_text(one.state) : "");
    });
}

std::string AnswerText::operator()(const store::BeatAnswer& answer) {
    std::vector<std::string> told;
    for (const auto& one : answer.lost) told.push_back("lost " + lease(one));
    for (const auto& one : answer.unlisted) told.push_back("unlisted " + lease(one));
    for (const auto& one : answer.stop) told.push_back(concat("stop ", lease(one.lease), " ", word_of(one.reason)));
    return concat("known ", answer.known, " rank ", answer.rank, " beat ", answer.beat, " drain ", answer.drain,
                  " cordoned ", answer.cordoned, "\n") +
           sorted_lines(std::move(told));
}

std::string AnswerText::operator()(const store::PruneAnswer& answer) {
    return concat(answer.heartbeats, " ", answer.worker_states, " ", answer.tasks, " ", answer.jobs, " ",
                  answer.workers, " ", answer.orders, " ", answer.more);
}

std::string AnswerText::operator()(const store::SweepLeaseAnswer& answer) {
    return concat(answer.held, " ", answer.holder);
}

std::string AnswerText::operator()(const std::vector<store::SweepNote>& answer) {
    std::string text;
    for (const auto& note : answer)
        text += concat(note.service, " ", note.who, " ", time_text(note.at), " ", note.did, " ", note.failure, "\n");
    return text;
}

std::string AnswerText::task(const store::TaskRecord& record) {
    return concat(to_text(record.state), " ", to_text(record.waits_for), " ", new_task(record.task), " ",
                  history(record.history), " ", leases_.of(record.lease), " ", record.worker.to_string(), " ",
                  time_text(record.created_at), " ", time_text(record.claimed_at), " ", time_text(record.started_at),
                  " ", time_text(record.finished_at), " ", record.cancel_requested, " ", record.result, " ",
                  error_text(record.error), " ",
                  record.progress
                      ? concat(record.progress->fraction, record.progress->text, time_text(record.progress->at))
                      : "-",
                  " ", record.checkpoint);
}

std::string AnswerText::attempts(store::Store& store, const Uuid& task) {
    return lines(store.attempts(task), [this](const store::AttemptRecord& one) {
        return concat("  attempt ", one.number, " ", leases_.of(one.lease), " ", one.worker.to_string(), " ",
                      word_of(one.end), " ", time_text(one.claimed_at), " ", time_text(one.started_at), " ",
                      time_text(one.finished_at), " ", error_text(one.error));
    });
}

std::string AnswerText::logs(store::Store& store, const Uuid& task) {
    return lines(store.read_logs({.task = task, .after_offset = 0, .limit = 100'000}), [this](const auto& one) {
        return concat("  log ", leases_.of(one.chunk.lease), " ", one.chunk.sequence, " ", one.chunk.text);
    });
}

std::string AnswerText::workers(store::Store& store) {
    std::vector<std::string> texts;
    for (const auto& one : store.workers()) {
        std::vector<std::string> held;
        for (const auto& each : one.held) held.push_back(lease(each.lease));
        std::sort(held.begin(), held.end());
        texts.push_back(concat("worker ", one.registration.id.to_string(), " ", word_of(one.status), " ",
                               one.cordoned, one.drain_requested, " ", one.beat, " ", time_text(one.last_heartbeat),
                               " ", holdfast::join(held, ",")));
    }
    std::vector<std::string> seen;
    for (const auto& one : store.look().workers) seen.push_back(concat("seen ", one.id.to_string(), " ", one.beat));
    return sorted_lines(std::move(texts)) + sorted_lines(std::move(seen));
}

std::string AnswerText::leases(store::Store& store) {
    return lines(store.leases({.worker = {}, .after = {}, .limit = 100'000}), [this](const store::LeaseRecord& one) {
        return concat("lease ", lease(one.lease), " ", one.worker.to_string(), " ", one.name, " ", one.started, " ",
                      time_text(one.claimed_at), " ", time_text(one.started_at), " ", one.holds_key,
                      one.cancel_requested, " ", one.unlisted_beats, " ", history(one.history));
    });
}

std::string AnswerText::event(const store::EventRecord& one) {
    const bool names_its_store = one.kind == "rolled_over";
    std::string said = names_its_store ? "" : concat(one.who, " ", one.message, " ", one.data);
    const auto data = nlohmann::json::parse(one.data, nullptr, /*allow_exceptions=*/false);
    if (data.is_object() && data.contains("lease")) {
        const auto number = data["lease"].dump();
        for (auto at = said.find(number); at != std::string::npos; at = said.find(number))
            said.replace(at, number.size(), leases_.of(data["lease"].get<store::Lease>()));
    }
    return concat("event ", time_text(one.at), " ", one.task.to_string(), " ", one.worker.to_string(), " ", one.kind,
                  " ", one.queue, " ", one.is_order, " ", said);
}

std::string AnswerText::events(store::Store& store) {
    // Of one call they may come in any order.
    std::vector<std::string> texts;
    for (const auto& one : store.events({.task = {}, .worker = {}, .after_id = 0, .limit = 1'000'000}))
        texts.push_back(event(one));
    return sorted_lines(std::move(texts));
}

std::string AnswerText::backlog(store::Store& store) {
    std::vector<std::string> texts;  // a route's number is its store's own
    for (const auto& one : store.backlog()) {
        std::vector<std::string> unmatched;
        for (const auto& id :
             store.unmatched_tasks({.route = one.route, .waited = std::chrono::seconds(5), .open_steps = true}))
            unmatched.push_back(id.to_string());
        texts.push_back(concat("backlog ", one.queue, " ", holdfast::join(one.tags, ","), " ", one.paused, " ",
                               one.ready, " ", one.oldest.to_string(), " ", one.oldest_waits.count(), " ",
                               holdfast::join(unmatched, ",")));
    }
    return sorted_lines(std::move(texts));
}

std::string AnswerText::statistics(store::Store& store) {
    const auto shown = [](const store::Percentiles& of) {
        return concat(of.p50.count(), " ", of.p95.count(), " ", of.p99.count(), " ", of.max.count());
    };
    const auto stats = store.stats({.window = std::chrono::minutes(10), .buckets = 5});
    std::string text = concat("ended ", stats.ended, stats.complete ? "" : " of the latest", ", waited ",
                              shown(stats.wait), ", ran ", shown(stats.run), "\n");
    for (const auto& bucket : stats.buckets)
        text += concat("bucket ", format_timestamp(bucket.at), " ", bucket.completed, " ", bucket.failed, " ",
                       bucket.cancelled, " ", bucket.expired, " ", bucket.recovered, "\n");
    for (const auto& name : stats.names)
        text += concat("name ", name.name, " ", name.completed, " ", name.failed, " ", shown(name.run), "\n");
    const auto vitals = store.vitals();
    return text + concat("oldest ", vitals.oldest_waits ? vitals.oldest_waits->count() : -1, "\n");
}

std::string AnswerText::tokens(store::Store& store) {
    std::string text;
    for (const auto& token : store.tokens())
        text += concat("token ", token.token.name, " ", token.token.hash, " ", token.revoked_at.has_value(), "\n");
    return text;
}

std::string AnswerText::snapshots(store::Store& store, const Uuid& worker) {
    return lines(store.worker_snapshots(worker, 1000), [](const store::WorkerSnapshot& one) {
        return concat("snapshot ", one.worker.to_string(), " ", time_text(one.at), " ", one.running, " ", one.claimed,
                      " ", one.capacity, " ", one.cpu_percent, " ", one.memory_mb, " ", one.load);
    });
}

std::string AnswerText::dump(store::Store& store, const Known& known) {
    std::string text;
    const auto found = store.find(known.tasks);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) {
            text += known.tasks[i].to_string() + " gone\n";
            continue;
        }
        text += task(*found[i]) + "\n" + attempts(store, known.tasks[i]) + logs(store, known.tasks[i]);
    }
    for (const Uuid& id : known.jobs) text += job(store, id);
    for (const Uuid& id : known.workers) text += snapshots(store, id);
    text += job_lists(store) + (*this)(store.schedules());
    const auto counts = store.count();
    text += concat("counts ", counts.pending, " ", counts.claimed, " ", counts.running, " ", counts.completed, " ",
                   counts.failed, " ", counts.cancelled, " ", counts.expired, "\n");
    for (const auto& queue : store.queues()) {
        text += concat("queue ", queue.name, " ", queue.paused, " ", queue.pending, " ", queue.in_flight, "\n");
    }
    for (const auto& record : store.keys({})) {
        text += concat("key ", record.key.key, " ", record.key.queue, " ", record.key.limit, " ", record.declared,
                       " ", record.held, " ", record.waiting, "\n");
    }
    return text + statistics(store) + tokens(store) + backlog(store) + workers(store) + leases(store) + events(store);
}

}  // namespace holdfast::contract
