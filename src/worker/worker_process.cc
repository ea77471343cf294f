#include "worker/worker_process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/ids.h"
#include "base/text.h"
#include "engine/log_lines.h"
#include "holdfast/errors.h"
#include "platform/host_identity.h"
#include "platform/identity.h"
#include "platform/process_table.h"
#include "platform/until_reachable.h"
#include "runner/program_process.h"
#include "runner/slot_users.h"
#include "runner/worker_environment.h"
#include "store/admission.h"
#include "worker/thread_runners.h"

namespace holdfast::worker {

namespace {

/// Up to so many slots a claim in the turn that reports the ends is faster, because it saves a commit. With more, two
/// connections that share the work are.
constexpr std::size_t most_slots_for_turns = 50;

engine::ClaimsGo claims_on_postgres(const engine::WorkerSettings& settings) {
    return settings.capacity() <= most_slots_for_turns ? engine::ClaimsGo::InTurnsOrBeside : engine::ClaimsGo::Beside;
}

/// Until a runner program says what it can do.
constexpr Duration hello_patience = std::chrono::seconds(30);

std::optional<platform::Identity> identity_of(const std::optional<core::RunAs>& run_as) {
    if (!run_as) return std::nullopt;
    if (run_as->user.empty())
        throw BadInput(
            "worker.run_as: runner programs are shared by the slots and cannot have a user for each; use "
            "run_as: { user: NAME }, or another worker for them");
    auto account = platform::find_account(run_as->user);
    if (!account) throw BadInput("worker.run_as: " + account.error());
    return *account;
}

LogLine root_warning() {
    return {LogLevel::Warning,
            "This worker is root and has no run_as: every task can do everything on this machine; set worker.run_as, "
            "or start the worker as another user",
            {}};
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerPlan plan, const FunctionTable& functions, Log& log)
    : plan_(std::move(plan)), functions_(functions), log_(log) {
    store::WorkerRegistration& registration = plan_.settings.registration;
    registration.id = make_uuid_v4(random_);
    registration.host = platform::own_host_identity();
    if (registration.name.empty()) registration.name = registration.host.hostname;
    own_tags_ = registration.tags;
    if (!plan_.runners.empty()) meet_programs();
    store::check_worker(registration);
    plan_.settings.runners_can_die = plan_.isolation == Isolation::Process;
    platform::count_sleep(!is_on_sqlite());  // a process of an SQLite file sleeps with all others
    if (plan_.isolation == Isolation::Process) {
        runner::check_privileges(plan_.limits.run_as, plan_.limits.scratch_bytes);
        const Descriptor users = runner::lock_users(plan_.limits.run_as);
        platform::hide_from_own_user();
        keeper_ = std::make_unique<runner::KeeperLink>(
            true, runner::withheld_names(plan_.secret_variables, plan_.limits.pass_env));
        if (users) keeper_->hold_open(users.get());
        if (const std::string testimony = plan_.testimony(registration.id); !testimony.empty())
            keeper_->set_witness(testimony);
        registration.host.keeper_pid = keeper_->pid();
        registration.host.keeper_start_time = platform::start_time_of(keeper_->pid());
    }
    if (geteuid() == 0 && !plan_.limits.run_as) log_.write(root_warning());
    if (plan_.handles_signals) watch_signals();
}

bool WorkerProcess::is_on_sqlite() const {
    if (plan_.connect_to_server) return false;
    return client::parse_store_url(plan_.store.url).kind == client::StoreAddress::Kind::Sqlite;
}

void WorkerProcess::meet_programs() {
    if (plan_.isolation != Isolation::Process)
        throw BadInput(
            "worker.runners needs isolation process: runner programs are processes; remove isolation "
            "thread");
    store::WorkerRegistration& registration = plan_.settings.registration;
    const auto withheld = runner::withheld_names(plan_.secret_variables, plan_.limits.pass_env);
    runner::ProgramParams params{.command = {},
                                 .max_payload = plan_.limits.max_payload,
                                 .environment = runner::split_environment(withheld).shown,
                                 .identity = identity_of(plan_.limits.run_as)};
    params.environment.push_back(concat(platform::worker_variable, "=", registration.id.to_string()));
    std::map<std::string, std::string> command_of;
    for (const std::string& command : plan_.runners) {
        params.command = command;
        auto hello = runner::ask_program(params, hello_patience);
        if (!hello) throw BadInput(hello.error());
        for (const runner::ProgramTask& task : hello->tasks) {
            const auto [place, is_new] = command_of.emplace(task.name, command);
            if (!is_new || functions_.contains(task.name))
                throw BadInput(concat("The runner program '", command, "' has the task '", task.name,
                                      "', and so has ", is_new ? "this program" : concat("'", place->second, "'"),
                                      "; give one of them another name"));
        }
        programs_.push_back({command, std::move(hello).value()});
    }
    std::vector<std::string> tasks;
    for (const auto& [task, command] : command_of) tasks.push_back(task);
    registration.tags = tags_with(tasks);
}

std::vector<std::string> WorkerProcess::tags_with(const std::vector<std::string>& tasks) const {
    std::vector<std::string> tags = own_tags_;
    for (const std::string& task : tasks)
        if (std::string tag = "task:" + task; std::ranges::find(tags, tag) == tags.end())
            tags.push_back(std::move(tag));
    return tags;
}

void WorkerProcess::watch_signals() {
    signals_.emplace(loop_, std::initializer_list<int>{SIGTERM, SIGINT}, [this](const std::string& name) {
        log_.write(engine::log_lines::received_signal(name));
        drain(name + " was received");
    });
}

void WorkerProcess::ask_to_drain(const std::string& why) {
    loop_.post([this, why] { drain(why); });
}

void WorkerProcess::drain(const std::string& why) {
    drain_reason_ = why;
    if (service_ != nullptr) service_->ask_to_drain(why);
}

int WorkerProcess::run() {
    if (plan_.connect_to_server) return run_behind_server();
    const std::unique_ptr<store::Store> store = connect_patiently(plan_.prepare);
    plan_.store.create = false;  // a database that was removed is not made anew
    // SQLite has one writer at a time, so a second connection would only compete with the first.
    const bool is_postgres = client::parse_store_url(plan_.store.url).kind == client::StoreAddress::Kind::Postgres;
    if (is_postgres) plan_.settings.claims_go = claims_on_postgres(plan_.settings);
    const std::unique_ptr<store::Store> second = is_postgres ? connect_patiently([](store::Store&) {}) : nullptr;
    if (store == nullptr || (is_postgres && second == nullptr)) return 0;
    return work(*store, second ? *second : *store);
}

/// Its server may stand before either store. A second connection costs little, and serves claims that are put off.
int WorkerProcess::run_behind_server() {
    plan_.settings.claims_go = engine::ClaimsGo::InTurnsOrBeside;
    plan_.settings.proves_session = false;
    plan_.sweep.reset();
    const std::unique_ptr<store::WorkerStore> store = connect_to_server_patiently();
    const std::unique_ptr<store::WorkerStore> second = store ? connect_to_server_patiently() : nullptr;
    return second ? work(*store, *second) : 0;
}

std::unique_ptr<store::WorkerStore> WorkerProcess::connect_to_server_patiently() {
    std::unique_ptr<store::WorkerStore> store;
    const bool is_ready = platform::until_reachable(
        loop_, random_, log_, [this] { return drain_reason_.has_value(); },
        [&] { store = plan_.connect_to_server(); });
    return is_ready ? std::move(store) : nullptr;
}

std::unique_ptr<store::Store> WorkerProcess::connect_patiently(const std::function<void(store::Store&)>& prepare) {
    std::unique_ptr<store::Store> store;
    const bool is_ready = platform::until_reachable(
        loop_, random_, log_, [this] { return drain_reason_.has_value(); },
        [&] {
            store = plan_.connect(plan_.store);
            prepare(*store);
        });
    return is_ready ? std::move(store) : nullptr;
}

int WorkerProcess::work(store::WorkerStore& store, store::WorkerStore& claims) {
    Service service(plan_.settings, parts_for(store, claims));
    const std::unique_ptr<engine::Runners> runners = make_runners(service);
    service_ = &service;
    const std::unique_ptr<SweepThread> sweeping = start_sweeping();
    if (drain_reason_) service.ask_to_drain(*drain_reason_);
    const int exit_code = service.run();
    service_ = nullptr;
    if (keeper_) keeper_->set_witness("");  // it has left
    return keeper_lost_ ? 1 : exit_code;
}

/// Without a keeper no runner can be started. All runs are killed; they are reported before the worker leaves.
void WorkerProcess::keeper_gone() {
    keeper_lost_ = true;
    log_.write({LogLevel::Error, "The keeper was killed, and every runner with it: leaving", {}});
    drain("its keeper was killed");
}

std::unique_ptr<SweepThread> WorkerProcess::start_sweeping() {
    if (!plan_.sweep) return nullptr;
    const store::WorkerRegistration& self = plan_.settings.registration;
    SweepParams params{.store = plan_.store,
                       .settings = *plan_.sweep,
                       .interval = plan_.liveness_interval,
                       .who = concat("worker ", self.name, " (", self.id.to_string(), ")"),
                       .containers = plan_.limits.containers};
    params.settings.self = self.id;
    return std::make_unique<SweepThread>(std::move(params), random_, log_);
}

ServiceParts WorkerProcess::parts_for(store::WorkerStore& store, store::WorkerStore& claims) {
    ServiceParts parts{.loop = loop_, .store = store, .claims = claims, .random = random_, .log = log_};
    if (is_on_sqlite()) parts.life_lock = platform::life_lock_path(client::parse_store_url(plan_.store.url).place);
    if (keeper_) parts.share_life_lock = [this](int descriptor) { keeper_->hold_open(descriptor); };
    parts.announce = plan_.announce;
    parts.turned = plan_.turned;
    return parts;
}

std::unique_ptr<engine::Runners> WorkerProcess::make_runners(Service& service) {
    auto sink = [&service](const engine::RunnerEvent& event) { service.handle(event); };
    if (plan_.isolation == Isolation::Thread) {
        auto threads = std::make_unique<ThreadRunners>(
            loop_, functions_, sink, [&service](const auto& happening) { return service.enter(happening); });
        service.use(*threads, threads.get());
        return threads;
    }
    if (!programs_.empty()) return make_program_runners(service);
    auto processes = make_processes(sink);
    service.use(*processes);
    return processes;
}

std::unique_ptr<engine::Runners> WorkerProcess::make_program_runners(Service& service) {
    runner::ProgramPool::Ports ports{
        .sink = [&service](const engine::RunnerEvent& event) { service.handle(event); },
        .say = [this](const LogLine& line) { log_.write(line); },
        .tasks_changed =
            [this, &service](const std::vector<std::string>& tasks) { service.tags_changed(tags_with(tasks)); }};
    auto programs =
        std::make_unique<runner::ProgramPool>(loop_, programs_, plan_.settings.capacity(), std::move(ports));
    programs->use(
        make_processes([pool = programs.get()](engine::RunnerEvent event) { pool->slot_event(std::move(event)); }));
    service.use(*programs);
    return programs;
}

std::unique_ptr<runner::ProcessPool> WorkerProcess::make_processes(runner::ProcessPool::Sink sink) {
    return std::make_unique<runner::ProcessPool>(loop_, *keeper_, plan_.settings.registration.id.to_string(),
                                                 plan_.limits, std::move(sink), [this] { keeper_gone(); });
}

}  // namespace holdfast::worker
