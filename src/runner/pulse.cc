#include "runner/pulse.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "platform/process_table.h"
#include "platform/real_clock.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "runner/container_tool.h"
#include "runner/rhythm.h"
#include "runner/roles.h"

namespace holdfast::runner {

namespace {

using platform::machine_time;

constexpr Duration own_removal_patience = std::chrono::seconds(10);

bool is_ready(const std::vector<pollfd>& ready, int descriptor) {
    return std::ranges::any_of(ready, [&](const pollfd& each) { return each.fd == descriptor && each.revents != 0; });
}

}  // namespace

void Pulse::end_process(int exit_code) {
    platform::signal_descendants(SIGKILL);
    remove_noted_container(folder_, own_removal_patience);
    runner::end_process(exit_code);
}

void end_process(int exit_code) {
    platform::kill_all_descendants();
    _exit(exit_code);
}

Pulse::Pulse(Printout printout, std::string folder)
    : bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), folder_(std::move(folder)), printout_(std::move(printout)) {}

void Pulse::start(const TreeLimits& limits) {
    usual_limits_ = limits;
    const platform::SignalPause pause;  // signals go to the threads of the run
    std::thread([this] { run(); }).detach();
}

// ---- The main thread's side ---------------------------------------------------------------------

void Pulse::begin(const Run& run) {
    const std::lock_guard lock(mutex_);
    run_ = {.lease = run.order.lease.lease, .is_fenced = run.order.fenced, .limits = usual_limits_};
    if (run.fence) note_fence(*run.fence);
    printout_.begin(run_.lease);
    is_stopping_ = stop_ && stop_->lease == run_.lease;
    if (is_stopping_) wake_by(Duration::zero());
    if (const auto end = end_of_fence()) wake_by(*end);
}

/// Called while no process of the run is left, so the pipes hold the last of its output. The lock is released while
/// waiting for the socket: the thread goes on beating, and a dead worker ends the process here as well.
void Pulse::finish() {
    std::unique_lock lock(mutex_);
    printout_.read_rest();
    send_news(platform::real_clock().now(), true);
    printout_.end();
    run_ = {};
    stop_.reset();
    while (outbox_.size() > 0) {
        lock.unlock();
        pollfd control{control_socket, POLLOUT, 0};
        poll(&control, 1, -1);
        lock.lock();
        if (!outbox_.flush(control_socket)) end_process(abandoned_exit);
    }
}

void Pulse::watch_tree(const TreeLimits& limits) {
    const std::lock_guard lock(mutex_);
    run_.limits = limits;
    run_.spares_runner = true;
    if (limits.has_any()) wake_by(Duration::zero());
}

/// Takes the lock, so it waits for a thread that is just sending the signals: a process, and then its run, may end
/// because of the signal before the flag is set.
bool Pulse::has_told_processes() {
    const std::lock_guard lock(mutex_);
    return run_.has_told_processes;
}

std::optional<std::string> Pulse::broken_limit() {
    const std::lock_guard lock(mutex_);
    return run_.broken_limit;
}

void Pulse::leave_processes_alone() {
    const std::lock_guard lock(mutex_);
    run_.is_tidying_up = true;
    run_.kill_at.reset();
}

void Pulse::open_socket(const std::string& path, std::int64_t max_payload, std::optional<uid_t> peer) {
    const std::lock_guard lock(mutex_);
    run_.socket.emplace(path, max_payload, peer);
    wake_by(Duration::zero());
}

void Pulse::hide(const SecretMask& mask) {
    const std::lock_guard lock(mutex_);
    printout_.hide(mask);
}

bool Pulse::has_cut_output() {
    const std::lock_guard lock(mutex_);
    printout_.read_rest();
    return printout_.out().is_over_cap() || printout_.err().is_over_cap();
}

void Pulse::complete_output(std::istream& out, std::istream& err) {
    const std::lock_guard lock(mutex_);
    printout_.complete(out, err);
}

Pulse::LastLines Pulse::last_lines() {
    const std::lock_guard lock(mutex_);
    printout_.read_rest();
    return {printout_.out().last_line(), printout_.err().last_line()};
}

// ---- The run's side -----------------------------------------------------------------------------

void Pulse::update(const RunUpdate& update) {
    const std::lock_guard lock(mutex_);
    note(update);
}

void Pulse::note(const RunUpdate& update) {
    if (!run_.news) run_.news.emplace(engine::RunProgress{.lease = run_.lease});
    if (update.fraction) run_.news->fraction = update.fraction;
    if (update.fraction) run_.news->text = printout_.mask().masked(update.text);
    if (update.checkpoint) run_.news->checkpoint = printout_.mask().masked(*update.checkpoint);
    wake_by(next_news_);
}

void Pulse::log(std::string_view line) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return printout_.has_room(); });
    printout_.add_line(line);
    wake_by(next_news_);
}

/// Wakes the thread from poll() only if it would sleep longer than that, so that a burst of updates costs one ring.
void Pulse::wake_by(Duration when) {
    if (when >= sleeping_until_) return;
    sleeping_until_ = when;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(bell_.get(), &one, sizeof one);  // a full counter rings as well
}

// ---- The thread ---------------------------------------------------------------------------------

void Pulse::run() {
    while (true) handle(wait_for_something());
}

/// The descriptors and the timeout are computed under the lock; poll() itself runs without it. A change in between
/// rings the bell, because `sleeping_until_` is set first.
std::vector<pollfd> Pulse::wait_for_something() {
    std::vector<pollfd> watched;
    int timeout = 0;
    {
        const std::lock_guard lock(mutex_);
        const Duration now = machine_time();
        watched = {{control_socket, static_cast<short>(POLLIN | (outbox_.size() > 0 ? POLLOUT : 0)), 0},
                   {keeper_pipe, POLLIN, 0},
                   {bell_.get(), POLLIN, 0}};
        for (std::size_t stream = 0; stream < 2 && now >= next_reading_; ++stream)
            if (printout_.wants_to_read(stream)) watched.push_back({printout_.descriptor(stream), POLLIN, 0});
        if (run_.socket) run_.socket->add_to(watched);
        sleeping_until_ = next_due(now);
        timeout = platform::poll_timeout(sleeping_until_ - now);
    }
    poll(watched.data(), watched.size(), timeout);
    return watched;
}

Duration Pulse::next_due(Duration now) const {
    Duration due = next_beat_;
    if (has_news()) due = std::min(due, next_news_);
    if (next_reading_ > now) due = std::min(due, next_reading_);
    if (const auto end = end_of_fence()) due = std::min(due, *end);
    if (run_.kill_at) due = std::min(due, *run_.kill_at);
    if (has_limits()) due = std::min(due, next_check_);
    return due;
}

std::optional<Duration> Pulse::end_of_fence() const {
    return run_.lease != 0 && run_.is_fenced ? fence_ : std::nullopt;
}

void Pulse::handle(const std::vector<pollfd>& ready) {
    const std::lock_guard lock(mutex_);
    if (is_ready(ready, keeper_pipe)) end_process(abandoned_exit);
    std::uint64_t rings = 0;
    [[maybe_unused]] const auto got = read(bell_.get(), &rings, sizeof rings);
    if (is_ready(ready, control_socket)) receive_control();
    if (run_.socket) run_.socket->serve([this](const RunUpdate& update) { note(update); });
    work_at(machine_time());
}

void Pulse::receive_control() {
    std::array<char, 4096> buffer;
    const ssize_t got = recv(control_socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) end_process(abandoned_exit);
    if (got > 0) orders_.feed({buffer.data(), static_cast<std::size_t>(got)});
    while (const auto message = orders_.next()) obey(*message);
    if (orders_.is_broken()) end_process(abandoned_exit);
}

void Pulse::obey(const Message& message) {
    if (const auto* stop = std::get_if<Stop>(&message)) {
        stop_ = *stop;
        is_stopping_ = stop->lease == run_.lease && run_.lease != 0;
        if (is_stopping_ && run_.kill_at) run_.kill_at = std::min(*run_.kill_at, machine_time() + stop->grace);
    } else if (const auto* fence = std::get_if<SetFence>(&message)) {
        note_fence(fence->deadline);
    } else if (const auto* credit = std::get_if<Credit>(&message)) {
        printout_.acknowledge(credit->bytes);
        room_.notify_all();
    }
}

// Deadlines arrive by two ways, the run's order and the control socket, in any order. They only grow: the later wins.
void Pulse::note_fence(Duration deadline) {
    fence_ = std::max(fence_.value_or(deadline), deadline);
}

/// The fence comes first: it must hold even when everything below is slow.
void Pulse::work_at(Duration now) {
    if (const auto end = end_of_fence(); end && now >= *end) end_process(fenced_exit);
    if (now >= next_reading_) {
        const std::size_t bytes = printout_.read_pipes();
        if (bytes > 0 && bytes < much_output) next_reading_ = now + reading_pause;
    }
    if (run_.lease != 0 && is_stopping_ && !run_.is_tidying_up) stop_run(now);
    if (has_limits() && now >= next_check_) check_limits(now);
    if (now >= next_news_) {
        if (has_news()) next_news_ = now + news_interval;
        send_news(platform::real_clock().now(), false);
    }
    if (now >= next_beat_) {
        next_beat_ = now + beat_interval;
        if (outbox_.size() == 0) send(engine::RunnerBeat{});  // do not pile up beats for a worker that does not read
    }
    if (!outbox_.flush(control_socket)) end_process(abandoned_exit);
}

/// SIGTERM once, then SIGKILL again and again from the end of the grace: a process may fork while it is being killed.
void Pulse::stop_run(Duration now) {
    if (!run_.kill_at) {
        run_.kill_at = now + stop_->grace;
        if (platform::signal_descendants(SIGTERM) > 0) run_.has_told_processes = true;
    }
    if (now < *run_.kill_at) return;
    if (platform::signal_descendants(SIGKILL) > 0) run_.has_told_processes = true;
    run_.kill_at = now + kill_interval;
}

void Pulse::check_limits(Duration now) {
    next_check_ = now + check_interval;
    const auto broken = runner::broken_limit(run_.limits);
    if (!broken && !run_.broken_limit) return;
    if (!run_.spares_runner) end_process(memory_exit);
    if (!run_.broken_limit) run_.broken_limit = broken;
    platform::signal_descendants(SIGKILL);
}

void Pulse::send_news(Timestamp at, bool everything) {
    if (run_.news && (everything || outbox_.size() == 0)) {  // else newer progress replaces it until the worker reads
        send(*run_.news);
        run_.news.reset();
    }
    if (printout_.waiting() == 0) return;
    for (engine::RunLog& chunk : printout_.take(at, everything)) send(std::move(chunk));
}

void Pulse::send(const Message& message) {
    if (!outbox_.send(control_socket, message)) end_process(abandoned_exit);
}

}  // namespace holdfast::runner
