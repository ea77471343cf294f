#include "worker/service.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/text.h"

namespace holdfast::worker {

namespace {

/// A loop that has not turned for this long hangs.
Duration guard_patience(const engine::WorkerSettings& settings) {
    return settings.registration.fence_after / 2;
}

/// The loop turns at least this often, so that its guard sees it.
Duration longest_pause(const engine::WorkerSettings& settings) {
    return std::min<Duration>(std::chrono::seconds(1), guard_patience(settings) / 4);
}

}  // namespace

/// While it lives, other threads may enter.
class Service::Running {
public:
    explicit Running(Service& service) : service_(service) { set(true); }
    ~Running() { set(false); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    void set(bool is_running) {
        service_.parts_.loop.inside([&] { service_.is_running_ = is_running; });
    }
    Service& service_;
};

Service::Service(engine::WorkerSettings settings, ServiceParts parts)
    : parts_(std::move(parts)),
      settings_(settings),
      worker_(std::move(settings), parts_.random),
      work_watch_(parts_.store, store::Topic::Work, [this] { enter([this] { worker_.work_arrived(); }); }),
      orders_watch_(parts_.store, store::Topic::Orders, [this] { orders_arrived(); }) {}

/// Once for all that arrive until the loop has heard of them.
void Service::orders_arrived() {
    if (orders_posted_.exchange(true)) return;
    parts_.loop.post([this] {
        orders_posted_ = false;
        worker_.orders_arrived(platform::machine_time());
    });
}

void Service::handle(const engine::RunnerEvent& event) {
    worker_.handle(event, platform::machine_time());
}

void Service::report_stuck(Duration stuck_for) {
    // In a detached thread: the log itself may be what the loop hangs in.
    std::thread([this, stuck_for] {
        parts_.log.write({LogLevel::Error,
                          concat("The service loop has not turned for ", format_duration(stuck_for),
                                 ": ending the process, so that its tasks are recovered"),
                          {}});
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::abort();
}

void Service::use(engine::Runners& runners, Caller* work_caller) {
    runners_ = &runners;
    work_caller_ = work_caller != nullptr ? work_caller : &work_lane_.emplace();
}

int Service::run() {
    guard_.emplace(guard_patience(settings_), [this](Duration stuck_for) { report_stuck(stuck_for); });
    const Running running(*this);
    while (true) {
        guard_->turned();
        parts_.turned();
        const auto pause = decide_and_pause();
        if (!pause) break;
        parts_.loop.turn(*pause);
    }
    guard_.reset();  // the end may take longer than a turn
    return *exit_code_;
}

/// Returns for how long the loop may wait; nullopt: the worker has left.
std::optional<Duration> Service::decide_and_pause() {
    std::optional<Duration> pause;
    parts_.loop.inside([&] {
        if (!exit_code_) decide();
        if (exit_code_) return;
        const Duration now = platform::machine_time();
        pause = std::min(worker_.wake_at() - now, longest_pause(settings_));
        turn_at_ = now + *pause;
    });
    return pause;
}

bool Service::enter(const std::function<void()>& happening) {
    bool is_open = false;
    parts_.loop.inside([&] {
        is_open = is_running_ && !exit_code_;
        if (!is_open) return;
        happening();
        decide();
        if (exit_code_ || worker_.wake_at() < turn_at_) parts_.loop.post([] {});  // the loop waits for too long
    });
    return is_open;
}

void Service::ask_to_drain(const std::string& why) {
    worker_.asked_to_drain(why, platform::machine_time());
}

void Service::tags_changed(std::vector<std::string> tags) {
    worker_.tags_changed(std::move(tags), platform::machine_time());
}

void Service::decide() {
    for (engine::Command& command : worker_.decide(platform::machine_time())) perform(std::move(command));
}

void Service::perform(engine::Command command) {
    struct Performer {
        Service& service;
        void operator()(engine::CallStore& each) const { service.call_store(each.lane, std::move(each.call)); }
        void operator()(const engine::SpawnRunner& each) const { service.runners_->spawn(each.runner); }
        void operator()(const engine::BeginRun& each) const { service.runners_->begin(each.runner, each.order); }
        void operator()(const engine::AskToStop& each) const {
            service.runners_->ask_to_stop(each.runner, each.cause, each.grace);
        }
        void operator()(const engine::KillRunner& each) const { service.runners_->kill(each.runner); }
        void operator()(const engine::SetFence& each) const { service.runners_->set_fence(each.deadline); }
        void operator()(const engine::LogsStored& each) const {
            service.runners_->logs_stored(each.runner, each.bytes);
        }
        void operator()(const engine::Say& each) const { service.parts_.log.write(each.line); }
        void operator()(const engine::Announce& each) const { service.parts_.announce(each.what); }
        void operator()(const engine::Leave& each) const { service.leave(each); }
    };
    std::visit(Performer{*this}, command);
}

void Service::leave(const engine::Leave& leave) {
    if (leave.at_once) std::_Exit(leave.exit_code);
    exit_code_ = leave.exit_code;
}

void Service::call_store(engine::Lane lane, engine::StoreCall call) {
    if (auto* snapshot = std::get_if<engine::SnapshotCall>(&call)) {
        const platform::OwnLoad::Sample load = load_.sample();
        snapshot->snapshot.cpu_percent = load.cpu_percent;
        snapshot->snapshot.memory_mb = load.memory_mb;
        snapshot->snapshot.load = load.load;
    }
    store::WorkerStore& store = lane == engine::Lane::Claim ? parts_.claims : parts_.store;
    caller_of(lane).submit([this, lane, &store, call = std::make_shared<engine::StoreCall>(std::move(call))] {
        tell(lane, engine::perform(store, *call));
    });
}

/// The answer to a beat tells how others have judged this worker's silence, so it goes through the loop, which hears
/// the worker's own runners first.
void Service::tell(engine::Lane lane, engine::StoreAnswer answer) {
    if (lane != engine::Lane::Beat) {
        enter([&] { answered(lane, std::move(answer)); });
        return;
    }
    parts_.loop.post([this, lane, kept = std::make_shared<engine::StoreAnswer>(std::move(answer))] {
        answered(lane, std::move(*kept));
    });
}

Caller& Service::caller_of(engine::Lane lane) {
    switch (lane) {
        case engine::Lane::Work:
            return *work_caller_;
        case engine::Lane::Claim:
            return claim_lane_;
        case engine::Lane::Beat:
            return beat_lane_;
    }
    std::abort();
}

void Service::answered(engine::Lane lane, engine::StoreAnswer answer) {
    if (const auto* registered = std::get_if<store::RegisterAnswer>(&answer)) hold_life_lock(registered->number);
    worker_.answered(lane, std::move(answer), platform::machine_time());
}

/// Taken before the first beat: no observer looks for it before that.
void Service::hold_life_lock(std::int64_t number) {
    if (parts_.life_lock.empty()) return;
    try {
        life_lock_.hold(parts_.life_lock, number);
        parts_.share_life_lock(life_lock_.descriptor());
    } catch (const std::system_error& fault) {
        parts_.log.write({LogLevel::Warning,
                          concat("Cannot hold the lock that proves this worker's life (", fault.what(),
                                 "): if it dies, others will only see that it is silent"),
                          {}});
    }
}

}  // namespace holdfast::worker
