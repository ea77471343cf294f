#include "proof/bench/recovery/workers.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/ids.h"
#include "base/text.h"
#include "client/connect.h"
#include "platform/host_identity.h"
#include "platform/life_lock.h"
#include "platform/log_writer.h"
#include "platform/real_clock.h"
#include "proof/bench/recovery/functions.h"
#include "worker/worker_process.h"

namespace holdfast::bench {

namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

int be_worker(const WorkerWords& words) {
    worker::WorkerPlan plan;
    plan.store.url = words.store;
    plan.settings.registration.name = words.name;
    plan.settings.registration.queues = {words.queue};
    plan.settings.registration.tags = {concat("task:", run_task)};
    plan.settings.registration.capacity = words.capacity;
    plan.settings.task_timeout = std::chrono::hours(1);
    if (words.sweeps) plan.sweep.emplace();
    platform::LogWriter log(std::cerr, LogFormat::Text, LogLevel::Warning, platform::real_clock());
    return worker::WorkerProcess(std::move(plan), recovery_functions(), log).run();
}

int be_claimer(const WorkerWords& words) {
    const auto store = client::connect({.url = words.store, .limits = {}});
    platform::SystemRandom random;
    store::WorkerRegistration self;
    self.id = make_uuid_v4(random);
    self.name = words.name;
    self.host = platform::own_host_identity();
    self.queues = {words.queue};
    self.tags = {concat("task:", run_task)};
    const auto registered = store->register_worker(self);
    platform::LifeLock lock;
    const client::StoreAddress address = client::parse_store_url(words.store);
    if (address.kind == client::StoreAddress::Kind::Sqlite)
        lock.hold(platform::life_lock_path(address.place), registered.number);
    std::vector<store::HeldLease> held;
    while (true) {
        store::BeatParams beat{.worker = self.id, .held = held, .progress = {}};
        beat.proves_session = address.kind == client::StoreAddress::Kind::Postgres;
        store->beat(beat);
        if (held.empty())
            for (const store::ClaimedTask& task : store
                                                      ->turn({.worker = self.id,
                                                 .request = make_uuid_v4(random),
                                                 .to_start = 0,
                                                 .to_hold = static_cast<std::size_t>(words.capacity)})
                                                      .claimed.tasks)
                held.push_back({.lease = {task.task.id, task.lease}});
        std::this_thread::sleep_for(held.empty() ? Duration(std::chrono::milliseconds(50)) : self.beat_interval);
    }
}

crew::Process start_child(const std::string& mode, const WorkerWords& words) {
    std::vector<std::string> command = words_of(words.through);
    const std::string program = std::filesystem::read_symlink(crew::own_program).string();
    command.insert(command.end(), {program, mode, "--store", words.store, "--name", words.name, "--queue",
                                   words.queue, "--capacity", std::to_string(words.capacity)});
    if (words.sweeps) command.emplace_back("--sweep");
    return crew::Process({.command = std::move(command)});
}

}  // namespace holdfast::bench
