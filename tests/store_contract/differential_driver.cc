#include "store_contract/differential_driver.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "store_contract/moves.h"

namespace holdfast::contract {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t remembered_operations = 60;

const std::vector<std::string> tags = {"x", "y"};

/// Enough of a task to follow what happens to it.
std::string brief(const store::NewTask& task) {
    return concat(task.id.to_string(), "(", task.queue, " ", holdfast::join(task.tags, ","), " p", task.priority,
                  task.concurrency ? concat(" ", task.concurrency->key, ":", task.concurrency->limit) : "", ")");
}

/// The lines in which two long texts differ.
std::string line_difference(const std::string& first, const std::string& second) {
    std::istringstream left(first), right(second);
    std::string a, b, text;
    for (int shown = 0; shown < 20;) {
        const bool more_a = static_cast<bool>(std::getline(left, a));
        const bool more_b = static_cast<bool>(std::getline(right, b));
        if (!more_a && !more_b) break;
        if (!more_a) a.clear();
        if (!more_b) b.clear();
        if (a == b) continue;
        text += concat("< ", a, "\n> ", b, "\n");
        ++shown;
    }
    return text;
}

}  // namespace

DifferentialDriver::DifferentialDriver(store::Store& first, store::Store& second, FakeClock& clock,
                                       std::uint64_t seed)
    : first_(first), second_(second), clock_(clock), random_(seed) {
    for (int i = 0; i < 4; ++i) join_worker();
}

std::string DifferentialDriver::step() {
    struct Weighted {
        int weight;
        Operation operation;
    };
    using D = DifferentialDriver;
    static const std::vector<Weighted> operations = {{16, &D::submit},
                                                     {3, &D::submit_again},
                                                     {20, &D::claim},
                                                     {2, &D::claim_again},
                                                     {8, &D::start},
                                                     {18, &D::turn},
                                                     {2, &D::turn_again},
                                                     {6, &D::hand_back},
                                                     {4, &D::progress},
                                                     {4, &D::log},
                                                     {5, &D::cancel},
                                                     {2, &D::force},
                                                     {1, &D::reject},
                                                     {8, &D::recover},
                                                     {3, &D::ask_to_stop},
                                                     {8, &D::beat},
                                                     {2, &D::change_worker},
                                                     {2, &D::mark_lost},
                                                     {2, &D::expire},
                                                     {1, &D::pause},
                                                     {1, &D::prune},
                                                     {2, &D::change_key},
                                                     {1, &D::sweep_lease},
                                                     {1, &D::note_sweep},
                                                     {1, &D::append_event},
                                                     {1, &D::change_token},
                                                     {1, &D::append_snapshot},
                                                     {10, &D::let_time_pass},
                                                     {4, &D::start_job},
                                                     {1, &D::start_job_again},
                                                     {4, &D::look_at_job},
                                                     {3, &D::steer_jobs},
                                                     {3, &D::decide},
                                                     {2, &D::retry_job},
                                                     {3, &D::sweep_jobs},
                                                     {1, &D::change_schedule},
                                                     {1, &D::fire}};
    int total = 0;
    for (const auto& one : operations) total += one.weight;
    auto pick = static_cast<int>(below(static_cast<std::size_t>(total)));
    ++steps_;
    for (const auto& one : operations) {
        pick -= one.weight;
        if (pick < 0) return (this->*one.operation)();
    }
    return "";
}

std::string DifferentialDriver::compare_dumps() {
    get_to_know_everything();
    seen_.rollovers = static_cast<std::size_t>(first_.rank() + second_.rank() - 2);
    for (const auto& job : first_.find_jobs(known_jobs_)) {
        if (!job) continue;
        if (job->state == JobState::Completed) seen_.completed.insert(job->id);
        if (job->state == JobState::Failed) seen_.failed.insert(job->id);
        if (job->state == JobState::Cancelled) seen_.cancelled.insert(job->id);
        if (job->state == JobState::Completed && job->depth > 0) seen_.completed_children.insert(job->id);
    }
    const auto workers = [this] {
        std::vector<Uuid> ids;
        for (const auto& worker : workers_) ids.push_back(worker.id);
        return ids;
    }();
    const auto first = first_text_.dump(first_, {known_tasks_, known_jobs_, workers});
    const auto second = second_text_.dump(second_, {known_tasks_, known_jobs_, workers});
    return first == second ? "" : "full dump:\n" + line_difference(first, second);
}

std::string DifferentialDriver::recent_operations() const {
    return holdfast::join(std::vector<std::string>(recent_.begin(), recent_.end()), "\n");
}

void DifferentialDriver::note(const std::string& operation) {
    recent_.push_back(concat(steps_, " ", format_timestamp(clock_.now()), " ", operation));
    if (recent_.size() > remembered_operations) recent_.pop_front();
}

std::size_t DifferentialDriver::below(std::size_t bound) {
    return random_() % bound;
}

Uuid DifferentialDriver::uuid() {
    class Seeded final : public Random {
    public:
        explicit Seeded(std::mt19937_64& engine) : engine_(engine) {}
        std::uint64_t next() override { return engine_(); }

    private:
        std::mt19937_64& engine_;
    } seeded(random_);
    return make_uuid_v4(seeded);
}

/// As a UUIDv7 of some client: the order of ids is not the order of submits.
Uuid DifferentialDriver::task_id() {
    auto bytes = uuid().bytes();
    const auto milliseconds = clock_.now().time_since_epoch().count() / 1000;
    for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(milliseconds >> (8 * (5 - i)));
    bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0f));
    return Uuid(bytes);
}

store::NewTask DifferentialDriver::new_task() {
    store::NewTask task;
    task.id = task_id();
    task.name = any_of(std::vector<std::string>{"one", "two"});
    task.args = std::to_string(below(1000));
    task.queue = any_of(queues);
    for (const auto& tag : tags) {
        if (chance(0.2)) task.tags.push_back(tag);
    }
    task.priority = static_cast<int>(1 + below(3));
    if (chance(0.15)) task.run_at = clock_.now() + std::chrono::seconds(below(120));
    if (chance(0.3)) task.concurrency = ConcurrencyKey{concat("k", below(3)), static_cast<int>(1 + below(3))};
    if (chance(0.15)) task.deadline = clock_.now() + std::chrono::seconds(121 + below(120));
    if (chance(0.05)) task.idempotency_key = concat("i", below(20));
    if (chance(0.4)) task.policy.retry.max_attempts = static_cast<int>(1 + below(3));
    if (chance(0.2)) task.policy.retry.jitter = 0.5;
    if (chance(0.4)) task.policy.on_crash = OnCrash::Requeue;
    if (chance(0.2)) task.policy.max_crashes = static_cast<int>(below(3));
    if (chance(0.3)) task.policy.unmatched = Unmatched::Fail;
    if (chance(0.1)) task.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    if (chance(0.03)) task.args = "{broken";
    return task;
}

void DifferentialDriver::join_worker() {
    auto worker = a_worker({any_of(queues), any_of(queues)}, chance(0.5) ? tags : std::vector<std::string>{"x"});
    worker.tags.emplace_back("task:work");
    worker.id = uuid();
    first_.register_worker(worker);
    second_.register_worker(worker);
    workers_.push_back(worker);
    note("register " + worker.id.to_string());
}

std::vector<Uuid> DifferentialDriver::some_tasks() {
    std::vector<Uuid> ids;
    for (std::size_t i = 0; i < 1 + below(4); ++i) {
        ids.push_back(known_tasks_.empty() || chance(0.05) ? task_id() : any_of(known_tasks_));
    }
    return ids;
}

/// Mostly a lease of late, which may have ended since.
DifferentialDriver::LeasePair DifferentialDriver::any_lease() {
    if (leases_.empty() || chance(0.03)) return {{task_id(), 999'999}, {task_id(), 999'999}, true, uuid()};
    const std::size_t window = std::min<std::size_t>(leases_.size(), 40);
    auto lease = leases_[leases_.size() - 1 - below(window)];
    if (chance(0.03)) {
        lease.first.lease += 1'000'000;
        lease.second.lease += 1'000'000;
    }
    return lease;
}

std::vector<DifferentialDriver::LeasePair> DifferentialDriver::some_leases(std::optional<Uuid> worker) {
    std::vector<LeasePair> some;
    for (std::size_t i = 0; i < 1 + below(5); ++i) {
        auto lease = any_lease();
        for (int tries = 0; worker && lease.worker != *worker && tries < 10; ++tries) lease = any_lease();
        worker = lease.worker;
        some.push_back(lease);
    }
    for (auto& lease : some) lease.second.task = lease.first.task;
    return some;
}

void DifferentialDriver::remember(const store::ClaimAnswer& first, const store::ClaimAnswer& second,
                                  const Uuid& worker) {
    if (first.tasks.size() != second.tasks.size()) return;
    for (std::size_t i = 0; i < first.tasks.size(); ++i) {
        leases_.push_back({lease_of(first.tasks[i]), lease_of(second.tasks[i]), first.tasks[i].started, worker});
    }
}

core::Witness DifferentialDriver::witness(std::int64_t highest) {
    return {first_.rank() - (chance(0.1) ? 1 : 0), highest + (chance(0.01) ? 1000 : 0)};
}

std::string DifferentialDriver::submit() {
    std::vector<store::NewTask> batch;
    for (std::size_t i = 0; i < 1 + below(6); ++i) batch.push_back(new_task());
    if (chance(0.1)) batch.push_back(batch.front());
    for (const auto& task : batch) known_tasks_.push_back(task.id);
    submitted_.insert(submitted_.end(), batch.begin(), batch.end());
    std::string what = "submit";
    for (const auto& task : batch) what += " " + brief(task);
    return both(what, [&](store::Store& store, bool) { return store.submit(batch); });
}

std::string DifferentialDriver::submit_again() {
    if (submitted_.empty()) return "";
    auto task = any_of(submitted_);
    if (chance(0.3)) task.args = "77777";
    if (chance(0.2)) task.run_at = clock_.now();
    return both("submit again " + task.id.to_string(),
                [&](store::Store& store, bool) { return store.submit({task}); });
}

std::string DifferentialDriver::claim() {
    const auto worker = chance(0.02) ? uuid() : any_of(workers_).id;
    store::TurnParams params{.worker = worker, .request = uuid(), .to_start = below(5), .to_hold = below(3)};
    last_claim_ = {params, params};
    if (!leases_.empty()) {
        const auto seen = witness(0);
        last_claim_.first.highest_lease = {seen.rank, leases_.back().first.lease + seen.number};
        last_claim_.second.highest_lease = {seen.rank, leases_.back().second.lease + seen.number};
    }
    return take_turn(concat("claim ", params.to_start, "+", params.to_hold, " for ", worker.to_string(), " seen ",
                            last_claim_.first.highest_lease.rank),
                     last_claim_);
}

std::string DifferentialDriver::claim_again() {
    const auto& worker = last_claim_.first.worker;
    return worker.is_nil() ? "" : take_turn("claim again for " + worker.to_string(), last_claim_);
}

std::string DifferentialDriver::start() {
    const auto some = some_leases();
    return both(concat("start ", some.size(), " first ", some[0].first.task.to_string()),
                [&](store::Store& store, bool is_first) {
                    std::vector<store::TaskLease> leases;
                    for (const auto& lease : some) leases.push_back(is_first ? lease.first : lease.second);
                    return store.turn({.worker = some[0].worker, .start = leases}).started;
                });
}

std::string DifferentialDriver::turn() {
    using core::LeaseEnd;
    static const std::vector<LeaseEnd> ends = {LeaseEnd::Completed, LeaseEnd::Completed, LeaseEnd::Completed,
                                               LeaseEnd::Failed,    LeaseEnd::Failed,    LeaseEnd::Crashed,
                                               LeaseEnd::Stopped,   LeaseEnd::Cancelled, LeaseEnd::StoppedCleanly,
                                               LeaseEnd::NotStarted};
    const auto some = some_leases();
    store::TurnParams params[2];
    for (const auto& lease : some) {
        auto run = ended(lease.first, any_of(ends));
        if (run.end == LeaseEnd::Completed) run.result = chance(0.05) ? "{broken" : std::to_string(below(1000));
        run.jitter = static_cast<double>(below(100)) / 100.0;
        run.error.code = chance(0.5) ? "BOOM" : "FENCED";
        params[0].finish.push_back(run);
        run.lease = lease.second;
        params[1].finish.push_back(run);
    }
    const auto starts = chance(0.3) ? some_leases(some[0].worker) : std::vector<LeasePair>();
    const auto returns = chance(0.2) ? some_leases(some[0].worker) : std::vector<LeasePair>();
    const Uuid request = uuid();
    const std::size_t to_start = chance(0.4) ? below(5) : 0, to_hold = chance(0.2) ? below(3) : 0;
    for (const bool is_first : {true, false}) {
        store::TurnParams& turn = params[is_first ? 0 : 1];
        turn.worker = some[0].worker;
        turn.request = request;
        turn.to_start = to_start;
        turn.to_hold = to_hold;
        for (const auto& lease : starts) turn.start.push_back(is_first ? lease.first : lease.second);
        for (const auto& lease : returns) turn.hand_back.push_back(is_first ? lease.first : lease.second);
    }
    turns_.emplace_back(params[0], params[1]);
    return take_turn(concat("finish ", some.size(), ", hand back ", returns.size(), ", start ", starts.size(),
                            ", claim ", to_start, "+", to_hold, ", first ", some[0].first.task.to_string()),
                     turns_.back());
}

std::string DifferentialDriver::turn_again() {
    return turns_.empty() ? "" : take_turn("the same turn again", any_of(turns_));
}

std::string DifferentialDriver::take_turn(const std::string& what,
                                          const std::pair<store::TurnParams, store::TurnParams>& params) {
    auto turns = params;
    store::TurnAnswer answers[2];
    answers[1] = second_.turn(turns.second);
    const bool is_put_off = answers[1].claimed.refusal == store::ClaimRefusal::PutOff;
    if (is_put_off) {  // then the claim follows in a turn of its own, on both
        turns.first.to_start = turns.first.to_hold = 0;
        answers[1].claimed = {};
    }
    auto found = both(what, [&](store::Store& store, bool is_first) {
        return is_first ? answers[0] = store.turn(turns.first) : answers[1];
    });
    if (is_put_off && found.empty())
        found = both(concat("the claim of: ", what), [&](store::Store& store, bool is_first) {
            const auto& [worker, request, to_start, to_hold] =
                std::tie(params.first.worker, params.first.request, params.first.to_start, params.first.to_hold);
            return answers[is_first ? 0 : 1] =
                       store.turn({.worker = worker, .request = request, .to_start = to_start, .to_hold = to_hold});
        });
    remember(answers[0].claimed, answers[1].claimed, params.first.worker);
    return found;
}

std::string DifferentialDriver::hand_back() {
    const auto some = some_leases();
    return both(concat("hand back ", some.size(), " first ", some[0].first.task.to_string()),
                [&](store::Store& store, bool is_first) {
                    std::vector<store::TaskLease> leases;
                    for (const auto& lease : some) leases.push_back(is_first ? lease.first : lease.second);
                    return store.turn({.worker = some[0].worker, .hand_back = leases}).handed_back;
                });
}

std::string DifferentialDriver::progress() {
    const auto some = some_leases();
    const auto text = concat("at ", below(100));
    const bool has_checkpoint = chance(0.5);
    return both(concat("progress ", some.size()), [&](store::Store& store, bool is_first) {
        std::vector<store::ProgressReport> reports;
        for (const auto& lease : some) {
            store::ProgressReport report;
            report.lease = is_first ? lease.first : lease.second;
            report.fraction = 0.5;
            report.text = text;
            if (has_checkpoint) report.checkpoint = "[1]";
            reports.push_back(report);
        }
        return store.save_progress(some[0].worker, reports);
    });
}

std::string DifferentialDriver::log() {
    const auto lease = any_lease();
    const auto sequence = static_cast<int>(below(4));
    return both("log " + lease.first.task.to_string(), [&](store::Store& store, bool is_first) {
        const auto& own = is_first ? lease.first : lease.second;
        return store.append_logs(lease.worker, {{.task = lease.first.task,
                                                 .lease = own.lease,
                                                 .sequence = sequence,
                                                 .stream = "stdout",
                                                 .text = concat("line ", sequence),
                                                 .at = clock_.now()}});
    });
}

std::string DifferentialDriver::cancel() {
    const auto ids = some_tasks();
    return both("cancel " + ids[0].to_string(), [&](store::Store& store, bool) {
        return store.cancel({.tasks = ids, .who = "ann", .reason = "no"});
    });
}

std::string DifferentialDriver::force() {
    const auto ids = some_tasks();
    const auto state = chance(0.5) ? TaskState::Failed : TaskState::Cancelled;
    return both("force " + ids[0].to_string(), [&](store::Store& store, bool) {
        return store.force({.tasks = ids, .state = state, .who = "ann", .reason = "stuck"});
    });
}

std::string DifferentialDriver::reject() {
    const auto ids = some_tasks();
    return both("reject " + ids[0].to_string(), [&](store::Store& store, bool) {
        return store.reject({.tasks = ids, .error = {"NO_MATCHING_WORKER", "nobody", ""}, .who = "sweeper"});
    });
}

std::string DifferentialDriver::recover() {
    const auto some = some_leases();
    const bool believes_started = chance(0.6);
    const bool is_stop = chance(0.2);
    return both(concat("recover ", some.size(), believes_started ? " started" : " held", " first ",
                       some[0].first.task.to_string()),
                [&](store::Store& store, bool is_first) {
                    std::vector<store::RecoveredLease> verdicts;
                    for (const auto& lease : some) {
                        const auto& own = is_first ? lease.first : lease.second;
                        verdicts.push_back(believes_started ? crash_verdict(own, lease.worker)
                                                            : requeue_verdict(own, lease.worker));
                        if (believes_started && is_stop) verdicts.back().end = core::LeaseEnd::Stopped;
                    }
                    return store.recover({.who = "sweeper", .leases = verdicts});
                });
}

std::string DifferentialDriver::ask_to_stop() {
    const auto lease = any_lease();
    const auto reason = chance(0.5) ? store::StopReason::Timeout : store::StopReason::Cancel;
    return both("ask to stop " + lease.first.task.to_string(), [&](store::Store& store, bool is_first) {
        const store::TaskLease own{lease.first.task, is_first ? lease.first.lease : lease.second.lease};
        return store.ask_to_stop(
            {.requests = {{.lease = own, .reason = reason}}, .who = "sweeper", .reason = "slow"});
    });
}

std::string DifferentialDriver::beat() {
    const auto worker = any_of(workers_).id;
    std::vector<LeasePair> held;
    for (const auto& lease : leases_) {
        const bool is_recent = &lease + 30 > leases_.data() + leases_.size();
        if (lease.worker == worker && is_recent && chance(0.8)) held.push_back(lease);
    }
    const auto status = chance(0.03) ? store::WorkerStatus::Draining : store::WorkerStatus::Active;
    const bool keeps_history = chance(0.3);
    const auto acknowledged = witness(beats_[worker]);
    return both(concat("beat ", worker.to_string(), " seen ", acknowledged.rank, ":", acknowledged.number),
                [&](store::Store& store, bool is_first) {
                    auto params = beat_of(worker);
                    params.acknowledged = acknowledged;
                    for (const auto& lease : held)
                        params.held.push_back({.lease = is_first ? lease.first : lease.second, .running = true});
                    params.status = status;
                    params.keep_history = keeps_history;
                    auto answer = store.beat(params);
                    beats_[worker] = answer.beat;
                    return answer;
                });
}

std::string DifferentialDriver::change_worker() {
    if (chance(0.3)) {
        join_worker();
        return "";
    }
    const auto worker = any_of(workers_);
    const auto choice = below(5);
    return both(concat("change worker ", choice, " ", worker.id.to_string()), [&](store::Store& store, bool) {
        using store::WorkerOrder;
        if (choice == 0) return std::vector{store.deregister_worker(worker.id)};
        if (choice == 1) return std::vector{store.remove_worker(worker.id, "test") == store::RemoveStatus::Removed};
        if (choice == 2) return std::vector{store.register_worker(worker).rank == store.rank()};
        const auto order = choice == 3 ? WorkerOrder::Cordon : WorkerOrder::Uncordon;
        return std::vector{store.order_worker({.worker = worker.id, .order = order, .who = "ann"})};
    });
}

std::string DifferentialDriver::mark_lost() {
    const auto seen = first_.look().workers;
    if (seen.empty()) return "";
    const auto& worker = any_of(seen);
    const auto beat = worker.beat + (chance(0.3) ? 1 : 0);
    return both("mark lost " + worker.id.to_string(), [&](store::Store& store, bool) {
        return store.mark_lost(
            {{.worker = worker.id, .beat = beat, .who = "sweeper", .evidence = "silent", .data = ""}});
    });
}

std::string DifferentialDriver::expire() {
    return both("expire",
                [&](store::Store& store, bool) { return std::vector<bool>(store.expire_overdue(1000), true); });
}

std::string DifferentialDriver::pause() {
    const auto queue = any_of(queues);
    const bool paused = chance(0.3);
    return both(concat(paused ? "pause " : "resume ", queue), [&](store::Store& store, bool) {
        store.set_queue_paused(queue, paused, "ann");
        return std::vector<bool>();
    });
}

/// Declares a key of a queue or of all, or takes that back.
std::string DifferentialDriver::change_key() {
    const core::KeyDeclaration key{concat("k", below(3)), chance(0.5) ? "" : any_of(queues),
                                   static_cast<int>(1 + below(4))};
    const bool removes = chance(0.5);
    return both(concat(removes ? "remove " : "declare ", key.key, "/", key.queue, ":", key.limit),
                [&](store::Store& store, bool) {
                    if (removes) return std::string(store.remove_key(key.key, key.queue, "ann") ? "removed" : "-");
                    return std::to_string(static_cast<int>(store.declare_key(key, "ann")));
                });
}

std::string DifferentialDriver::prune() {
    store::PruneParams params;
    if (chance(0.5)) params.terminal_older_than = std::chrono::hours(1 + below(3));
    if (chance(0.5)) params.heartbeats_older_than = std::chrono::minutes(10);
    if (chance(0.5)) params.worker_states_older_than = std::chrono::minutes(10);
    if (params.terminal_older_than) params.orders_older_than = *params.terminal_older_than + 2h;
    params.dry_run = chance(0.3);
    params.clock_is_right = chance(0.5);
    params.watched = std::chrono::hours(below(12));
    return both("prune", [&](store::Store& store, bool) { return store.prune(params); });
}

std::string DifferentialDriver::sweep_lease() {
    const auto holder = concat("sweeper-", below(3));
    const Duration expiry = chance(0.1) ? Duration::zero() : Duration(3s);
    return both("sweep lease " + holder,
                [&](store::Store& store, bool) { return store.sweep_lease(holder, expiry); });
}

std::string DifferentialDriver::note_sweep() {
    const store::SweepNote note{.service = concat("service-", below(3)),
                                .who = concat("sweeper-", below(3)),
                                .at = {},
                                .did = concat(R"({"ended":)", below(5), "}"),
                                .failure = chance(0.3) ? "disk \xff full" : ""};
    return both("note sweep of " + note.service, [&](store::Store& store, bool) {
        store.note_sweep(note);
        return store.sweep_notes();
    });
}

std::string DifferentialDriver::append_event() {
    store::EventRecord event;
    event.kind = chance(0.5) ? "audit" : "requeued";
    if (chance(0.5)) event.task = some_tasks().front();
    event.who = "ann";
    event.message = chance(0.2) ? "disk \xff full" : "looked at it";
    event.data = chance(0.2) ? "{broken" : "{}";
    event.is_order = event.kind == "audit";
    return both("append event " + event.kind, [&](store::Store& store, bool) {
        store.append_event(event);
        return std::vector<bool>{true};
    });
}

/// Makes a token of one of few names, or revokes one.
std::string DifferentialDriver::change_token() {
    const auto name = concat("token-", below(3));
    if (chance(0.4))
        return both("revoke " + name,
                    [&](store::Store& store, bool) { return std::vector<bool>{store.revoke_token(name, "ann")}; });
    store::NewToken token{.id = uuid(), .name = name, .hash = {}, .who = "ann"};
    for (int i = 0; i < 64; ++i) token.hash += "0123456789abcdef"[below(16)];
    if (chance(0.5)) token.expires_at = clock_.now() + std::chrono::seconds(below(600));
    return both("make " + name, [&](store::Store& store, bool) {
        return std::vector<bool>{store.create_token(token) == store::CreateTokenStatus::Created};
    });
}

std::string DifferentialDriver::append_snapshot() {
    const store::WorkerSnapshot snapshot{.worker = any_of(workers_).id,
                                         .at = {},
                                         .running = static_cast<int>(below(5)),
                                         .claimed = static_cast<int>(below(5)),
                                         .capacity = 10,
                                         .cpu_percent = static_cast<double>(below(1000)) / 10,
                                         .memory_mb = 64,
                                         .load = 0.25};
    return both("append snapshot of " + snapshot.worker.to_string(), [&](store::Store& store, bool) {
        store.append_worker_snapshot(snapshot);
        return std::vector<bool>{true};
    });
}

std::string DifferentialDriver::let_time_pass() {
    const auto by = chance(0.05) ? std::chrono::milliseconds(600'000 + below(1'200'000))
                                 : std::chrono::milliseconds(below(5'000));
    clock_.advance(by);
    note(concat("time passes: ", by.count(), " ms"));
    return "";
}

}  // namespace holdfast::contract
