#include "proof/bench/recovery/workers.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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
            for (const store::ClaimedTask& task :
                 store->claim({self.id, make_uuid_v4(random), 0, static_cast<std::size_t>(words.capacity)}).tasks)
                held.push_back({.lease = {task.task.id, task.lease}});
        std::this_thread::sleep_for(held.empty() ? Duration(std::chrono::milliseconds(50)) : self.beat_interval);
    }
}

Child::Child(const std::string& mode, const WorkerWords& words) {
    std::vector<std::string> texts = words_of(words.through);
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    for (const std::string& text :
         {program, mode, std::string("--store"), words.store, std::string("--name"), words.name,
          std::string("--queue"), words.queue, std::string("--capacity"), std::to_string(words.capacity)})
        texts.push_back(text);
    if (words.sweeps) texts.emplace_back("--sweep");
    std::vector<char*> arguments;
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    if (posix_spawnp(&pid_, arguments.front(), nullptr, nullptr, arguments.data(), environ) != 0)
        throw std::runtime_error("cannot start a worker");
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

Child::~Child() {
    if (pid_ != 0) end();
}

void Child::kill(int signal) const {
    ::kill(pid_, signal);
}

void Child::end() {
    kill(SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

}  // namespace holdfast::bench
