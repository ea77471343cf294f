#include "proof/sim/runner_farm.h"

#include "base/text.h"
#include "proof/sim/process.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;
using engine::RunnerId;

constexpr Duration sign_interval = 5s;

}  // namespace

RunnerFarm::RunnerFarm(Process& worker, const Uuid& id, Sink sink)
    : worker_(worker), id_(id), world_(worker.world()), sink_(std::move(sink)) {}

RunnerFarm::~RunnerFarm() {
    *is_there_ = false;
}

Duration RunnerFarm::now() const {
    return world_.timeline.now();
}

void RunnerFarm::tell(const engine::RunnerEvent& event) {
    told_until_ = std::max(told_until_, now() + worker_.dice().between(Duration(20), Duration(500)));
    worker_.after(told_until_ - now(), [this, event] { sink_(event); });
}

void RunnerFarm::later(Duration wait, RunnerId id, std::function<void(Runner&)> event) {
    const auto found = runners_.find(id);
    if (found == runners_.end()) return;
    const std::uint64_t busy_with = found->second.busy_with;
    auto happen = [this, id, busy_with, event = std::move(event)] {
        const auto there = runners_.find(id);
        if (there != runners_.end() && there->second.busy_with == busy_with) event(there->second);
    };
    world_.timeline.after(wait, [this, is_there = is_there_, happen = std::move(happen)] {
        if (!*is_there) return;
        if (is_suspended_)
            waiting_.emplace_back(happen);
        else
            happen();
    });
}

void RunnerFarm::spawn(RunnerId id) {
    runners_[id] = {};
    Duration boot = worker_.dice().between(Duration(5ms), Duration(100ms));
    if (auto dice = world_.faults.strikes(Fault::RunnerSlowStart, worker_.name())) {
        if (dice->chance(0.3)) return later(boot, id, [this, id](Runner&) { lose(id, "died at start", false); });
        boot = dice->logarithmic(1s, 60s);
    }
    later(boot, id, [this, id](Runner& runner) {
        runner.is_ready = true;
        tell(engine::RunnerReady{id, worker_.pid()});
    });
}

void RunnerFarm::begin(RunnerId id, const engine::RunOrder& order) {
    const auto found = runners_.find(id);
    if (found == runners_.end()) return;
    Runner& runner = found->second;
    if (runner.order) world_.witness.complain("No attempt twice", "a runner was given a second task");
    const bool is_forgotten = world_.witness.run_begins(worker_, id_, order);
    runner.order = order;
    ++runner.busy_with;
    runner.run = world_.ledger.run_began({.lease = order.lease,
                                          .worker = worker_.name(),
                                          .worker_id = id_,
                                          .machine = worker_.machine().number,
                                          .began_at = now(),
                                          .ended_at = {},
                                          .how = "",
                                          .last_sign = now(),
                                          .is_forgotten = is_forgotten});
    worker_.say(concat("begins ", world_.ledger.name_of(order.lease.task), "#", order.lease.lease));
    world_.witness.check_overlap(order.lease.task);
    plan_run(id, runner);
    plan_signs(id);
    check_fence();
}

/// The outcome of a run depends on its task and on the number of the run, not on its worker.
void RunnerFarm::plan_run(RunnerId id, Runner& runner) {
    const TrueTask* task = world_.ledger.find(runner.order->lease.task);
    const std::string site = concat(task == nullptr ? "?" : task->name, "/", task == nullptr ? 0 : task->runs.size());
    Dice dice = world_.dice.fork(site);
    const bool is_quick = world_.plan.in_bursts;
    const Duration usual = is_quick ? dice.logarithmic(1ms, 50ms) : dice.logarithmic(5ms, 20s);
    const Duration longer = is_quick ? dice.logarithmic(1s, 2min) : dice.logarithmic(1min, 10min);
    const Duration length = dice.chance(is_quick ? 0.05 : 0.1) && !world_.plan.stops_after ? longer : usual;
    static const std::vector<Reaction> reactions = {Reaction::Ignores, Reaction::IsInterrupted,
                                                    Reaction::Returns, Reaction::CompletesAnyway,
                                                    Reaction::Throws,  Reaction::Fails};
    runner.reaction = dice.pick(reactions);
    runner.is_stubborn = runner.reaction == Reaction::Ignores && dice.chance(0.5);
    if (auto crash = world_.faults.draw(Fault::RunnerCrash, site)) {
        const std::string how = crash->chance(0.3) ? "died: out of memory" : "died: killed by SIGSEGV";
        return later(crash->between(Duration(1), length), id, [this, id, how](Runner& dying) {
            world_.faults.happened(Fault::RunnerCrash);
            world_.witness.runner_died(dying.order->lease);
            lose(id, how, false);
        });
    }
    runner.hangs = world_.faults.strikes(Fault::RunnerHang, site).has_value();
    if (runner.hangs) return;
    const store::TaskLease lease = runner.order->lease;
    engine::RunEnded ended{.runner = id, .lease = lease.lease, .completed = dice.chance(0.8)};
    if (ended.completed) ended.result = concat("{\"lease\":", lease.lease, "}");
    if (!ended.completed) ended.error = {dice.chance(0.5) ? "NO_LUCK" : "BAD_DAY", "drawn", ""};
    ended.leaves = dice.chance(0.05);
    later(length, id,
          [this, id, ended](Runner& each) { end_run(id, each, ended, ended.completed ? "completed" : "failed"); });
    if (dice.chance(0.3))
        later(length / 2, id, [this, id, lease](Runner&) {
            tell(engine::RunLog{.runner = id, .lease = lease.lease, .stream = "stdout", .text = "half\n", .at = {}});
            tell(engine::RunProgress{
                .runner = id, .lease = lease.lease, .fraction = 0.5, .text = "half", .checkpoint = "{\"at\":1}"});
        });
}

void RunnerFarm::plan_signs(RunnerId id) {
    later(sign_interval, id, [this, id](Runner& runner) {
        if (!runner.order || runner.hangs) return;
        if (!worker_.is_stopped()) world_.ledger.runs()[runner.run].last_sign = now();
        tell(engine::RunnerBeat{id});
        plan_signs(id);
    });
}

void RunnerFarm::end_run(RunnerId id, Runner& runner, engine::RunEnded ended, const std::string& how) {
    world_.ledger.run_ended(runner.run, how, now());
    worker_.say(concat("run #", ended.lease, " ", how));
    runner.order.reset();
    ++runner.busy_with;
    const bool leaves = ended.leaves;
    tell(ended);
    if (leaves) later(1ms, id, [this, id](Runner&) { lose(id, "left", false); });
}

void RunnerFarm::lose(RunnerId id, const std::string& how, bool fenced) {
    const auto found = runners_.find(id);
    if (found == runners_.end()) return;
    if (found->second.order) world_.ledger.run_ended(found->second.run, how, now());
    worker_.say(concat("runner ", id, " ", how));
    runners_.erase(found);
    tell(engine::RunnerGone{id, how, fenced});
}

void RunnerFarm::ask_to_stop(RunnerId id, engine::StopCause cause, Duration grace) {
    const auto found = runners_.find(id);
    if (found == runners_.end() || found->second.busy_with == 0) return;
    // Also a run whose end is on its way to the worker: it will be settled by this cause.
    TrueRun& run = world_.ledger.runs()[found->second.run];
    run.asked_to_stop = std::max(run.asked_to_stop.value_or(cause), cause);
    run.out_of_time |= cause == engine::StopCause::Timeout;
    if (!found->second.order) return;
    ++stops_;
    if (found->second.hangs || found->second.is_stubborn) return;
    const bool ignores = found->second.reaction == Reaction::Ignores;
    later(ignores ? grace : std::min<Duration>(grace, 50ms), id, [this, id, ignores](Runner& runner) {
        if (runner.order) react(id, runner, ignores ? Reaction::IsInterrupted : runner.reaction);
    });
}

void RunnerFarm::react(RunnerId id, Runner& runner, Reaction reaction) {
    const store::Lease lease = runner.order->lease.lease;
    engine::RunEnded ended{.runner = id, .lease = lease, .saw_stop = true};
    switch (reaction) {
        case Reaction::Ignores:
        case Reaction::IsInterrupted:
            return end_run(id, runner, ended, "stopped");
        case Reaction::Returns:
            ended.completed = true;
            ended.result = "\"a part\"";
            return end_run(id, runner, ended, "returned a part");
        case Reaction::CompletesAnyway:
            ended.completed = true;
            ended.saw_stop = false;
            ended.result = concat("{\"lease\":", lease, "}");
            return end_run(id, runner, ended, "completed");
        case Reaction::Throws:
            world_.ledger.runs()[runner.run].checkpoint = concat("{\"after\":", lease, "}");
            tell(engine::RunProgress{
                .runner = id, .lease = lease, .checkpoint = world_.ledger.runs()[runner.run].checkpoint});
            ended.threw_stop = true;
            return end_run(id, runner, ended, "stopped cleanly");
        case Reaction::Fails:
            ended.error = {"GAVE_UP", "because it was asked to stop", ""};
            return end_run(id, runner, ended, "gave up");
    }
}

void RunnerFarm::kill(RunnerId id) {
    if (const auto found = runners_.find(id); found != runners_.end() && found->second.order) ++stops_;
    // Also a runner that has ended its run meanwhile.
    world_.timeline.after(worker_.dice().between(Duration(100), Duration(5ms)), [this, is_there = is_there_, id] {
        if (*is_there) lose(id, "killed by its worker", false);
    });
}

void RunnerFarm::set_fence(Duration deadline) {
    fence_ = deadline;
    check_fence();
}

/// The runners watch the fence themselves, also without their worker.
void RunnerFarm::check_fence() {
    if (fence_ == Duration::zero()) return;  // none was set yet
    const Duration left = fence_ - worker_.monotonic();
    if (left > Duration::zero()) {
        world_.timeline.after(left, [this, is_there = is_there_, deadline = fence_] {
            if (*is_there && !is_suspended_ && fence_ == deadline) check_fence();
        });
        return;
    }
    std::vector<RunnerId> beyond;
    for (const auto& [id, runner] : runners_)
        if (runner.order && runner.order->fenced) beyond.push_back(id);
    for (const RunnerId id : beyond) lose(id, "fenced itself", true);
}

std::vector<std::size_t> RunnerFarm::open_runs() const {
    std::vector<std::size_t> runs;
    for (const auto& [id, runner] : runners_)
        if (runner.order) runs.push_back(runner.run);
    return runs;
}

void RunnerFarm::suspend() {
    is_suspended_ = true;
    for (auto& [id, runner] : runners_)
        if (runner.order) world_.ledger.runs()[runner.run].is_suspended = true;
}

void RunnerFarm::go_on() {
    is_suspended_ = false;
    check_fence();
    for (auto& [id, runner] : runners_) {
        if (!runner.order) continue;
        world_.ledger.runs()[runner.run].is_suspended = false;
        world_.witness.check_overlap(runner.order->lease.task);
    }
    for (auto& event : std::exchange(waiting_, {})) event();
}

}  // namespace holdfast::sim
