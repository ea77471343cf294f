#include "runner/process_pool.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "core/task/task_spec.h"
#include "platform/process_table.h"
#include "platform/sockets.h"
#include "runner/roles.h"
#include "runner/texts.h"

namespace holdfast::runner {

using engine::RunnerId;

namespace {

/// A runner with so many unread bytes on its control socket hangs, or is suspended.
constexpr std::size_t most_unread_control = 1024 * 1024;

constexpr Duration lease_removal_patience = std::chrono::seconds(5);
constexpr Duration patience_when_leaving = std::chrono::seconds(5);

std::uint64_t line_number(RunnerId runner, bool is_control) {
    return static_cast<std::uint64_t>(runner) << 1 | static_cast<std::uint64_t>(is_control);
}

/// Until none is alive. A worker that leaves waits only a while longer for what does not die: that can run no more
/// code of its own.
void kill_descendants(const std::stop_token& leaves) {
    constexpr auto pause = std::chrono::milliseconds(1);
    Duration waited_since_leaving{};
    while (platform::signal_descendants(SIGKILL) > 0 && waited_since_leaving < patience_when_leaving) {
        std::this_thread::sleep_for(pause);
        if (leaves.stop_requested()) waited_since_leaving += pause;
    }
}

bool runs_container(const engine::RunOrder& order) {
    if (order.spec.empty()) return false;
    const auto spec = core::parse_task_spec(order.spec);
    return spec && spec->runs_in_container();
}

}  // namespace

ProcessPool::ProcessPool(platform::ServiceLoop& loop, KeeperLink& keeper, std::string worker, PoolLimits limits,
                         Sink sink, std::function<void()> keeper_lost)
    : loop_(loop),
      keeper_(keeper),
      worker_(std::move(worker)),
      limits_(std::move(limits)),
      users_(limits_.run_as),
      sink_(std::move(sink)),
      keeper_lost_(std::move(keeper_lost)),
      writing_(epoll_create1(EPOLL_CLOEXEC)) {
    loop_.watch(keeper_.socket(), [this] { read_keeper(); });
    loop_.watch(writing_.get(), [this] { go_on_writing(); });
}

ProcessPool::~ProcessPool() {
    for (auto& [id, runner] : runners_) {
        close_line(runner.task);
        close_line(runner.control);
    }
    loop_.forget(writing_.get());
    if (has_keeper_) loop_.forget(keeper_.socket());
}

ProcessPool::Runner* ProcessPool::find(RunnerId id) {
    const auto found = runners_.find(id);
    return found == runners_.end() ? nullptr : &found->second;
}

// ---- Orders to runners ---------------------------------------------------------------------------

void ProcessPool::spawn(RunnerId id) {
    Runner& runner = runners_[id];
    runner.id = id;
    launch(runner);
}

void ProcessPool::launch(Runner& runner) {
    const RunnerId id = runner.id;
    std::string refusal = "the keeper does not answer";
    try {
        if (start(runner)) return;
    } catch (const std::system_error& failure) {
        refusal = failure.what();
    }
    loop_.post([this, id, refusal, life = std::weak_ptr(life_)] {
        if (life.lock()) bury({id, 0, "cannot be started: " + refusal});
    });
}

bool ProcessPool::start(Runner& runner) {
    auto [task, task_end] = platform::socket_pair(SOCK_STREAM);
    auto [control, control_end] = platform::socket_pair(SOCK_STREAM);
    runner.task.socket = std::move(task);
    runner.control.socket = std::move(control);
    loop_.watch(runner.task.socket.get(), [this, id = runner.id] { read(id, &Runner::task); });
    loop_.watch(runner.control.socket.get(), [this, id = runner.id] { read(id, &Runner::control); });
    const auto identity = users_.take(runner.id);
    send(runner, runner.task, Setup{worker_, limits_, identity, runner.program});
    return keeper_.send(SpawnRunner{runner.id, worker_, identity}, {task_end.get(), control_end.get()});
}

void ProcessPool::begin(RunnerId id, const engine::RunOrder& order) {
    Runner* runner = find(id);
    if (runner == nullptr) return;
    runner->run = order.lease;
    runner->is_container = runs_container(order);
    if (std::exchange(runner->is_fenced, order.fenced) != order.fenced) keeper_.send(GuardRunner{id, order.fenced});
    send(*runner, runner->task, Run{order, fence_});
}

void ProcessPool::ask_to_stop(RunnerId id, engine::StopCause cause, Duration grace) {
    Runner* runner = find(id);
    if (runner == nullptr || runner->run.lease == 0) return;
    send(*runner, runner->control, Stop{runner->run.lease, cause, grace});
}

void ProcessPool::kill(RunnerId id) {
    if (find(id) != nullptr) keeper_.send(KillRunner{id});
}

void ProcessPool::set_fence(Duration deadline) {
    fence_ = deadline;
    keeper_.set_fence(deadline);
    for (auto& [id, runner] : runners_)
        if ((runner.run.lease != 0 || runner.is_host()) && runner.is_fenced)
            send(runner, runner.control, SetFence{deadline});
}

void ProcessPool::logs_stored(RunnerId id, std::size_t bytes) {
    if (Runner* runner = find(id)) send(*runner, runner->control, Credit{bytes});
}

// ---- Hosts of runner programs --------------------------------------------------------------------

void ProcessPool::spawn_host(RunnerId host, const std::string& program) {
    Runner& runner = runners_[host];
    runner.id = host;
    runner.program = program;
    launch(runner);
}

void ProcessPool::send_task(RunnerId host, const Message& message) {
    if (Runner* runner = find(host)) send(*runner, runner->task, message);
}

void ProcessPool::send_control(RunnerId host, const Message& message) {
    if (Runner* runner = find(host)) send(*runner, runner->control, message);
}

void ProcessPool::guard(RunnerId host, bool is_fenced) {
    Runner* runner = find(host);
    if (runner == nullptr || std::exchange(runner->is_fenced, is_fenced) == is_fenced) return;
    keeper_.send(GuardRunner{host, is_fenced});
    if (is_fenced && fence_) send(*runner, runner->control, SetFence{*fence_});
}

// ---- Writing ------------------------------------------------------------------------------------

void ProcessPool::send(Runner& runner, Line& line, const Message& message) {
    if (!line.socket || !line.out.send(line.socket.get(), message)) return;  // it is gone: the keeper will report it
    if (line.out.size() == 0) return;
    if (&line == &runner.control && line.out.size() > most_unread_control)
        return condemn(runner, "killed: does not read its control socket");
    await_writing(runner, line);
}

void ProcessPool::await_writing(Runner& runner, Line& line) {
    if (std::exchange(line.waits_to_write, true)) return;
    epoll_event wanted{};
    wanted.events = EPOLLOUT;
    wanted.data.u64 = line_number(runner.id, &line == &runner.control);
    epoll_ctl(writing_.get(), EPOLL_CTL_ADD, line.socket.get(), &wanted);
}

void ProcessPool::go_on_writing() {
    std::array<epoll_event, 64> events{};
    const int ready = epoll_wait(writing_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < ready; ++i) {
        const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
        Runner* runner = find(static_cast<RunnerId>(number >> 1));
        if (runner == nullptr) continue;
        Line& line = (number & 1) != 0 ? runner->control : runner->task;
        if (line.out.flush(line.socket.get()) && line.out.size() > 0) continue;
        epoll_ctl(writing_.get(), EPOLL_CTL_DEL, line.socket.get(), nullptr);
        line.waits_to_write = false;
    }
}

// ---- Reading ------------------------------------------------------------------------------------

/// False when there was nothing to read, or nothing more will come.
bool ProcessPool::receive(Line& line) {
    if (!line.socket) return false;
    const ssize_t got = recv(line.socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got > 0) line.in.feed({buffer_.data(), static_cast<std::size_t>(got)});
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return got > 0;
    close_line(line);
    return false;
}

void ProcessPool::read(RunnerId id, Line Runner::*line) {
    Runner& runner = *find(id);
    receive(runner.*line);
    handle_input(runner, runner.*line);
    if ((runner.*line).in.is_broken()) condemn(runner, "killed: broke the protocol of runners");
}

void ProcessPool::drain(Runner& runner, Line& line) {
    while (receive(line)) handle_input(runner, line);
}

void ProcessPool::handle_input(Runner& runner, Line& line) {
    while (auto message = line.in.next()) {
        if (runner.is_host()) {
            if (std::holds_alternative<engine::RunEnded>(*message)) drain(runner, runner.control);
            host_sink_.message(runner.id, std::move(*message));
            continue;
        }
        if (&line == &runner.control) {
            pass_on<engine::RunnerBeat>(runner, *message);
            pass_on<engine::RunProgress>(runner, *message);
            pass_on<engine::RunLog>(runner, *message);
            continue;
        }
        if (std::holds_alternative<engine::RunEnded>(*message)) {
            drain(runner, runner.control);  // the output of a run is handled before its end
            runner.run = {};
        }
        pass_on<engine::RunnerReady>(runner, *message);
        pass_on<engine::RunEnded>(runner, *message);
    }
}

/// Passes the message on if it is an event of this kind.
template <typename Event>
void ProcessPool::pass_on(const Runner& runner, Message& message) {
    auto* event = std::get_if<Event>(&message);
    if (event == nullptr) return;
    event->runner = runner.id;
    sink_(std::move(*event));
}

void ProcessPool::condemn(Runner& runner, std::string why) {
    if (!runner.condemned.empty()) return;
    runner.condemned = std::move(why);
    close_line(runner.task);
    close_line(runner.control);
    keeper_.send(KillRunner{runner.id});
}

void ProcessPool::close_line(Line& line) {
    if (!line.socket) return;
    loop_.forget(line.socket.get());
    line.socket.close();
    line.waits_to_write = false;
}

// ---- The keeper ---------------------------------------------------------------------------------

void ProcessPool::read_keeper() {
    platform::Packet packet;
    platform::Received received{};
    while ((received = platform::receive_packet(keeper_.socket(), packet)) == platform::Received::Packet) {
        const auto message = parse_packet(packet.bytes);
        if (const auto* report = message ? std::get_if<RunnerDied>(&*message) : nullptr) bury(*report);
    }
    if (received == platform::Received::Closed) lose_keeper();
}

void ProcessPool::bury(const RunnerDied& report) {
    Runner* runner = find(report.runner);
    if (runner == nullptr) return;
    hear_out(*runner);
    engine::RunnerGone gone = obituary(*runner, report);
    forget(report.runner);
    this->report(std::move(gone));
}

void ProcessPool::report(engine::RunnerGone gone) {
    if (gone.runner >= first_host) return host_sink_.gone(gone);
    sink_(std::move(gone));
}

/// Handles the messages that it sent before it died.
void ProcessPool::hear_out(Runner& runner) {
    drain(runner, runner.task);
    drain(runner, runner.control);
}

void ProcessPool::forget(RunnerId id) {
    Runner& runner = *find(id);
    close_line(runner.task);
    close_line(runner.control);
    users_.give_back(id);
    runners_.erase(id);
}

engine::RunnerGone ProcessPool::obituary(const Runner& runner, const RunnerDied& report) const {
    const int code = WIFEXITED(report.status) ? WEXITSTATUS(report.status) : -1;
    if (code == fenced_exit) return {runner.id, "fenced itself", true};
    if (report.fenced) return {runner.id, "fenced by its keeper", true};
    if (!report.reason.empty()) return {runner.id, report.reason, false};
    if (code == memory_exit) return {runner.id, "killed: " + memory_limit_text(limits_.memory_bytes), false};
    if (!runner.condemned.empty()) return {runner.id, runner.condemned, false};
    return {runner.id, exit_text(report.status), false};
}

/// Processes that wait for a disk die late, and a container engine may not answer: neither may hold up the loop.
void ProcessPool::lose_keeper() {
    has_keeper_ = false;
    loop_.forget(keeper_.socket());
    keeper_lost_();
    std::map<RunnerId, store::TaskLease> containers;
    for (const auto& [id, runner] : runners_)
        if (runner.run.lease != 0 && runner.is_container) containers.emplace(id, runner.run);
    ending_ = std::jthread([this, containers, life = std::weak_ptr(life_)](const std::stop_token& stop) {
        kill_descendants(stop);
        auto left = containers;
        std::erase_if(left, [&](const auto& each) {
            return !stop.stop_requested() &&
                   remove_containers(limits_.containers, each.second, lease_removal_patience) != Removal::Unknown;
        });
        loop_.post([this, left, life] {
            if (life.lock()) bury_all_except(left);
        });
    });
}

/// The runs of these containers may go on: the sweeper that takes their leases over removes the containers first.
void ProcessPool::bury_all_except(const std::map<RunnerId, store::TaskLease>& left) {
    while (!runners_.empty()) {
        auto& [id, runner] = *runners_.begin();
        hear_out(runner);
        if (runner.run.lease != 0 && left.contains(id))
            forget(id);
        else
            bury({id, 0, "killed: its keeper died"});
    }
}

}  // namespace holdfast::runner
