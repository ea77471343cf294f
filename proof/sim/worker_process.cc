#include "proof/sim/worker_process.h"

#include "base/ids.h"
#include "base/text.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Duration safety_poll = 1s;
/// A beat after an order waits only for the previous beat and the pause after it.
constexpr Duration beat_follows_order_within = 100ms;

}  // namespace

WorkerProcess::WorkerProcess(World& world, const std::string& name, Machine& machine, Dice dice_of_it,
                             const std::vector<std::string>& tags)
    : Process(world, name, machine, std::move(dice_of_it)),
      id_(make_uuid_v4(dice())),
      keeper_pid_(machine.add_process(world.timeline.now())),
      clock_(world, world.draw_skew(name)),
      store_(*this, clock_),
      runners_(*this, id_, [this](const engine::RunnerEvent& event) { runner_said(event); }),
      worker_(settings(tags), dice()) {
    world.workers[id_] = {.id = id_,
                          .process = name,
                          .machine = machine.number,
                          .boot = machine.boots,
                          .last_beat = world.timeline.now()};
    if (world.plan.workers_sweep) sweep_loop_.emplace(*this, store_, id_);
}

engine::WorkerSettings WorkerProcess::settings(const std::vector<std::string>& tags) {
    engine::WorkerSettings settings = worker_settings(world().plan);
    settings.registration.id = id_;
    settings.registration.name = name();
    settings.registration.queues = world().plan.queues;
    settings.registration.tags = tags;
    settings.registration.host = {.hostname = machine().hostname,
                                  .boot_id = machine().boot_id(),
                                  .pid_namespace = 1,
                                  .pid = pid(),
                                  .start_time = start_time(),
                                  .keeper_pid = keeper_pid_,
                                  .keeper_start_time = machine().processes.at(keeper_pid_)};
    return settings;
}

void WorkerProcess::start() {
    decide();
    poll();
    if (sweep_loop_) sweep_loop_->start();
}

void WorkerProcess::poll() {
    after(safety_poll, [this] {
        wake();
        poll();
    });
}

void WorkerProcess::wake() {
    worker_.work_arrived();
    decide();
}

void WorkerProcess::hear_of_orders() {
    if (!orders_since_) orders_since_ = world().timeline.now();
    worker_.orders_arrived(monotonic());
    decide();
}

/// An order makes a worker beat at once.
void WorkerProcess::check_orders_were_heard() {
    if (!orders_since_) return;
    const Duration could_beat = std::max({*orders_since_, beat_lane_free_since_, hindered_until()});
    const Duration waited = world().timeline.now() - could_beat;
    orders_since_.reset();
    if (!beat_failed_ && waited > beat_follows_order_within)
        world().witness.complain(
            "Stopping", concat(name(), " was told of an order, and has beaten only after ", format_duration(waited)));
}

void WorkerProcess::ask_to_drain() {
    worker_.asked_to_drain("received SIGTERM", monotonic());
    decide();
}

/// The death of a runner ends its own run, and no other one of the worker (P8).
void WorkerProcess::runner_said(const engine::RunnerEvent& event) {
    const bool is_death = std::holds_alternative<engine::RunnerGone>(event);
    if (is_death) decide();  // does what is due anyway: later stops are caused by the death
    const std::uint64_t stops = runners_.stops();
    worker_.handle(event, monotonic());
    decide();
    if (is_death && runners_.stops() > stops)
        world().witness.complain("P8", concat(name(), " has lost a runner, and stops the runs of others"));
}

void WorkerProcess::decide() {
    if (!is_alive() || exit_code_) return;
    ++decisions_;
    for (engine::Command& command : worker_.decide(monotonic())) perform(command);
    if (is_alive() && !exit_code_) decide_at(worker_.wake_at());
}

/// Decides at that time of its own clock, unless it has decided meanwhile.
void WorkerProcess::decide_at(Duration when) {
    const Duration wait = std::clamp<Duration>(when - monotonic(), Duration::zero(), 1s);
    after(std::max<Duration>(wait, Duration(1)), [this, decision = decisions_] {
        if (decision == decisions_) decide();
    });
}

void WorkerProcess::perform(engine::Command& command) {
    struct Performer {
        WorkerProcess& process;
        void operator()(engine::CallStore& each) const { process.call_store(each.lane, std::move(each.call)); }
        void operator()(const engine::SpawnRunner& each) const { process.runners_.spawn(each.runner); }
        void operator()(const engine::BeginRun& each) const { process.runners_.begin(each.runner, each.order); }
        void operator()(const engine::AskToStop& each) const {
            process.runners_.ask_to_stop(each.runner, each.cause, each.grace);
        }
        void operator()(const engine::KillRunner& each) const { process.runners_.kill(each.runner); }
        void operator()(const engine::SetFence& each) const { process.runners_.set_fence(each.deadline); }
        void operator()(const engine::LogsStored& each) const {
            process.runners_.logs_stored(each.runner, each.bytes);
        }
        void operator()(const engine::Say& each) const { process.say(each.line.message); }
        void operator()(const engine::Announce&) const {}
        void operator()(const engine::Leave& each) const { process.leave(each); }
    };
    std::visit(Performer{*this}, command);
}

void WorkerProcess::call_store(engine::Lane lane, engine::StoreCall call) {
    if (lane == engine::Lane::Beat) check_orders_were_heard();
    spawn([this, lane, call = std::move(call)] {
        const engine::StoreAnswer answer = perform_call(call);
        if (const auto* registered = std::get_if<store::RegisterAnswer>(&answer))
            machine().life_locks.try_emplace(registered->number, id_);  // another worker may hold it
        if (lane == engine::Lane::Beat) {
            beat_lane_free_since_ = world().timeline.now();
            beat_failed_ = std::holds_alternative<engine::CallFailed>(answer);
        }
        worker_.answered(lane, answer, monotonic());
        decide();
    });
}

/// A store may put a claim off that would make the rest of its turn wait.
engine::StoreAnswer WorkerProcess::perform_call(const engine::StoreCall& call) {
    const auto* const turn = std::get_if<engine::TurnCall>(&call);
    const bool may_put_off = world().plan.claims_go == engine::ClaimsGo::InTurnsOrBeside && turn != nullptr &&
                             turn->params.claims() && !turn->params.finish.empty();
    if (!may_put_off || !dice().chance(0.2)) return engine::perform(store_, call);
    engine::TurnCall without_claim = *turn;
    without_claim.params.to_start = without_claim.params.to_hold = 0;
    engine::StoreAnswer answer = engine::perform(store_, without_claim);
    if (auto* const answered = std::get_if<store::TurnAnswer>(&answer))
        answered->claimed.refusal = store::ClaimRefusal::PutOff;
    return answer;
}

void WorkerProcess::leave(const engine::Leave& leave) {
    exit_code_ = leave.exit_code;
    after(Duration::zero(), [this] { die(concat("left with exit code ", *exit_code_)); });
}

/// A moment later its keeper kills what is left behind, and only then releases the lock. A keeper that is killed with
/// it leaves the processes running until they are killed otherwise.
void WorkerProcess::on_death() {
    World::Remains remains{.worker = id_,
                           .machine = machine().number,
                           .keeper_pid = keeper_pid_,
                           .runs = runners_.open_runs(),
                           .keeper_delay = dice().between(Duration(1ms), Duration(50ms)),
                           .keeper_dies_too = world().plan.one_machine && dice().chance(0.2)};
    world().worker_died(remains);
}

}  // namespace holdfast::sim
