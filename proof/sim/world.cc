#include "proof/sim/world.h"

#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "proof/sim/client_process.h"
#include "proof/sim/sweeper_process.h"
#include "proof/sim/worker_process.h"
#include "store/migration.h"
#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Timestamp beginning = Timestamp(std::chrono::hours(24 * 365 * 56));
constexpr std::uint64_t events_between_full_checks = 1000;
constexpr std::uint64_t most_calls_to_settle = 900'000;
constexpr Duration longest_outage = 2h;

/// In memory where that is possible, and the working directory while the world is there: names that depend on this
/// process would get into messages, and make every run another one.
std::string enter_scratch_folder() {
    const std::filesystem::path memory = "/dev/shm";
    const auto parent = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    const auto folder = parent / concat("holdfast-sim-", getpid());
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
    return folder.string();
}

WorldPlan plan_for(const RunOptions& options) {
    WorldPlan plan = options.plan ? *options.plan : draw_plan(Dice(options.seed).fork("plan"));
    if (options.busy_for) plan.busy_for = *options.busy_for;
    return plan;
}

}  // namespace

std::string_view to_text(CallFault fault) {
    switch (fault) {
        case CallFault::Before:
            return "fails before";
        case CallFault::AnswerLost:
            return "is in doubt and applied";
        case CallFault::RequestLost:
            return "is in doubt and not applied";
        case CallFault::KillBefore:
            return "kills before";
        case CallFault::KillAfter:
            return "kills after";
        case CallFault::Stop:
            return "stops its process";
    }
    return "";
}

Timestamp WallClock::now() const {
    const Timestamp now = beginning + world_.timeline.now() + world_.wall_jumps + skew_;
    world_.latest_wall_clock = std::max(world_.latest_wall_clock, now);
    return now + world_.clock_ahead;  // which excuses nothing
}

World::World(const RunOptions& options)
    : trace(options.keep_lines, options.print_lines),
      faults(options.seed, options.limits),
      dice(Dice(options.seed).fork("world")),
      plan(plan_for(options)),
      folder_before(std::filesystem::current_path().string()),
      folder(enter_scratch_folder()),
      database("sim.db"),
      disk(dice.fork("disk")),
      witness(*this),
      tasks_left(plan.tasks),
      jobs_left(plan.jobs),
      options_(options),
      vfs_(std::make_unique<SqliteVfs>(disk)) {
    if (options.image) disk.restore(*options.image);
    for (int i = 0; i < plan.machines; ++i) {
        Machine& machine = *machines.emplace_back(std::make_unique<Machine>());
        machine.number = i;
        machine.hostname = concat("machine-", i + 1);
        machine.clock_sleeps = plan.one_machine;
    }
    add_slots();
}

World::~World() {
    graveyard_.clear();
    slots_.clear();
    witness.close();
    vfs_.reset();
    std::error_code ignored;
    std::filesystem::current_path(folder_before, ignored);
    std::filesystem::remove_all(folder, ignored);
}

store::Limits World::limits() const {
    store::Limits limits;
    limits.terminal_retention = plan.sweep.retention.terminal;
    return limits;
}

Duration World::draw_skew(const std::string& process) {
    auto skewed = faults.strikes(Fault::ClockSkew, process);
    return skewed ? skewed->between(Duration(-2min), Duration(2min)) : Duration::zero();
}

// ---- Processes ---------------------------------------------------------------------------------------------------

void World::add_slots() {
    const auto add = [&](std::string name, auto make_process) {
        Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
        slot.name = name;
        slot.machine = static_cast<int>(slots_.size()) % plan.machines;
        slot.make = [this, name, make_process, machine = slot.machine](int incarnation) {
            return make_process(name, *machines[static_cast<std::size_t>(machine)],
                                dice.fork(concat(name, "/", incarnation)));
        };
    };
    for (int i = 1; i <= plan.workers; ++i) {
        std::vector<std::string> tags = {"task:work"};
        if (i % 2 == 1) tags.emplace_back("gpu");
        add(concat("worker-", i), [this, tags](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<WorkerProcess>(*this, name, machine, of_it, tags);
        });
    }
    for (int i = 1; i <= plan.sweepers; ++i)
        add(concat("sweeper-", i), [this](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<SweeperProcess>(*this, name, machine, of_it);
        });
    for (int i = 1; i <= plan.clients; ++i)
        add(concat("client-", i), [this](const std::string& name, Machine& machine, const Dice& of_it) {
            return std::make_unique<ClientProcess>(*this, name, machine, of_it);
        });
}

void World::start(Slot& slot) {
    slot.is_due = false;
    if (slot.process) return;
    Machine& machine = *machines[static_cast<std::size_t>(slot.machine)];
    if (!machine.is_up) return start_later(slot, 1s);
    slot.process = slot.make(++slot.incarnation);
    slot.process->say("starts");
    if (machine.is_frozen) slot.process->stop();
    slot.process->start();
}

void World::start_later(Slot& slot, Duration wait) {
    if (std::exchange(slot.is_due, true)) return;
    timeline.after(wait, [this, &slot] { start(slot); });
}

World::Slot* World::slot_of(const Process& process) {
    for (const auto& slot : slots_)
        if (slot->process.get() == &process) return slot.get();
    return nullptr;
}

void World::bury(Process& process) {
    Slot* slot = slot_of(process);
    if (slot == nullptr) return;
    graveyard_.push_back(std::move(slot->process));
    Dice supervisor = dice.fork(concat("supervisor/", slot->name, "/", slot->incarnation));
    start_later(*slot, supervisor.logarithmic(100ms, plan.restarts_within));
}

void World::worker_died(const Remains& remains) {
    TrueWorker& truth = workers.at(remains.worker);
    truth.is_alive = false;
    truth.died_at = timeline.now();
    leftovers_[remains.worker] = remains;
    Machine& machine = *machines[static_cast<std::size_t>(remains.machine)];
    if (remains.keeper_dies_too) {
        truth.gone_since = machine.monotonic(timeline.now());
        machine.processes.erase(remains.keeper_pid);
        machine.life_locks.erase(remains.life_lock);
        timeline.after(10min, [this, worker = remains.worker] { end_leftovers(worker, "ended in the end"); });
    } else {
        timeline.after(remains.keeper_delay, [this, worker = remains.worker] { end_of_keeper(worker); });
    }
}

void World::end_of_keeper(const Uuid& worker) {
    const auto found = leftovers_.find(worker);
    if (found == leftovers_.end()) return;
    Machine& machine = *machines[static_cast<std::size_t>(found->second.machine)];
    if (machine.is_frozen) {
        timeline.after(1s, [this, worker] { end_of_keeper(worker); });
        return;
    }
    machine.processes.erase(found->second.keeper_pid);
    machine.life_locks.erase(found->second.life_lock);
    workers.at(worker).gone_since = machine.monotonic(timeline.now());
    end_leftovers(worker, "killed by its keeper");
}

void World::end_leftovers(const Uuid& worker, const std::string& how) {
    const auto found = leftovers_.find(worker);
    if (found == leftovers_.end()) return;
    for (const std::size_t run : found->second.runs) ledger.run_ended(run, how, timeline.now());
    leftovers_.erase(found);
}

bool World::is_reachable(const Process& process) const {
    if (timeline.now() < down_until_) return false;
    const auto partition = partitioned_until_.find(process.name());
    return partition == partitioned_until_.end() || timeline.now() >= partition->second;
}

void World::script_fate(Process& process, const std::function<void(CallFault)>& apply) {
    for (; next_scripted_ < options_.script.size(); ++next_scripted_) {
        const ScriptedFault& next = options_.script[next_scripted_];
        if (next.call != store_calls + 1) return;
        process.say(concat("call ", next.call, " ", to_text(next.fault)));
        apply(next.fault);
    }
}

void World::ring() {
    wake_workers([](WorkerProcess& worker) { worker.wake(); });
}

void World::ring_for_orders() {
    wake_workers([](WorkerProcess& worker) { worker.hear_of_orders(); });
}

void World::wake_workers(const std::function<void(WorkerProcess&)>& wake) {
    for (const auto& slot : slots_) {
        auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get());
        if (worker == nullptr || !worker->is_alive()) continue;
        if (faults.strikes(Fault::WakeUpLost, slot->name)) continue;
        Duration wait = 100us;
        if (auto late = faults.strikes(Fault::WakeUpLate, slot->name)) wait = late->logarithmic(1ms, 10s);
        worker->after(wait, [worker, wake] { wake(*worker); });
        if (faults.strikes(Fault::WakeUpTwice, slot->name))
            worker->after(2 * wait, [worker, wake] { wake(*worker); });
    }
}

// ---- Faults that come by themselves ------------------------------------------------------------------------------

void World::plan_next(Fault fault) {
    const auto wait = faults.next_after(fault);
    if (!wait) return;
    timeline.after(*wait, [this, fault] {
        if (auto drawn = faults.draw(fault, "world"); drawn && strike(fault, *drawn)) faults.happened(fault);
        plan_next(fault);
    });
}

const Process* World::find_living(const std::string& name) const {
    for (const auto& slot : slots_)
        if (slot->name == name && slot->process && slot->process->is_alive()) return slot->process.get();
    return nullptr;
}

Process* World::pick(std::string_view role, Dice& of_fault) {
    std::vector<Process*> found;
    for (const auto& slot : slots_)
        if (slot->process && slot->process->is_alive() && slot->name.starts_with(role))
            found.push_back(slot->process.get());
    return found.empty() ? nullptr : of_fault.pick(found);
}

void World::pause(Process& process, Duration length) {
    process.say(concat("is stopped for ", format_duration(length)));
    process.stop();
    still_until_ = std::max(still_until_, timeline.now() + length);
    Slot* slot = slot_of(process);
    const std::uint64_t number = ++last_stop_;
    stops_[number] = {slot, slot->incarnation};
    timeline.after(length, [this, number] { end_stop(number); });
}

void World::end_stop(std::uint64_t number) {
    const auto ended = stops_.extract(number);
    if (!ended) return;  // it was roused before
    const Stop& stop = ended.mapped();
    if (stop.slot->incarnation != stop.incarnation || !stop.slot->process) return;
    stop.slot->process->say("goes on");
    stop.slot->process->go_on();
}

void World::rouse(const std::set<Uuid>& ids, Duration wait) {
    bool is_anybody_stopped = false;
    for (const auto& [number, stop] : stops_) {
        const auto* worker = dynamic_cast<const WorkerProcess*>(stop.slot->process.get());
        if (worker == nullptr || !ids.contains(worker->id())) continue;
        timeline.after(wait, [this, number = number] { end_stop(number); });
        is_anybody_stopped = true;
    }
    if (is_anybody_stopped) faults.happened(Fault::BackAtVerdict);
}

bool World::freeze(Machine& machine, Duration length) {
    if (machine.is_frozen || !machine.is_up) return false;
    trace.line(timeline.now(), machine.hostname, concat("stands still for ", format_duration(length)));
    machine.is_frozen = true;
    machine.frozen_at = timeline.now();
    still_until_ = std::max(still_until_, timeline.now() + length);
    std::vector<std::pair<Slot*, int>> frozen;
    for (const auto& slot : slots_) {
        if (slot->machine != machine.number || !slot->process) continue;
        slot->process->stop();
        if (auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get())) worker->runners().suspend();
        frozen.emplace_back(slot.get(), slot->incarnation);
    }
    timeline.after(length, [this, &machine, boot = machine.boots, length, frozen] {
        if (machine.boots != boot) return;
        trace.line(timeline.now(), machine.hostname, "goes on");
        machine.is_frozen = false;
        if (machine.clock_sleeps) machine.asleep += length;
        for (const auto& [slot, incarnation] : frozen) {
            if (slot->incarnation != incarnation || !slot->process) continue;
            if (auto* worker = dynamic_cast<WorkerProcess*>(slot->process.get())) worker->runners().go_on();
            slot->process->go_on();
        }
        for (const auto& slot : slots_)
            if (slot->process && slot->machine == machine.number &&
                std::ranges::count(frozen, std::pair(slot.get(), slot->incarnation)) == 0)
                slot->process->go_on();
    });
    return true;
}

void World::reboot(Machine& machine, Duration away) {
    trace.line(timeline.now(), machine.hostname, concat("loses its power for ", format_duration(away)));
    for (const auto& slot : slots_)
        if (slot->machine == machine.number && slot->process) slot->process->die("its machine lost its power");
    for (auto& run : ledger.runs())
        if (run.machine == machine.number && !run.ended_at)
            ledger.run_ended(static_cast<std::size_t>(&run - ledger.runs().data()), "lost with its machine",
                             timeline.now());
    std::erase_if(leftovers_, [&](const auto& each) { return each.second.machine == machine.number; });
    machine.processes.clear();
    machine.life_locks.clear();
    machine.last_pid = 100;
    machine.is_up = false;
    machine.is_frozen = false;
    ++machine.boots;
    for (auto& [id, worker] : workers)
        if (worker.machine == machine.number && !worker.gone_since)
            worker.gone_since = machine.monotonic(timeline.now());
    timeline.after(away, [this, &machine, boot = machine.boots] {
        if (machine.boots != boot) return;
        machine.is_up = true;
        trace.line(timeline.now(), machine.hostname, "is up again");
    });
}

void World::lose_power() {
    power_cuts_seen = disk.power_cuts;
    Dice details = dice.fork(concat("power cut ", power_cuts_seen));
    const Duration away = details.logarithmic(1s, 2min);
    trace.line(timeline.now(), "database", "its machine loses its power");
    if (plan.one_machine) {
        reboot(*machines.front(), away);
    } else {
        down_until_ = std::max(down_until_, timeline.now() + away);
    }
    witness.power_failed();
}

void World::go_away(Duration length) {
    down_until_ = std::max(down_until_, timeline.now() + length);
    trace.line(timeline.now(), "database", concat("is away for ", format_duration(length)));
}

bool World::cut_off_one(Dice& of_fault) {
    Process* const process = pick("", of_fault);
    if (process == nullptr) return false;
    const Duration length = of_fault.logarithmic(1s, 10min);
    partitioned_until_[process->name()] = timeline.now() + length;
    process->say(concat("is cut off from the store for ", format_duration(length)));
    return true;
}

/// By hand, past every store.
bool World::forget_one(Dice& of_fault) {
    std::vector<Uuid> known;
    const bool of_the_living = of_fault.chance(0.7);
    for (const auto& [id, worker] : workers)
        if (worker.registered_at && !worker.forgotten_at && (worker.is_alive || !of_the_living)) known.push_back(id);
    if (known.empty() || timeline.now() < down_until_) return false;
    const Uuid id = of_fault.pick(known);
    std::string digits = id.to_string();
    std::erase(digits, '-');
    try {
        const OpeningFor opening(std::make_shared<DiskClient>());
        sqlite::Database db(database, sqlite::Database::Mode::ReadWrite);
        db.execute(concat("PRAGMA synchronous = FULL; DELETE FROM worker WHERE id = x'", digits, "'"));
    } catch (const store::StoreError&) {
        return false;  // somebody else is writing, or the disk is full
    }
    workers.at(id).forgotten_at = timeline.now();
    trace.line(timeline.now(), "database", concat("the row of ", workers.at(id).process, " is deleted"));
    if (!workers.at(id).is_alive || of_fault.chance(0.5)) return true;
    for (const auto& slot : slots_)  // before it can register again
        if (slot->name == workers.at(id).process && slot->process) slot->process->die("killed as its row is deleted");
    return true;
}

bool World::terminate_one(Dice& of_fault) {
    auto* const worker = dynamic_cast<WorkerProcess*>(pick("worker", of_fault));
    if (worker == nullptr) return false;
    worker->say("receives SIGTERM");
    worker->after(Duration::zero(), [worker] { worker->ask_to_drain(); });
    return true;
}

bool World::strike(Fault fault, Dice of_fault) {
    const auto pause_one = [&](std::string_view role) {
        Process* const process = pick(role, of_fault);
        if (process != nullptr) pause(*process, of_fault.logarithmic(1s, 10min));
        return process != nullptr;
    };
    switch (fault) {
        case Fault::Outage:
            go_away(of_fault.logarithmic(1s, longest_outage));
            return true;
        case Fault::Partition:
            return cut_off_one(of_fault);
        case Fault::PauseWorker:
            return pause_one("worker");
        case Fault::PauseSweeper:
            return pause_one("sweeper");
        case Fault::PauseClient:
            return pause_one("client");
        case Fault::TermWorker:
            return terminate_one(of_fault);
        case Fault::ForgetWorker:
            return forget_one(of_fault);
        case Fault::FreezeMachine:
            return freeze(*machines[of_fault.below(machines.size())], of_fault.logarithmic(1s, 10min));
        case Fault::RebootMachine: {
            Machine& machine = *machines[of_fault.below(machines.size())];
            if (plan.one_machine) {
                disk.lose_power();
                lose_power();
            } else {
                reboot(machine, of_fault.logarithmic(1s, 2min));
            }
            return true;
        }
        case Fault::PowerCut:
            power_cut_is_due = true;  // in the midst of somebody's next call
            return false;
        case Fault::DiskStaysFull: {
            const Duration length = of_fault.logarithmic(1s, 10min);
            disk.is_full = true;
            trace.line(timeline.now(), "database", concat("its disk is full for ", format_duration(length)));
            timeline.after(length, [this] { disk.is_full = false; });
            return true;
        }
        case Fault::ClockJump: {
            const Duration jump = of_fault.logarithmic(1s, 1h) * (of_fault.chance(0.5) ? 1 : -1);
            wall_jumps += jump;
            trace.line(timeline.now(), "database", concat("the wall clock jumps by ", jump.count(), " us"));
            return true;
        }
        case Fault::KillWorker:
        case Fault::KillSweeper:
        case Fault::KillClient:
        case Fault::AnswerLost:
        case Fault::RequestLost:
        case Fault::CallFails:
        case Fault::SlowCall:
        case Fault::Busy:
        case Fault::DiskFull:
        case Fault::IoError:
        case Fault::PauseAtCall:
        case Fault::BackAtVerdict:
        case Fault::ClockSkew:
        case Fault::RunnerCrash:
        case Fault::RunnerHang:
        case Fault::RunnerSlowStart:
        case Fault::WakeUpLost:
        case Fault::WakeUpTwice:
        case Fault::WakeUpLate:
        case Fault::ClockFarAhead:
            break;  // these do not come by themselves
    }
    return false;
}

// ---- A run -------------------------------------------------------------------------------------------------------

void World::step() {
    timeline.run_next();
    graveyard_.clear();
    if (timeline.count() < next_full_check_) return;
    next_full_check_ += events_between_full_checks;
    witness.look_at_everything("in between");
    if (is_calm) witness.check_owners(std::max(calm_since_, still_until_));
}

void World::run_until(Duration end, const std::function<bool()>& is_done) {
    while (!timeline.is_empty() && timeline.next_at() <= end && witness.violations().empty() && !is_done()) step();
}

void World::calm_down() {
    trace.line(timeline.now(), "world", "no more faults");
    faults.stop();
    is_calm = true;
    calm_since_ = timeline.now();
    busy_calls_ = store_calls;
    tasks_left = jobs_left = 0;
    down_until_ = std::min(down_until_, timeline.now());
    partitioned_until_.clear();
    disk.is_full = false;
    power_cut_is_due = false;
}

void World::settle() {
    // Times that were set while the wall clock was ahead come so much later.
    const Timestamp now = WallClock(*this, Duration::zero()).now();
    const Duration bound = settling_bound(plan) + (latest_wall_clock - now);
    const Duration end = timeline.now() + bound;
    bool ended = false;
    look_at_ = {};
    run_until(end, [&] { return (ended = is_over()) || store_calls - busy_calls_ > most_calls_to_settle; });
    if (!ended && witness.violations().empty())
        witness.complain("P2", concat("not ended within ", format_duration(timeline.now() - calm_since_), " and ",
                                      store_calls - busy_calls_, " calls without faults: ", witness.unended()));
}

/// Looks from time to time only.
bool World::is_over() {
    if (timeline.now() < look_at_) return false;
    look_at_ = timeline.now() + (plan.stops_after ? 50ms : 1s);
    return witness.all_ended();
}

void World::install() {
    const auto client = std::make_shared<DiskClient>();
    const OpeningFor opening(client);
    const WallClock clock(*this, Duration::zero());
    const auto store = sqlite::open_store({.path = database, .limits = limits()}, clock);
    for (const auto& [key, limit] : plan.shared_keys) store->declare_key({key, "", limit}, "operator");
}

/// As a program of that version would have left it, in the mode that every version has used.
void World::install_older(int version) {
    constexpr int application_id = 0x484f4c44;  // by which a store knows its own files
    const OpeningFor opening(std::make_shared<DiskClient>());
    sqlite::Database db(database, sqlite::Database::Mode::Create);
    db.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN;");
    for (const store::Migration& migration : sqlite::embedded_migrations())
        if (migration.number <= version) db.execute(std::string(migration.sql));
    db.execute(concat("PRAGMA application_id = ", application_id, "; PRAGMA user_version = ", version, "; COMMIT;"));
}

Duration World::plan_long_outage() {
    if (!plan.long_outage_at) return plan.busy_for;
    auto drawn = faults.draw(Fault::Outage, "long");
    if (!drawn) return plan.busy_for;
    const Duration length = drawn->between(Duration(1h), longest_outage);
    timeline.after(*plan.long_outage_at, [this, length] {
        faults.happened(Fault::Outage);
        go_away(length);
    });
    return plan.busy_for + length;
}

RunReport World::run() {
    if (plan.first_schema > 0) install_older(plan.first_schema);
    if (!plan.shared_keys.empty()) install();
    const Duration busy_for = plan_long_outage();
    for (const auto& slot : slots_)
        start_later(*slot, dice.fork(slot->name).between(Duration::zero(), plan.starts_within));
    for (const Fault fault : all_faults())
        if (is_timed(fault)) plan_next(fault);
    run_until(busy_for, [&] {
        return plan.stops_after && timeline.now() >= *plan.stops_after && tasks_left + jobs_left == 0 &&
               next_scripted_ == options_.script.size() && ledger.is_all_acknowledged() && is_over();
    });
    if (witness.violations().empty()) {
        calm_down();
        settle();
    }
    if (witness.violations().empty()) witness.check_end();
    return report();
}

RunReport World::report() const {
    RunReport made;
    made.seed = options_.seed;
    made.hash = trace.hash();
    made.store_calls = store_calls;
    made.busy_calls = busy_calls_;
    made.tasks = ledger.size();
    made.jobs = ledger.job_count();
    made.runs = ledger.run_count();
    made.disk_operations = disk.operations;
    made.events = timeline.count();
    made.virtual_time = timeline.now();
    made.violations = witness.violations();
    for (const Fault fault : all_faults())
        if (faults.count(fault) > 0) made.faults[fault] = faults.count(fault);
    made.drawn = faults.drawn();
    made.last_lines.assign(trace.last_lines().begin(), trace.last_lines().end());
    return made;
}

}  // namespace holdfast::sim
