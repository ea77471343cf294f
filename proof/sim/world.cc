#include "proof/sim/world.h"

#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "store/sqlite/schema_version.h"
#include "store/sqlite/sqlite_store.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

constexpr Timestamp beginning = Timestamp(std::chrono::hours(24 * 365 * 56));
constexpr std::uint64_t events_between_full_checks = 1000;
constexpr std::uint64_t most_calls_to_settle = 900'000;

/// In memory where possible, and the working directory while the world exists: paths that depend on this process
/// would get into messages and make runs differ.
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
    return now + world_.clock_ahead;  // not noted in latest_wall_clock: it excuses nothing
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
    // Times that were set while the wall clock was ahead come later.
    const Timestamp now = WallClock(*this, Duration::zero()).now();
    const Duration bound = settling_bound(plan) + (latest_wall_clock - now);
    const Duration end = timeline.now() + bound;
    bool ended = false;
    look_at_ = {};
    run_until(end, [&] { return (ended = is_over()) || store_calls - busy_calls_ > most_calls_to_settle; });
    if (ended || !witness.violations().empty()) return;
    if (witness.all_ended())
        return witness.complain("Lost submits", concat("lost, and not told: ", witness.submits.untold()));
    witness.complain("P2", concat("not ended within ", format_duration(timeline.now() - calm_since_), " and ",
                                  store_calls - busy_calls_, " calls without faults: ", witness.unended()));
}

/// Checks only from time to time.
bool World::is_over() {
    if (timeline.now() < look_at_) return false;
    look_at_ = timeline.now() + (plan.stops_after ? 50ms : 1s);
    return witness.all_ended() && witness.submits.untold().empty();
}

void World::install() {
    const auto client = std::make_shared<DiskClient>();
    const OpeningFor opening(client);
    const WallClock clock(*this, Duration::zero());
    const auto store = sqlite::open_store({.path = database, .limits = limits(), .has_deadlines = false}, clock);
    for (const auto& [key, limit] : plan.shared_keys) store->declare_key({key, "", limit}, "operator");
}

/// As a program of that version leaves the database, in the journal mode of every version.
void World::install_older(int version) {
    const OpeningFor opening(std::make_shared<DiskClient>());
    sqlite::Database db(database, sqlite::Database::Mode::Create);
    db.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN;");
    sqlite::apply_migrations(db, 0, version);
    db.execute("COMMIT;");
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
    made.lost = witness.lost();
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
