#include "worker/worker_process.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/text.h"
#include "engine/backoff.h"
#include "engine/log_lines.h"
#include "platform/host_identity.h"
#include "runner/worker_environment.h"
#include "store/admission.h"
#include "worker/thread_runners.h"

namespace holdfast::worker {

namespace {

constexpr Duration longest_wait = std::chrono::seconds(30);

sigset_t drain_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    return signals;
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerPlan plan, const FunctionTable& functions, Log& log)
    : plan_(std::move(plan)), functions_(functions), log_(log) {
    store::WorkerRegistration& registration = plan_.settings.registration;
    registration.id = make_uuid_v4(random_);
    registration.host = platform::own_host_identity();
    if (registration.name.empty()) registration.name = registration.host.hostname;
    store::check_worker(registration);
    plan_.settings.runners_can_die = plan_.isolation == Isolation::Process;
    platform::count_sleep(client::parse_store_url(plan_.store.url).kind == client::StoreAddress::Kind::Postgres);
    if (plan_.isolation == Isolation::Process) {
        keeper_ = std::make_unique<runner::KeeperLink>(
            true, runner::withheld_names(plan_.secret_variables, plan_.limits.pass_env));
        registration.host.keeper_pid = keeper_->pid();
        registration.host.keeper_start_time = platform::start_time_of(keeper_->pid());
    }
    if (plan_.handles_signals) watch_signals();
}

WorkerProcess::~WorkerProcess() {
    if (signals_ >= 0) close(signals_);
}

void WorkerProcess::watch_signals() {
    const sigset_t signals = drain_signals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_.watch(signals_, [this] {
        signalfd_siginfo signal{};
        while (read(signals_, &signal, sizeof signal) == sizeof signal) {
            const std::string name = signal.ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT";
            log_.write(engine::log_lines::received_signal(name));
            drain(name + " was received");
        }
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
    const std::unique_ptr<store::Store> store = connect_patiently(plan_.prepare);
    // One writer at a time is all that SQLite knows: a second connection would only compete with the first.
    const bool is_postgres = client::parse_store_url(plan_.store.url).kind == client::StoreAddress::Kind::Postgres;
    plan_.settings.claims_beside_work = is_postgres;
    const std::unique_ptr<store::Store> second = is_postgres ? connect_patiently([](store::Store&) {}) : nullptr;
    if (store == nullptr || (is_postgres && second == nullptr)) return 0;
    return work(*store, second ? *second : *store);
}

std::unique_ptr<store::Store> WorkerProcess::connect_patiently(const std::function<void(store::Store&)>& prepare) {
    engine::Backoff backoff(random_);
    while (!drain_reason_) {
        try {
            std::unique_ptr<store::Store> store = client::connect(plan_.store);
            prepare(*store);
            return store;
        } catch (const store::Unavailable& away) {
            const Duration wait = backoff.next(longest_wait);
            log_.write(engine::log_lines::store_away(away.what(), wait));
            const Duration until = platform::machine_time() + wait;
            for (Duration now{}; !drain_reason_ && (now = platform::machine_time()) < until;) loop_.turn(until - now);
        }
    }
    return nullptr;
}

int WorkerProcess::work(store::Store& store, store::Store& claims) {
    Service service(plan_.settings, parts_for(store, claims));
    const std::unique_ptr<engine::Runners> runners = make_runners(service);
    service.use(*runners);
    service_ = &service;
    const std::unique_ptr<SweepThread> sweeping = start_sweeping();
    if (drain_reason_) service.ask_to_drain(*drain_reason_);
    const int exit_code = service.run();
    service_ = nullptr;
    return keeper_lost_ ? 1 : exit_code;
}

/// Without it no runner can be started. What ran is dead, and is reported before the worker leaves.
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

ServiceParts WorkerProcess::parts_for(store::Store& store, store::Store& claims) {
    ServiceParts parts{.loop = loop_, .store = store, .claims = claims, .random = random_, .log = log_};
    const client::StoreAddress address = client::parse_store_url(plan_.store.url);
    if (address.kind == client::StoreAddress::Kind::Sqlite) parts.life_lock = platform::life_lock_path(address.place);
    if (keeper_) parts.share_life_lock = [this](int descriptor) { keeper_->hold_open(descriptor); };
    parts.announce = plan_.announce;
    parts.turned = plan_.turned;
    return parts;
}

std::unique_ptr<engine::Runners> WorkerProcess::make_runners(Service& service) {
    auto sink = [&service](const engine::RunnerEvent& event) { service.handle(event); };
    if (plan_.isolation == Isolation::Thread) return std::make_unique<ThreadRunners>(loop_, functions_, sink);
    return std::make_unique<runner::ProcessPool>(loop_, *keeper_, plan_.settings.registration.id.to_string(),
                                                 plan_.limits, sink, [this] { keeper_gone(); });
}

}  // namespace holdfast::worker
